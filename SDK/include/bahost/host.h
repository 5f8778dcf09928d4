/*
 * The host table: what a plugin may ask of the host.
 *
 * The table is given to every entry point and is the first argument of every function in it. It
 * stays at its place while the worker lives. Functions may be called from any thread, but only
 * while an entry point is on the stack: later calls are answered with 1006
 * (BAHOST_STATUS_NOT_ALLOWED_NOW; remaining: 0; query: NULL; log: nothing happens). A run has a
 * bounded number of host calls; past it the worker is ended (protocol_error).
 *
 * Every function of this version is there and never NULL. Of a later minor's functions check
 * struct_size first.
 *
 * Part of the bahost SDK. Include <bahost/bahost.h>.
 */
#ifndef BAHOST_HOST_H
#define BAHOST_HOST_H

#include <bahost/types.h>

BAHOST_BEGIN_C

/* Levels of log. */
#define BAHOST_LOG_DEBUG 0
#define BAHOST_LOG_INFO 1
#define BAHOST_LOG_NOTICE 2
#define BAHOST_LOG_WARNING 3
#define BAHOST_LOG_ERROR 4

/* What remaining can be asked for. */
#define BAHOST_REMAINING_PLAIN_BYTES 1u     /* of the allowance for plain downloads */
#define BAHOST_REMAINING_ESSENTIAL_BYTES 2u /* of the allowance for essential ones */
#define BAHOST_REMAINING_CALL_MS 3u         /* until this call's deadline */
#define BAHOST_REMAINING_DAILY_MS 4u        /* of the app's daily runtime */
#define BAHOST_REMAINING_MEMORY_BYTES 5u    /* of the worker's memory limit */

/* acquire_exclusive.timeout_ms */
#define BAHOST_WAIT_UNTIL_BUDGET (-1)
#define BAHOST_WAIT_NOT 0

typedef struct bahost_host bahost_host;

struct bahost_host {
    uint32_t struct_size; /* [0, 4] of the host's table */
    uint16_t abi_major;   /* [4, 2] the same as the plugin's */
    uint16_t abi_minor;   /* [6, 2] not below the plugin's */
    uint64_t features;    /* [8, 8] BAHOST_FEATURE_… this host has */
    void *BAHOST_NULLABLE context; /* [16, 8] the host's own; not for the plugin */

    /* [24, 8] Writes to the run's log.
     * level: BAHOST_LOG_…; outside, the nearest one is taken.
     * text: length bytes, need not end with NUL; bytes that are not UTF-8 are shown as escapes;
     * what is past 4096 bytes is cut, and of the run's whole log the last 256 KiB are kept. */
    void (*BAHOST_NULLABLE log)(
        const bahost_host *BAHOST_NULLABLE host, int32_t level, const char *BAHOST_NULLABLE text,
        uint64_t length);

    /* [32, 8] Asks for a download.
     * In bahost_install, bahost_update and bahost_check_for_updates the request is judged now and
     * kept. When the entry point returns 0 the kept requests are admitted, in the order of the
     * calls; when it returns anything else they are dropped. What changes between the two arrives
     * as bahost_download_failed. In bahost_download_finished and bahost_download_failed a request
     * is admitted at once. In the other entry points: 1006.
     * Returns 0; 100 identifier already there; 109 essential not possible here; 111 background work
     * prohibited; 112 over the allowance; 202 domain not on the list; 1000 1001 1002 1003 1005 1007
     * 1008 1009 1010 as in status.h. A refused request changes nothing. */
    int32_t (*BAHOST_NULLABLE schedule)(
        const bahost_host *BAHOST_NULLABLE host,
        const bahost_download_request *BAHOST_NULLABLE request);

    /* [40, 8] Takes back a request collected by this call, or cancels a download that is waiting
     * or in transfer. The partial file goes; bahost_download_failed is not called for it.
     * Returns 0; 101 nothing of that identifier, or finished; 103 it has failed; 1000; 1002. */
    int32_t (*BAHOST_NULLABLE cancel)(
        const bahost_host *BAHOST_NULLABLE host, const char *BAHOST_NULLABLE identifier);

    /* [48, 8] Lists the app's downloads that are not finished, in the order of their identifiers'
     * bytes, a page at a time.
     * after: identifier of the last one of the page before; NULL for the first page.
     * out: room for capacity elements, the plugin's. Before the call set out[0].struct_size to
     *   sizeof(bahost_download): it is the distance between elements, and the host fills no more of
     *   each. Its strings live until the entry point returns.
     * capacity: 1 and up; a page never holds more than 256.
     * count: the number written; 0 at the end of the list. Required, as is out.
     * Returns 0; 1000; 1002. */
    int32_t (*BAHOST_NULLABLE current_downloads)(
        const bahost_host *BAHOST_NULLABLE host, const char *BAHOST_NULLABLE after,
        bahost_download *BAHOST_NULLABLE out, uint32_t capacity, uint32_t *BAHOST_NULLABLE count);

    /* [56, 8] Takes exclusive control of the group's container, against the app and against other
     * runs. Waiting counts as runtime. Held until release_exclusive or the end of the worker.
     * timeout_ms: milliseconds; 0 now or never; -1 until the budget of this call.
     * Returns 0; 1004 not to be had in time; 1006 when the run holds it already; 1000 below -1. */
    int32_t (*BAHOST_NULLABLE acquire_exclusive)(
        const bahost_host *BAHOST_NULLABLE host, int64_t timeout_ms);

    /* [64, 8] Gives exclusive control back. Returns 0; 1006 when it is not held. */
    int32_t (*BAHOST_NULLABLE release_exclusive)(const bahost_host *BAHOST_NULLABLE host);

    /* [72, 8] What is left of something: BAHOST_REMAINING_…, in bytes or milliseconds by its name.
     * Returns 0 and up; -1 unlimited; 0 for a number not listed. */
    int64_t (*BAHOST_NULLABLE remaining)(const bahost_host *BAHOST_NULLABLE host, uint32_t what);

    /* [80, 8] Looks up a later addition by name and revision, "bahost.name/1".
     * Returns a table that lives as long as this one, or NULL: this host does not have it. */
    const void *BAHOST_NULLABLE (*BAHOST_NULLABLE query)(
        const bahost_host *BAHOST_NULLABLE host, const char *BAHOST_NULLABLE name);
};

BAHOST_END_C

#endif
