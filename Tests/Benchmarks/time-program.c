/*
 * Runs a program several times and prints how long each took from its start to its end:
 *
 *     time-program COUNT PROGRAM [ARGUMENT...]
 *
 * A line "run NANOSECONDS" for each; ends with 1 when the program did not end with 0.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* What the program prints goes to /dev/null. */
static int start(char **arguments, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    const int status = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: time-program COUNT PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    for (long left = strtol(arguments[1], NULL, 10); left > 0; left--) {
        pid_t pid = -1;
        int status = 0;
        const int64_t begin = now();
        if (start(arguments + 2, &pid) != 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "%s did not end with 0 but with %d\n", arguments[2], status);
            return 1;
        }
        printf("run %lld\n", (long long)(now() - begin));
    }
    return 0;
}
