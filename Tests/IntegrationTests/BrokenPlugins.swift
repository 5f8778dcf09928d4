import Testing

/// Plugins that break one rule each, and nothing else.
struct BrokenPlugin: Sendable, CustomTestStringConvertible {
    let rule: String
    let name: String

    /// What follows the header and the tag.
    let source: String

    init(_ rule: String, _ name: String, _ source: String) {
        self.rule = rule
        self.name = name
        self.source = source
    }

    var testDescription: String { "\(rule) \(name)" }

    /// Its call never ends.
    static let endless = BrokenPlugin("", "spin", "INSTALL { UNUSED; for (;;) ; return 0; }")

    var text: String {
        """
        #define _GNU_SOURCE
        #include <bahost/bahost.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdlib.h>
        #include <time.h>
        #include <unistd.h>
        #define INSTALL \\
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
        #define UNUSED (void)host, (void)request
        BAHOST_PLUGIN("\(name)", "1");
        \(source)
        """
    }

    private static let sleeper = """
        static void *sleep_for_ever(void *unused)
        {
            for (;;)
                pause();
            return unused;
        }
        static void start(void *(*body)(void *), const void *argument)
        {
            pthread_t thread;
            if (pthread_create(&thread, NULL, body, (void *)argument) == 0)
                pthread_detach(thread);
        }

        """

    private static let ask = """
        static int32_t ask(const bahost_host *host, const char *name, const char *url, uint32_t flags)
        {
            bahost_download_request wish;
            bahost_request_init(&wish, name, url, 10);
            wish.flags = flags;
            return host->schedule(host, &wish);
        }

        """

    static let failing =
        loading + manifests + requests + completions + endings + repeating

    private static let loading = [
        BrokenPlugin(
            "R1", "crash-in-constructor",
            """
            __attribute__((constructor)) static void crash(void) { abort(); }
            INSTALL { UNUSED; return 0; }
            """),
        BrokenPlugin(
            "R3", "thread-in-constructor",
            sleeper
                + """
                __attribute__((constructor)) static void begin(void) { start(sleep_for_ever, NULL); }
                INSTALL { UNUSED; return 0; }
                """),
    ]

    private static let manifests = [
        BrokenPlugin(
            "R4", "no-look-for-null",
            """
            INSTALL { (void)host; return strlen(request->manifest_path) > 0 ? 0 : -1; }
            """),
        BrokenPlugin(
            "R5", "first-line-is-there",
            """
            INSTALL
            {
                (void)host;
                FILE *file = request->manifest_path ? fopen(request->manifest_path, "re") : NULL;
                if (file == NULL)
                    return 0;
                char line[16];
                if (fgets(line, sizeof line, file) == NULL)
                    abort();
                fclose(file);
                return 0;
            }
            """),
        BrokenPlugin(
            "R6", "reads-it-whole",
            """
            INSTALL
            {
                (void)host;
                char *text = malloc(request->manifest_size + 1);
                memset(text, 1, request->manifest_size + 1);
                free(text);
                return 0;
            }
            """),
        BrokenPlugin(
            "R7", "lines-are-short",
            """
            INSTALL
            {
                (void)host;
                FILE *file = request->manifest_path ? fopen(request->manifest_path, "re") : NULL;
                if (file == NULL)
                    return 0;
                char line[128 << 10];
                volatile char *next = line;
                for (int c = getc(file); c != EOF; c = getc(file)) {
                    *next++ = (char)c;
                    if (c == '\\n')
                        next = line;
                }
                fclose(file);
                return 0;
            }
            """),
    ]

    private static let requests = [
        BrokenPlugin(
            "R8", "plain-http",
            ask + """
                INSTALL { (void)request; ask(host, "a", "http://cdn.example.com/a", 0); return 0; }
                """),
        BrokenPlugin(
            "R9", "essential-later",
            ask
                + """
                int32_t bahost_check_for_updates(
                    const bahost_host *host, const bahost_content_request *request)
                {
                    (void)request;
                    ask(host, "a", "https://cdn.example.com/a", BAHOST_REQUEST_ESSENTIAL);
                    return 0;
                }
                """),
        BrokenPlugin(
            "R10", "asks-for-ever",
            ask
                + """
                INSTALL
                {
                    (void)request;
                    while (ask(host, "a", "https://cdn.example.com/a", 0) != 0)
                        ;
                    return 0;
                }
                """),
        BrokenPlugin(
            "R10", "does-not-know-206",
            ask
                + """
                INSTALL
                {
                    (void)request;
                    if (ask(host, "a", "https://cdn.example.com/a", 0) == 206)
                        abort();
                    return 0;
                }
                """),
    ]

    private static let completions = [
        BrokenPlugin(
            "R11", "every-pack-has-a-language",
            """
            int32_t bahost_should_download(const bahost_host *host, const bahost_asset_pack *pack)
            {
                (void)host;
                return strlen(pack->language) > 2;
            }
            """),
        BrokenPlugin(
            "R12", "knows-them-all",
            """
            int32_t bahost_download_finished(
                const bahost_host *host, const bahost_download *download, const char *path)
            {
                (void)host, (void)path;
                if (strncmp(download->identifier, "check-", 6) != 0)
                    abort();
                return BAHOST_FINISHED_KEEP;
            }
            """),
        BrokenPlugin(
            "R12", "keeps-what-it-removes",
            """
            int32_t bahost_download_finished(
                const bahost_host *host, const bahost_download *download, const char *path)
            {
                (void)host, (void)download;
                unlink(path);
                return BAHOST_FINISHED_KEEP;
            }
            """),
        BrokenPlugin(
            "R13", "knows-five-domains",
            """
            int32_t bahost_download_failed(
                const bahost_host *host, const bahost_download *download,
                const bahost_error *error)
            {
                (void)host, (void)download;
                if (error->domain > BAHOST_DOMAIN_ERRNO)
                    abort();
                return 0;
            }
            """),
    ]

    private static let endings = [
        BrokenPlugin(
            "R14", "aborts-when-told",
            ask
                + """
                INSTALL { (void)request; ask(host, "a", "https://cdn.example.com/a", 0); return 0; }
                void bahost_will_terminate(const bahost_host *host, uint32_t reason)
                {
                    (void)host, (void)reason;
                    abort();
                }
                """),
        BrokenPlugin(
            "R15", "goes-on-talking",
            sleeper
                + """
                static void *talk(void *host)
                {
                    for (;;) {
                        bahost_log_text(host, BAHOST_LOG_INFO, "still here");
                        nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
                    }
                    return sleep_for_ever;
                }
                INSTALL
                {
                    (void)request;
                    static int begun;
                    if (begun++ == 0)
                        start(talk, host);
                    return 0;
                }
                """),
        BrokenPlugin("R22", "returns-three", "INSTALL { UNUSED; return 3; }"),
    ]

    private static let repeating = [
        BrokenPlugin(
            "R16", "once-only",
            """
            INSTALL
            {
                UNUSED;
                static int calls;
                if (calls++ > 0)
                    abort();
                return 0;
            }
            """),
        BrokenPlugin(
            "R17", "never-closes",
            """
            INSTALL { UNUSED; return open("/proc/self/status", O_RDONLY | O_CLOEXEC) < -1; }
            """),
        BrokenPlugin(
            "R17", "never-closes-streams",
            """
            INSTALL { UNUSED; return fopen("/proc/self/status", "re") == host; }
            """),
        BrokenPlugin(
            "R18", "never-joins",
            sleeper + "INSTALL { UNUSED; start(sleep_for_ever, NULL); return 0; }"),
        BrokenPlugin(
            "R19", "never-frees",
            """
            INSTALL
            {
                UNUSED;
                char *volatile lost = malloc(60000);
                if (lost != NULL)
                    memset(lost, 1, 60000);
                return 0;
            }
            """),
        // Two seconds are not enough for the calls that show it.
        BrokenPlugin(
            "R19", "never-frees-slowly",
            """
            INSTALL
            {
                UNUSED;
                usleep(200000);
                char *volatile lost = malloc(60000);
                if (lost != NULL)
                    memset(lost, 1, 60000);
                return 0;
            }
            """),
    ]

    /// They break a rule that only warns.
    static let warning = [
        BrokenPlugin(
            "R2", "shows-a-helper", "int helper(void) { return 1; }\nINSTALL { UNUSED; return 0; }"
        ),
        BrokenPlugin(
            "R3", "prints-in-constructor",
            """
            __attribute__((constructor)) static void hello(void) { printf("hello\\n"); }
            INSTALL { UNUSED; return 0; }
            """),
        BrokenPlugin("R23", "prints", "INSTALL { UNUSED; printf(\"hello\\n\"); return 0; }"),
        BrokenPlugin(
            "R21", "never-the-same",
            ask
                + """
                INSTALL
                {
                    (void)request;
                    struct timespec now;
                    clock_gettime(CLOCK_MONOTONIC, &now);
                    char name[64];
                    snprintf(name, sizeof name, "%ld.%ld", (long)now.tv_sec, now.tv_nsec);
                    ask(host, name, "https://cdn.example.com/a", 0);
                    return 0;
                }
                """),
        BrokenPlugin(
            "R4", "errs-without-manifest",
            "INSTALL { (void)host; return request->manifest_path ? 0 : -1; }"),
    ]
}
