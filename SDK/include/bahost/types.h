/*
 * The structs that cross between host and plugin.
 *
 * Every struct but bahost_bytes and bahost_header starts with struct_size: its size as whoever
 * *wrote* the struct compiled it. A reader touches only fields that lie below both its own size and
 * that one; a field that is missing counts as zero. Later minors add fields at the end only.
 * Reserved fields and unknown bits must be zero: the host refuses others with 1000
 * (BAHOST_STATUS_BAD_ARGUMENT).
 *
 * Strings are UTF-8, closed by NUL, within the bounds of version.h. A pointer the plugin is given
 * lives until the entry point it came with returns, unless said otherwise. What the plugin points
 * to is copied before the host call returns. The host keeps no pointer into the plugin and frees
 * nothing of the plugin's; the plugin frees nothing of the host's.
 *
 * "Required" means: NULL is answered with 1000. Every other pointer may be NULL.
 * Numbers in brackets are offset and size in bytes on LP64; SDK/src/abi_layout.c asserts them.
 *
 * Part of the bahost SDK. Include <bahost/bahost.h>.
 */
#ifndef BAHOST_TYPES_H
#define BAHOST_TYPES_H

#include <bahost/version.h>

BAHOST_BEGIN_C

/* Bytes with their length. 16 bytes, frozen. */
typedef struct bahost_bytes {
    const void *BAHOST_NULLABLE data; /* [0, 8] NULL only with length 0 */
    uint64_t length;                  /* [8, 8] bytes */
} bahost_bytes;

/* One HTTP request header. 16 bytes, frozen. Both required. No line breaks in either. What is the
 * host's own is refused with 1000: Host, Range, If-Range, Accept-Encoding, Connection, Keep-Alive,
 * Proxy-Connection, Proxy-Authorization, Content-Length, Transfer-Encoding, TE, Trailer, Upgrade,
 * Expect. A name has at most 256 bytes. */
typedef struct bahost_header {
    const char *BAHOST_NULLABLE name;  /* [0, 8] */
    const char *BAHOST_NULLABLE value; /* [8, 8] */
} bahost_header;

/* ---- bahost_app_info: the app whose extension this is. 80 bytes. ---- */

/* bahost_app_info.flags */
#define BAHOST_APP_RESTRICTED 1u /* not launched yet: domain list and allowances are in force */
#define BAHOST_APP_DEVELOPER 2u  /* developer mode: loopback and plain http may be allowed */

typedef struct bahost_app_info {
    uint32_t struct_size;                         /* [0, 4] set by the host */
    uint32_t flags;                               /* [4, 4] BAHOST_APP_… */
    const char *BAHOST_NULLABLE app_identifier;   /* [8, 8] never NULL; CFBundleIdentifier */
    const char *BAHOST_NULLABLE app_version;      /* [16, 8] NULL: not known */
    const char *BAHOST_NULLABLE previous_version; /* [24, 8] before an update; NULL otherwise */
    const char *BAHOST_NULLABLE group;            /* [32, 8] never NULL; the app's first group */
    const char *BAHOST_NULLABLE container_path;   /* [40, 8] never NULL; absolute, the group's
                                                     folder; writable: Downloads/ Library/ tmp/ */
    const char *BAHOST_NULLABLE cache_path;       /* [48, 8] never NULL; absolute, a folder in the
                                                     container that the host may empty */
    const char *BAHOST_NULLABLE language;         /* [56, 8] BCP 47, such as pt-BR; NULL unknown */
    int64_t restricted_bytes_remaining;           /* [64, 8] plain bytes; -1 unrestricted */
    int64_t restricted_essential_bytes_remaining; /* [72, 8] essential bytes; -1 unrestricted */
} bahost_app_info;

/* ---- bahost_content_request: why the extension was woken. 32 bytes. ---- */

/* bahost_content_request.kind */
#define BAHOST_CONTENT_INSTALL 1u
#define BAHOST_CONTENT_UPDATE 2u
#define BAHOST_CONTENT_PERIODIC 3u
#define BAHOST_CONTENT_LANGUAGE_CHANGE 4u /* reserved */

typedef struct bahost_content_request {
    uint32_t struct_size;                      /* [0, 4] set by the host */
    uint32_t kind;                             /* [4, 4] BAHOST_CONTENT_… */
    const char *BAHOST_NULLABLE manifest_path; /* [8, 8] absolute; the app's manifest, fetched
                                                  already, read-only, gone after the return;
                                                  NULL: there is none */
    uint64_t manifest_size;                    /* [16, 8] bytes; 0 without a manifest */
    const bahost_app_info *BAHOST_NULLABLE app; /* [24, 8] never NULL */
} bahost_content_request;

/* ---- bahost_download_request: a wish. Written by the plugin. 80 bytes. ---- */

/* bahost_download_request.flags */
#define BAHOST_REQUEST_ESSENTIAL 1u     /* the app cannot be launched before it is there; only in
                                           bahost_install and bahost_update (else 109); needs
                                           size_bytes (else 1000) */
#define BAHOST_REQUEST_ALLOW_METERED 2u /* may also use a connection that costs money */

/* bahost_download_request.priority: any value, higher first, compared within one app only. */
#define BAHOST_PRIORITY_MIN (-1000)
#define BAHOST_PRIORITY_DEFAULT 0
#define BAHOST_PRIORITY_MAX 1000

/* The request is a GET. Zero it first, then set struct_size = sizeof(bahost_download_request). */
typedef struct bahost_download_request {
    uint32_t struct_size;                          /* [0, 4] set by the plugin */
    uint32_t flags;                                /* [4, 4] BAHOST_REQUEST_… */
    const char *BAHOST_NULLABLE identifier;        /* [8, 8] required; 1 to 255 bytes; unique in the
                                                      app (else 100); names the file */
    const char *BAHOST_NULLABLE url;               /* [16, 8] required; absolute, https, at most
                                                      8192 bytes (else 1002, 1003) */
    const bahost_header *BAHOST_NULLABLE headers;  /* [24, 8] required when header_count > 0 */
    uint32_t header_count;                         /* [32, 4] at most 64 (else 1000) */
    uint32_t mirror_count;                         /* [36, 4] at most 16 (else 1000) */
    const char *BAHOST_NULLABLE const *BAHOST_NULLABLE mirrors; /* [40, 8] more addresses of the
                                                      same bytes, tried in order; same rules as url;
                                                      needs BAHOST_FEATURE_MIRRORS (else 1007) */
    uint64_t size_bytes;                           /* [48, 8] exact; another size is a failure;
                                                      0: not known */
    int64_t priority;                              /* [56, 8] BAHOST_PRIORITY_… or any value */
    const char *BAHOST_NULLABLE group;             /* [64, 8] NULL: the app's own (else 1008) */
    const uint8_t *BAHOST_NULLABLE sha256;         /* [72, 8] the 32 bytes of the SHA-256 of the
                                                      file; NULL: not checked */
} bahost_download_request;

/* ---- bahost_download: a download the host knows. 72 bytes. ---- */

/* bahost_download.flags */
#define BAHOST_DOWNLOAD_ESSENTIAL 1u
#define BAHOST_DOWNLOAD_FOREGROUND 2u

/* bahost_download.state, Apple's numbers. Paused counts as waiting, cancelled as failed. */
#define BAHOST_STATE_FAILED (-1)
#define BAHOST_STATE_CREATED 0
#define BAHOST_STATE_WAITING 1
#define BAHOST_STATE_DOWNLOADING 2
#define BAHOST_STATE_FINISHED 3

/* bahost_download.kind */
#define BAHOST_KIND_URL 1u        /* asked for with schedule */
#define BAHOST_KIND_MANIFEST 2u   /* the app's manifest, fetched by the host itself */
#define BAHOST_KIND_ASSET_PACK 3u /* an asset pack */

typedef struct bahost_download {
    uint32_t struct_size;                          /* [0, 4] set by the host; by the plugin in
                                                      out[0] of current_downloads */
    uint32_t flags;                                /* [4, 4] BAHOST_DOWNLOAD_… */
    int32_t state;                                 /* [8, 4] BAHOST_STATE_… */
    uint32_t kind;                                 /* [12, 4] BAHOST_KIND_… */
    const char *BAHOST_NULLABLE identifier;        /* [16, 8] never NULL */
    const char *BAHOST_NULLABLE unique_identifier; /* [24, 8] never NULL; new for every scheduling
                                                      of the same identifier */
    const char *BAHOST_NULLABLE url;               /* [32, 8] never NULL */
    const char *BAHOST_NULLABLE group;             /* [40, 8] never NULL */
    uint64_t size_bytes;                           /* [48, 8] as asked; 0 not known */
    uint64_t received_bytes;                       /* [56, 8] safely received so far */
    int64_t priority;                              /* [64, 8] as asked */
} bahost_download;

/* ---- bahost_error: why a download failed. 24 bytes. ---- */

/* bahost_error.domain says what bahost_error.code is. */
#define BAHOST_DOMAIN_APPLE 1u     /* Apple's number; downloadInvalid is 0 here */
#define BAHOST_DOMAIN_BAHOST 2u    /* 1000 and up */
#define BAHOST_DOMAIN_HTTP 3u      /* an HTTP status */
#define BAHOST_DOMAIN_TRANSPORT 4u /* a libcurl code (CURLcode): no connection, TLS, stalled */
#define BAHOST_DOMAIN_ERRNO 5u     /* an errno value */

typedef struct bahost_error {
    uint32_t struct_size;                /* [0, 4] set by the host */
    uint32_t domain;                     /* [4, 4] BAHOST_DOMAIN_… */
    int32_t code;                        /* [8, 4] a number of that domain */
    int32_t http_status;                 /* [12, 4] of the last answer; 0 without one */
    const char *BAHOST_NULLABLE message; /* [16, 8] never NULL; English, for a log */
} bahost_error;

/* ---- bahost_asset_pack: a candidate for bahost_should_download. 80 bytes. ---- */

/* bahost_asset_pack.flags */
#define BAHOST_PACK_UPDATE 1u /* an update of a pack that is installed */

/* bahost_asset_pack.policy */
#define BAHOST_POLICY_ESSENTIAL 1u
#define BAHOST_POLICY_PREFETCH 2u
#define BAHOST_POLICY_ON_DEMAND 3u

/* bahost_asset_pack.installation_events: when the policy applies */
#define BAHOST_EVENT_FIRST_INSTALLATION 1u
#define BAHOST_EVENT_SUBSEQUENT_UPDATE 2u

typedef struct bahost_asset_pack {
    uint32_t struct_size;                   /* [0, 4] set by the host */
    uint32_t flags;                         /* [4, 4] BAHOST_PACK_… */
    const char *BAHOST_NULLABLE identifier; /* [8, 8] never NULL */
    int64_t version;                        /* [16, 8] the version offered */
    int64_t local_version;                  /* [24, 8] the version installed; -1 none */
    uint64_t download_bytes;                /* [32, 8] compressed, whole pack */
    uint64_t installed_bytes;               /* [40, 8] on disk */
    uint32_t policy;                        /* [48, 4] BAHOST_POLICY_… */
    uint32_t installation_events;           /* [52, 4] BAHOST_EVENT_…; 0 for on demand */
    const char *BAHOST_NULLABLE language;   /* [56, 8] BCP 47; NULL: for every language */
    bahost_bytes user_info;                 /* [64, 16] the manifest's JSON; length 0: none */
} bahost_asset_pack;

/* ---- bahost_challenge: a server asks who we are, or must be trusted. 72 bytes. ---- */

/* bahost_challenge.kind */
#define BAHOST_CHALLENGE_BASIC 1u
#define BAHOST_CHALLENGE_DIGEST 2u
#define BAHOST_CHALLENGE_CLIENT_CERTIFICATE 3u
#define BAHOST_CHALLENGE_SERVER_TRUST 4u

typedef struct bahost_challenge {
    uint32_t struct_size;                      /* [0, 4] set by the host */
    uint32_t kind;                             /* [4, 4] BAHOST_CHALLENGE_… */
    const char *BAHOST_NULLABLE host;          /* [8, 8] never NULL */
    uint32_t port;                             /* [16, 4] */
    uint32_t previous_failures;                /* [20, 4] answers refused so far */
    const char *BAHOST_NULLABLE protocol;      /* [24, 8] never NULL; http or https */
    const char *BAHOST_NULLABLE realm;         /* [32, 8] basic, digest; NULL otherwise */
    const char *BAHOST_NULLABLE proposed_user; /* [40, 8] from an answer before; NULL none */
    const bahost_bytes *BAHOST_NULLABLE certificates; /* [48, 8] server trust: the chain, DER, leaf
                                                  first; client certificate: NULL */
    uint32_t certificate_count;                /* [56, 4] */
    int32_t trust_error;                       /* [60, 4] OpenSSL's X509_V_ERR_…; 0: it verified */
    uint32_t flags;                            /* [64, 4] 0 */
    uint32_t reserved;                         /* [68, 4] 0 */
} bahost_challenge;

/* ---- bahost_challenge_reply: the plugin's answer. 64 bytes. ---- */

/* bahost_challenge_reply.disposition */
#define BAHOST_REPLY_USE 0u     /* use what this reply holds */
#define BAHOST_REPLY_DEFAULT 1u /* what the host does without the entry point */
#define BAHOST_REPLY_CANCEL 2u  /* the download fails */
#define BAHOST_REPLY_REJECT 3u  /* not this kind; the server's next one, if it has one */

/* bahost_challenge_reply.persistence */
#define BAHOST_PERSISTENCE_NONE 0u
#define BAHOST_PERSISTENCE_RUN 1u /* for this app until the host ends */

/* Zeroed by the host, which sets struct_size. What the plugin points to must stay valid until its
 * next entry point is called or the worker ends; the host copies it right after the return, then
 * wipes this struct and, when it is done, its copy. */
typedef struct bahost_challenge_reply {
    uint32_t struct_size;                 /* [0, 4] set by the host; leave it */
    uint32_t disposition;                 /* [4, 4] BAHOST_REPLY_… */
    const char *BAHOST_NULLABLE user;     /* [8, 8] basic, digest: required with USE */
    const char *BAHOST_NULLABLE password; /* [16, 8] basic, digest: required with USE */
    bahost_bytes client_certificate;      /* [24, 16] PEM, chain; required with USE */
    bahost_bytes client_key;              /* [40, 16] PEM, not encrypted; required with USE */
    uint32_t persistence;                 /* [56, 4] BAHOST_PERSISTENCE_… */
    uint32_t reserved;                    /* [60, 4] 0 */
} bahost_challenge_reply;

BAHOST_END_C

#endif
