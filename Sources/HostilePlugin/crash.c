// Techniques that end the worker in the middle of a call.
#include "hostile.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int32_t abort_now(const struct call *call)
{
    (void)call;
    abort();
}

int32_t raise_segv(const struct call *call)
{
    (void)call;
    raise(SIGSEGV);
    return 0;
}

/* The manifest's line names a number, as `raise` has it; 0 stands for the last real-time signal. */
int32_t raise_number(const struct call *call)
{
    enum { MOST_TRIES = 10000 };
    const int argument = atoi(call->argument);
    const int number = argument != 0 ? argument : SIGRTMAX;
    int status = raise(number);
    /* Without a user namespace a neighbour may have filled the user's queue for a moment. */
    for (int tries = 0; status != 0 && errno == EAGAIN && tries < MOST_TRIES; tries++) {
        pause_for(1);
        status = raise(number);
    }
    say(call, "raise: %s", status == 0 ? "survived" : strerror(errno));
    return status;
}

/* With its queue full the kernel delivers the signal and leaves out who sent it. */
int32_t raise_with_full_queue(const struct call *call)
{
    fill_signal_queue();
    return raise_number(call);
}

int32_t null_pointer(const struct call *call)
{
    (void)call;
    int *volatile nowhere = NULL;
    return *nowhere;
}

int32_t wild_pointer(const struct call *call)
{
    (void)call;
    int *volatile nowhere = (int *)(uintptr_t)0x10000;
    return *nowhere;
}

int32_t trap_now(const struct call *call)
{
    (void)call;
    __builtin_trap();
}

__attribute__((noinline)) static int recurse(unsigned depth)
{
    volatile char frame[1024];
    frame[0] = (char)depth;
    if (depth % 64 == 0)
        show_held((uint64_t)depth * sizeof frame);
    return depth == UINT32_MAX ? 0 : recurse(depth + 1) + frame[0];
}

int32_t deep_recursion(const struct call *call)
{
    (void)call;
    begin_holding();
    return recurse(0);
}

static void *recurse_in_thread(void *depth)
{
    *(int *)depth = recurse(0);
    return depth;
}

int32_t deep_recursion_in_thread(const struct call *call)
{
    pthread_t thread;
    int depth = 0;
    begin_holding();
    int status = pthread_create(&thread, NULL, recurse_in_thread, &depth);
    say(call, "thread: %s", strerror(status));
    if (status == 0)
        pthread_join(thread, NULL);
    return -status;
}

static void swallow(int number)
{
    (void)number;
}

void catch_all_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, swallow);
}

/* The handler returns, the faulty instruction runs again, and so on for ever. */
int32_t catch_signals_and_crash(const struct call *call)
{
    catch_all_signals();
    return null_pointer(call);
}
