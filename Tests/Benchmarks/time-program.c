/*
 * Runs a program once for each line of input, and says how long it took from its start to its end:
 *
 *     time-program PROGRAM [ARGUMENT...]
 *
 * A line "run NANOSECONDS" for each; ends with 1 when the program did not end with 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
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

/* What the program prints goes to /dev/null, and it reads nothing. */
static int start(char **arguments, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int status = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

int main(int count, char **arguments)
{
    int byte;
    if (count < 2) {
        fprintf(stderr, "usage: time-program PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    while ((byte = getchar()) != EOF) {
        pid_t pid = -1;
        int status = 0;
        if (byte != '\n') {
            continue;
        }
        const int64_t begin = now();
        if (start(arguments + 1, &pid) != 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "%s did not end with 0 but with %d\n", arguments[1], status);
            return 1;
        }
        printf("run %lld\n", (long long)(now() - begin));
    }
    return 0;
}
