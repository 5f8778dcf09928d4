import ExtensionHost
import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// A C program that stands in for `bahost-worker`; the plugin's name in its set-up says how it behaves.
enum FakeWorker {
    /// Compiled once per test process.
    static let path: String? = build()

    private static let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("bahost-fake-worker-\(UUID().uuidString)")

    private static func build() -> String? {
        let source = folder.appendingPathComponent("fake.c")
        let program = folder.appendingPathComponent("fake").path
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(to: source, atomically: true, encoding: .utf8)
            let compiler = Process()
            compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            compiler.arguments = ["cc", "-Wall", "-Werror", "-o", program, source.path]
            try compiler.run()
            compiler.waitUntilExit()
            atexit { try? FileManager.default.removeItem(at: FakeWorker.folder) }
            return compiler.terminationStatus == 0 ? program : nil
        } catch {
            return nil
        }
    }

    private static let text = #"""
        #define _GNU_SOURCE
        #include <dirent.h>
        #include <fcntl.h>
        #include <poll.h>
        #include <signal.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/ioctl.h>
        #include <sys/pidfd.h>
        #include <sys/prctl.h>
        #include <sys/socket.h>
        #include <sys/wait.h>
        #include <unistd.h>

        extern char **environ;
        static unsigned char in[1 << 20];
        static int has_runtime;

        static void all(int fd, const void *from, size_t n)
        {
            const char *p = from;
            while (n > 0) {
                ssize_t moved = write(fd, p, n);
                if (moved <= 0) _exit(71);
                p += moved;
                n -= (size_t)moved;
            }
        }

        static void frame(uint16_t kind, uint32_t sequence, const void *payload, uint32_t n)
        {
            struct { uint32_t magic; uint16_t version, kind; uint32_t length, sequence; } head = {
                0x57484142, 1, kind, n, sequence };
            all(3, &head, 16);
            all(3, payload, n);
        }

        static void get(void *to, size_t n)
        {
            char *p = to;
            while (n > 0) {
                ssize_t moved = read(3, p, n);
                if (moved <= 0) _exit(71);
                p += moved;
                n -= (size_t)moved;
            }
        }

        static int next(void)
        {
            unsigned char head[16];
            uint16_t kind;
            uint32_t length;
            get(head, 16);
            memcpy(&kind, head + 6, 2);
            memcpy(&length, head + 8, 4);
            if (length > sizeof in) _exit(71);
            get(in, length);
            return kind;
        }

        static void returned(int32_t status)
        {
            unsigned char payload[25] = { 0 };
            memcpy(payload, &status, 4);
            payload[12] = 1;
            frame(106, 0, payload, 25);
        }

        static void say(const char *text)
        {
            unsigned char payload[256] = { 1, 2 };
            uint32_t n = (uint32_t)strlen(text);
            memcpy(payload + 5, &n, 4);
            memcpy(payload + 9, text, n);
            frame(105, 0, payload, n + 9);
        }

        static void show_descriptors(void)
        {
            DIR *folder = opendir("/proc/self/fd");
            for (struct dirent *entry; (entry = readdir(folder));) {
                if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
                    printf("fd %s\n", entry->d_name);
            }
            closedir(folder);
        }

        static void evidence(void)
        {
            unsigned char record[128] = { 'B', 'E', 'V', 'D', 1, 0, 0, 0, SIGSEGV, 0, 0, 0, 1 };
            all(5, record, 128);
            _exit(70);
        }

        static int is(const char *mode) { return strstr((char *)in + 4, mode) != NULL; }

        static int work(int count, char **arguments)
        {
            static const unsigned char zero[128];
            char mode[64] = { 0 };
            uint32_t n;
            if (next() != 1) _exit(71);
            memcpy(&n, in, 4);
            snprintf(mode, sizeof mode, "%.*s", (int)n, (char *)in + 4);
            in[4 + n] = 0;
            if (is("silent")) for (;;) pause();
            if (is("early")) exit(3);
            if (is("swift") && !has_runtime) { frame(107, 0, zero, 0); return 0; }
            frame(101, 0, zero, 88);
            if (is("garbage")) { all(3, "not a frame at all", 18); for (;;) pause(); }
            if (is("mute")) for (;;) pause();
            if (is("facts")) frame(109, 0, zero, 34);
            else frame(103, 0, zero, 28);
            while (next() == 2) {
        #define IS(name) (strcmp(mode, "/" name) == 0)
                if (IS("exit0")) exit(0);
                if (IS("crash")) evidence();
                if (IS("abort")) abort();
                if (IS("stop")) raise(SIGSTOP);
                if (IS("half")) { all(3, "BAHW\1", 5); for (;;) pause(); }
                if (IS("hangup")) { close(3); for (;;) pause(); }
                if (IS("deaf")) { close(4); for (;;) pause(); }
                if (IS("spin")) { signal(SIGTERM, SIG_IGN); for (;;) { } }
                if (IS("warned")) {
                    unsigned char byte = 0;
                    char text[32];
                    if (read(4, &byte, 1) != 1) _exit(9);
                    snprintf(text, sizeof text, "warned %d", byte);
                    say(text);
                    for (;;) pause();
                }
                if (IS("flood")) {
                    static char line[1024];
                    memset(line, 'x', 1023);
                    line[1023] = '\n';
                    for (int i = 0; i < 4096; i++) all(1, line, 1024);
                    all(2, "half a line", 11);
                }
                if (IS("show")) {
                    for (char **e = environ; *e; e++) printf("env %s\n", *e);
                    for (int i = 0; i < count; i++) printf("arg %s\n", i ? arguments[i] : "0");
                    show_descriptors();
                    fflush(stdout);
                }
                if (IS("closed")) { close(1); close(2); close(4); close(5); }
                if (IS("leak")) {
                    if (fork() == 0) { close(3); alarm(10); for (;;) pause(); }
                }
                if (IS("ask")) {
                    unsigned char call = 6;
                    int32_t status = 0;
                    frame(105, 7, &call, 1);
                    if (next() != 3) _exit(71);
                    memcpy(&status, in + 1, 4);
                    returned(status);
                    continue;
                }
                if (IS("asking")) {
                    unsigned char call = 6;
                    for (uint32_t i = 1; i < 4000; i++) {
                        frame(105, i, &call, 1);
                        for (int unread = 1; unread > 0; usleep(100)) ioctl(3, TIOCOUTQ, &unread);
                    }
                    for (;;) pause();
                }
                if (IS("memory")) {
                    char *room = malloc(16 << 20);
                    memset(room, 1, 16 << 20);
                    for (volatile int i = 0; i < 200000000; i++) { }
                    free(room);
                }
                if (IS("greedy")) {
                    for (int i = 0; i < 256; i++) memset(malloc(1 << 20), 1, 1 << 20);
                }
                returned(0);
            }
            return 0;
        }

        /* One message with descriptors from the host; the number of its kind, 0 at the end. */
        static int request(uint32_t *run, int descriptors[5])
        {
            unsigned char bytes[4096];
            char control[CMSG_SPACE(5 * sizeof(int))];
            struct iovec part = { bytes, sizeof bytes };
            struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                .msg_controllen = sizeof control };
            uint16_t kind = 0;
            ssize_t length = recvmsg(3, &message, MSG_CMSG_CLOEXEC);
            if (length < 16) return 0;
            memcpy(&kind, bytes + 6, 2);
            memcpy(run, bytes + 12, 4);
            if (kind == 201) has_runtime = memmem(bytes, (size_t)length, "/somewhere", 10) != NULL;
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            if (header) memcpy(descriptors, CMSG_DATA(header), 5 * sizeof(int));
            return kind;
        }

        static void report(uint16_t kind, uint32_t run, const void *payload, uint32_t n, int passed)
        {
            unsigned char bytes[64];
            struct { uint32_t magic; uint16_t version, kind; uint32_t length, run; } head = {
                0x57484142, 1, kind, n, run };
            char control[CMSG_SPACE(sizeof(int))] = { 0 };
            struct iovec part = { bytes, 16 + n };
            struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
            memcpy(bytes, &head, 16);
            memcpy(bytes + 16, payload, n);
            if (passed >= 0) {
                message.msg_control = control;
                message.msg_controllen = sizeof control;
                struct cmsghdr *header = CMSG_FIRSTHDR(&message);
                *header = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
                memcpy(CMSG_DATA(header), &passed, sizeof passed);
            }
            sendmsg(3, &message, MSG_NOSIGNAL);
        }

        static void start(uint32_t run, int descriptors[5], int count, char **arguments)
        {
            pid_t child = fork();
            if (child == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                for (int i = 0; i < 5; i++) fcntl(descriptors[i], F_DUPFD_CLOEXEC, 20 + i);
                for (int i = 0; i < 5; i++) dup2(20 + i, i + 1);
                close_range(6, ~0U, 0);
                exit(work(count, arguments));
            }
            int pidfd = pidfd_open(child, 0);
            report(301, run, "", 0, pidfd);
            for (int i = 0; i < 5; i++) close(descriptors[i]);
            /* One worker at a time: its end is told before the next request is read. */
            unsigned char end[18] = { 0 };
            int status = 0;
            struct pollfd both[2] = { { pidfd, POLLIN, 0 }, { 3, POLLIN, 0 } };
            while (poll(both, 2, -1) > 0 && !both[0].revents)
                if (both[1].revents & POLLHUP) _exit(72);
            waitpid(child, &status, 0);
            int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
            end[0] = !WIFSIGNALED(status);
            unsigned n = 1;
            if (end[0]) { memcpy(end + 1, &number, 4); n = 5; }
            end[n++] = WIFSIGNALED(status);
            if (WIFSIGNALED(status)) { memcpy(end + n, &number, 4); n += 4; }
            report(303, run, end, n + 8, -1);
            close(pidfd);
        }

        int main(int count, char **arguments)
        {
            uint32_t run;
            int descriptors[5], kind;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (count != 2 || strcmp(arguments[1], "launcher")) return 64;
            while ((kind = request(&run, descriptors)))
                if (kind == 202) start(run, descriptors, count, arguments);
            return 0;
        }
        """#
}

/// Drives one session with a real poll loop, bounded by the clock.
final class SessionRun {
    let pool: LauncherPool
    let session: WorkerSession
    private(set) var events: [WorkerEvent] = []

    init(
        _ mode: String, wallBudget: Duration = .seconds(10),
        _ change: (inout WorkerPlan) -> Void = { _ in }
    ) throws {
        let path = try #require(FakeWorker.path)
        var plan = WorkerPlan(
            workerPath: path, setup: WorkerSetup(pluginPath: "/\(mode)", containerPath: "/"),
            wallBudget: wallBudget)
        plan.timeZone = nil
        change(&plan)
        pool = LauncherPool()
        session = try pool.start(plan, now: BootClock.now())
    }

    init(_ pool: LauncherPool, _ plan: WorkerPlan) throws {
        self.pool = pool
        session = try pool.start(plan, now: BootClock.now())
    }

    /// Until the end; calls once when loaded, then asks the worker to leave.
    func finish(
        within bound: Duration = .seconds(20),
        _ handle: (WorkerSession, WorkerEvent) throws -> Void = SessionRun.callOnce
    ) throws -> WorkerOutcome {
        let limit = BootClock.now() + bound
        for event in events { try handle(session, event) }
        while BootClock.now() < limit {
            var set = PollSet()
            session.register(in: &set)
            let now = BootClock.now()
            let until = min(session.nextDeadline ?? limit, limit)
            try set.wait(timeout: until > now ? until - now : .zero)
            for event in session.service(set, now: BootClock.now()) {
                events.append(event)
                if case .ended(let outcome) = event { return outcome }
                try handle(session, event)
            }
        }
        throw SystemError(call: "poll", subject: "a session that does not end", code: ETIMEDOUT)
    }

    /// The worker's number, once its launcher has told it.
    func waitForProcess() throws -> Int32 {
        let limit = BootClock.now() + .seconds(20)
        while BootClock.now() < limit {
            if let pid = session.pid { return pid }
            var set = PollSet()
            session.register(in: &set)
            try set.wait(timeout: .seconds(1))
            events += session.service(set, now: BootClock.now())
        }
        throw SystemError(call: "poll", subject: "a worker that does not start", code: ETIMEDOUT)
    }

    static func callOnce(_ session: WorkerSession, _ event: WorkerEvent) throws {
        switch event {
        case .loaded:
            try session.call(
                .content(.install, AppDescription(), manifestBytes: 0), now: BootClock.now())
        case .returned: session.shutDown(now: BootClock.now())
        default: break
        }
    }

    func printed(_ wanted: PluginStream) -> [String] {
        events.compactMap { event in
            if case .printed(wanted, let line) = event { line } else { nil }
        }
    }
}
