// Threads as programs start them: nobody thinks of the size of a stack.
#include "c.h"

#include <limits.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

/* Counts up under the lock, and uses some of its stack. */
static void *count_up(void *unused)
{
    char text[4096];
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return (void *)(intptr_t)snprintf(text, sizeof text, "%d rounds", ROUNDS);
}

static int32_t count(const struct call *call, const pthread_attr_t *attributes)
{
    pthread_t thread[THREADS];
    counter = 0;
    for (int i = 0; i < THREADS; i++)
        REQUIRE(call, (errno = pthread_create(&thread[i], attributes, count_up, NULL)) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        REQUIRE(call, pthread_join(thread[i], &result) == 0);
        REQUIRE(call, (intptr_t)result == (intptr_t)strlen("1000 rounds"));
    }
    REQUIRE(call, counter == THREADS * ROUNDS);
    return 0;
}

static int32_t count_with(const struct call *call, const pthread_attr_t *attributes)
{
    const int32_t status = count(call, attributes);
    return status != 0 ? status : FOUND(call, "%d threads counted to %d", THREADS, counter);
}

int32_t thread_default(const struct call *call)
{
    return count_with(call, NULL);
}

int32_t thread_small_stack(const struct call *call)
{
    pthread_attr_t attributes;
    REQUIRE(call, pthread_attr_init(&attributes) == 0);
    REQUIRE(call, pthread_attr_setstacksize(&attributes, 4 * PTHREAD_STACK_MIN) == 0);
    const int32_t status = count_with(call, &attributes);
    pthread_attr_destroy(&attributes);
    return status;
}

/* A pool that starts and joins more threads in all than it may have at once. */
int32_t thread_pool(const struct call *call)
{
    for (int round = 0; round < 16; round++)
        REQUIRE(call, count(call, NULL) == 0);
    return FOUND(call, "%d threads one after the other", 16 * THREADS);
}

static int give_seven(void *unused)
{
    (void)unused;
    return 7;
}

int32_t thread_c11(const struct call *call)
{
    thrd_t thread;
    int result = 0;
    REQUIRE(call, thrd_create(&thread, give_seven, NULL) == thrd_success);
    REQUIRE(call, thrd_join(thread, &result) == thrd_success);
    REQUIRE(call, result == 7);
    return FOUND(call, "the C11 thread gave %d", result);
}

static int cleaned;

static void clean(void *unused)
{
    (void)unused;
    cleaned++;
}

static void *wait_for_ever(void *unused)
{
    const struct timespec day = {24 * 60 * 60, 0};
    pthread_cleanup_push(clean, unused);
    nanosleep(&day, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

int32_t thread_cancel(const struct call *call)
{
    pthread_t thread;
    void *result = NULL;
    cleaned = 0;
    REQUIRE(call, (errno = pthread_create(&thread, NULL, wait_for_ever, NULL)) == 0);
    REQUIRE(call, pthread_cancel(thread) == 0);
    REQUIRE(call, pthread_join(thread, &result) == 0);
    REQUIRE(call, result == PTHREAD_CANCELED);
    return FOUND(call, "cancelled; cleaned up %d times", cleaned);
}

static void leave(void *value)
{
    pthread_cleanup_push(clean, NULL);
    pthread_exit(value);
    pthread_cleanup_pop(0);
}

static void *leave_from_below(void *value)
{
    leave(value);
    return NULL;
}

int32_t thread_exit(const struct call *call)
{
    pthread_t thread;
    void *result = NULL;
    int value = 0;
    cleaned = 0;
    REQUIRE(call, (errno = pthread_create(&thread, NULL, leave_from_below, &value)) == 0);
    REQUIRE(call, pthread_join(thread, &result) == 0);
    REQUIRE(call, result == &value);
    REQUIRE(call, cleaned == 1);
    return FOUND(call, "left by pthread_exit, cleaned up");
}

static void in_milliseconds(clockid_t clock, long milliseconds, struct timespec *moment)
{
    clock_gettime(clock, moment);
    moment->tv_nsec += milliseconds * 1000000;
    moment->tv_sec += moment->tv_nsec / 1000000000;
    moment->tv_nsec %= 1000000000;
}

int32_t timed_waits(const struct call *call)
{
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec moment;
    in_milliseconds(CLOCK_REALTIME, 20, &moment);
    pthread_mutex_lock(&lock);
    const int waited = pthread_cond_timedwait(&never, &lock, &moment);
    const int held = pthread_mutex_timedlock(&lock, &moment);
    pthread_mutex_unlock(&lock);
    REQUIRE(call, waited == ETIMEDOUT);
    REQUIRE(call, held == ETIMEDOUT);
    in_milliseconds(CLOCK_MONOTONIC, 5, &moment);
    REQUIRE(call, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == 0);
    return FOUND(call, "condition, mutex and clock waited");
}
