// Memory behind descriptors of rare kinds, and what files and names cost.
#include "holding.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- C9 ---- */

uint64_t c9_aio(const struct call *call)
{
    enum { CONTEXTS = 32, EVENTS = 2000, EVENT_BYTES = 32 };
    uint64_t held = 0;
    for (int i = 0; i < CONTEXTS; i++) {
        aio_context_t context = 0;
        if (syscall(SYS_io_setup, EVENTS, &context) != 0)
            break;
        held += EVENTS * EVENT_BYTES;
    }
    if (held == 0)
        tell(call, "io_setup");
    return held;
}

/* Every epoll set watches every event descriptor: allowed, and bounded by the open files. */
uint64_t c9_epoll(const struct call *call)
{
    enum { MOST = 128, ITEM_BYTES = 192 };
    int events[MOST], sets[MOST], event_count = 0, set_count = 0;
    uint64_t items = 0;
    while (event_count < 30 && (events[event_count] = eventfd(0, EFD_CLOEXEC)) >= 0)
        event_count++;
    while (set_count < MOST && (sets[set_count] = epoll_create1(EPOLL_CLOEXEC)) >= 0)
        set_count++;
    for (int i = 0; i < set_count; i++)
        for (int j = 0; j < event_count; j++) {
            struct epoll_event event = {.events = EPOLLIN};
            items += epoll_ctl(sets[i], EPOLL_CTL_ADD, events[j], &event) == 0;
        }
    say(call, "%d sets watch %d descriptors", set_count, event_count);
    return items * ITEM_BYTES;
}

uint64_t c9_mqueue(const struct call *call)
{
    const long queue = syscall(SYS_mq_open, "bahost-hostile", O_RDWR | O_CREAT, 0600, NULL);
    if (queue < 0)
        tell(call, "mq_open");
    return queue < 0 ? 0 : 10 * 8192;
}

uint64_t c9_perf(const struct call *call)
{
    struct perf_event_attr attribute = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attribute};
    attribute.config = PERF_COUNT_SW_TASK_CLOCK;
    attribute.exclude_kernel = 1;
    const long event = syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0);
    if (event < 0)
        tell(call, "perf_event_open");
    return event < 0 ? 0 : PAGE;
}

uint64_t c9_bpf(const struct call *call)
{
    union bpf_attr attribute = {.map_type = BPF_MAP_TYPE_ARRAY};
    attribute.key_size = 4;
    attribute.value_size = 4096;
    attribute.max_entries = 4096;
    const long map = syscall(SYS_bpf, BPF_MAP_CREATE, &attribute, sizeof attribute);
    if (map < 0)
        tell(call, "bpf");
    return map < 0 ? 0 : 16 * MEBIBYTE;
}

uint64_t c9_fanotify(const struct call *call)
{
    const long group = syscall(SYS_fanotify_init, 0, O_RDONLY);
    if (group < 0)
        tell(call, "fanotify_init");
    return group < 0 ? 0 : PAGE;
}

/* ---- C10: files in the container ---- */

static int make_file(int number)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/hostile-%d", folder != NULL ? folder : ".", number);
    return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

uint64_t c10_file_bytes(const struct call *call)
{
    enum { FILES = 64, FILE_BYTES = 4 * MEBIBYTE };
    static const char block[64 * 1024];
    uint64_t held = 0;
    for (int i = 0; i < FILES; i++) {
        const int file = make_file(i);
        if (file < 0)
            tell(call, "open");
        ssize_t count = file < 0 ? 0 : 1;
        for (uint64_t written = 0; written < FILE_BYTES && count > 0; written += (uint64_t)count) {
            count = write(file, block, sizeof block);
            held += count > 0 ? (uint64_t)count : 0;
        }
        close(file);
    }
    return held;
}

/* Files that are dirtied through shared maps: pages of files, which no memory limit counts. */
uint64_t c10_shared_map(const struct call *call)
{
    enum { FILES = 4, FILE_BYTES = 32 * MEBIBYTE };
    uint64_t held = 0;
    for (int i = 0; i < FILES; i++) {
        const int file = make_file(i);
        if (file < 0 || ftruncate(file, FILE_BYTES) != 0) {
            tell(call, "ftruncate");
            break;
        }
        for (off_t at = 0; at < FILE_BYTES; at += MEBIBYTE) {
            const long place =
                syscall(SYS_mmap, NULL, MEBIBYTE, PROT_READ | PROT_WRITE, MAP_SHARED, file, at);
            if (place == -1)
                break;
            held += dirty((char *)place, MEBIBYTE); // SAFETY: what the kernel returned
            munmap((void *)place, MEBIBYTE);
        }
        close(file);
    }
    return held;
}

uint64_t c10_empty_files(const struct call *call)
{
    enum { FILES = 5000, FILE_KERNEL_BYTES = 1300 };
    uint64_t made = 0;
    for (int descriptor; made < FILES && (descriptor = make_file((int)made)) >= 0; made++)
        close(descriptor);
    say(call, "%llu files: %s", (unsigned long long)made, strerror(errno));
    return made * FILE_KERNEL_BYTES;
}

uint64_t c10_links(const struct call *call)
{
    enum { LINKS = 5000, LINK_BYTES = 1300 };
    char path[4096];
    const char *folder = getenv("TMPDIR");
    uint64_t made = 0;
    for (; made < LINKS; made++) {
        snprintf(path, sizeof path, "%s/hostile-%d", folder != NULL ? folder : ".", (int)made);
        if (symlink("/", path) != 0)
            break;
    }
    say(call, "%llu links: %s", (unsigned long long)made, strerror(errno));
    return made * LINK_BYTES;
}

/* ---- C11 ---- */

uint64_t c11_dev_zero(const struct call *call)
{
    const size_t size = 32 * MEBIBYTE;
    const int file = open("/dev/zero", O_RDWR | O_CLOEXEC);
    if (file < 0) {
        tell(call, "/dev/zero");
        return 0;
    }
    const long place = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return place == -1 ? 0 : dirty((char *)place, size); // SAFETY: what the kernel returned
}

/* ---- C12: the kernel remembers what is not there ---- */

uint64_t c12_missing_names(const struct call *call)
{
    enum { NAMES = 40000, NAME_BYTES = 370 };
    uint64_t asked = 0;
    struct stat status;
    char path[64];
    (void)call;
    for (; asked < NAMES; asked++) {
        snprintf(path, sizeof path, "/usr/lib/bahost-hostile-%d-%d", getpid(), (int)asked);
        if (stat(path, &status) == 0 || (errno != ENOENT && errno != EACCES))
            break;
    }
    return asked * NAME_BYTES;
}
