// What the techniques share that hold memory past the limit, and keep it for a while so that
// somebody outside can measure.
//
// Each returns how many bytes it believes to hold, and stops by itself at MOST_HELD: where a limit
// fails the machine must not.
#pragma once

#include "hostile.h"

#include <stddef.h>

enum { PAGE = 4096, MEBIBYTE = 1 << 20, MOST_HELD = 256 << 20, MOST_RANGES = 1024 };

typedef uint64_t memory_technique(const struct call *call);

/* The letters and numbers are groups of one kind: A user memory, B kernel memory, C descriptors,
   files and names. */
#define MEMORY_TECHNIQUES(T)                                                                       \
    /* holding.c: nothing, so that a meter knows what a worker costs that does no wrong */         \
    T("a0-nothing", a0_nothing)                                                                    \
    /* memory-plain.c */                                                                           \
    T("a0-malloc", a0_malloc)                                                                      \
    T("a0-map", a0_map)                                                                            \
    T("a0-brk", a0_brk)                                                                            \
    T("a0-mremap", a0_mremap)                                                                      \
    T("a0-dontunmap", a0_dontunmap)                                                                \
    T("a0-file-map", a0_file_map)                                                                  \
    T("a0-stack", a0_stack)                                                                        \
    T("a0-stack-and-map", a0_stack_and_map)                                                        \
    T("a0-thread-stacks", a0_thread_stacks)                                                        \
    /* memory-a.c */                                                                               \
    T("a1-mprotect-text", a1_mprotect_text)                                                        \
    T("a1-mprotect-full", a1_mprotect_full)                                                        \
    T("a1-pkey-mprotect", a1_pkey_mprotect)                                                        \
    T("a2-munmap-flip", a2_munmap_flip)                                                            \
    T("a3-growsdown", a3_growsdown)                                                                \
    T("a4-flip", a4_flip)                                                                          \
    T("a5-fixed-run", a5_fixed_run)                                                                \
    T("a5-fixed-flip", a5_fixed_flip)                                                              \
    T("a7-proc-self-mem", a7_proc_self_mem)                                                        \
    T("a8-own-pages", a8_own_pages)                                                                \
    T("a10-own-holes", a10_own_holes)                                                              \
    T("a12-process-vm-writev", a12_process_vm_writev)                                              \
    T("a14-odd-maps", a14_odd_maps)                                                                \
    /* memory-b.c */                                                                               \
    T("b0-futex-hash", b0_futex_hash)                                                              \
    T("b1-raw-threads", b1_raw_threads)                                                            \
    T("b1-exact-threads", b1_exact_threads)                                                        \
    T("b2-page-tables", b2_page_tables)                                                            \
    T("b2-zero-pages", b2_zero_pages)                                                              \
    T("b2-without-hints", b2_without_hints)                                                        \
    T("b3-huge-pages", b3_huge_pages)                                                              \
    T("b6-timers", b6_timers)                                                                      \
    T("b6-queued-signals", b6_queued_signals)                                                      \
    T("b8-reserve", b8_reserve)                                                                    \
    T("b1-threads-and-map", b1_threads_and_map)                                                    \
    T("b8-all-together", b8_all_together)                                                          \
    T("b10-one-page-maps", b10_one_page_maps)                                                      \
    T("b10-mixed-maps", b10_mixed_maps)                                                            \
    /* memory-b-calls.c */                                                                         \
    T("b4-vmsplice", b4_vmsplice)                                                                  \
    T("b5-semaphores", b5_semaphores)                                                              \
    T("b5-messages", b5_messages)                                                                  \
    T("b5-shared-memory", b5_shared_memory)                                                        \
    T("b7-stacked-filters", b7_stacked_filters)                                                    \
    T("b9-rulesets", b9_rulesets)                                                                  \
    T("b11-namespaces", b11_namespaces)                                                            \
    T("b11-fsopen", b11_fsopen)                                                                    \
    /* memory-c.c */                                                                               \
    T("c1-socket-pairs", c1_socket_pairs)                                                          \
    T("c2-pipes", c2_pipes)                                                                        \
    T("c2-own-stdout", c2_own_stdout)                                                              \
    T("c3-descriptor-tables", c3_descriptor_tables)                                                \
    T("c4-rights-in-flight", c4_rights_in_flight)                                                  \
    T("c5-memfd-secret", c5_memfd_secret)                                                          \
    T("c5-memfd", c5_memfd)                                                                        \
    T("c6-record-locks", c6_record_locks)                                                          \
    T("c7-inotify", c7_inotify)                                                                    \
    T("c8-keys", c8_keys)                                                                          \
    T("c8-keyrings", c8_keyrings)                                                                  \
    /* memory-c-files.c */                                                                         \
    T("c9-aio", c9_aio)                                                                            \
    T("c9-epoll", c9_epoll)                                                                        \
    T("c9-mqueue", c9_mqueue)                                                                      \
    T("c9-perf", c9_perf)                                                                          \
    T("c9-bpf", c9_bpf)                                                                            \
    T("c9-fanotify", c9_fanotify)                                                                  \
    T("c10-file-bytes", c10_file_bytes)                                                            \
    T("c10-shared-map", c10_shared_map)                                                            \
    T("c10-empty-files", c10_empty_files)                                                          \
    T("c10-links", c10_links)                                                                      \
    T("c11-dev-zero", c11_dev_zero)                                                                \
    T("c12-missing-names", c12_missing_names)

#define DECLARE_MEMORY_TECHNIQUE(word, function) memory_technique function;
MEMORY_TECHNIQUES(DECLARE_MEMORY_TECHNIQUE)

/* ---- Memory without the C library's help, and so without the worker's hooks ---- */

/* Anonymous and private, or NULL. `flags` are added. */
char *map_anonymous(void *hint, size_t size, int protection, int flags);

/* Writes to each page. Returns size. */
uint64_t dirty(char *start, size_t size);

/* Maps and dirties more until it is refused, then less, down to a page. Returns held + what came;
   `then` is the protection that each piece is left with. */
uint64_t map_until_refused(uint64_t held, int flags, int then);

/* A word on what did not work. */
void tell(const struct call *call, const char *what);

/* The C library's file: one that every worker can read. */
const char *c_library(void);

/* ---- What is mapped ---- */

struct range {
    uintptr_t start, end;
    int protection;
    int group; // ranges of one file that follow one another
};

struct maps {
    struct range ranges[MOST_RANGES];
    int count;
    int own_group, libc_group, loader_group;
};

/* Reads /proc/self/maps; the result stays valid until the next call. */
const struct maps *read_maps(void);

/* Not writable and not needed to go on: neither this library nor the C library nor the loader. */
int is_disposable(const struct maps *maps, const struct range *range);

/* Unmaps all disposable ranges. Returns their bytes. */
uint64_t unmap_disposable(const struct call *call);

/* Set when code that this thread would return to may be gone. */
extern int cannot_return;

/* Maps PROT_NONE wherever it fits, so that RLIMIT_AS is used up. Undone after the hold. */
void fill_address_space(void);
