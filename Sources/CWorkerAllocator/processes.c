/*
 * Functions that start a program. The call is named in evidence and then made all the same: seccomp
 * refuses it. glibc blocks all signals inside some of them, and then the kernel's own record of the
 * refusal (SIGSYS) cannot be written: these names can.
 */
#define _GNU_SOURCE
#include "allocator.h"
#include "bah_evidence.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The function `next` of the C library, called under the name `name`. */
static void *named_as(const char *name, const char *next)
{
    if (allocator_is_armed()) {
        bah_write_evidence(BAH_EVIDENCE_PROCESS_REFUSED, 0, 0, name);
    }
    return allocator_next(next);
}

static void *named(const char *name)
{
    return named_as(name, name);
}

pid_t fork(void)
{
    return ((pid_t(*)(void))named("fork"))();
}

/* A vfork cannot be handed on: its child would return through this frame. fork does as well. */
pid_t vfork(void)
{
    return ((pid_t(*)(void))named_as("vfork", "fork"))();
}

int system(const char *command)
{
    return ((int (*)(const char *))named("system"))(command);
}

FILE *popen(const char *command, const char *mode)
{
    return ((FILE * (*)(const char *, const char *)) named("popen"))(command, mode);
}

typedef int spawn_function(
    pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
    char *const[], char *const[]);

int posix_spawn(
    pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return ((spawn_function *)named("posix_spawn"))(
        pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(
    pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return ((spawn_function *)named("posix_spawnp"))(
        pid, file, actions, attributes, arguments, environment);
}

typedef int exec_function(const char *, char *const[], char *const[]);

int execve(const char *path, char *const arguments[], char *const environment[])
{
    return ((exec_function *)named("execve"))(path, arguments, environment);
}

int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    return ((exec_function *)named("execvpe"))(file, arguments, environment);
}

int execv(const char *path, char *const arguments[])
{
    return ((exec_function *)named_as("execv", "execve"))(path, arguments, environ);
}

int execvp(const char *file, char *const arguments[])
{
    return ((exec_function *)named_as("execvp", "execvpe"))(file, arguments, environ);
}

int fexecve(int file, char *const arguments[], char *const environment[])
{
    return ((int (*)(int, char *const[], char *const[]))named("fexecve"))(
        file, arguments, environment);
}

enum { most_arguments = 1024 };

/* Collects the arguments up to NULL; returns their number, or -1 when there are too many. */
static int collect(const char *first, va_list rest, char *room[most_arguments])
{
    int count = 0;
    for (const char *next = first; next != NULL; next = va_arg(rest, const char *)) {
        if (count == most_arguments - 1) {
            errno = E2BIG;
            return -1;
        }
        room[count++] = (char *)next;
    }
    room[count] = NULL;
    return count;
}

int execl(const char *path, const char *first, ...)
{
    char *arguments[most_arguments];
    va_list rest;
    va_start(rest, first);
    const int count = collect(first, rest, arguments);
    va_end(rest);
    if (count < 0) {
        return -1;
    }
    return ((exec_function *)named_as("execl", "execve"))(path, arguments, environ);
}

int execlp(const char *file, const char *first, ...)
{
    char *arguments[most_arguments];
    va_list rest;
    va_start(rest, first);
    const int count = collect(first, rest, arguments);
    va_end(rest);
    if (count < 0) {
        return -1;
    }
    return ((exec_function *)named_as("execlp", "execvpe"))(file, arguments, environ);
}

int execle(const char *path, const char *first, ...)
{
    char *arguments[most_arguments];
    va_list rest;
    va_start(rest, first);
    const int count = collect(first, rest, arguments);
    char *const *environment = count < 0 ? NULL : va_arg(rest, char *const *);
    va_end(rest);
    if (count < 0) {
        return -1;
    }
    return ((exec_function *)named_as("execle", "execve"))(path, arguments, environment);
}
