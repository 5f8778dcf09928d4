/*
 * Goes for its own read-only pages and for the hole before its last segment while it is loaded: in
 * an IFUNC resolver, in a constructor, and later. Linked with 32 MiB between its segments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { ALIGNED = 65536 }; /* the largest page there is */

static const char constant[4 * ALIGNED] __attribute__((aligned(ALIGNED))) = {1};
static char here = 1;
static char far_away __attribute__((section(".far"))) = 1;
static int resolver_results[3] = {-1, -1, -1};

static int number(int status)
{
    return status == 0 ? 0 : errno;
}

static void *hole(void)
{
    const uintptr_t middle = ((uintptr_t)&here + (uintptr_t)&far_away) / 2;
    return (void *)(middle & ~((uintptr_t)ALIGNED - 1));
}

static void attempt(int *results)
{
    void *own = (void *)(uintptr_t)&constant[ALIGNED];
    results[0] = number(mprotect(own, ALIGNED, PROT_READ | PROT_WRITE));
    results[1] = number(mprotect(hole(), ALIGNED, PROT_READ | PROT_WRITE));
    results[2] = number(munmap(hole(), ALIGNED));
}

static void say(const char *when, const int *results)
{
    printf("%s constants made writable: %d\n", when, results[0]);
    printf("%s hole made writable: %d\n", when, results[1]);
    printf("%s hole unmapped: %d\n", when, results[2]);
    fflush(stdout);
}

static void do_nothing(void)
{
}

static void (*resolve(void))(void)
{
    attempt(resolver_results);
    return do_nothing;
}

static void resolved(void) __attribute__((ifunc("resolve")));

__attribute__((constructor)) static void construct(void)
{
    int results[3];
    resolved();
    say("resolver", resolver_results);
    attempt(results);
    say("constructor", results);
}

void try_everything(void);
void try_everything(void)
{
    int results[3];
    attempt(results);
    say("later", results);
}
