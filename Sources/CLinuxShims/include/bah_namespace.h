/* Namespaces of this process and of its next child: namespaces(7), unshare(2), setns(2). */
#pragma once

/*
 * Writes the maps of a user namespace that this process has just entered: one user and one group,
 * those of the process, seen inside by the numbers given. Safe in the child of a vfork.
 * user_namespaces(7).
 */
int bah_map_user(
    unsigned inside_user, unsigned outside_user, unsigned inside_group, unsigned outside_group);

/* Leaves for a user namespace of its own; the outside numbers are seen as the inside ones. */
int bah_enter_user_namespace(
    unsigned inside_user, unsigned outside_user, unsigned inside_group, unsigned outside_group);

/* The next child is the first process of a new PID namespace. pid_namespaces(7). */
int bah_give_child_pid_namespace(void);

/* Children are in this process's own PID namespace again; `own` is a descriptor of it. */
int bah_keep_child_pid_namespace(int own);

/* A descriptor of this process's own PID namespace. */
int bah_open_pid_namespace(void);

/*
 * A child that is a copy of this process, which must have a single thread: 0 in the child, its
 * number in the parent. No fork handlers run. fork(2), _Fork of POSIX.1-2024.
 */
int bah_fork(void);
