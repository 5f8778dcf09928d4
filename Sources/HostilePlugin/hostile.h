// What the techniques share. See README.md.
#pragma once

#include <bahost/bahost.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a technique is given. */
struct call {
    const bahost_host *host;               // NULL in a constructor
    const bahost_content_request *request; // NULL outside install, update and check
    const char *argument;                  // the rest of the manifest's first line; may be empty
    FILE *manifest;                        // past its first line; NULL where there is none
};

typedef int32_t technique(const struct call *call);

/* Every technique: the word that chooses it, and its function. */
#define TECHNIQUES(T)                                                                              \
    /* well-behaved.c */                                                                           \
    T("hello", hello)                                                                              \
    T("schedule-lines", schedule_lines)                                                            \
    T("steady", steady)                                                                            \
    /* memory.c */                                                                                 \
    T("malloc-forever", malloc_forever)                                                            \
    T("malloc-null-write", malloc_null_write)                                                      \
    T("mmap-forever", mmap_forever)                                                                \
    T("mprotect-text", mprotect_text)                                                              \
    T("prlimit-raise", prlimit_raise)                                                              \
    /* time.c */                                                                                   \
    T("spin", spin)                                                                                \
    T("sleep", sleep_forever)                                                                      \
    T("ignore-signals-and-spin", ignore_signals_and_spin)                                          \
    T("stop-self", stop_self)                                                                      \
    T("hang-in-terminate", hang_in_terminate)                                                      \
    /* process.c */                                                                                \
    T("fork", fork_once)                                                                           \
    T("raw-fork", raw_fork)                                                                        \
    T("vfork", vfork_once)                                                                         \
    T("popen", popen_once)                                                                         \
    T("system", system_once)                                                                       \
    T("posix-spawn", spawn_once)                                                                   \
    T("exec", exec_once)                                                                           \
    T("ptrace", ptrace_once)                                                                       \
    T("mount", mount_once)                                                                         \
    T("catch-signals-and-fork", catch_signals_and_fork)                                            \
    T("thread-flood", thread_flood)                                                                \
    T("kill-parent", kill_parent)                                                                  \
    T("socket", socket_once)                                                                       \
    /* crash.c */                                                                                  \
    T("abort", abort_now)                                                                          \
    T("raise-segv", raise_segv)                                                                    \
    T("raise", raise_number)                                                                       \
    T("null-pointer", null_pointer)                                                                \
    T("wild-pointer", wild_pointer)                                                                \
    T("trap", trap_now)                                                                            \
    T("deep-recursion", deep_recursion)                                                            \
    T("deep-recursion-in-thread", deep_recursion_in_thread)                                        \
    T("catch-signals-and-crash", catch_signals_and_crash)                                          \
    T("exit-0", exit_0)                                                                            \
    T("exit-137", exit_137)                                                                        \
    T("_exit-0", underscore_exit_0)                                                                \
    /* files.c */                                                                                  \
    T("write-outside", write_outside)                                                              \
    T("read-outside", read_outside)                                                                \
    T("open-many-files", open_many_files)                                                          \
    T("big-file", big_file)                                                                        \
    T("many-files", many_files)                                                                    \
    T("many-bytes", many_bytes)                                                                    \
    /* descriptors.c */                                                                            \
    T("garbage-on-all-descriptors", garbage_on_all_descriptors)                                    \
    T("close-all-descriptors", close_all_descriptors)                                              \
    T("stdout-noise", stdout_noise)                                                                \
    T("read-stdin", read_stdin)                                                                    \
    /* calls.c */                                                                                  \
    T("request-flood", request_flood)                                                              \
    T("log-flood", log_flood)                                                                      \
    T("log-odd", log_odd)                                                                          \
    T("host-call-flood", host_call_flood)                                                          \
    T("bad-return", bad_return)                                                                    \
    T("negative-return", negative_return)                                                          \
    T("double-return-status", double_return_status)                                                \
    T("bad-strings", bad_strings)                                                                  \
    T("bad-pointer", bad_pointer)                                                                  \
    T("null-request", null_request)                                                                \
    T("wrong-struct-size", wrong_struct_size)                                                      \
    T("reserved-bits", reserved_bits)                                                              \
    T("late-thread-call", late_thread_call)

#define DECLARE_TECHNIQUE(word, function) technique function;
TECHNIQUES(DECLARE_TECHNIQUE)

/* Does a technique of holding.h; returns NO_SUCH_TECHNIQUE if the word is none of them. */
int32_t hold_by(const struct call *call, const char *word);

enum { NOT_LIMITED = -125, NO_SUCH_TECHNIQUE = -126 };

/* Logs through the host, or to stderr in a constructor. */
__attribute__((format(printf, 2, 3))) void say(const struct call *call, const char *format, ...);

/* The container's folder; "." when it is not known. */
const char *container(const struct call *call);

/* A plain request for the call's argument, or for an address of no one's. */
void make_request(
    const struct call *call, bahost_download_request *request, const char *identifier);

/* Gives every signal that allows it a handler that does nothing. */
void catch_all_signals(void);

/* Set by hang-in-terminate: bahost_will_terminate does not return. */
extern volatile int hangs_in_terminate;
