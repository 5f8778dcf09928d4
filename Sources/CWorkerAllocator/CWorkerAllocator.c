#define _GNU_SOURCE
#include "CWorkerAllocator.h"

#include "allocator.h"
#include "bah_evidence.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own names of its allocator; malloc and its kin are weak aliases of them. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_int is_armed;
static int on_refusal = BAH_ALLOCATOR_END;
static uint64_t data_limit_bytes;
static uint64_t most_threads;
static atomic_ullong running_threads;

void bah_arm_allocator(int action, uint64_t data_limit, uint64_t threads, uint64_t running)
{
    on_refusal = action;
    data_limit_bytes = data_limit;
    most_threads = threads;
    atomic_store(&running_threads, running);
    atomic_store(&is_armed, 1);
}

void *allocator_next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        bah_write_evidence(BAH_EVIDENCE_PROCESS_REFUSED, 0, 0, name);
        bah_end_process(BAH_EVIDENCE_EXIT);
    }
    return function;
}

int allocator_is_armed(void)
{
    return atomic_load_explicit(&is_armed, memory_order_relaxed);
}

int allocator_ends(void)
{
    return allocator_is_armed() && on_refusal == BAH_ALLOCATOR_END;
}

int allocator_take_thread(void)
{
    const uint64_t running = atomic_fetch_add(&running_threads, 1);
    if (!allocator_is_armed() || running < most_threads) {
        return 1;
    }
    allocator_give_thread();
    return 0;
}

void allocator_give_thread(void)
{
    atomic_fetch_sub(&running_threads, 1);
}

/* The number after `label` in a text; 0 when it is not there. */
static uint64_t parse_number(
    const char *text, size_t length, const char *label, size_t label_length)
{
    for (size_t i = 0; i + label_length < length; i++) {
        size_t matched = 0;
        while (matched < label_length && text[i + matched] == label[matched]) {
            matched++;
        }
        if (matched < label_length) {
            continue;
        }
        uint64_t number = 0;
        for (size_t j = i + matched; j < length && text[j] != '\n'; j++) {
            if (text[j] >= '0' && text[j] <= '9') {
                number = number * 10 + (uint64_t)(text[j] - '0');
            }
        }
        return number;
    }
    return 0;
}

/* A line of /proc/self/status; 0 when it cannot be known. Uses no memory but its own stack. */
static uint64_t read_status(const char *label, size_t label_length)
{
    char text[2048];
    const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) {
        return 0;
    }
    const long length = syscall(SYS_read, file, text, sizeof text);
    syscall(SYS_close, file);
    return length > 0 ? parse_number(text, (size_t)length, label, label_length) : 0;
}

#define READ_STATUS(label) read_status("\n" label ":", sizeof label + 1)

/* What RLIMIT_DATA leaves; 0 when it cannot be known. */
static uint64_t read_left_bytes(void)
{
    const uint64_t used = READ_STATUS("VmData") << 10;
    return used > 0 && used < data_limit_bytes ? data_limit_bytes - used : 0;
}

int allocator_has_all_threads(void)
{
    return READ_STATUS("Threads") >= most_threads;
}

void allocator_end_for_memory(size_t asked_bytes)
{
    bah_write_evidence(BAH_EVIDENCE_MEMORY_REFUSED, asked_bytes, read_left_bytes(), NULL);
    bah_end_process(BAH_EVIDENCE_EXIT);
}

static void *checked(void *block, size_t asked_bytes)
{
    if (__builtin_expect(block == NULL, 0) && allocator_ends()) {
        allocator_end_for_memory(asked_bytes);
    }
    return block;
}

void *malloc(size_t size)
{
    return checked(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        total = SIZE_MAX;
    }
    return checked(__libc_calloc(count, size), total);
}

void *realloc(void *block, size_t size)
{
    void *moved = __libc_realloc(block, size);
    /* realloc(block, 0) frees and returns NULL. */
    return block != NULL && size == 0 ? moved : checked(moved, size);
}

void *memalign(size_t alignment, size_t size)
{
    void *block = __libc_memalign(alignment, size);
    return block == NULL && errno != ENOMEM ? NULL : checked(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    const int before = errno;
    void *block = checked(__libc_memalign(alignment, size), size);
    errno = before;
    if (block == NULL) {
        return ENOMEM;
    }
    *result = block;
    return 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    /* A negative offset and an unaligned one are the kernel's to refuse. */
    const long place = syscall(SYS_mmap, address, length, protection, flags, file, offset);
    if (place == -1 && errno == ENOMEM && allocator_ends()) {
        allocator_end_for_memory(length);
    }
    return place == -1 ? MAP_FAILED : (void *)place;
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset)
{
    return mmap(address, length, protection, flags, file, offset);
}
