/// One plugin with many sins; the app's identifier picks one.
///
/// It returns a negative number, the place of the check that failed, when something is allowed that
/// should not be.
let sinSource = """
    #define _GNU_SOURCE
    #include <bahost/bahost.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <signal.h>
    #include <spawn.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/prctl.h>
    #include <sys/resource.h>
    #include <sys/socket.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <threads.h>
    #include <unistd.h>

    BAHOST_PLUGIN("Sins", "1.0");
    extern char **environ;
    static volatile char sink;
    static char *no_arguments[] = { "true", NULL };
    #define CHECK(claim) do { if (!(claim)) return -__LINE__; } while (0)

    static int overflow(int depth)
    {
        volatile char room[512];
        room[depth % 512] = (char)depth;
        sink = room[0];
        return overflow(depth + 1) + room[1];
    }
    static void *overflow_thread(void *unused) { return (void *)(long)overflow(0); }
    static void *pausing_thread(void *unused) { pause(); return NULL; }
    static int seven_thread(void *seven) { return *(int *)seven; }
    static int pausing_c11_thread(void *unused) { pause(); return 0; }
    static int c11_threads(int count)
    {
        thrd_t thread;
        int seven = 7, result = 0;
        CHECK(thrd_create(&thread, seven_thread, &seven) == thrd_success);
        CHECK(thrd_join(thread, &result) == thrd_success && result == 7);
        for (int i = 0; i < count; i++)
            CHECK(thrd_create(&thread, pausing_c11_thread, NULL) == thrd_success);
        return 0;
    }
    static void *short_thread(void *unused) { return unused; }

    static int many_threads(int count)
    {
        pthread_t thread;
        for (int i = 0; i < count; i++)
            if (pthread_create(&thread, NULL, pausing_thread, NULL) != 0)
                return -1;
        return 0;
    }

    static int threads_in_a_row(void)
    {
        pthread_t thread;
        for (int i = 0; i < 200; i++) {
            CHECK(pthread_create(&thread, NULL, short_thread, NULL) == 0);
            CHECK(pthread_join(thread, NULL) == 0);
        }
        return 0;
    }

    static int big_thread(void)
    {
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 64 << 20);
        return -pthread_create(&thread, &attributes, pausing_thread, NULL);
    }

    static int eat(size_t step, size_t limit, int with_mmap)
    {
        for (size_t total = 0; total < limit; total += step) {
            char *room = with_mmap ? mmap(NULL, step, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                   : malloc(step);
            if (room == NULL || room == MAP_FAILED)
                return -1;
            for (size_t i = 0; i < step; i += 4096)
                room[i] = 1;
        }
        return 0;
    }

    static int file_rules(const bahost_host *host, const bahost_content_request *request)
    {
        char path[4200];
        CHECK(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
        CHECK(open("/dev/zero", O_RDONLY) < 0);
        CHECK(open("/proc", O_RDONLY | O_DIRECTORY) < 0 && errno == EACCES);
        CHECK(open("/proc/self/mem", O_RDWR) < 0);
        CHECK(open("/proc/self/status", O_RDONLY) >= 0);
        CHECK(open("/dev/null", O_RDWR) >= 0);
        CHECK(open("/dev/urandom", O_RDONLY) >= 0);
        snprintf(path, sizeof path, "%s/escape", request->app->container_path);
        CHECK(open(path, O_CREAT | O_WRONLY, 0600) < 0);
        snprintf(path, sizeof path, "%s/.bahost/x", request->app->container_path);
        CHECK(open(path, O_CREAT | O_WRONLY, 0600) < 0);
        snprintf(path, sizeof path, "%s/file", request->app->cache_path);
        CHECK(open(path, O_CREAT | O_WRONLY, 0600) >= 0);
        CHECK(syscall(SYS_truncate, path, 0L) < 0 && errno == ENOSYS);
        CHECK(truncate(path, 0) == 0);
        CHECK(truncate("/etc/passwd", 0) < 0 && errno == EACCES);
        char moved[4200];
        snprintf(moved, sizeof moved, "%s/Downloads/file", request->app->container_path);
        CHECK(rename(path, moved) == 0);
        CHECK(access("file", F_OK) != 0);
        CHECK(open("file", O_CREAT | O_WRONLY, 0600) >= 0);
        snprintf(path, sizeof path, "%s/tmp/file", request->app->container_path);
        CHECK(access(path, F_OK) == 0);
        CHECK(mkfifo("fifo", 0600) < 0);
        CHECK(getenv("TMPDIR") && getenv("HOME") && getenv("XDG_CACHE_HOME"));
        return 0;
    }

    static int call_rules(void)
    {
        int pair[2];
        char block[16];
        struct sigaction action = { .sa_handler = SIG_IGN };
        CHECK(getuid() != 0 && geteuid() != 0 && getgid() != 0);
        CHECK(socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM);
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 && errno == EPERM);
        CHECK(pipe(pair) < 0 && errno == EPERM);
        CHECK(memfd_create("x", 0) < 0 && errno == EPERM);
        CHECK(chmod("file", 0777) < 0 && errno == EPERM);
        CHECK(chown("file", 0, 0) < 0 && errno == EPERM);
        CHECK(kill(4711, 0) < 0 && errno == ENOSYS);
        CHECK(setpriority(PRIO_PROCESS, 0, 19) < 0 && errno == ENOSYS);
        CHECK(setpriority(PRIO_USER, 0, 19) < 0 && errno == ENOSYS);
        CHECK(syscall(SYS_tgkill, 4711, 4711, 0) < 0 && errno == ENOSYS);
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), SIGSTOP) < 0 && errno == EPERM);
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), SIGKILL) < 0 && errno == EPERM);
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), SIGTTOU) < 0 && errno == EPERM);
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), 0) == 0);
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), SIGCONT) == 0);
        CHECK(syscall(SYS_tgkill, getpid(), getpid(), 65) < 0 && errno == ENOSYS);
        CHECK(sigaction(SIGSYS, &action, NULL) < 0 && errno == EPERM);
        CHECK(syscall(SYS_rt_sigaction, 1L << 32 | SIGSYS, &action, NULL, 8) < 0);
        CHECK(errno == ENOSYS);
        CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
        CHECK(sigaction(32 + 30, &action, NULL) == 0 && sigaction(64, &action, NULL) == 0);
        CHECK(prctl(PR_SET_DUMPABLE, 1) < 0 && errno == ENOSYS);
        CHECK(prctl(PR_SET_NAME, "sins") == 0 && prctl(PR_GET_DUMPABLE) == 0);
        CHECK(mmap(NULL, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
        CHECK(mmap(NULL, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) == MAP_FAILED);
        CHECK(mmap(NULL, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED);
        CHECK(madvise(&sink, 0, 14) < 0 && errno == ENOSYS);
        CHECK(madvise((void *)1, 4096, MADV_DONTDUMP) == 0); // taken, and nothing done
        CHECK(syscall(SYS_close_range, 50, 60, 2) < 0 && errno == ENOSYS); // UNSHARE
        CHECK(syscall(SYS_close_range, 50, 60, 0) == 0);
        CHECK(syscall(SYS_renameat2, AT_FDCWD, "no", AT_FDCWD, "none", 4) < 0 && errno == ENOSYS);
        CHECK(open("/proc/self/mem", O_RDONLY) < 0 && errno == EACCES);
        CHECK(fcntl(1, 1031, 1 << 20) < 0 && errno == ENOSYS);
        CHECK(fcntl(1, F_GETFL) >= 0);
        CHECK(syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS);
        CHECK(syscall(SYS_prlimit64, 4711, 0, NULL, NULL) < 0 && errno == ENOSYS);
        struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
        int file = open("file", O_CREAT | O_WRONLY, 0600);
        CHECK(file >= 0 && futimens(file, times) == 0 && fchmod(file, 0600) == 0);
        CHECK(utimensat(AT_FDCWD, "file", times, 0) < 0 && errno == ENOSYS);
        CHECK(getrandom_works(block));
        return 0;
    }
    int getrandom_works(char *block) { return syscall(SYS_getrandom, block, 16, 0) == 16; }

    /* No set-user-ID, set-group-ID or sticky file, by whatever way; all else of a mode may be said. */
    static int mode_rules(void)
    {
        static const unsigned long how[3] = { O_CREAT | O_WRONLY, 0600, 0 };
        struct stat found, first;
        int file = open("file", O_CREAT | O_WRONLY, 0777);
        CHECK(file >= 0 && fstat(file, &first) == 0);
        CHECK(fchmod(file, 0777) == 0 && fchmod(file, S_IFREG | 0640) == 0);
        for (mode_t bit = 01000; bit <= 04000; bit <<= 1) {
            CHECK(fchmod(file, bit | 0777) < 0 && errno == EPERM);
            CHECK(syscall(SYS_fchmod, file, 1L << 32 | bit) < 0 && errno == EPERM);
            CHECK(open("new", O_CREAT | O_WRONLY, bit | 0777) < 0 && errno == ENOSYS);
            CHECK(open(".", O_TMPFILE | O_WRONLY, bit | 0777) < 0 && errno == ENOSYS);
            CHECK(openat(AT_FDCWD, "new", O_CREAT | O_WRONLY, bit | 0777) < 0);
    #ifdef SYS_open
            CHECK(syscall(SYS_open, "new", O_CREAT | O_WRONLY, bit | 0777) < 0);
            CHECK(errno == ENOSYS);
            CHECK(syscall(SYS_creat, "new", bit | 0777) < 0 && errno == ENOSYS);
    #endif
        }
        CHECK(syscall(SYS_openat2, AT_FDCWD, "new", how, sizeof how) < 0 && errno == ENOSYS);
        CHECK(access("new", F_OK) < 0);
        /* Where no mount keeps other files from it, the change is taken without effect. */
        const int has_view = strcmp(getenv("HOME"), "/tmp/container") == 0;
        CHECK(fstat(file, &found) == 0);
        CHECK(found.st_mode == (has_view ? S_IFREG | 0640 : first.st_mode));
        /* What is not made has no mode, and nobody looks at that argument. */
        CHECK(syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY, 06777) >= 0);
        CHECK(creat("made", 0700) >= 0 && open(".", O_TMPFILE | O_WRONLY, 0600) >= 0);
        CHECK(mkdir("folder", 06777) == 0 && stat("folder", &found) == 0);
        CHECK((found.st_mode & 06000) == 0);
        return 0;
    }

    static int limits(void)
    {
        struct rlimit limit;
        CHECK(getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_max == 1 << 20);
        CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0);
        CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max == 32);
        CHECK(getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_max == limit.rlim_cur + 1);
        CHECK(getrlimit(RLIMIT_SIGPENDING, &limit) == 0 && limit.rlim_max == 32);
        CHECK(getrlimit(RLIMIT_MSGQUEUE, &limit) == 0 && limit.rlim_max == 0);
        CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_max == 64 << 20);
        CHECK(getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_max < 32 << 20);
        for (int file = 0; file < 32; file++)
            CHECK((fcntl(file, F_GETFD) >= 0) == (file < 6));
        return 0;
    }

    static int status_has(const char *line)
    {
        static char text[8192];
        int file = open("/proc/self/status", O_RDONLY);
        ssize_t count = read(file, text, sizeof text - 1);
        close(file);
        return count > 0 && strstr(text, line) != NULL;
    }

    /* With a private view the host was root: then the bounding set is empty too. */
    static int rights(const bahost_content_request *request)
    {
        CHECK(status_has("NoNewPrivs:\\t1\\n") && status_has("Seccomp:\\t2\\n"));
        CHECK(status_has("CapInh:\\t0000000000000000\\n"));
        CHECK(status_has("CapPrm:\\t0000000000000000\\n"));
        CHECK(status_has("CapEff:\\t0000000000000000\\n"));
        CHECK(status_has("CapAmb:\\t0000000000000000\\n"));
        CHECK(status_has("THP_enabled:\\t0\\n"));
        if (strcmp(request->app->container_path, "/tmp/container") == 0) {
            CHECK(status_has("CapBnd:\\t0000000000000000\\n"));
            CHECK(getgroups(0, NULL) == 0);
            CHECK(getuid() == getgid() && getuid() >= 1000);
        }
        return 0;
    }

    static int write_much(void)
    {
        static char block[1 << 16];
        int file = open("big", O_CREAT | O_WRONLY, 0600);
        for (int i = 0; i < 2048; i++)
            if (write(file, block, sizeof block) < 0)
                return -1;
        return 0;
    }

    static void block_all(void)
    {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
    }

    #define CASE(text) if (strcmp(sin, text) == 0)
    int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
    {
        const char *sin = request->app->app_identifier;
        pid_t pid;
        CASE("malloc") return eat(4096, 64 << 20, 0);
        CASE("mmap") return eat(1 << 20, 64 << 20, 1);
        CASE("huge malloc") return malloc(64 << 20) == NULL ? -1 : 0;
        CASE("huge calloc") return calloc(1l << 33, 1l << 33) == NULL ? -1 : 0;
        CASE("huge realloc") return realloc(malloc(10), 64 << 20) == NULL ? -1 : 0;
        CASE("huge memalign") return posix_memalign((void **)&sin, 64, 64 << 20) == 0 ? 0 : -12;
        CASE("five of six") return eat(4096, 5 << 20, 0);
        CASE("fork") { fork(); return 0; }
        CASE("vfork") { vfork(); _exit(0); }
        CASE("raw clone") { syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); return 0; }
        CASE("system") { system("true"); return 0; }
        CASE("popen") return popen("true", "r") == NULL ? 0 : -1;
        CASE("posix_spawn") { posix_spawn(&pid, "/bin/true", 0, 0, no_arguments, environ); return 0; }
        CASE("execl") { execl("/bin/true", "true", NULL); return 0; }
        CASE("execvp") { execvp("true", no_arguments); return 0; }
        CASE("ptrace") { syscall(SYS_ptrace, 0, 0, 0, 0); return 0; }
        CASE("mount") { syscall(SYS_mount, 0, 0, 0, 0, 0); return 0; }
        CASE("blocked raw fork") { block_all(); syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); return 0; }
        CASE("abort") abort();
        CASE("segv") { *(volatile char *)16 = 1; }
        CASE("bus") raise(SIGBUS);
        CASE("ill") __builtin_trap();
        CASE("fpe") { volatile int zero = 0; raise(SIGFPE); return 1 / zero; }
        CASE("term") { raise(SIGTERM); return 0; }
        CASE("overflow") return overflow(0);
        CASE("thread overflow") {
            pthread_t thread;
            pthread_create(&thread, NULL, overflow_thread, NULL);
            pthread_join(thread, NULL);
            return 0;
        }
        CASE("30 threads") return many_threads(30);
        CASE("31 threads") return many_threads(31);
        CASE("30 C11 threads") return c11_threads(30);
        CASE("31 C11 threads") return c11_threads(31);
        CASE("threads in a row") return threads_in_a_row();
        CASE("big thread") return big_thread();
        CASE("exit 0") exit(0);
        CASE("exit 137") exit(137);
        CASE("spin") for (;;) sink++;
        CASE("write") return write_much();
        CASE("files") return file_rules(host, request);
        CASE("calls") return call_rules();
        CASE("limits") return limits();
        CASE("modes") return mode_rules();
        CASE("rights") return rights(request);
        CASE("wait") { pause(); return 0; }
        return 77;
    }
    """
