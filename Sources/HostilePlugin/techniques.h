// Every technique: the word that chooses it, and its function, by the file that has it.
#pragma once

#define WELL_BEHAVED(T)                                                                            \
    /* well-behaved.c */                                                                           \
    T("hello", hello)                                                                              \
    T("schedule-lines", schedule_lines)                                                            \
    T("steady", steady)

#define LIMITS(T)                                                                                  \
    /* limits.c */                                                                                 \
    T("heap-bytes", heap_bytes)                                                                    \
    T("stack-bytes", stack_bytes)                                                                  \
    T("thread-stack-bytes", thread_stack_bytes)                                                    \
    T("threads", threads_at_once)                                                                  \
    T("sleep-for", sleep_for)                                                                      \
    T("spin-for", spin_for)                                                                        \
    T("spin-in-threads", spin_in_threads)                                                          \
    /* limits-files.c */                                                                           \
    T("open-files", open_files)                                                                    \
    T("file-bytes", file_bytes)                                                                    \
    T("file-bytes-truncate", file_bytes_truncate)                                                  \
    T("file-bytes-allocate", file_bytes_allocate)                                                  \
    T("written-bytes", written_bytes)                                                              \
    T("new-files", new_files)                                                                      \
    T("hidden-bytes", hidden_bytes)                                                                \
    /* limits-calls.c */                                                                           \
    T("requests", requests)                                                                        \
    T("host-calls", host_calls)                                                                    \
    T("log-bytes", log_bytes)                                                                      \
    T("log-line-bytes", log_line_bytes)                                                            \
    T("identifier-bytes", identifier_bytes)                                                        \
    T("url-bytes", url_bytes)                                                                      \
    T("headers", headers)                                                                          \
    T("header-bytes", header_bytes)                                                                \
    T("mirrors", mirrors)

#define MEMORY(T)                                                                                  \
    /* memory.c */                                                                                 \
    T("malloc-forever", malloc_forever)                                                            \
    T("malloc-null-write", malloc_null_write)                                                      \
    T("mmap-forever", mmap_forever)                                                                \
    T("mprotect-text", mprotect_text)                                                              \
    T("prlimit-raise", prlimit_raise)

#define TIME(T)                                                                                    \
    /* time.c */                                                                                   \
    T("spin", spin)                                                                                \
    T("sleep", sleep_forever)                                                                      \
    T("ignore-signals-and-spin", ignore_signals_and_spin)                                          \
    T("stop-self", stop_self)                                                                      \
    T("hang-in-terminate", hang_in_terminate)

#define PROCESSES(T)                                                                               \
    /* process.c */                                                                                \
    T("fork", fork_once)                                                                           \
    T("raw-fork", raw_fork)                                                                        \
    T("vfork", vfork_once)                                                                         \
    T("clone3", clone3_once)                                                                       \
    T("double-fork", double_fork)                                                                  \
    T("popen", popen_once)                                                                         \
    T("system", system_once)                                                                       \
    T("posix-spawn", spawn_once)                                                                   \
    T("exec", exec_once)                                                                           \
    T("execveat", execveat_once)                                                                   \
    T("setsid", setsid_once)                                                                       \
    T("ptrace", ptrace_once)                                                                       \
    T("catch-signals-and-fork", catch_signals_and_fork)                                            \
    T("thread-flood", thread_flood)

#define OTHERS(T)                                                                                  \
    /* others.c */                                                                                 \
    T("kill-parent", kill_parent)                                                                  \
    T("kill-all", kill_all)                                                                        \
    T("tgkill-other", tgkill_other)                                                                \
    T("sigqueue-other", sigqueue_other)                                                            \
    T("pidfd-signal", pidfd_signal)                                                                \
    T("pidfd-getfd", pidfd_take_descriptor)                                                        \
    T("prlimit-other", prlimit_other)                                                              \
    T("process-vm-readv", process_vm_read)                                                         \
    T("process-vm-writev", process_vm_write)                                                       \
    T("parent-memory", parent_memory)                                                              \
    T("self-memory", self_memory)                                                                  \
    T("other-processes", other_processes)

#define NETWORK(T)                                                                                 \
    /* network.c */                                                                                \
    T("socket", socket_once)                                                                       \
    T("tcp", tcp)                                                                                  \
    T("udp", udp)                                                                                  \
    T("raw-socket", raw_socket)                                                                    \
    T("unix-path", unix_path)                                                                      \
    T("unix-abstract", unix_abstract)                                                              \
    T("netlink", netlink_once)                                                                     \
    T("socketpair", socketpair_once)

#define KERNEL(T)                                                                                  \
    /* system.c */                                                                                 \
    T("mount", mount_once)                                                                         \
    T("umount", umount_once)                                                                       \
    T("pivot-root", pivot_root_once)                                                               \
    T("chroot", chroot_once)                                                                       \
    T("unshare", unshare_once)                                                                     \
    T("setns", setns_once)                                                                         \
    T("init-module", init_module_once)                                                             \
    T("reboot", reboot_once)                                                                       \
    T("swapon", swapon_once)                                                                       \
    T("set-time", set_time)                                                                        \
    T("set-hostname", set_hostname)                                                                \
    T("quotactl", quotactl_once)                                                                   \
    T("acct", acct_once)                                                                           \
    T("syslog", syslog_once)                                                                       \
    T("open-by-handle", open_by_handle)                                                            \
    T("device-nodes", device_nodes)                                                                \
    /* kernel.c */                                                                                 \
    T("keyctl", keyctl_once)                                                                       \
    T("add-key", add_key_once)                                                                     \
    T("request-key", request_key_once)                                                             \
    T("bpf", bpf_once)                                                                             \
    T("perf", perf_once)                                                                           \
    T("userfaultfd", userfaultfd_once)                                                             \
    T("io-uring", io_uring_once)                                                                   \
    T("memfd", memfd_once)                                                                         \
    T("memfd-secret", memfd_secret_once)                                                           \
    T("shm-open", shm_open_once)                                                                   \
    T("fanotify", fanotify_once)                                                                   \
    T("inotify", inotify_once)                                                                     \
    T("unknown-call", unknown_call)                                                                \
    T("x32-call", x32_call)                                                                        \
    T("ia32-call", ia32_call)

#define WALLS(T)                                                                                   \
    /* walls.c */                                                                                  \
    T("more-filters", more_filters)                                                                \
    T("landlock-ruleset", landlock_ruleset)                                                        \
    T("personality", personality_once)                                                             \
    T("set-ids", set_ids)                                                                          \
    T("capset", capset_once)                                                                       \
    T("prctl", prctl_once)                                                                         \
    T("sigsys-handler", sigsys_handler)                                                            \
    T("descriptor-owner", descriptor_owner)                                                        \
    T("terminal-input", terminal_input)                                                            \
    T("set-priority", set_priority)

#define FILES(T)                                                                                   \
    /* files.c */                                                                                  \
    T("write-outside", write_outside)                                                              \
    T("read-outside", read_outside)                                                                \
    T("open-many-files", open_many_files)                                                          \
    T("big-file", big_file)                                                                        \
    T("many-files", many_files)                                                                    \
    T("many-bytes", many_bytes)                                                                    \
    /* files-outside.c, told a folder */                                                           \
    T("outside-read", outside_read)                                                                \
    T("outside-write", outside_write)                                                              \
    T("outside-create", outside_create)                                                            \
    T("outside-link", outside_link)                                                                \
    T("outside-rename", outside_rename)                                                            \
    T("outside-symlink", outside_symlink)                                                          \
    T("outside-dotdot", outside_dotdot)                                                            \
    T("outside-truncate", outside_truncate)                                                        \
    T("outside-utime", outside_utime)                                                              \
    T("outside-chmod", outside_chmod)                                                              \
    T("outside-chown", outside_chown)                                                              \
    T("outside-xattr", outside_xattr)                                                              \
    T("outside-unlink", outside_unlink)                                                            \
    /* files-own.c */                                                                              \
    T("own-chmod", own_chmod)                                                                      \
    T("own-xattr", own_xattr)                                                                      \
    T("own-utime", own_utime)                                                                      \
    T("mknod", mknod_once)                                                                         \
    T("mkfifo", mkfifo_once)                                                                       \
    T("manifest-write", manifest_write)                                                            \
    T("plugin-write", plugin_write)                                                                \
    T("partial-folder", partial_folder)                                                            \
    T("container-root", container_root)

#define PROTOCOL(T)                                                                                \
    /* protocol.c */                                                                               \
    T("giant-frame", giant_frame)                                                                  \
    T("partial-frame", partial_frame)                                                              \
    T("unknown-frame", unknown_frame)                                                              \
    T("early-reply", early_reply)                                                                  \
    T("early-reply-and-stay", early_reply_and_stay)                                                \
    T("frame-flood", frame_flood)                                                                  \
    T("unread-replies", unread_replies)                                                            \
    T("evidence-garbage", evidence_garbage)                                                        \
    T("stdout-flood", stdout_flood)                                                                \
    T("stderr-flood", stderr_flood)

#define CRASHES(T)                                                                                 \
    /* crash.c */                                                                                  \
    T("abort", abort_now)                                                                          \
    T("raise-segv", raise_segv)                                                                    \
    T("full-queue-raise", raise_with_full_queue)                                                   \
    T("raise", raise_number)                                                                       \
    T("null-pointer", null_pointer)                                                                \
    T("wild-pointer", wild_pointer)                                                                \
    T("trap", trap_now)                                                                            \
    T("deep-recursion", deep_recursion)                                                            \
    T("deep-recursion-in-thread", deep_recursion_in_thread)                                        \
    T("catch-signals-and-crash", catch_signals_and_crash)                                          \
    /* exits.c */                                                                                  \
    T("exit-0", exit_0)                                                                            \
    T("exit-137", exit_137)                                                                        \
    T("_exit-0", underscore_exit_0)                                                                \
    T("quick-exit", quick_exit_0)                                                                  \
    T("pthread-exit", pthread_exit_0)                                                              \
    T("exit-in-thread", exit_in_thread)                                                            \
    T("exit-in-terminate", exit_in_terminate)                                                      \
    T("exit-in-destructor", exit_in_destructor)

#define DESCRIPTORS(T)                                                                             \
    /* descriptors.c */                                                                            \
    T("garbage-on-all-descriptors", garbage_on_all_descriptors)                                    \
    T("close-all-descriptors", close_all_descriptors)                                              \
    T("stdout-noise", stdout_noise)                                                                \
    T("read-stdin", read_stdin)

#define CALLS(T)                                                                                   \
    /* calls.c */                                                                                  \
    T("return", return_number)                                                                     \
    T("request-flood", request_flood)                                                              \
    T("log-flood", log_flood)                                                                      \
    T("log-odd", log_odd)                                                                          \
    T("bad-return", bad_return)                                                                    \
    T("negative-return", negative_return)                                                          \
    T("double-return-status", double_return_status)                                                \
    T("bad-strings", bad_strings)                                                                  \
    T("bad-pointer", bad_pointer)                                                                  \
    T("null-request", null_request)                                                                \
    T("wrong-struct-size", wrong_struct_size)                                                      \
    T("reserved-bits", reserved_bits)                                                              \
    T("late-thread-call", late_thread_call)

#define TECHNIQUES(T)                                                                              \
    WELL_BEHAVED(T)                                                                                \
    LIMITS(T)                                                                                      \
    MEMORY(T)                                                                                      \
    TIME(T)                                                                                        \
    PROCESSES(T)                                                                                   \
    OTHERS(T)                                                                                      \
    NETWORK(T)                                                                                     \
    KERNEL(T)                                                                                      \
    WALLS(T)                                                                                       \
    FILES(T)                                                                                       \
    PROTOCOL(T)                                                                                    \
    CRASHES(T)                                                                                     \
    DESCRIPTORS(T)                                                                                 \
    CALLS(T)
