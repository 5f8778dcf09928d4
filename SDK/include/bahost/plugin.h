/*
 * What a plugin exports: the tag, by which it is recognised, and the entry points.
 *
 * Define the entry points that matter and leave out the rest; at least one is needed. Write the tag
 * once, in one source file, with BAHOST_PLUGIN.
 *
 * Entry points run one at a time, on one thread, in a worker process that lives for one batch: the
 * first entry point and the completions that can be delivered when it has returned. No state
 * survives it but files in the container. bahost_will_terminate alone is called on another thread.
 * Each call has its own wall budget; past it the worker is ended. Memory, processor time, files and
 * threads are limited; there is no network and no new process.
 *
 * host is never NULL and stays valid while the worker lives.
 *
 * Part of the bahost SDK. Include <bahost/bahost.h>.
 */
#ifndef BAHOST_PLUGIN_H
#define BAHOST_PLUGIN_H

#include <bahost/host.h>
#include <bahost/status.h>

BAHOST_BEGIN_C

/* ---- The tag ---- */

#define BAHOST_TAG_MAGIC "BAHOSTP"
#define BAHOST_TAG_MIN_SIZE 160u /* what a reader needs at least */

/* bahost_tag.flags */
#define BAHOST_TAG_REGISTERS_BY_MAIN 1ull /* the host calls the plugin's main after loading, inside
                                             the deadline; it must return 0 */
#define BAHOST_TAG_USES_SWIFT 2ull        /* needs the Swift runtime named by toolchain */

/* 192 bytes, read from the file without running it: no pointers, no relocations. Texts are UTF-8,
 * closed by NUL, filled up with NUL. */
typedef struct bahost_tag {
    char magic[8];              /* [0, 8] BAHOST_TAG_MAGIC with its NUL */
    uint32_t struct_size;       /* [8, 4] sizeof(bahost_tag); readers accept 160 and up */
    uint16_t abi_major;         /* [12, 2] BAHOST_ABI_MAJOR */
    uint16_t abi_minor;         /* [14, 2] the least minor that will do */
    uint64_t required_features; /* [16, 8] BAHOST_FEATURE_…; one the host lacks: abi_mismatch */
    uint64_t flags;             /* [24, 8] BAHOST_TAG_… */
    char name[64];              /* [32, 64] for people; empty: the host shows the file's name */
    char version[32];           /* [96, 32] the plugin's own; may be empty */
    char toolchain[32];         /* [128, 32] swift-6.3 with USES_SWIFT, else empty */
    uint8_t reserved[32];       /* [160, 32] zero */
} bahost_tag;

/* The data symbol the host looks for. Not const, but in a section that is read-only once the plugin
 * is loaded: some linkers put constants into the segment of the code, where no tag is taken. */
extern BAHOST_EXPORT bahost_tag bahost_plugin;

/*
 * Writes the tag. Once per plugin, at file scope, both arguments string literals:
 *
 *     BAHOST_PLUGIN("Level packs", "1.2");
 */
#define BAHOST_PLUGIN(name, version) BAHOST_PLUGIN_EX(name, version, 0, "", 0)

/* The same with flags (BAHOST_TAG_…), toolchain (a string literal) and required features
 * (BAHOST_FEATURE_…). */
#define BAHOST_PLUGIN_EX(name, version, flags, toolchain, required_features)                       \
    BAHOST_STATIC_ASSERT(sizeof("" name) <= 64, "plugin name: at most 63 bytes");                  \
    BAHOST_STATIC_ASSERT(sizeof("" version) <= 32, "plugin version: at most 31 bytes");            \
    BAHOST_STATIC_ASSERT(sizeof("" toolchain) <= 32, "plugin toolchain: at most 31 bytes");        \
    __attribute__((used, aligned(8), section(".data.rel.ro.bahost_plugin")))                       \
    bahost_tag bahost_plugin = {                                                                   \
        BAHOST_TAG_MAGIC, sizeof(bahost_tag), BAHOST_ABI_MAJOR, BAHOST_PLUGIN_MINOR,               \
        (required_features), (flags), name, version, toolchain, {0}}

/* ---- Entry points: content ---- */

/*
 * The app was installed, was updated, or is due for its periodic check. Read the manifest, call
 * host->schedule for each file wanted, return.
 *
 * request: never NULL; lives until the return, and so does the manifest file.
 * Returns 0: the collected requests are admitted, in the order they were made. Negative, the
 * plugin's own error: all are discarded, the run is plugin_error.
 * Absent: nothing is wanted.
 */
BAHOST_EXPORT int32_t bahost_install(
    const bahost_host *BAHOST_NONNULL host, const bahost_content_request *BAHOST_NONNULL request);
BAHOST_EXPORT int32_t bahost_update(
    const bahost_host *BAHOST_NONNULL host, const bahost_content_request *BAHOST_NONNULL request);
BAHOST_EXPORT int32_t bahost_check_for_updates(
    const bahost_host *BAHOST_NONNULL host, const bahost_content_request *BAHOST_NONNULL request);

/*
 * Should this asset pack be downloaded? Asked for many packs in a row; be quick, and do not rely on
 * their order.
 *
 * pack: never NULL; lives until the return.
 * Returns 1 yes; 0 no; negative: the plugin's own error. Absent: yes.
 */
BAHOST_EXPORT int32_t bahost_should_download(
    const bahost_host *BAHOST_NONNULL host, const bahost_asset_pack *BAHOST_NONNULL pack);

/* ---- Entry points: completions ---- */

/*
 * A download has finished; size and hash have been checked.
 *
 * download: never NULL; lives until the return.
 * path: never NULL; absolute, the finished file in the container's Downloads/. To keep the file,
 *   rename it into Library/ of the same container (one mount: the rename is a move), or return 1;
 *   the host may purge it in either place, and never a copy or what was changed since.
 * Returns 0 done: what still lies at path is removed; 1 keep it at path, the host may purge it when
 *   space runs short; negative: it is kept and the run is plugin_error.
 * Absent: 1.
 */
BAHOST_EXPORT int32_t bahost_download_finished(
    const bahost_host *BAHOST_NONNULL host, const bahost_download *BAHOST_NONNULL download,
    const char *BAHOST_NONNULL path);

/* Returns of bahost_download_finished. */
#define BAHOST_FINISHED_DONE 0
#define BAHOST_FINISHED_KEEP 1

/*
 * A download has failed for good: its retries are used up, or it was refused. The same identifier
 * may be scheduled again at once, for example without BAHOST_REQUEST_ESSENTIAL. May also tell of
 * the manifest, which the host fetches itself (kind BAHOST_KIND_MANIFEST).
 *
 * download, error: never NULL; live until the return.
 * Returns 0; negative: the plugin's own error. Absent: nothing happens.
 */
BAHOST_EXPORT int32_t bahost_download_failed(
    const bahost_host *BAHOST_NONNULL host, const bahost_download *BAHOST_NONNULL download,
    const bahost_error *BAHOST_NONNULL error);

/*
 * A server asks for credentials or must be trusted. Called between attempts, only with
 * BAHOST_FEATURE_CHALLENGES. Trusting a certificate that does not verify also needs the operator's
 * setting.
 *
 * download, challenge: never NULL; live until the return. reply: never NULL; the host's, zeroed.
 * Returns 0: reply is the answer; 1 default handling; negative: the plugin's own error, default
 * handling. Absent: default handling.
 */
BAHOST_EXPORT int32_t bahost_authentication_challenge(
    const bahost_host *BAHOST_NONNULL host, const bahost_download *BAHOST_NONNULL download,
    const bahost_challenge *BAHOST_NONNULL challenge,
    bahost_challenge_reply *BAHOST_NONNULL reply);

/* ---- Entry point: end ---- */

/* reason of bahost_will_terminate */
#define BAHOST_REASON_WALL 1u          /* the call's wall budget */
#define BAHOST_REASON_DAILY_RUNTIME 2u /* the app's runtime of the day */
#define BAHOST_REASON_HOST_STOPPING 3u
#define BAHOST_REASON_MEMORY 4u

/*
 * The worker will be killed half a second from now. Runs on a watcher thread, beside whatever entry
 * point is on the stack: touch only what is safe for that, such as an atomic flag. Advisory: it may
 * never come. Absent: nothing happens.
 */
BAHOST_EXPORT void bahost_will_terminate(
    const bahost_host *BAHOST_NONNULL host, uint32_t reason);

BAHOST_END_C

#endif
