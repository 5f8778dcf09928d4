#define _GNU_SOURCE
#include "CWorkerAllocator.h"

#include "allocator.h"
#include "bah_evidence.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

typedef int create_function(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

struct start {
    void *(*function)(void *);
    void *argument;
    int has_room; /* for an alternate stack on the thread's own */
};

enum { alternate_stack_bytes = 16 << 10, least_stack_with_alternate = 96 << 10 };

static void end_thread(void *unused)
{
    (void)unused;
    bah_set_alternate_stack(NULL, 0);
    allocator_give_thread();
}

/* The alternate stack is the far end of the thread's own, which an overflow never reaches. */
static void *call_with_alternate_stack(const struct start *start)
{
    char room[alternate_stack_bytes] __attribute__((aligned(16)));
    bah_set_alternate_stack(room, sizeof room);
    void *result = start->function(start->argument);
    bah_set_alternate_stack(NULL, 0);
    return result;
}

static void *run_thread(void *block)
{
    const struct start start = *(struct start *)block;
    void *result;
    free(block);
    pthread_cleanup_push(end_thread, NULL);
    if (bah_has_evidence()) {
        bah_note_stack();
    }
    result = bah_has_evidence() && start.has_room ? call_with_alternate_stack(&start)
                                                  : start.function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

static size_t stack_size(const pthread_attr_t *attributes)
{
    pthread_attr_t standard;
    size_t size = 0;
    if (attributes != NULL) {
        pthread_attr_getstacksize(attributes, &size);
    } else if (pthread_getattr_default_np(&standard) == 0) {
        pthread_attr_getstacksize(&standard, &size);
        pthread_attr_destroy(&standard);
    }
    return size;
}

static int refuse_thread(void)
{
    if (allocator_ends()) {
        bah_write_evidence(BAH_EVIDENCE_THREAD_REFUSED, 0, 0, "pthread_create");
        bah_end_process(BAH_EVIDENCE_EXIT);
    }
    return EAGAIN;
}

static create_function *next_create(void)
{
    static _Atomic(create_function *) next;
    create_function *create = atomic_load(&next);
    if (create == NULL) {
        create = (create_function *)allocator_next("pthread_create");
        atomic_store(&next, create);
    }
    return create;
}

void bah_find_threads(void)
{
    next_create();
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    create_function *create = next_create();
    const size_t size = stack_size(attributes);
    if (!allocator_take_thread()) {
        return refuse_thread();
    }
    struct start *start = malloc(sizeof *start);
    if (start == NULL) {
        allocator_give_thread();
        return EAGAIN;
    }
    *start = (struct start){ function, argument, size >= least_stack_with_alternate };
    const int status = create(thread, attributes, run_thread, start);
    if (status != 0) {
        free(start);
        allocator_give_thread();
    }
    if ((status == EAGAIN || status == ENOMEM) && allocator_ends()) {
        /* RLIMIT_NPROC counts threads that did not come this way. */
        if (allocator_has_all_threads()) {
            return refuse_thread();
        }
        allocator_end_for_memory(size);
    }
    return status;
}

struct c11_start {
    thrd_start_t function;
    void *argument;
};

static void *run_c11_thread(void *block)
{
    const struct c11_start start = *(struct c11_start *)block;
    free(block);
    return (void *)(intptr_t)start.function(start.argument);
}

/* glibc's own would start a thread past the function above. */
int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct c11_start *start = malloc(sizeof *start);
    if (start == NULL) {
        return thrd_nomem;
    }
    *start = (struct c11_start){ function, argument };
    const int status = pthread_create(thread, NULL, run_c11_thread, start);
    if (status != 0) {
        free(start);
        return status == ENOMEM ? thrd_nomem : thrd_error;
    }
    return thrd_success;
}
