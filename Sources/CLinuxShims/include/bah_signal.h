/* Signals as descriptors: signalfd(2), pidfd_open(2), pidfd_send_signal(2), waitid(2). */
#pragma once

#include <stdint.h>

/* What waitid(2) said of a child. */
struct bah_child_end {
    int32_t has_ended;
    int32_t exit_code; /* -1 when a signal ended it */
    int32_t signal;    /* 0 when it exited */
    int64_t cpu_time_us;
};

/* Blocks SIGINT, SIGTERM and SIGHUP in this thread and returns a descriptor that reads them. */
int bah_open_stop_signals(void);

/* Reads one signal number from that descriptor; 0 when none is waiting. */
int bah_read_stop_signal(int descriptor);

/* Ignores SIGPIPE, so that a closed peer is EPIPE. */
int bah_ignore_broken_pipes(void);

/* Restores the default action and unblocks what bah_open_stop_signals blocked. */
int bah_reset_stop_signals(void);

int bah_open_process(int pid);
int bah_signal_process(int pidfd, int signal);

/* Reaps the child behind `pidfd` if it has ended; never waits unless `waits` is not 0. */
int bah_reap_child(int pidfd, int waits, struct bah_child_end *_Nonnull end);
