// Memory behind descriptors, in IPC, locks and keys.
#include "holding.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024 };
static char block[BLOCK];

/* Writes until it would wait. Returns the bytes. */
static uint64_t fill_descriptor(int descriptor)
{
    uint64_t written = 0;
    ssize_t count;
    while (written < MOST_HELD && (count = write(descriptor, block, BLOCK)) > 0)
        written += (uint64_t)count;
    return written;
}

/* ---- C1, C2 ---- */

uint64_t c1_socket_pairs(const struct call *call)
{
    const int size = 16 * MEBIBYTE;
    uint64_t held = 0;
    for (int i = 0; i < 28 && held < MOST_HELD; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
            tell(call, "socketpair");
            break;
        }
        setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        held += fill_descriptor(ends[0]);
    }
    return held;
}

uint64_t c2_pipes(const struct call *call)
{
    uint64_t held = 0;
    for (int i = 0; i < 28 && held < MOST_HELD; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
            tell(call, "pipe2");
            break;
        }
        fcntl(ends[1], F_SETPIPE_SZ, MEBIBYTE);
        held += fill_descriptor(ends[1]);
    }
    return held;
}

/* The pipe to the host is there already. */
uint64_t c2_own_stdout(const struct call *call)
{
    uint64_t held = 0;
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_SETPIPE_SZ, MEBIBYTE) > 0)
            held += MEBIBYTE;
    if (held == 0)
        tell(call, "F_SETPIPE_SZ");
    return held;
}

/* ---- C3: a descriptor table for each thread ---- */

static int wait_for_ever(void *unused)
{
    for (;;)
        syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
    return unused != NULL;
}

uint64_t c3_descriptor_tables(const struct call *call)
{
    enum { MOST_THREADS = 200, TABLE_BYTES = 4 * 1024 };
    static char stack[2 * PAGE] __attribute__((aligned(16)));
    uint64_t threads = 0;
    while (threads < MOST_THREADS &&
           clone(wait_for_ever, stack + sizeof stack,
                 CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD, NULL) > 0)
        threads++;
    if (threads == 0)
        tell(call, "clone");
    return threads * TABLE_BYTES;
}

/* ---- C4 ---- */

/* Sends a descriptor over another; 1 if it went. */
static int send_right(int over, int right)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
                            .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), &right, sizeof right);
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    return sendmsg(over, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* Over a pair of its own, and over the socket to the host (3). */
uint64_t c4_rights_in_flight(const struct call *call)
{
    int ends[2] = {3, 3};
    uint64_t held = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        tell(call, "socketpair");
    for (int i = 0; i < 60; i++) {
        int right = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (!send_right(ends[0], right)) {
            tell(call, "sendmsg");
            break;
        }
        held += PAGE;
        close(right);
    }
    return held;
}

/* ---- C5 ---- */

#ifndef SYS_memfd_secret
#define SYS_memfd_secret -1
#endif

static uint64_t fill_memory_file(const struct call *call, const char *name, long file)
{
    if (file < 0) {
        tell(call, name);
        return 0;
    }
    const size_t size = 16 * MEBIBYTE;
    if (ftruncate((int)file, (off_t)size) != 0)
        return 0;
    const long place =
        syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
    return place == -1 ? 0 : dirty((char *)place, size); // SAFETY: what the kernel returned
}

uint64_t c5_memfd_secret(const struct call *call)
{
    return fill_memory_file(call, "memfd_secret", syscall(SYS_memfd_secret, 0));
}

uint64_t c5_memfd(const struct call *call)
{
    return fill_memory_file(call, "memfd_create", syscall(SYS_memfd_create, "x", 0));
}

/* ---- C6: a record lock for every second byte ---- */

static uint64_t lock_bytes(const struct call *call, const char *path, int flags, short type)
{
    enum { MOST_LOCKS = 20000, LOCK_BYTES = 192 };
    uint64_t locks = 0;
    const int file = open(path, flags | O_CLOEXEC, 0600);
    for (; locks < MOST_LOCKS; locks++) {
        struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
        lock.l_start = (off_t)locks * 2;
        if (fcntl(file, F_SETLK, &lock) != 0)
            break;
    }
    if (locks == 0)
        tell(call, path);
    return locks * LOCK_BYTES;
}

uint64_t c6_record_locks(const struct call *call)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/hostile-lock", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
    return lock_bytes(call, path, O_RDWR | O_CREAT, F_WRLCK) +
           lock_bytes(call, c_library(), O_RDONLY, F_RDLCK);
}

/* ---- C7 ---- */

uint64_t c7_inotify(const struct call *call)
{
    enum { QUEUES = 40, OPENED = 2000, EVENT_BYTES = 64 };
    char path[4096];
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : ".";
    uint64_t queues = 0;
    for (; queues < QUEUES; queues++) {
        const int queue = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (queue < 0 || inotify_add_watch(queue, folder, IN_OPEN | IN_CLOSE) < 0)
            break;
    }
    if (queues == 0)
        tell(call, "inotify");
    snprintf(path, sizeof path, "%s/hostile-watched", folder);
    for (int i = 0; i < OPENED && queues > 0; i++)
        close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    return queues * OPENED * 2 * EVENT_BYTES;
}

/* ---- C8 ---- */

uint64_t c8_keys(const struct call *call)
{
    enum { MOST_KEYS = 200, KEY_BYTES = 32000 };
    static char payload[KEY_BYTES];
    const int process_keyring = -2;
    uint64_t keys = 0;
    for (; keys < MOST_KEYS; keys++) {
        char name[32];
        snprintf(name, sizeof name, "hostile-%llu", (unsigned long long)keys);
        if (syscall(SYS_add_key, "user", name, payload, sizeof payload, process_keyring) < 0)
            break;
    }
    if (keys == 0)
        tell(call, "add_key");
    return keys * KEY_BYTES;
}

uint64_t c8_keyrings(const struct call *call)
{
    const int get_keyring_id = 0, process_keyring = -2;
    if (syscall(SYS_keyctl, get_keyring_id, process_keyring, 1) < 0)
        tell(call, "keyctl");
    return 0;
}
