// The activities of c.so.
#pragma once

#include "../legitimate.h"

/* Every activity: the word that chooses it, and its function. */
#define ACTIVITIES(A)                                                                              \
    /* threads.c */                                                                                \
    A("thread-default", thread_default)                                                            \
    A("thread-small-stack", thread_small_stack)                                                    \
    A("thread-c11", thread_c11)                                                                    \
    A("thread-cancel", thread_cancel)                                                              \
    A("thread-exit", thread_exit)                                                                  \
    A("thread-pool", thread_pool)                                                                  \
    A("timed-waits", timed_waits)                                                                  \
    /* text.c */                                                                                   \
    A("iconv", convert_text)                                                                       \
    A("locale", use_locale)                                                                        \
    A("regex", match_expression)                                                                   \
    A("time-zone", tell_time)                                                                      \
    A("printf", print_lines)                                                                       \
    A("sort", sort_numbers)                                                                        \
    A("backtrace", trace_calls)                                                                    \
    /* libraries.c */                                                                              \
    A("dlopen", load_library)                                                                      \
    A("zlib", checksum_with_zlib)                                                                  \
    A("openssl", digest_with_openssl)                                                              \
    A("large-library", open_large_library)                                                         \
    A("sqlite-memory", database_in_memory)                                                         \
    A("sqlite-unix-none", database_without_locks)                                                  \
    A("sqlite-dotfile", database_with_dotfile)                                                     \
    A("sqlite-locks", database_with_locks)                                                         \
    /* files.c */                                                                                  \
    A("files", use_container)                                                                      \
    A("sendfile", send_file)                                                                       \
    A("mkstemp", make_temporary)                                                                   \
    A("tmpfile", try_tmpfile)                                                                      \
    A("dev-null", use_dev_null)                                                                    \
    A("random", draw_random)                                                                       \
    /* waiting.c */                                                                                \
    A("event-loop", run_event_loop)                                                                \
    A("signal", raise_own_signal)                                                                  \
    A("pipe", try_pipe)                                                                            \
    A("timer-create", try_timer)                                                                   \
    A("getaddrinfo-numeric", resolve_number)                                                       \
    A("getaddrinfo-name", resolve_name)                                                            \
    /* processes.c */                                                                              \
    A("popen", try_popen)                                                                          \
    A("system", try_system)                                                                        \
    A("posix-spawn", try_spawn)

#define DECLARE_ACTIVITY(word, function) activity function;
ACTIVITIES(DECLARE_ACTIVITY)
