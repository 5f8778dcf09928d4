#define _GNU_SOURCE
#include "bah_fence.h"

#include "bah_maps.h"
#include "bah_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The room that the kernel keeps below a stack: stack_guard_gap, 256 pages. mm/mmap.c. */
enum { STACK_GAP_PAGES = 256 };

static uintptr_t round_up(uintptr_t value, uintptr_t page)
{
    return (value + page - 1) & ~(page - 1);
}

static int fill(uintptr_t start, uintptr_t end)
{
    if (start >= end) {
        return 0;
    }
    const void *place = mmap(
        (void *)start, end - start, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return place == MAP_FAILED ? -errno : bah_seal_range(start, end - start);
}

/* Up to three ranges that stay free, in the order of addresses. */
struct gaps {
    uintptr_t start[3];
    uintptr_t end[3];
    int count;
};

static void leave(struct gaps *gaps, uintptr_t start, uintptr_t end)
{
    int at = gaps->count++;
    for (; at > 0 && gaps->start[at - 1] > start; at--) {
        gaps->start[at] = gaps->start[at - 1];
        gaps->end[at] = gaps->end[at - 1];
    }
    gaps->start[at] = start;
    gaps->end[at] = end;
}

/* Fills what of a free range is not to stay free. */
static int fill_around(uintptr_t start, uintptr_t end, const struct gaps *gaps)
{
    for (int i = 0; i < gaps->count; i++) {
        if (gaps->end[i] <= start || gaps->start[i] >= end) {
            continue;
        }
        const int status = fill(start, gaps->start[i]);
        if (status != 0) {
            return status;
        }
        start = gaps->end[i] > start ? gaps->end[i] : start;
    }
    return fill(start, end);
}

struct survey {
    uintptr_t previous_end; /* where the free range begins */
    uintptr_t stack_end;
    uintptr_t heap_end; /* where a map follows the heap */
    uintptr_t heap_start;
    const struct gaps *gaps;
};

static int look(const struct bah_map *map, void *context)
{
    struct survey *survey = context;
    if (map->kind == BAH_MAP_STACK) {
        survey->stack_end = map->end;
    }
    if (map->start >= survey->heap_start && map->start < survey->heap_end) {
        survey->heap_end = map->start;
    }
    return 0;
}

static int fence_before(const struct bah_map *map, void *context)
{
    struct survey *survey = context;
    if (map->kind == BAH_MAP_KERNEL) {
        return 0;
    }
    const int status = fill_around(survey->previous_end, map->start, survey->gaps);
    survey->previous_end = map->end;
    return status;
}

/*
 * The range behind the last map. Where a process's addresses end depends on machine and kernel, so
 * the ends that there are get tried from the highest on: five levels of page tables on x86-64, 52
 * and 48 bits on aarch64, four levels on x86-64 (whose last page cannot be mapped), 42 and 39 bits
 * on aarch64. Documentation/arch/x86/x86_64/mm.rst, Documentation/arch/arm64/memory.rst.
 */
static int fence_top(const struct survey *survey, uintptr_t page)
{
    const uintptr_t ends[] = {
        ((uintptr_t)1 << 56) - page, (uintptr_t)1 << 52, (uintptr_t)1 << 48,
        ((uintptr_t)1 << 47) - page, (uintptr_t)1 << 42, (uintptr_t)1 << 39,
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (ends[i] <= survey->previous_end) {
            return 0;
        }
        const int status = fill_around(survey->previous_end, ends[i], survey->gaps);
        if (status != -ENOMEM) {
            return status;
        }
    }
    return -ENOMEM;
}

/* The lowest address that may be mapped: Documentation/admin-guide/sysctl/vm.rst. */
static uintptr_t read_lowest_address(uintptr_t page)
{
    char text[32] = "";
    uintptr_t lowest = 65536;
    const int file = open("/proc/sys/vm/mmap_min_addr", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        const ssize_t count = read(file, text, sizeof text - 1);
        if (count > 0) {
            lowest = strtoul(text, NULL, 10);
        }
        close(file);
    }
    return round_up(lowest, page);
}

/* Asks the kernel where it puts new maps. */
static int find_window(uint64_t bytes, struct bah_fence *fence)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *window = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    if (window == MAP_FAILED) {
        return -errno;
    }
    char *next = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    const int status = next == MAP_FAILED ? -errno : 0;
    fence->window_start = (uintptr_t)window;
    fence->window_end = (uintptr_t)window + bytes;
    fence->is_top_down = next < window;
    munmap(window, bytes);
    if (status == 0) {
        munmap(next, bytes);
    }
    return status;
}

int bah_build_fence(uint64_t window_bytes, uint64_t stack_bytes, struct bah_fence *fence)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (window_bytes < page || window_bytes > (uint64_t)1 << 38
        || stack_bytes > (uint64_t)1 << 38) {
        return -EINVAL;
    }
    const uintptr_t bytes = round_up(window_bytes, page);
    const int status = find_window(bytes, fence);
    if (status != 0) {
        return status;
    }
    fence->page_bytes = page;
    fence->heap_start = round_up((uintptr_t)sbrk(0), page);
    struct gaps gaps = {.count = 0};
    struct survey survey = {
        .heap_start = fence->heap_start, .heap_end = fence->heap_start + bytes, .gaps = &gaps};
    const int looked = bah_each_map(look, &survey);
    if (looked != 0 || survey.stack_end == 0) {
        return looked != 0 ? looked : -ENOENT;
    }
    fence->heap_end = survey.heap_end;
    leave(&gaps, fence->window_start, fence->window_end);
    leave(&gaps, fence->heap_start, fence->heap_end);
    leave(&gaps, survey.stack_end - round_up(stack_bytes, page) - STACK_GAP_PAGES * page,
        survey.stack_end);
    survey.previous_end = read_lowest_address(page);
    const int fenced = bah_each_map(fence_before, &survey);
    return fenced != 0 ? fenced : fence_top(&survey, page);
}

static int narrow_window(struct bah_fence *fence, uintptr_t bytes)
{
    /* The kernel knows where there is so much free: no need to read all maps again. */
    char *kept = mmap(
        NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED) {
        return errno == ENOMEM ? 0 : -errno;
    }
    munmap(kept, bytes);
    const uintptr_t start = (uintptr_t)kept;
    if (start < fence->window_start || start + bytes > fence->window_end) {
        return 0;
    }
    if (fence->is_top_down) {
        const int status = fill(fence->window_start, start);
        fence->window_start = status == 0 ? start : fence->window_start;
        return status;
    }
    const int status = fill(start + bytes, fence->window_end);
    fence->window_end = status == 0 ? start + bytes : fence->window_end;
    return status;
}

int bah_narrow_fence(struct bah_fence *fence, uint64_t window_bytes, uint64_t heap_bytes)
{
    const uintptr_t page = fence->page_bytes;
    if (window_bytes < fence->window_end - fence->window_start && window_bytes > 0) {
        const int status = narrow_window(fence, round_up(window_bytes, page));
        if (status != 0) {
            return status;
        }
    }
    /* The kernel wants one free page behind the heap. */
    const uintptr_t heap = round_up((uintptr_t)sbrk(0), page);
    const uintptr_t room = heap < fence->heap_end ? fence->heap_end - heap : 0;
    if (room < 2 * page || heap_bytes >= room - 2 * page) {
        return 0;
    }
    const uintptr_t end = heap + round_up(heap_bytes, page) + page;
    const int status = fill(end, fence->heap_end);
    fence->heap_end = status == 0 ? end : fence->heap_end;
    return status;
}
