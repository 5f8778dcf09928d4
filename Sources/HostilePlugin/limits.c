// Techniques that use exactly as much memory, stack, threads and time as they are told.
#include "hostile.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, PAGE_BYTES = 4096, MOST_THREADS = 1024 };

/* ---- Memory ---- */

int32_t heap_bytes(const struct call *call)
{
    const size_t wanted = (size_t)number_argument(call, 0);
    begin_holding();
    for (size_t held = 0; held < wanted; held += PIECE) {
        const size_t size = wanted - held < PIECE ? wanted - held : PIECE;
        char *piece = malloc(size);
        if (piece == NULL)
            return attempt(call, -1, "malloc after %zu bytes", held);
        memset(piece, 0x5a, size);
        __asm__ volatile("" : : "r"(piece) : "memory"); // or the compiler drops malloc and memset
        show_held(held + size);
    }
    stay_holding(wanted);
    allowed(call, "%zu bytes of heap", wanted);
    return 0;
}

/* Touches this thread's stack, page by page, until so many bytes from its upper end. */
static void use_stack(size_t bytes)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0 ||
        pthread_attr_getstack(&attributes, &low, &size) != 0)
        return;
    const uintptr_t end = (uintptr_t)low + size - bytes;
    uintptr_t page = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(PAGE_BYTES - 1);
    for (page -= PAGE_BYTES; page > end; page -= PAGE_BYTES)
        *(volatile char *)page = 0x5a; // SAFETY: below all that is in use
    if (end < page + PAGE_BYTES)
        *(volatile char *)end = 0x5a;
}

int32_t stack_bytes(const struct call *call)
{
    const long bytes = number_argument(call, 0);
    begin_holding();
    use_stack((size_t)bytes);
    stay_holding((uint64_t)bytes);
    allowed(call, "%ld bytes of stack", bytes);
    return 0;
}

static void *use_stack_in_thread(void *bytes)
{
    use_stack(*(size_t *)bytes);
    return NULL;
}

/* A thread of the library's default size. */
int32_t thread_stack_bytes(const struct call *call)
{
    pthread_t thread;
    size_t bytes = (size_t)number_argument(call, 0);
    begin_holding();
    errno = pthread_create(&thread, NULL, use_stack_in_thread, &bytes);
    if (errno != 0)
        return attempt(call, -1, "pthread_create");
    pthread_join(thread, NULL);
    stay_holding(bytes); // the C library keeps the stack of a thread that has ended
    allowed(call, "%zu bytes of a thread's stack", bytes);
    return 0;
}

/* ---- Threads ---- */

static pthread_t threads[MOST_THREADS];

/* Starts so many, opens the lock that they wait at, if any, and joins them. Returns those that
   there were. */
static int run_threads(int wanted, void *(*body)(void *), void *given, pthread_mutex_t *lock)
{
    int started = 0, status = 0;
    while (started < wanted && started < MOST_THREADS &&
           (status = pthread_create(&threads[started], NULL, body, given)) == 0)
        started++;
    if (lock != NULL)
        pthread_mutex_unlock(lock);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    errno = status;
    return started;
}

static void *wait_at(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static int32_t report_threads(const struct call *call, int started, int wanted)
{
    if (started < wanted)
        return attempt(call, -1, "pthread_create after %d threads", started);
    allowed(call, "%d threads", started);
    return 0;
}

/* All of them wait until the last one is there. */
int32_t threads_at_once(const struct call *call)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const int wanted = (int)number_argument(call, 0);
    pthread_mutex_lock(&lock);
    return report_threads(call, run_threads(wanted, wait_at, &lock, &lock), wanted);
}

/* ---- Time ---- */

/* Of the processor, by this thread. */
static int64_t used_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void *spin_a_while(void *milliseconds)
{
    const int64_t end = used_ms() + *(long *)milliseconds;
    while (used_ms() < end)
        continue;
    return NULL;
}

int32_t sleep_for(const struct call *call)
{
    const long milliseconds = number_argument(call, 0);
    pause_for(milliseconds);
    allowed(call, "%ld ms asleep", milliseconds);
    return 0;
}

int32_t spin_for(const struct call *call)
{
    long milliseconds = number_argument(call, 0);
    spin_a_while(&milliseconds);
    allowed(call, "%ld ms of processor time", milliseconds);
    return 0;
}

/* Each of them so long. */
int32_t spin_in_threads(const struct call *call)
{
    const int wanted = (int)number_argument(call, 0);
    long milliseconds = number_argument(call, 1);
    const int started = run_threads(wanted, spin_a_while, &milliseconds, NULL);
    return report_threads(call, started, wanted);
}
