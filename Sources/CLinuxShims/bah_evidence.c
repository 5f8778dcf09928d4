#define _GNU_SOURCE
#include "bah_evidence.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const uint32_t evidence_magic = 0x44564542;
static volatile int evidence_descriptor = -1;
static char main_alternate_stack[32 << 10] __attribute__((aligned(16)));

/* The executable's own storage: reading it in a handler allocates nothing. */
static _Thread_local struct {
    uint64_t low;
    uint64_t high;
} stack_bounds __attribute__((tls_model("initial-exec")));

_Noreturn void bah_end_process(int status)
{
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

int bah_has_evidence(void)
{
    return evidence_descriptor >= 0;
}

static void start_record(struct bah_evidence *record, uint32_t kind)
{
    memset(record, 0, sizeof *record);
    record->magic = evidence_magic;
    record->kind = kind;
    record->system_call = -1;
    record->stack_low = stack_bounds.low;
    record->stack_high = stack_bounds.high;
}

/* The descriptor does not block: with a full pipe the record is lost, not the worker's end. */
static void send_record(const struct bah_evidence *record)
{
    if (evidence_descriptor >= 0) {
        syscall(SYS_write, evidence_descriptor, record, sizeof *record);
    }
}

void bah_write_evidence(
    uint32_t kind, uint64_t asked_bytes, uint64_t left_bytes, const char *text)
{
    struct bah_evidence record;
    start_record(&record, kind);
    record.asked_bytes = asked_bytes;
    record.left_bytes = left_bytes;
    for (size_t i = 0; text != NULL && text[i] != '\0' && i < sizeof record.text - 1; i++) {
        record.text[i] = text[i];
    }
    send_record(&record);
}

static uint64_t stack_pointer(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uint64_t)context->uc_mcontext.sp;
#else
#error "bahost knows x86-64 and aarch64"
#endif
}

/*
 * With the user's queue full the kernel delivers a signal that tgkill(2) sent and forgets the
 * sender: all is 0, as for a kill(2) by nobody. A kill(2) itself is never forgotten
 * (RLIMIT_SIGPENDING, getrlimit(2)), so this is the plugin's own. Another one tells that the
 * queue is full: a real-time signal is refused then.
 */
static int sender_is_forgotten(const siginfo_t *info)
{
    if (info->si_code != SI_USER || info->si_pid != 0 || info->si_uid != 0) {
        return 0;
    }
    return syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGRTMAX) != 0 &&
           errno == EAGAIN;
}

static void handle_signal(int number, siginfo_t *info, void *context)
{
    struct bah_evidence record;
    start_record(&record, BAH_EVIDENCE_SIGNAL);
    record.signal = number;
    record.signal_code = sender_is_forgotten(info) ? SI_TKILL : info->si_code;
    if (record.stack_low == 0) {
        /* A thread we did not see start: the page it is on is the best bound there is. */
        record.stack_high = stack_pointer(context);
        record.stack_low = record.stack_high & ~(uint64_t)4095;
    }
    switch (number) {
    case SIGSYS:
        record.system_call = info->si_syscall;
        record.fault_address = (uint64_t)(uintptr_t)info->si_call_addr;
        break;
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
        record.fault_address = (uint64_t)(uintptr_t)info->si_addr;
        break;
    default:
        break;
    }
    send_record(&record);
    bah_end_process(BAH_EVIDENCE_EXIT);
}

int bah_set_alternate_stack(void *room, size_t size)
{
    const stack_t stack = {
        .ss_sp = room,
        .ss_size = room != NULL ? size : 0,
        .ss_flags = room != NULL ? 0 : SS_DISABLE,
    };
    return sigaltstack(&stack, NULL) == 0 ? 0 : -errno;
}

/*
 * The first thread's stack as its launcher has noted it: where it ends, and how much of the limit
 * lies beyond that end. The library finds it by reading all maps, and a worker has as many as its
 * launcher.
 */
static struct {
    uint64_t high;
    uint64_t beyond;
} first_stack;

static int is_first_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

static int stack_limit(uint64_t *limit)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY) {
        return 0;
    }
    *limit = stack.rlim_cur & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
    return 1;
}

int bah_note_stack(void)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    uint64_t limit = 0;
    const int is_first = is_first_thread();
    if (is_first && first_stack.high != 0 && stack_limit(&limit) && limit > first_stack.beyond) {
        stack_bounds.high = first_stack.high;
        stack_bounds.low = first_stack.high - (limit - first_stack.beyond);
        return 0;
    }
    int status = pthread_getattr_np(pthread_self(), &attributes);
    if (status != 0) {
        return -status;
    }
    status = pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    if (status != 0) {
        return -status;
    }
    stack_bounds.low = (uint64_t)(uintptr_t)low;
    stack_bounds.high = stack_bounds.low + size;
    /* Not when something else lies in the way: then the limit does not say where it begins. */
    if (is_first && stack_limit(&limit) && limit >= size && limit - size < (1 << 20)) {
        first_stack.high = stack_bounds.high;
        first_stack.beyond = limit - size;
    }
    return 0;
}

/*
 * Every signal whose default action ends a process: the first process of a PID namespace does not
 * get those it has no handler for, elsewhere they kill, and the same plugin must come to the same
 * end in both. pid_namespaces(7), signal(7).
 */
static int ends_process(int number)
{
    switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGPIPE: /* ignored */
        return 0;
    default:
        /* Between the two ranges are the C library's own. */
        return number < 32 || number >= SIGRTMIN;
    }
}

int bah_install_evidence(int descriptor)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    int status = bah_set_alternate_stack(main_alternate_stack, sizeof main_alternate_stack);
    if (status != 0) {
        return status;
    }
    evidence_descriptor = descriptor;
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (ends_process(number) && sigaction(number, &action, NULL) != 0) {
            return -errno;
        }
    }
    return bah_note_stack();
}
