// Techniques against the memory limit and what holds it.
#include "hostile.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024, NOTHING_STOPPED_ME = -99 };
static const uint64_t far_too_much = 4ull << 30;

/* Allocates and touches until it is refused. Returns how much it got, far_too_much at most. */
static uint64_t eat(int with_mmap)
{
    uint64_t eaten = 0;
    begin_holding();
    for (; eaten < far_too_much; eaten += CHUNK) {
        char *chunk = with_mmap ? mmap(NULL, CHUNK, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                : malloc(CHUNK);
        if (chunk == NULL || chunk == MAP_FAILED)
            break;
        memset(chunk, 0x5a, CHUNK);
        __asm__ volatile("" : : "r"(chunk) : "memory"); // or the compiler drops malloc and memset
        show_held(eaten + CHUNK);
    }
    stay_holding(eaten);
    return eaten;
}

static int32_t report(const struct call *call, uint64_t eaten)
{
    say(call, "refused after %llu bytes", (unsigned long long)eaten);
    return eaten < far_too_much ? -ENOMEM : NOTHING_STOPPED_ME;
}

int32_t malloc_forever(const struct call *call)
{
    return report(call, eat(0));
}

int32_t mmap_forever(const struct call *call)
{
    return report(call, eat(1));
}

/* What code does that never looks at what malloc returned. */
int32_t malloc_null_write(const struct call *call)
{
    begin_holding();
    for (uint64_t eaten = 0; eaten < far_too_much; eaten += CHUNK) {
        show_held(eaten);
        char *volatile chunk = malloc(CHUNK);
        for (size_t i = 0; i < CHUNK; i += 1024)
            chunk[i] = 1;
    }
    return report(call, far_too_much);
}

int32_t mprotect_text(const struct call *call)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *text = (void *)((uintptr_t)&mprotect_text & ~(page - 1)); // SAFETY: its own code page
    const int failed = mprotect(text, page, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (failed == 0)
        *(volatile char *)text = *(volatile char *)text;
    return forbidden(call, failed, "mprotect of code");
}

int32_t prlimit_raise(const struct call *call)
{
    static const struct {
        int resource;
        const char *name;
    } raised[] = {{RLIMIT_DATA, "DATA"},     {RLIMIT_AS, "AS"},       {RLIMIT_CPU, "CPU"},
                  {RLIMIT_NOFILE, "NOFILE"}, {RLIMIT_FSIZE, "FSIZE"}, {RLIMIT_STACK, "STACK"},
                  {RLIMIT_NPROC, "NPROC"},   {RLIMIT_CORE, "CORE"}};
    int32_t status = 0;
    for (size_t i = 0; i < sizeof raised / sizeof raised[0]; i++) {
        struct rlimit limit;
        if (getrlimit(raised[i].resource, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
            continue;
        limit.rlim_cur = limit.rlim_max = limit.rlim_max + 4096;
        status |= forbidden(
            call, setrlimit(raised[i].resource, &limit), "setrlimit(RLIMIT_%s)", raised[i].name);
    }
    return status;
}
