// What the techniques share. See README.md.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "techniques.h"

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
    const char *argument;                  // the rest of the line after the word; may be empty
    FILE *manifest;                        // past its first line; NULL where there is none
};

typedef int32_t technique(const struct call *call);

#define DECLARE_TECHNIQUE(word, function) technique function;
TECHNIQUES(DECLARE_TECHNIQUE)

/* Does a technique of holding.h; returns NO_SUCH_TECHNIQUE if the word is none of them. */
int32_t hold_by(const struct call *call, const char *word);

enum { NOT_LIMITED = -125, NO_SUCH_TECHNIQUE = -126 };

/* Returned after requests, so that they are dropped. */
enum { DROP_REQUESTS = -2 };

/* Logs through the host, or to stderr in a constructor. */
__attribute__((format(printf, 2, 3))) void say(const struct call *call, const char *format, ...);

/* ---- Attempts, each told in one line ---- */

/* `allowed WHAT` */
__attribute__((format(printf, 2, 3))) void allowed(
    const struct call *call, const char *format, ...);

/* What a system call returned that may work or not: `allowed WHAT`, or below 0 `refused WHAT: NAME`
   with the name of errno. Returns 0. */
__attribute__((format(printf, 3, 4))) int32_t attempt(
    const struct call *call, long result, const char *format, ...);

/* What a system call returned that must not work: `refused WHAT: NAME` and 0, or `hole WHAT` and
   -1. */
__attribute__((format(printf, 3, 4))) int32_t forbidden(
    const struct call *call, long result, const char *format, ...);

/* What a host call returned: `allowed WHAT`, or `refused WHAT: STATUS`. */
void asked(const struct call *call, int32_t status, const char *what);

/* What a system call returned that must not come to the kernel: `refused WHAT: NAME` and 0 when the
   error is `answer`, which is the filter's; else `hole WHAT` and -1, with what the kernel said. */
__attribute__((format(printf, 4, 5))) int32_t unheard(
    const struct call *call, long result, int answer, const char *format, ...);

/* Nothing was tried, because this machine has no such thing: `not here WHAT`. Returns 0. */
int32_t not_here(const struct call *call, const char *what);

/* ---- Memory, for a meter outside that reads the thread's name ---- */

/* Before: `bah-begin`, for as long as a meter needs to see it. */
void begin_holding(void);

/* While it grows: `bah-hold KILOBYTES`. */
void show_held(uint64_t bytes);

/* When it is all there: the same for a while, then `bah-done`. */
void stay_holding(uint64_t bytes);

/* ---- Files and time ---- */

/* A new file in the container's tmp, numbered; or -1 and errno. */
int create_file(const struct call *call, long number);

/* Writes so many bytes of 0. Returns 0, or -1 and errno. */
int write_bytes(int file, long bytes);

/* Sleeps, whatever signals come. */
void pause_for(long milliseconds);

/* ---- Surroundings ---- */

/* The numbers of the argument; 0 for one that is not there. */
long number_argument(const struct call *call, int place);

/* A path in the container, valid until the fourth next call. */
const char *in_container(const struct call *call, const char *name);

/* The container's folder; "." when it is not known. */
const char *container(const struct call *call);

/* A plain request for the call's argument, or for an address of no one's. */
void make_request(
    const struct call *call, bahost_download_request *request, const char *identifier);

/* Gives every signal that allows it a handler that does nothing. */
void catch_all_signals(void);

/* Queues blocked signals to itself until the kernel takes no more, and says how many. */
uint64_t fill_signal_queue(void);

/* What bahost_will_terminate does: return, never return, leave. */
extern volatile enum terminate { RETURNS, HANGS, LEAVES } in_terminate;
