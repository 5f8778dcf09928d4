// Techniques that leave without a reply.
#include "hostile.h"

#include <pthread.h>
#include <unistd.h>

int32_t exit_0(const struct call *call)
{
    (void)call;
    exit(0);
}

int32_t exit_137(const struct call *call)
{
    (void)call;
    exit(137);
}

int32_t underscore_exit_0(const struct call *call)
{
    (void)call;
    _exit(0);
}

/* Runs what quick_exit(3) has to run, and no destructors. */
int32_t quick_exit_0(const struct call *call)
{
    (void)call;
    quick_exit(0);
}

/* Ends this thread alone. */
int32_t pthread_exit_0(const struct call *call)
{
    (void)call;
    pthread_exit(NULL);
}

static void *leave(void *unused)
{
    (void)unused;
    exit(0);
}

int32_t exit_in_thread(const struct call *call)
{
    pthread_t thread;
    errno = pthread_create(&thread, NULL, leave, NULL);
    if (errno != 0)
        return attempt(call, -1, "pthread_create");
    return sleep_forever(call);
}

/* Sleeps until it is warned, and leaves then. */
int32_t exit_in_terminate(const struct call *call)
{
    in_terminate = LEAVES;
    return sleep_forever(call);
}

static void leave_otherwise(void)
{
    _exit(99);
}

/* The worker leaves without what atexit(3) was told. */
int32_t exit_in_destructor(const struct call *call)
{
    return attempt(call, atexit(leave_otherwise) == 0 ? 0 : -1, "atexit");
}
