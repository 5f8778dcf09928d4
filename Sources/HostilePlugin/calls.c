// Techniques against the interface itself: host calls and returns.
#include "hostile.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int32_t ask(const struct call *call, const char *identifier)
{
    bahost_download_request request;
    make_request(call, &request, identifier);
    return call->host->schedule(call->host, &request);
}

/* ---- Floods ---- */

int32_t request_flood(const struct call *call)
{
    int admitted = 0;
    int32_t status = 0;
    for (int i = 0; i < 20000; i++) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "flood-%d", i);
        status = ask(call, identifier);
        admitted += status == BAHOST_STATUS_OK;
    }
    say(call, "%d of 20000 taken, last status %d", admitted, status);
    return 0;
}

int32_t log_flood(const struct call *call)
{
    for (int i = 0; i < 5000; i++)
        say(call, "log line %d %0200d", i, 0);
    return 0;
}

/* ---- Logs ---- */

int32_t log_odd(const struct call *call)
{
    const size_t size = 1 << 20;
    const bahost_host *host = call->host;
    char *huge = malloc(size);
    if (huge == NULL)
        return -ENOMEM;
    memset(huge, 'x', size);
    host->log(host, BAHOST_LOG_INFO, huge, size);
    free(huge);
    host->log(host, BAHOST_LOG_INFO, NULL, 0);
    host->log(host, BAHOST_LOG_INFO, NULL, 12);
    host->log(host, INT32_MAX, "level above", 11);
    host->log(host, INT32_MIN, "level below", 11);
    host->log(host, BAHOST_LOG_INFO, "\xc3\x28 \xff", 4);
    host->log(host, BAHOST_LOG_INFO, "NUL\0inside", 10);
    host->log(host, BAHOST_LOG_INFO, "\033]0;title\a\033[2J\r\nforged: line", 27);
    return 0;
}

/* ---- Returns ---- */

int32_t return_number(const struct call *call)
{
    return (int32_t)number_argument(call, 0);
}

int32_t bad_return(const struct call *call)
{
    (void)call;
    return 42;
}

int32_t negative_return(const struct call *call)
{
    ask(call, "one");
    ask(call, "two");
    ask(call, "three");
    return -7;
}

/* Asks twice for the same and hands the host's own status on as its return. */
int32_t double_return_status(const struct call *call)
{
    ask(call, "twice");
    return ask(call, "twice");
}

/* ---- Strings and pointers ---- */

static void ask_odd(const struct call *call, const char *what, const char *identifier,
                    const char *url)
{
    bahost_download_request request;
    make_request(call, &request, identifier);
    if (url != NULL)
        request.url = url;
    say(call, "%s: status %d", what, call->host->schedule(call->host, &request));
}

int32_t bad_strings(const struct call *call)
{
    static char longest[256], too_long[257], long_url[9000];
    memset(longest, 'a', 255);
    memset(too_long, 'a', 256);
    memset(long_url, 'a', sizeof long_url - 1);
    memcpy(long_url, "https://example.com/", 20);
    ask_odd(call, "identifier of 255 bytes", longest, NULL);
    ask_odd(call, "identifier of 256 bytes", too_long, NULL);
    ask_odd(call, "empty identifier", "", NULL);
    ask_odd(call, "no identifier", NULL, NULL);
    ask_odd(call, "identifier not UTF-8", "caf\xe9", NULL);
    ask_odd(call, "identifier with a surrogate", "\xed\xa0\x80", NULL);
    ask_odd(call, "identifier of two dots", "..", NULL);
    ask_odd(call, "identifier with slashes", "../../etc/passwd", NULL);
    ask_odd(call, "identifier with a line end", "line\nend", NULL);
    ask_odd(call, "URL of 8999 bytes", "long-url", long_url);
    ask_odd(call, "empty URL", "empty-url", "");
    ask_odd(call, "URL not UTF-8", "url-bytes", "https://example.com/\xff");
    ask_odd(call, "URL with a user", "url-user", "https://user:word@example.com/");
    ask_odd(call, "URL of a file", "url-file", "file:///etc/passwd");
    ask_odd(call, "URL with a backslash", "url-backslash", "https://example.com\\@other.example/");
    return 0;
}

/* A string that begins at an address nothing lies at. */
int32_t bad_pointer(const struct call *call)
{
    void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ask_odd(call, "unreadable identifier", page, NULL);
    return 0;
}

int32_t null_request(const struct call *call)
{
    const bahost_host *host = call->host;
    bahost_download downloads[2] = {{.struct_size = sizeof(bahost_download)}};
    uint32_t count = 0;
    bahost_download_request request;
    make_request(call, &request, "no-host");
    say(call, "schedule NULL: status %d", host->schedule(host, NULL));
    say(call, "schedule without host: status %d", host->schedule(NULL, &request));
    say(call, "cancel NULL: status %d", host->cancel(host, NULL));
    say(call, "list without out: status %d", host->current_downloads(host, NULL, NULL, 2, &count));
    say(call, "list without count: status %d",
        host->current_downloads(host, NULL, downloads, 2, NULL));
    say(call, "list without room: status %d",
        host->current_downloads(host, NULL, downloads, 0, &count));
    downloads[0].struct_size = 0;
    say(call, "list of stride 0: status %d",
        host->current_downloads(host, NULL, downloads, 2, &count));
    say(call, "remaining of what is not: %lld", (long long)host->remaining(host, 77));
    say(call, "query NULL: %s", host->query(host, NULL) == NULL ? "NULL" : "something");
    request.header_count = 3;
    say(call, "3 headers at NULL: status %d", host->schedule(host, &request));
    request.header_count = UINT32_MAX;
    say(call, "4294967295 headers: status %d", host->schedule(host, &request));
    request.header_count = 0;
    request.mirror_count = 17;
    say(call, "17 mirrors at NULL: status %d", host->schedule(host, &request));
    return 0;
}

int32_t wrong_struct_size(const struct call *call)
{
    static const uint32_t sizes[] = {0, 4, 16, 23, 24, 79, 80, 81, 4096, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "size-%u", sizes[i]);
        bahost_download_request request;
        make_request(call, &request, identifier);
        request.struct_size = sizes[i];
        int32_t status = call->host->schedule(call->host, &request);
        say(call, "struct_size %u: status %d", sizes[i], status);
    }
    return 0;
}

int32_t reserved_bits(const struct call *call)
{
    for (unsigned bit = 2; bit < 32; bit++) {
        bahost_download_request request;
        make_request(call, &request, "reserved-bit");
        request.flags = 1u << bit;
        say(call, "bit %u: status %d", bit, call->host->schedule(call->host, &request));
    }
    return 0;
}

/* ---- Threads ---- */

static void *call_for_ever(void *host)
{
    const bahost_host *table = host;
    for (;;) {
        table->remaining(table, BAHOST_REMAINING_CALL_MS);
        table->cancel(table, "nothing");
        usleep(1000);
    }
    return NULL;
}

/* A thread goes on calling the host when the entry point has returned. */
int32_t late_thread_call(const struct call *call)
{
    pthread_t thread;
    int status = pthread_create(&thread, NULL, call_for_ever, (void *)(uintptr_t)call->host);
    say(call, "thread: %s", strerror(status));
    return -status;
}
