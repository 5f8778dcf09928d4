/*
 * Evidence: what a worker writes about its own end, one 128-byte record on a pipe, from a signal
 * handler or a refused allocation. WireProtocol's EvidenceRecord reads it.
 *
 * Everything here but the installing functions is async-signal-safe. signal-safety(7).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum bah_evidence_kind {
    BAH_EVIDENCE_SIGNAL = 1,
    BAH_EVIDENCE_MEMORY_REFUSED = 2,
    BAH_EVIDENCE_THREAD_REFUSED = 3,
    BAH_EVIDENCE_PROCESS_REFUSED = 4,
};

/* The exit status of a worker that ended itself after writing evidence. */
#define BAH_EVIDENCE_EXIT 70

struct bah_evidence {
    uint32_t magic;
    uint32_t kind;
    int32_t signal;
    int32_t signal_code;
    uint64_t fault_address;
    uint64_t stack_low;
    uint64_t stack_high;
    int64_t system_call; /* -1: none */
    uint64_t asked_bytes;
    uint64_t left_bytes;
    char text[64];
};

_Static_assert(sizeof(struct bah_evidence) == 128, "EvidenceRecord.byteCount");
_Static_assert(offsetof(struct bah_evidence, signal) == 8, "EvidenceRecord layout");
_Static_assert(offsetof(struct bah_evidence, fault_address) == 16, "EvidenceRecord layout");
_Static_assert(offsetof(struct bah_evidence, system_call) == 40, "EvidenceRecord layout");
_Static_assert(offsetof(struct bah_evidence, left_bytes) == 56, "EvidenceRecord layout");
_Static_assert(offsetof(struct bah_evidence, text) == 64, "EvidenceRecord layout");

/*
 * Installs the handlers of the calling process, which write to `descriptor`, and gives the calling
 * thread an alternate stack. sigaction(2), sigaltstack(2). Returns 0 or a negated errno.
 */
int bah_install_evidence(int descriptor);

/*
 * Takes note of where the calling thread's stack is, for records of it. pthread_getattr_np(3). For
 * the first thread done once, also for the processes that are forked afterwards.
 */
int bah_note_stack(void);

/* An alternate stack for the calling thread, `size` bytes at `room`; NULL takes it away. */
int bah_set_alternate_stack(void *_Nullable room, size_t size);

/* True once handlers are installed. */
int bah_has_evidence(void);

/* Writes a record and returns. `text` is cut at 63 bytes. */
void bah_write_evidence(
    uint32_t kind, uint64_t asked_bytes, uint64_t left_bytes, const char *_Nullable text);

/* Ends the process at once, without handlers or flushing. exit_group(2). */
_Noreturn void bah_end_process(int status);
