/*
 * Fills the unused address space with maps that nobody can use or take away, and leaves room in
 * few places: one window for new maps, one behind the heap, one below the stack.
 */
#pragma once

#include <stdint.h>

struct bah_fence {
    /* Where the kernel puts new maps. */
    uintptr_t window_start;
    uintptr_t window_end;
    /* Where the heap grows. brk(2). */
    uintptr_t heap_start;
    uintptr_t heap_end;
    uintptr_t page_bytes;
    /* The kernel fills the window from its end. */
    int is_top_down;
};

/*
 * Builds it: both windows `window_bytes` wide, or as wide as there is room; `stack_bytes` below the
 * top of the stack stay free, and the kernel's gap below them. Call it with a single thread, once.
 * After an error what has been fenced stays.
 */
int bah_build_fence(uint64_t window_bytes, uint64_t stack_bytes, struct bah_fence *_Nonnull fence);

/*
 * Leaves `window_bytes` of the window free in one piece and `heap_bytes` behind the present end of
 * the heap; what is narrower already stays. -EEXIST when something lies where the fence goes.
 */
int bah_narrow_fence(
    struct bah_fence *_Nonnull fence, uint64_t window_bytes, uint64_t heap_bytes);
