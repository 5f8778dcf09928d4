// Memory as everybody asks for it. All of it is to stop at the limit.
#include "holding.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 };

/* Through the worker's hook: the first refusal ends the run. */
uint64_t a0_malloc(const struct call *call)
{
    uint64_t held = 0;
    (void)call;
    for (; held < MOST_HELD; held += CHUNK) {
        char *volatile chunk = malloc(CHUNK);
        if (chunk == NULL)
            break;
        dirty(chunk, CHUNK);
    }
    return held;
}

uint64_t a0_map(const struct call *call)
{
    (void)call;
    return map_until_refused(0, 0, PROT_READ | PROT_WRITE);
}

uint64_t a0_brk(const struct call *call)
{
    uint64_t held = 0;
    const long start = syscall(SYS_brk, 0);
    (void)call;
    while (held < MOST_HELD && syscall(SYS_brk, start + (long)held + CHUNK) > start + (long)held)
        held += dirty((char *)start + held, CHUNK); // SAFETY: just granted
    return held;
}

uint64_t a0_mremap(const struct call *call)
{
    size_t size = CHUNK;
    char *piece = map_anonymous(NULL, size, PROT_READ | PROT_WRITE, 0);
    while (piece != NULL && size < MOST_HELD) {
        void *grown = mremap(piece, size, size + CHUNK, MREMAP_MAYMOVE);
        if (grown == MAP_FAILED)
            break;
        piece = grown;
        dirty(piece, size += CHUNK);
    }
    if (piece == NULL)
        tell(call, "mmap");
    return size;
}

/* MREMAP_DONTUNMAP leaves the old range there, to be filled again. */
uint64_t a0_dontunmap(const struct call *call)
{
    uint64_t held = CHUNK;
    char *piece = map_anonymous(NULL, CHUNK, PROT_READ | PROT_WRITE, 0);
    if (piece == NULL)
        return 0;
    dirty(piece, CHUNK);
    while (held < MOST_HELD) {
        if (mremap(piece, CHUNK, CHUNK, MREMAP_MAYMOVE | MREMAP_DONTUNMAP) == MAP_FAILED) {
            tell(call, "MREMAP_DONTUNMAP");
            return held;
        }
        held += dirty(piece, CHUNK);
    }
    return held;
}

/* Private maps of a file, written. */
uint64_t a0_file_map(const struct call *call)
{
    uint64_t held = 0;
    const int file = open(c_library(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        tell(call, c_library());
    while (held < MOST_HELD) {
        const long place =
            syscall(SYS_mmap, NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
        if (place == -1)
            break;
        held += dirty((char *)place, CHUNK); // SAFETY: what the kernel returned
    }
    return held;
}

/* The main stack, to a little below its limit. */
static __attribute__((noinline)) uint64_t deepen(uint64_t bytes)
{
    volatile char frame[PAGE];
    frame[0] = 1;
    return bytes < PAGE ? PAGE : deepen(bytes - PAGE) + PAGE * (uint64_t)frame[0];
}

uint64_t a0_stack(const struct call *call)
{
    (void)call;
    return deepen(800 * 1024);
}

/* The stack is not data: only RLIMIT_AS counts both. */
uint64_t a0_stack_and_map(const struct call *call)
{
    return map_until_refused(a0_stack(call), 0, PROT_READ | PROT_WRITE);
}

static void *use_stack(void *argument)
{
    deepen(0);
    *(volatile int *)argument = 1;
    for (;;)
        pause();
    return NULL;
}

/* Many threads with small stacks. */
uint64_t a0_thread_stacks(const struct call *call)
{
    static volatile int started;
    uint64_t held = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16 * 1024);
    for (int i = 0; i < 24; i++) { // one more than the limit is another technique
        pthread_t thread;
        if (pthread_create(&thread, &attributes, use_stack, (void *)&started) != 0)
            break;
        held += 2 * PAGE;
    }
    pthread_attr_destroy(&attributes);
    (void)call;
    return held;
}
