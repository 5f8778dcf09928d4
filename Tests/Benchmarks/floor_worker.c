/* One worker of the floor program: the layers of Sources/Sandbox in the same order, in plain C. */
#define _GNU_SOURCE
#include "floor.h"

#include "bah_capability.h"
#include "bah_evidence.h"
#include "bah_landlock.h"
#include "bah_mount.h"
#include "bah_namespace.h"
#include "bah_prctl.h"
#include "bah_rlimit.h"
#include "bah_runtime.h"
#include "bah_seccomp.h"

#include <bahost/bahost.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void floor_must(const char *step, long result)
{
    if (result < 0) {
        dprintf(STDERR_FILENO, "floor: %s: %s\n", step, strerror((int)-result));
        _exit(1);
    }
}

static void enter_view(const struct floor_files *files)
{
    floor_must("mount namespace", bah_enter_mount_namespace());
    umask(022);
    const int plugin = bah_copy_tree(files->plugin_folder, 0);
    const int container = bah_copy_tree(files->container, 1);
    const int runtime = files->runtime != NULL ? bah_copy_tree(files->runtime, 0) : -1;
    floor_must("plugin", plugin);
    floor_must("container", container);
    floor_must("tmpfs", bah_mount_empty("/tmp"));
    floor_must("plugin", bah_attach_tree(plugin, "/tmp/plugin"));
    floor_must("container", bah_attach_tree(container, "/tmp/container"));
    if (runtime >= 0) {
        floor_must("runtime", bah_attach_tree(runtime, "/tmp/runtime-0"));
        close(runtime);
    }
    close(plugin);
    close(container);
    floor_must("view", bah_seal_mount("/tmp"));
    floor_must("proc", bah_mount_processes());
}

static void become_nobody(const struct floor_launcher *launcher)
{
    unsigned outside = 0;
    unsigned inside = launcher->host_user;
    unsigned group = launcher->host_group;
    floor_must("bounding set", bah_drop_bounding_set());
    if (launcher->host_user == 0) {
        floor_must("identity", bah_become_identity(FLOOR_IDENTITY));
        outside = inside = group = FLOOR_IDENTITY;
    }
    floor_must("dumpable", bah_set_dumpable(1));
    floor_must("user namespace", bah_enter_user_namespace(inside, outside, group, outside));
    floor_must("no new privileges", bah_set_no_new_privileges());
    floor_must("bounding set", bah_drop_bounding_set());
    floor_must("capabilities", bah_drop_capabilities());
    floor_must("parent", bah_set_parent_death_signal(SIGKILL));
    floor_must("dumpable", bah_set_dumpable(0));
}

static void limit(void)
{
    static const struct {
        int resource;
        uint64_t soft;
        uint64_t hard;
    } limits[] = {
        { BAH_RESOURCE_STACK, 1 << 20, 1 << 20 },
        { BAH_RESOURCE_FSIZE, 64 << 20, 64 << 20 },
        { BAH_RESOURCE_CORE, 0, 0 },
        { BAH_RESOURCE_CPU, 10, 11 },
        { BAH_RESOURCE_SIGPENDING, 32, 32 },
        { BAH_RESOURCE_MSGQUEUE, 0, 0 },
        { BAH_RESOURCE_NPROC, 32, 32 },
        { BAH_RESOURCE_NOFILE, 64, 64 },
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        floor_must(
            "limit", bah_lower_limit(limits[i].resource, limits[i].soft, limits[i].hard));
    }
}

static void confine_files(const struct floor_files *files)
{
    const unsigned reading = BAH_LANDLOCK_READ_FILE | BAH_LANDLOCK_READ_FOLDER;
    const unsigned writing =
        reading | BAH_LANDLOCK_WRITE_FILE | BAH_LANDLOCK_CHANGE_FOLDER;
    const struct {
        const char *path;
        unsigned rights;
    } rules[] = {
        { "/tmp/plugin", reading },
        { files->runtime != NULL ? "/tmp/runtime-0" : "/tmp/plugin", reading },
        { "/lib", reading },
        { "/lib64", reading },
        { "/usr/lib", reading },
        { "/usr/lib64", reading },
        { "/usr/local/lib", reading },
        { "/usr/share/zoneinfo", reading },
        { "/etc/ld.so.cache", BAH_LANDLOCK_READ_FILE },
        { "/etc/localtime", BAH_LANDLOCK_READ_FILE },
        { "/etc/timezone", BAH_LANDLOCK_READ_FILE },
        { "/proc", BAH_LANDLOCK_READ_FILE },
        { "/dev/null", BAH_LANDLOCK_READ_FILE | BAH_LANDLOCK_WRITE_FILE },
        { "/dev/urandom", BAH_LANDLOCK_READ_FILE },
        { "/tmp/container/Downloads", writing },
        { "/tmp/container/Library", writing },
        { "/tmp/container/tmp", writing },
    };
    const int version = bah_read_landlock_version();
    floor_must("Landlock", version);
    const int ruleset = bah_create_landlock_ruleset(version);
    floor_must("Landlock", ruleset);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const int status = bah_add_landlock_path(ruleset, version, rules[i].path, rules[i].rights);
        floor_must(rules[i].path, status == -ENOENT ? 0 : status);
    }
    floor_must("Landlock", bah_apply_landlock(ruleset));
    close(ruleset);
}

static void *watch(void *unused)
{
    char byte;
    while (read(FLOOR_CONTROL, &byte, 1) > 0) {
    }
    _exit(72);
    return unused;
}

/* RLIMIT_DATA: what is counted now and 6 MiB. proc_pid_statm(5): the sixth number, in pages. */
static void limit_memory(void)
{
    char text[256];
    unsigned long data = 0;
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    floor_must(
        "statm", sscanf(text, "%*u %*u %*u %*u %*u %lu", &data) == 1 ? 0 : -EPROTO);
    const uint64_t most = (uint64_t)data * (uint64_t)sysconf(_SC_PAGESIZE) + (6 << 20);
    floor_must("data", bah_lower_limit(BAH_RESOURCE_DATA, most, most));
}

/* As wide as bahost leaves it for a plugin of this size. */
static void narrow_fence(const struct floor_launcher *launcher)
{
#if __has_include("bah_fence.h")
    struct bah_fence fence = launcher->fence;
    if (launcher->is_sealed) {
        floor_must("fence", bah_narrow_fence(&fence, 12 << 20, 10 << 20));
    }
#else
    (void)launcher;
#endif
}

static int32_t call_plugin(const char *name)
{
    typedef int32_t (*entry)(const bahost_host *, const bahost_content_request *);
    static const bahost_host host = { .struct_size = sizeof host };
    static const bahost_app_info app = { .struct_size = sizeof app };
    const bahost_content_request request = {
        .struct_size = sizeof request, .kind = BAHOST_CONTENT_INSTALL, .app = &app,
    };
    char path[256];
    snprintf(path, sizeof path, "/tmp/plugin/%s", name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        dprintf(STDERR_FILENO, "floor: %s\n", dlerror());
        _exit(1);
    }
    entry install;
    void *function = dlsym(library, "bahost_install");
    floor_must("bahost_install", function != NULL ? 0 : -ENOENT);
    memcpy(&install, &function, sizeof install);
    return install(&host, &request);
}

_Noreturn void floor_work(const struct floor_launcher *launcher)
{
    pthread_t watcher;
    floor_must("thread stack", bah_set_thread_stack(256 << 10));
    enter_view(&launcher->files);
    become_nobody(launcher);
    limit();
    floor_must("container", chdir("/tmp/container/tmp"));
    setenv("HOME", "/tmp/container", 1);
    setenv("TMPDIR", "/tmp/container/tmp", 1);
    setenv("XDG_CACHE_HOME", "/tmp/container/Library/Caches", 1);
    confine_files(&launcher->files);
    floor_must("evidence", bah_install_evidence(FLOOR_EVIDENCE));
    floor_must("filter", bah_install_filter(launcher->filter, launcher->filter_bytes));
    floor_must("watcher", -pthread_create(&watcher, NULL, watch, NULL));
    limit_memory();
    narrow_fence(launcher);
    const int32_t status = call_plugin(launcher->files.plugin_name);
    floor_must("link", write(FLOOR_LINK, &status, sizeof status));
    _exit(0);
}
