#define _GNU_SOURCE
#include "bah_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

/* By hand: printf is not among the calls of signal-safety(7). */
static size_t put_number(char *room, unsigned number)
{
    char digits[10];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < count; i++) {
        room[i] = digits[count - 1 - i];
    }
    return count;
}

static int write_file(const char *path, const char *text, size_t length)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return -errno;
    }
    const int status = write(file, text, length) == (ssize_t)length ? 0 : -errno;
    close(file);
    return status;
}

static int write_map(const char *path, unsigned inside, unsigned outside)
{
    char text[32];
    size_t length = put_number(text, inside);
    text[length++] = ' ';
    length += put_number(text + length, outside);
    text[length++] = ' ';
    text[length++] = '1';
    return write_file(path, text, length);
}

int bah_map_user(
    unsigned inside_user, unsigned outside_user, unsigned inside_group, unsigned outside_group)
{
    /* Without it an unprivileged process may not map a group. */
    int status = write_file("/proc/self/setgroups", "deny", 4);
    if (status == 0) {
        status = write_map("/proc/self/gid_map", inside_group, outside_group);
    }
    return status != 0 ? status : write_map("/proc/self/uid_map", inside_user, outside_user);
}

int bah_enter_user_namespace(
    unsigned inside_user, unsigned outside_user, unsigned inside_group, unsigned outside_group)
{
    if (unshare(CLONE_NEWUSER) != 0) {
        return -errno;
    }
    return bah_map_user(inside_user, outside_user, inside_group, outside_group);
}

int bah_give_child_pid_namespace(void)
{
    return unshare(CLONE_NEWPID) == 0 ? 0 : -errno;
}

int bah_keep_child_pid_namespace(int own)
{
    return setns(own, CLONE_NEWPID) == 0 ? 0 : -errno;
}

int bah_open_pid_namespace(void)
{
    const int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    return own >= 0 ? own : -errno;
}

int bah_fork(void)
{
    const int child = _Fork();
    return child >= 0 ? child : -errno;
}
