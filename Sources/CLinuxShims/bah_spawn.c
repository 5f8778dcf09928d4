#define _GNU_SOURCE
#include "bah_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

/* Moves every descriptor above the target range, so that no dup2 overwrites a later source. */
static int plan_descriptors(
    posix_spawn_file_actions_t *actions, const int *descriptors, size_t count, int *moved)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < count; i++) {
        moved[i] = -1;
        if (descriptors[i] >= 0) {
            moved[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, (int)count + 3);
            status = moved[i] < 0 ? errno : 0;
        }
    }
    for (size_t i = 0; status == 0 && i < count; i++) {
        status = moved[i] >= 0
                     ? posix_spawn_file_actions_adddup2(actions, moved[i], (int)i)
                     : posix_spawn_file_actions_addopen(actions, (int)i, "/dev/null", O_RDWR, 0);
    }
    if (status == 0) {
        status = posix_spawn_file_actions_addclosefrom_np(actions, (int)count);
    }
    return status;
}

static int plan_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int status = posix_spawnattr_setsigmask(attributes, &none);
    if (status == 0) {
        status = posix_spawnattr_setsigdefault(attributes, &all);
    }
    if (status == 0) {
        status = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    }
    return status;
}

int bah_spawn_program(
    const char *path, char *const *arguments, char *const *environment, const int *descriptors,
    size_t descriptor_count)
{
    enum { most_descriptors = 32 };
    int moved[most_descriptors];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (descriptor_count > most_descriptors) {
        return -EINVAL;
    }
    for (size_t i = 0; i < descriptor_count; i++) {
        moved[i] = -1;
    }
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) {
        return -status;
    }
    status = posix_spawnattr_init(&attributes);
    if (status != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -status;
    }
    pid_t pid = -1;
    status = plan_attributes(&attributes);
    if (status == 0) {
        status = plan_descriptors(&actions, descriptors, descriptor_count, moved);
    }
    if (status == 0) {
        status = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
    }
    for (size_t i = 0; i < descriptor_count; i++) {
        if (moved[i] >= 0) {
            close(moved[i]);
        }
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0 ? pid : -status;
}

int bah_place_descriptors(const int *descriptors, size_t count)
{
    enum { most_descriptors = 16 };
    int moved[most_descriptors];
    if (count > most_descriptors) {
        return -EINVAL;
    }
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) {
        return -errno;
    }
    /* Above the targets, so that none is overwritten before its turn. */
    for (size_t i = 0; i < count; i++) {
        const int source = descriptors[i] >= 0 ? descriptors[i] : nothing;
        moved[i] = fcntl(source, F_DUPFD_CLOEXEC, (int)count);
        if (moved[i] < 0) {
            return -errno;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (dup2(moved[i], (int)i) < 0) {
            return -errno;
        }
    }
    return close_range((unsigned)count, ~0U, 0) == 0 ? 0 : -errno;
}
