// Kernel memory, by calls that no worker needs.
#include "holding.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a worker leaves of these stays when it is dead; the tests look for this owner's mark. */
enum { MARK = 0x0ba40000 };

/* ---- B4 ---- */

uint64_t b4_vmsplice(const struct call *call)
{
    uint64_t held = 0;
    const size_t size = 2 * MEBIBYTE;
    for (int i = 0; i < 16; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
            tell(call, "pipe2");
            break;
        }
        char *area = map_anonymous(NULL, size, PROT_READ | PROT_WRITE, 0);
        if (area == NULL)
            break;
        madvise(area, size, MADV_HUGEPAGE);
        for (int slot = 0; slot < 16; slot++) {
            struct iovec part = {area, PAGE};
            dirty(area, PAGE);
            held += vmsplice(ends[1], &part, 1, 0) == PAGE ? PAGE : 0;
            madvise(area, size, MADV_DONTNEED);
        }
        munmap(area, size);
    }
    return held;
}

/* ---- B5: System V ---- */

uint64_t b5_semaphores(const struct call *call)
{
    enum { SETS = 20, SEMAPHORES = 32000, SEMAPHORE_BYTES = 64 };
    int made = 0, sets[SETS];
    for (; made < SETS; made++)
        if ((sets[made] = semget(MARK + made, SEMAPHORES, IPC_CREAT | 0600)) < 0)
            break;
    if (made < SETS)
        tell(call, "semget");
    for (int i = 0; i < made; i++)
        semctl(sets[i], 0, IPC_RMID);
    return (uint64_t)made * SEMAPHORES * SEMAPHORE_BYTES;
}

uint64_t b5_messages(const struct call *call)
{
    enum { QUEUES = 500, QUEUE_BYTES = 16 * 1024, MESSAGE_BYTES = 8000 };
    static const struct {
        long type;
        char text[MESSAGE_BYTES];
    } message = {.type = 1};
    int made = 0, queues[QUEUES];
    for (; made < QUEUES; made++) {
        if ((queues[made] = msgget(MARK + made, IPC_CREAT | 0600)) < 0)
            break;
        while (msgsnd(queues[made], &message, MESSAGE_BYTES, IPC_NOWAIT) == 0)
            continue;
    }
    if (made < QUEUES)
        tell(call, "msgget");
    for (int i = 0; i < made; i++)
        msgctl(queues[i], IPC_RMID, NULL);
    return (uint64_t)made * QUEUE_BYTES;
}

uint64_t b5_shared_memory(const struct call *call)
{
    const int segment = shmget(MARK, 32 * MEBIBYTE, IPC_CREAT | 0600);
    if (segment < 0) {
        tell(call, "shmget");
        return 0;
    }
    char *place = shmat(segment, NULL, 0);
    shmctl(segment, IPC_RMID, NULL);
    return place == (void *)-1 ? 0 : dirty(place, 32 * MEBIBYTE);
}

/* ---- B7: filters upon filters ---- */

enum { INSTRUCTIONS = 4096, FILTERS = 7, FILTER_BYTES = 80 * 1024 };

static uint64_t stack_filters(void)
{
    static struct sock_filter code[INSTRUCTIONS];
    for (int i = 0; i < INSTRUCTIONS; i++)
        code[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {INSTRUCTIONS, code};
    uint64_t held = 0;
    for (int i = 0; i < FILTERS; i++) {
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0 &&
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            break;
        held += FILTER_BYTES;
    }
    return held;
}

static void *stack_in_thread(void *held)
{
    __atomic_add_fetch((uint64_t *)held, stack_filters(), __ATOMIC_SEQ_CST);
    for (;;)
        pause();
    return NULL;
}

uint64_t b7_stacked_filters(const struct call *call)
{
    static uint64_t held;
    held = stack_filters();
    if (held == 0)
        tell(call, "seccomp");
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16 * 1024);
    for (int i = 0; i < 24; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, stack_in_thread, &held) != 0)
            break;
    }
    pthread_attr_destroy(&attributes);
    usleep(50000); // the threads' time to do it
    return __atomic_load_n(&held, __ATOMIC_SEQ_CST);
}

/* ---- B9 ---- */

#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0) // Linux 6.7, include/uapi/linux/landlock.h
#endif

struct ruleset_attribute { // struct landlock_ruleset_attr as of Linux 6.7
    uint64_t handled_access_fs, handled_access_net;
};
struct port_attribute { // struct landlock_net_port_attr
    uint64_t allowed_access, port;
};
_Static_assert(sizeof(struct ruleset_attribute) == 16, "kernel interface");
_Static_assert(sizeof(struct port_attribute) == 16, "kernel interface");

uint64_t b9_rulesets(const struct call *call)
{
    enum { RULESETS = 15, RULE_BYTES = 72, BY_PORT = 2 };
    const struct ruleset_attribute handled = {0, LANDLOCK_ACCESS_NET_BIND_TCP};
    uint64_t held = 0;
    for (int i = 0; i < RULESETS; i++) {
        const int ruleset =
            (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
        if (ruleset < 0) {
            tell(call, "landlock_create_ruleset");
            break;
        }
        for (uint64_t port = 0; port < 65536; port++) {
            const struct port_attribute rule = {LANDLOCK_ACCESS_NET_BIND_TCP, port};
            if (syscall(SYS_landlock_add_rule, ruleset, BY_PORT, &rule, 0) != 0)
                break;
            held += RULE_BYTES;
        }
    }
    return held;
}

/* ---- B11 ---- */

uint64_t b11_namespaces(const struct call *call)
{
    enum { NAMESPACES = 40, NAMESPACE_BYTES = 160 * 1024 };
    uint64_t held = 0;
    if (unshare(CLONE_NEWUSER) != 0)
        tell(call, "unshare(CLONE_NEWUSER)");
    for (int i = 0; i < NAMESPACES; i++) {
        if (unshare(CLONE_NEWNET) != 0 ||
            open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC) < 0)
            break;
        held += NAMESPACE_BYTES;
    }
    return held;
}

uint64_t b11_fsopen(const struct call *call)
{
    const int context = (int)syscall(SYS_fsopen, "tmpfs", 0);
    if (context < 0)
        tell(call, "fsopen");
    return context < 0 ? 0 : PAGE;
}
