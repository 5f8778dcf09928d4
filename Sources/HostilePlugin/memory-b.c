// Kernel memory and page tables, by calls that a worker may make or could be thought to need.
#include "holding.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- B0 ---- */

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH 78 // Linux 6.16, include/uapi/linux/prctl.h
#define PR_FUTEX_HASH_SET_SLOTS 1
#endif

uint64_t b0_futex_hash(const struct call *call)
{
    const uint64_t slots = 1 << 22, slot_bytes = 64;
    if (prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, slots, 0, 0) == 0)
        return slots * slot_bytes;
    tell(call, "PR_FUTEX_HASH");
    return 0;
}

/* ---- B1: threads without stacks of their own ---- */

enum { MOST_THREADS = 4000, THREAD_BYTES = 20 * 1024 };

/* All of them use the same stack, and all write the same to it. */
static int wait_for_ever(void *unused)
{
    for (;;)
        syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
    return unused != NULL;
}

static uint64_t start_threads(const struct call *call, int flags)
{
    static char stack[2 * PAGE] __attribute__((aligned(16)));
    static pid_t number;
    uint64_t threads = 0;
    for (; threads < MOST_THREADS; threads++)
        if (clone(wait_for_ever, stack + sizeof stack, flags, NULL, &number,
                  __builtin_thread_pointer(), &number) < 0)
            break;
    say(call, "%llu threads: %s", (unsigned long long)threads, strerror(errno));
    return threads * THREAD_BYTES;
}

enum { THREAD_FLAGS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD };

uint64_t b1_raw_threads(const struct call *call)
{
    return start_threads(call, THREAD_FLAGS);
}

/* With the flags of pthread_create(3), which must be allowed. */
uint64_t b1_exact_threads(const struct call *call)
{
    return start_threads(call, THREAD_FLAGS | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                                   CLONE_CHILD_CLEARTID);
}

/* As many as there may be, and as much memory as there may be. */
uint64_t b1_threads_and_map(const struct call *call)
{
    return map_until_refused(b1_exact_threads(call), 0, PROT_READ | PROT_WRITE);
}

/* ---- B2: page tables ---- */

enum { MOST_HINTS = 8192, TABLE_BYTES = 2 * PAGE };

static uint64_t scatter(int protection)
{
    uint64_t held = 0;
    for (uintptr_t i = 1; i < MOST_HINTS; i++) {
        void *hint = (void *)(i << 33); // SAFETY: only a hint
        volatile char *page = map_anonymous(hint, PAGE, protection, 0);
        if (page == NULL)
            break;
        if (protection & PROT_WRITE)
            *page = 1;
        else
            (void)*page;
        held += page == hint ? TABLE_BYTES : 0;
        held += protection & PROT_WRITE ? PAGE : 0;
    }
    return held;
}

uint64_t b2_page_tables(const struct call *call)
{
    (void)call;
    return map_until_refused(scatter(PROT_READ | PROT_WRITE), 0, PROT_READ | PROT_WRITE);
}

/* Pages of zeros need tables and nothing else. */
uint64_t b2_zero_pages(const struct call *call)
{
    (void)call;
    return map_until_refused(scatter(PROT_READ), 0, PROT_READ | PROT_WRITE);
}

/* One page of each 2 MiB. */
uint64_t b2_without_hints(const struct call *call)
{
    const size_t size = 2 * MEBIBYTE;
    uint64_t held = 0;
    for (int i = 0; i < MOST_HINTS; i++) {
        char *piece = map_anonymous(NULL, size, PROT_READ | PROT_WRITE, 0);
        if (piece == NULL || munmap(piece + PAGE, size - PAGE) != 0)
            break;
        dirty(piece, PAGE);
        held += 2 * PAGE;
    }
    (void)call;
    return held;
}

/* ---- B3 ---- */

uint64_t b3_huge_pages(const struct call *call)
{
    const size_t size = 2 * MEBIBYTE;
    uint64_t held = 0;
    int huge = 0;
    for (int i = 0; i < 128; i++) {
        char *area = map_anonymous(NULL, 2 * size, PROT_NONE, MAP_NORESERVE);
        if (area == NULL)
            break;
        char *page = (char *)(((uintptr_t)area + size - 1) & -(uintptr_t)size); // SAFETY: inside
        if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0)
            break;
        huge += madvise(page, size, MADV_HUGEPAGE) == 0;
        dirty(page, PAGE);
        munmap(page + PAGE, size - PAGE);
        held += huge > 0 ? size : PAGE;
    }
    if (huge == 0)
        tell(call, "MADV_HUGEPAGE");
    return held;
}

/* ---- B6 ---- */

enum { MOST_TIMERS = 100000, TIMER_BYTES = 384, SIGNAL_BYTES = 80 };

uint64_t b6_timers(const struct call *call)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
    uint64_t timers = 0;
    for (; timers < MOST_TIMERS; timers++) {
        int timer;
        if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
            break;
    }
    say(call, "%llu timers: %s", (unsigned long long)timers, strerror(errno));
    return timers * TIMER_BYTES;
}

uint64_t fill_signal_queue(void)
{
    sigset_t set;
    uint64_t queued = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    sigprocmask(SIG_BLOCK, &set, NULL);
    while (queued < MOST_TIMERS &&
           syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGRTMIN + 3) == 0)
        queued++;
    return queued;
}

uint64_t b6_queued_signals(const struct call *call)
{
    const uint64_t queued = fill_signal_queue();
    say(call, "%llu signals: %s", (unsigned long long)queued, strerror(errno));
    return queued * SIGNAL_BYTES;
}

/* ---- B8: what the runtime has mapped to write and not written ---- */

static uint64_t dirty_untouched(const struct range *range)
{
    uint64_t held = 0;
    for (uintptr_t at = range->start; at < range->end; at += PAGE) {
        volatile char *page = (volatile char *)at; // SAFETY: mapped, as the kernel says
        unsigned char resident = 1;
        mincore((void *)at, PAGE, &resident);
        *page = *page;
        held += resident & 1 ? 0 : PAGE;
    }
    return held;
}

static uint64_t dirty_reserve(void)
{
    uint64_t held = 0;
    const struct maps *maps = read_maps();
    for (int i = 0; i < maps->count; i++)
        if (maps->ranges[i].protection & PROT_WRITE && maps->ranges[i].protection & PROT_READ)
            held += dirty_untouched(&maps->ranges[i]);
    return held;
}

uint64_t b8_reserve(const struct call *call)
{
    (void)call;
    return map_until_refused(dirty_reserve(), 0, PROT_READ | PROT_WRITE);
}

/* All that is allowed, at once. */
uint64_t b8_all_together(const struct call *call)
{
    uint64_t held = dirty_reserve() + a0_stack(call);
    held += c9_epoll(call) + b6_queued_signals(call) + b1_exact_threads(call);
    return held + b10_mixed_maps(call);
}

/* ---- B10 ---- */

uint64_t b10_one_page_maps(const struct call *call)
{
    uint64_t held = 0;
    (void)call;
    for (int i = 0; i < 20000; i++) {
        char *page = map_anonymous(NULL, PAGE, PROT_READ | PROT_WRITE, 0);
        if (page == NULL)
            break;
        held += dirty(page, PAGE);
        if (map_anonymous(NULL, PAGE, PROT_NONE, 0) == NULL)
            break;
    }
    return held;
}

/* Neighbours that differ: each page costs the kernel a map of its own, and no page is wasted. */
uint64_t b10_mixed_maps(const struct call *call)
{
    enum { MAP_BYTES = 320 };
    uint64_t held = 0;
    (void)call;
    for (int i = 0; i < 60000 && held < MOST_HELD; i++) {
        char *page = map_anonymous(NULL, PAGE, PROT_READ | PROT_WRITE, 0);
        if (page == NULL)
            break;
        held += dirty(page, PAGE) + MAP_BYTES;
        if (i % 2 == 0)
            mprotect(page, PAGE, PROT_READ);
    }
    return held;
}
