/* Giving up power: capabilities(7), credentials(7). */
#pragma once

#include <stdint.h>

/*
 * Takes every capability out of the bounding set. prctl(2), PR_CAPBSET_DROP.
 * Returns 0; -EPERM without CAP_SETPCAP, when nothing was taken.
 */
int bah_drop_bounding_set(void);

/* Empties the ambient, effective, permitted and inheritable sets. capset(2). */
int bah_drop_capabilities(void);

/* 1 when any capability is left in the effective or permitted set, 0 when none is. capget(2). */
int bah_has_capabilities(void);

/*
 * Keeps every permitted capability over the next execve: inheritable and ambient. Safe in the child
 * of a vfork. capset(2), PR_CAP_AMBIENT of prctl(2).
 */
int bah_keep_capabilities(void);

/* Becomes user and group `identity` for good, with no other groups. setresuid(2), setgroups(2). */
int bah_become_identity(uint32_t identity);

/* The effective user. */
uint32_t bah_effective_user(void);

/* The effective group of this process. getegid(2). */
uint32_t bah_effective_group(void);
