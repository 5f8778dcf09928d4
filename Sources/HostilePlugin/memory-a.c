// User memory: the read-only pages of runtime, plugin and libraries, by many doors.
#include "holding.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_REFUSALS = 4, FULL = PROT_READ | PROT_WRITE | PROT_EXEC };

typedef int protect_function(void *start, size_t size, int protection);

/* Makes each page writable and its own; then, if asked, read-only again, which gives it back to
   RLIMIT_DATA while it stays dirty. A range that refuses a few times is left alone. */
static uint64_t dirty_in_place(const struct range *range, uint64_t most, protect_function *protect,
                               int give_back)
{
    uint64_t held = 0;
    int refusals = 0;
    for (uintptr_t at = range->start; at < range->end && held < most; at += PAGE) {
        volatile char *page = (volatile char *)at; // SAFETY: mapped, as the kernel says
        if (protect((void *)at, PAGE, FULL) != 0 && ++refusals > MOST_REFUSALS)
            break;
        if (refusals > 0)
            continue;
        *page = *page;
        held += PAGE;
        if (give_back)
            protect((void *)at, PAGE, range->protection);
    }
    return held;
}

enum which { ALL, OWN };

static uint64_t dirty_read_only(const struct call *call, enum which which,
                                protect_function *protect, int give_back)
{
    uint64_t held = 0;
    const struct maps *maps = read_maps();
    for (int i = 0; i < maps->count; i++) {
        const struct range *range = &maps->ranges[i];
        if (!(range->protection & PROT_WRITE) && (which == ALL || range->group == maps->own_group))
            held += dirty_in_place(range, MOST_HELD - held, protect, give_back);
    }
    if (held == 0)
        tell(call, "mprotect");
    return held;
}

/* ---- A1: the baseline's pages, in place ---- */

uint64_t a1_mprotect_text(const struct call *call)
{
    return map_until_refused(dirty_read_only(call, ALL, mprotect, 1), 0, PROT_READ | PROT_WRITE);
}

/* With RLIMIT_AS used up the kernel does not look at RLIMIT_DATA. */
uint64_t a1_mprotect_full(const struct call *call)
{
    const uint64_t held = map_until_refused(0, 0, PROT_READ | PROT_WRITE);
    fill_address_space();
    return held + dirty_read_only(call, ALL, mprotect, 0);
}

static int pkey_protect(void *start, size_t size, int protection)
{
    return (int)syscall(SYS_pkey_mprotect, start, size, protection, -1);
}

uint64_t a1_pkey_mprotect(const struct call *call)
{
    return map_until_refused(dirty_read_only(call, ALL, pkey_protect, 1), 0,
                             PROT_READ | PROT_WRITE);
}

/* ---- A2 to A5: their address space, reused ---- */

uint64_t a2_munmap_flip(const struct call *call)
{
    unmap_disposable(call);
    return map_until_refused(0, 0, PROT_READ);
}

/* Such a map is a stack to the kernel, and never counted as data. */
uint64_t a3_growsdown(const struct call *call)
{
    unmap_disposable(call);
    const uint64_t held = map_until_refused(0, MAP_GROWSDOWN, PROT_READ | PROT_WRITE);
    return map_until_refused(held, 0, PROT_READ | PROT_WRITE);
}

uint64_t a4_flip(const struct call *call)
{
    (void)call;
    return map_until_refused(0, 0, PROT_READ);
}

static const struct range *longest_disposable(const struct maps *maps)
{
    const struct range *longest = NULL;
    for (int i = 0; i < maps->count; i++) {
        const struct range *range = &maps->ranges[i];
        if (is_disposable(maps, range) &&
            (longest == NULL || range->end - range->start > longest->end - longest->start))
            longest = range;
    }
    return longest;
}

/* Over the longest read-only range at once. */
uint64_t a5_fixed_run(const struct call *call)
{
    const struct range *range = longest_disposable(read_maps());
    if (range == NULL)
        return 0;
    size_t size = range->end - range->start;
    for (; size >= PAGE; size = size / 2 & -(size_t)PAGE) {
        char *piece = map_anonymous((void *)range->start, size, PROT_READ | PROT_WRITE, MAP_FIXED);
        if (piece == NULL)
            continue;
        cannot_return |= range->protection != PROT_NONE;
        return map_until_refused(dirty(piece, size < MOST_HELD ? size : MOST_HELD), 0,
                                 PROT_READ | PROT_WRITE);
    }
    tell(call, "MAP_FIXED");
    return map_until_refused(0, 0, PROT_READ | PROT_WRITE);
}

static uint64_t replace_and_flip(const struct range *range, uint64_t most)
{
    enum { CHUNK = 64 * 1024 };
    uint64_t held = 0;
    for (uintptr_t at = range->start; at < range->end && held < most; at += CHUNK) {
        const size_t size = range->end - at < CHUNK ? range->end - at : CHUNK;
        char *piece = map_anonymous((void *)at, size, PROT_READ | PROT_WRITE, MAP_FIXED);
        if (piece == NULL)
            break;
        cannot_return |= range->protection != PROT_NONE;
        held += dirty(piece, size);
        mprotect(piece, size, PROT_READ);
    }
    return held;
}

/* Chunk by chunk, each made read-only when it is dirty. */
uint64_t a5_fixed_flip(const struct call *call)
{
    uint64_t held = 0;
    const struct maps *maps = read_maps();
    for (int i = 0; i < maps->count; i++)
        if (is_disposable(maps, &maps->ranges[i]))
            held += replace_and_flip(&maps->ranges[i], MOST_HELD - held);
    if (held == 0)
        tell(call, "MAP_FIXED");
    return map_until_refused(held, 0, PROT_READ);
}

/* ---- A7, A12: written from outside ---- */

/* Each page is written with what is there. */
uint64_t a7_proc_self_mem(const struct call *call)
{
    uint64_t held = 0;
    const struct maps *maps = read_maps();
    const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (memory < 0)
        tell(call, "/proc/self/mem");
    for (int i = 0; i < maps->count && memory >= 0; i++) {
        const struct range *range = &maps->ranges[i];
        if (range->protection & PROT_WRITE || !(range->protection & PROT_READ))
            continue;
        for (uintptr_t at = range->start; at < range->end && held < MOST_HELD; at += PAGE)
            held += pwrite(memory, (void *)at, 1, (off_t)at) == 1 ? PAGE : 0;
    }
    return map_until_refused(held, 0, PROT_READ | PROT_WRITE);
}

uint64_t a12_process_vm_writev(const struct call *call)
{
    uint64_t held = 0;
    const struct maps *maps = read_maps();
    for (int i = 0; i < maps->count && held < MOST_HELD; i++) {
        const struct range *range = &maps->ranges[i];
        if (range->protection & PROT_WRITE || !(range->protection & PROT_READ))
            continue;
        struct iovec part = {(void *)range->start, 1};
        held += process_vm_writev(getpid(), &part, 1, &part, 1, 0) == 1 ? PAGE : 0;
    }
    if (held == 0)
        tell(call, "process_vm_writev");
    return held;
}

/* ---- A8, A10: pages and holes of the plugin's own file ---- */

/* RLIMIT_DATA first, then RLIMIT_AS, then what is over. */
uint64_t a8_own_pages(const struct call *call)
{
    const uint64_t held = map_until_refused(0, 0, PROT_READ | PROT_WRITE);
    fill_address_space();
    return held + dirty_read_only(call, OWN, mprotect, 0);
}

uint64_t a10_own_holes(const struct call *call)
{
    uint64_t unmapped = 0;
    const struct maps *maps = read_maps();
    for (int i = 0; i < maps->count; i++) {
        const struct range *range = &maps->ranges[i];
        if (range->protection == PROT_NONE &&
            munmap((void *)range->start, range->end - range->start) == 0)
            unmapped += range->end - range->start;
    }
    if (unmapped == 0)
        tell(call, "munmap of holes");
    return map_until_refused(0, 0, PROT_READ);
}

/* ---- A14: maps of other kinds ---- */

#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08 // Linux 6.11, include/uapi/linux/mman.h
#endif

static uint64_t map_of_kind(const struct call *call, const char *name, int flags)
{
    const long place = syscall(SYS_mmap, NULL, 32 * MEBIBYTE, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (place != -1)
        return dirty((char *)place, 32 * MEBIBYTE); // SAFETY: what the kernel returned
    tell(call, name);
    return 0;
}

uint64_t a14_odd_maps(const struct call *call)
{
    const int plain = MAP_PRIVATE | MAP_ANONYMOUS;
    uint64_t held = map_of_kind(call, "MAP_DROPPABLE", MAP_DROPPABLE | MAP_ANONYMOUS);
    held += map_of_kind(call, "MAP_HUGETLB", plain | MAP_HUGETLB);
    held += map_of_kind(call, "MAP_LOCKED", plain | MAP_LOCKED);
    held += map_of_kind(call, "MAP_SHARED", MAP_SHARED | MAP_ANONYMOUS);
    held += map_of_kind(call, "MAP_SHARED_VALIDATE", MAP_SHARED_VALIDATE | MAP_ANONYMOUS);
#ifdef SYS_map_shadow_stack
    if (syscall(SYS_map_shadow_stack, 0, 32 * MEBIBYTE, 0) == -1)
        tell(call, "map_shadow_stack");
#endif
    if (syscall(SYS_remap_file_pages, &held, PAGE, 0, 0, 0) == -1)
        tell(call, "remap_file_pages");
    if (prctl(PR_SET_MM, PR_SET_MM_START_BRK, 0, 0, 0) == -1)
        tell(call, "PR_SET_MM");
    return held;
}
