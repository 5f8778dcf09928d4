/*
 * The floor: what a run costs at least. A launcher in C forks a worker for each line of input, with
 * the same layers, descriptors and files as bahost's, which loads the plugin, calls bahost_install
 * and ends:
 *
 *     floor PLUGIN CONTAINER [RUNTIME-FOLDER]
 *
 * The layers are set by the project's own shims, so that both do the same to the kernel. What it
 * does not do: reading the plugin's file before it is loaded, evidence and verdicts, budgets,
 * sampling, host calls, memory that is measured, sealing of what the plugin brings. Prints
 * "layers ..." and "run NANOSECONDS" for each.
 */
#define _GNU_SOURCE
#include "floor.h"

#include "bah_capability.h"
#include "bah_mount.h"
#include "bah_namespace.h"
#include "bah_prctl.h"
#include "bah_runtime.h"
#include "bah_signal.h"
#include "bah_socket.h"
#include "bah_spawn.h"
#if __has_include("bah_seal.h")
#include "bah_seal.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ---- Launcher ---- */

static void seal(struct floor_launcher *launcher)
{
#if __has_include("bah_seal.h")
    if (!bah_can_seal()) {
        return;
    }
    floor_must("seal", bah_seal_read_only_maps());
    floor_must("fence", bah_build_fence(UINT64_C(16) << 30, 1 << 20, &launcher->fence));
    launcher->is_sealed = 1;
#else
    launcher->is_sealed = 0;
#endif
}

static void serve_run(
    const struct floor_launcher *launcher, int connection, int own, const int *passed)
{
    floor_must("PID namespace", bah_give_child_pid_namespace());
    const int child = bah_fork();
    floor_must("fork", child);
    if (child == 0) {
        const int places[] = { -1, passed[0], passed[1], passed[2], passed[3], passed[4] };
        floor_must("descriptors", bah_place_descriptors(places, 1 + FLOOR_DESCRIPTORS));
        floor_work(launcher);
    }
    floor_must("PID namespace", bah_keep_child_pid_namespace(own));
    const int process = bah_open_process(child);
    floor_must("pidfd", process);
    floor_must("started", bah_send_message(connection, "s", 1, &process, 1));
    for (int i = 0; i < FLOOR_DESCRIPTORS; i++) {
        close(passed[i]);
    }
    struct bah_child_end end;
    floor_must("waitid", bah_reap_child(process, 1, &end));
    close(process);
    floor_must("worker", end.exit_code == 0 ? 0 : -ECHILD);
    floor_must("ended", bah_send_message(connection, "e", 1, NULL, 0));
}

static _Noreturn void launch(struct floor_launcher *launcher, int connection)
{
    floor_must("parent", bah_set_parent_death_signal(SIGKILL));
    floor_must("huge pages", bah_disable_huge_pages());
    floor_must("arena", bah_use_one_arena());
    if (launcher->host_user != 0) {
        floor_must("map", bah_map_user(0, launcher->host_user, 0, launcher->host_group));
    }
    floor_must("dumpable", bah_set_dumpable(0));
    floor_must("mounts", bah_follow_mounts());
    floor_must("proc", bah_mount_processes());
    const int own = bah_open_pid_namespace();
    floor_must("PID namespace", own);
    launcher->filter = floor_build_filter(&launcher->filter_bytes);
    floor_must("filter", launcher->filter != NULL ? 0 : -EINVAL);
    seal(launcher);
    floor_must("ready", bah_send_message(connection, launcher->is_sealed ? "S" : "r", 1, NULL, 0));
    for (;;) {
        char byte;
        int passed[FLOOR_DESCRIPTORS];
        size_t count = 0;
        const long length = bah_receive_message(
            connection, &byte, 1, passed, FLOOR_DESCRIPTORS, &count);
        if (length <= 0) {
            _exit(0);
        }
        floor_must("request", count == FLOOR_DESCRIPTORS ? 0 : -EPROTO);
        serve_run(launcher, connection, own, passed);
    }
}

/* ---- Host ---- */

struct channels {
    int socket[2];
    int control[2];
    int evidence[2];
    int output[2];
    int error[2];
};

static void open_channels(struct channels *channels)
{
    floor_must("socket", bah_open_socket_pair(channels->socket));
    floor_must("pipe", bah_open_pipe(channels->control));
    floor_must("pipe", bah_open_pipe(channels->evidence));
    floor_must("pipe", bah_open_pipe(channels->output));
    floor_must("pipe", bah_open_pipe(channels->error));
}

static char hear(int connection)
{
    char byte = 0;
    int passed[1];
    size_t count = 0;
    const long length = bah_receive_message(connection, &byte, 1, passed, 1, &count);
    floor_must("launcher", length == 1 ? 0 : length < 0 ? length : -EPIPE);
    if (count == 1) {
        close(passed[0]);
    }
    return byte;
}

static void say_what_it_printed(int error)
{
    char text[512];
    const ssize_t count = read(error, text, sizeof text);
    if (count > 0) {
        fwrite(text, 1, (size_t)count, stderr);
    }
}

static int64_t run_once(int connection)
{
    struct channels channels;
    int32_t status = -1;
    const int64_t begin = now();
    open_channels(&channels);
    const int passed[FLOOR_DESCRIPTORS] = {
        channels.output[1], channels.error[1], channels.socket[1], channels.control[0],
        channels.evidence[1],
    };
    floor_must("request", bah_send_message(connection, "r", 1, passed, FLOOR_DESCRIPTORS));
    for (int i = 0; i < FLOOR_DESCRIPTORS; i++) {
        close(passed[i]);
    }
    hear(connection);
    const ssize_t count = read(channels.socket[0], &status, sizeof status);
    if (count != sizeof status || status != 0) {
        say_what_it_printed(channels.error[0]);
        floor_must("worker", -EPROTO);
    }
    hear(connection);
    close(channels.socket[0]);
    close(channels.control[1]);
    close(channels.evidence[0]);
    close(channels.output[0]);
    close(channels.error[0]);
    return now() - begin;
}

struct start {
    struct floor_launcher *launcher;
    int connection;
};

static int become_launcher(void *argument)
{
    struct start *start = argument;
    launch(start->launcher, start->connection);
}

/* Not CLONE_VM: the launcher goes on in a copy of this process. */
static void start_launcher(struct floor_launcher *launcher, const int *pair)
{
    static char stack[256 << 10] __attribute__((aligned(16)));
    struct start start = { launcher, pair[1] };
    const int user = launcher->host_user != 0 ? CLONE_NEWUSER : 0;
    const int child = clone(
        become_launcher, stack + sizeof stack,
        SIGCHLD | user | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS, &start);
    floor_must("clone", child < 0 ? -errno : 0);
    close(pair[1]);
}

int main(int count, char **arguments)
{
    int byte;
    if (count < 3) {
        fprintf(stderr, "usage: floor PLUGIN CONTAINER [RUNTIME-FOLDER]\n");
        return 64;
    }
    const char *slash = strrchr(arguments[1], '/');
    struct floor_launcher launcher = {
        .files = {
            .plugin_folder = slash != NULL
                                 ? strndup(arguments[1], (size_t)(slash - arguments[1]))
                                 : ".",
            .plugin_name = slash != NULL ? slash + 1 : arguments[1],
            .container = arguments[2],
            .runtime = count > 3 ? arguments[3] : NULL,
        },
        .host_user = bah_effective_user(),
        .host_group = bah_effective_group(),
    };
    int pair[2];
    setvbuf(stdout, NULL, _IOLBF, 0);
    floor_must("socket", bah_open_message_pair(pair));
    start_launcher(&launcher, pair);
    const int is_sealed = hear(pair[0]) == 'S';
    printf("layers %s\n", is_sealed ? "with sealing and fence" : "without sealing and fence");
    while ((byte = getchar()) != EOF) {
        if (byte == '\n') {
            printf("run %lld\n", (long long)run_once(pair[0]));
        }
    }
    return 0;
}
