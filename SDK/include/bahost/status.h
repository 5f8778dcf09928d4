/*
 * Status numbers: what host calls return and what bahost_error carries.
 *
 * 0 is success. Numbers below 1000 are Apple's BAErrorCode, with Apple's meaning. Numbers from 1000
 * are this host's own. A plugin's own errors are negative. An entry point that returns anything
 * else than its doc comment allows ends the run as bad_reply.
 *
 * Part of the bahost SDK. Include <bahost/bahost.h>.
 */
#ifndef BAHOST_STATUS_H
#define BAHOST_STATUS_H

#define BAHOST_STATUS_OK 0

/* ---- Apple's numbers ---- */

/* The download cannot be used. As a status only: Apple's own number for it is 0, and that is what
 * bahost_error.code and the run's record say. */
#define BAHOST_STATUS_DOWNLOAD_INVALID 1
/* A foreground download was asked for by an extension, or a download was scheduled where only the
 * returned ones count. */
#define BAHOST_STATUS_CALL_FROM_EXTENSION_NOT_ALLOWED 50
/* A client that declared itself in the background asked for a foreground download. */
#define BAHOST_STATUS_CALL_FROM_INACTIVE_PROCESS_NOT_ALLOWED 51
/* The host does not accept this client. */
#define BAHOST_STATUS_CALLER_CONNECTION_NOT_ACCEPTED 55
/* There is no connection to the host. */
#define BAHOST_STATUS_CALLER_CONNECTION_INVALID 56
/* The identifier is there already: collected by this call, queued or in transfer. */
#define BAHOST_STATUS_DOWNLOAD_ALREADY_SCHEDULED 100
/* Nothing of that identifier is queued or in transfer: never scheduled, or finished. */
#define BAHOST_STATUS_DOWNLOAD_NOT_SCHEDULED 101
/* A local reason kept it from starting: no space, no folder. */
#define BAHOST_STATUS_DOWNLOAD_FAILED_TO_START 102
/* Cancel or promotion of a download that has failed. */
#define BAHOST_STATUS_DOWNLOAD_ALREADY_FAILED 103
/* Essential downloads are possible only in bahost_install and bahost_update. */
#define BAHOST_STATUS_ESSENTIAL_DOWNLOAD_NOT_PERMITTED 109
/* Power saver is on or background refresh is off. */
#define BAHOST_STATUS_BACKGROUND_ACTIVITY_PROHIBITED 111
/* With this request the sum of sizes would pass the app's allowance. Told at the request. */
#define BAHOST_STATUS_WOULD_EXCEED_ALLOWANCE 112
/* Promotion of an identifier that was never scheduled. */
#define BAHOST_STATUS_DOWNLOAD_DOES_NOT_EXIST 113
/* Before the app's first launch only addresses on its domain list are allowed. */
#define BAHOST_STATUS_DISALLOWED_BY_DOMAIN 202
/* The allowance was used up when the transfer was to start. */
#define BAHOST_STATUS_DISALLOWED_BY_ALLOWANCE 203
/* The transfer went past the allowance (a download of unknown size). */
#define BAHOST_STATUS_ALLOWANCE_EXCEEDED 204
/* Foreground downloads must wait for the app's first launch. */
#define BAHOST_STATUS_NOT_PERMITTED_BEFORE_APP_LAUNCH 206

/* ---- Our own ---- */

/* A required pointer is NULL, a number is out of its range, a reserved field or unknown bit is not
 * zero, or struct_size is below the smallest the host knows. */
#define BAHOST_STATUS_BAD_ARGUMENT 1000
/* The run has used up its number of requests, or the app its number of admitted downloads. */
#define BAHOST_STATUS_TOO_MANY_REQUESTS 1001
/* A string is over its bound, empty where it must not be, or not UTF-8. */
#define BAHOST_STATUS_BAD_STRING 1002
/* The scheme or the form of the URL: not https, user name in it, backslash, non-ASCII host. */
#define BAHOST_STATUS_URL_REFUSED 1003
/* Exclusive control was not to be had before the deadline. */
#define BAHOST_STATUS_LEASE_DEADLINE 1004
/* There is not enough free space for the download. */
#define BAHOST_STATUS_NO_SPACE 1005
/* The call is not possible here: no entry point is on the stack, or not in this one. */
#define BAHOST_STATUS_NOT_ALLOWED_NOW 1006
/* This host does not have the feature; see bahost_host.features. */
#define BAHOST_STATUS_NO_FEATURE 1007
/* The group is not one of the app's. */
#define BAHOST_STATUS_GROUP_NOT_YOURS 1008
/* The group's quota does not hold the download. */
#define BAHOST_STATUS_GROUP_QUOTA 1009
/* The name resolved to an address that is not allowed: loopback, private, link-local. */
#define BAHOST_STATUS_ADDRESS_NOT_ALLOWED 1010
/* What the server has is not as long as agreed. Only in bahost_download_failed. */
#define BAHOST_STATUS_SIZE_MISMATCH 1011
/* What the server has does not hash to the SHA-256 agreed on. Only in bahost_download_failed. */
#define BAHOST_STATUS_DIGEST_MISMATCH 1012

#endif
