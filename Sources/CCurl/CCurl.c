#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* We call through pointers; the macros that check the types of direct calls are in the way. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define BAH_CURL_FUNCTIONS(X)                                                                    \
    X(curl_global_init) X(curl_version_info) X(curl_getdate) X(curl_free)                        \
    X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_setopt) X(curl_easy_getinfo)              \
    X(curl_easy_strerror) X(curl_easy_pause) X(curl_slist_append) X(curl_slist_free_all)         \
    X(curl_multi_init) X(curl_multi_cleanup) X(curl_multi_setopt) X(curl_multi_add_handle)       \
    X(curl_multi_remove_handle) X(curl_multi_perform) X(curl_multi_poll)                         \
    X(curl_multi_info_read) X(curl_url) X(curl_url_cleanup) X(curl_url_set) X(curl_url_get)      \
    X(curl_url_strerror)

/* typeof names the type of the function and makes no reference to it. */
static struct {
#define BAH_CURL_FIELD(name) __typeof__(name) *name;
    BAH_CURL_FUNCTIONS(BAH_CURL_FIELD)
#undef BAH_CURL_FIELD
} curl;

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static int load_status;
static char load_message[256];

/* 7.85.0: CURLOPT_PROTOCOLS_STR. */
enum { OLDEST_VERSION = 0x075500 };

static void fail(int status, const char *text)
{
    load_status = status;
    snprintf(load_message, sizeof load_message, "%s", text ? text : "unknown");
}

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fail(-ELIBACC, dlerror());
        return;
    }
#define BAH_CURL_FIND(name)                                                                      \
    curl.name = (__typeof__(name) *)dlsym(library, #name);                                       \
    if (curl.name == NULL) {                                                                     \
        fail(-ELIBACC, dlerror());                                                               \
        return;                                                                                  \
    }
    BAH_CURL_FUNCTIONS(BAH_CURL_FIND)
#undef BAH_CURL_FIND
    if (curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        fail(-ENOMEM, "curl_global_init failed");
        return;
    }
    const curl_version_info_data *version = curl.curl_version_info(CURLVERSION_NOW);
    if (version->version_num < OLDEST_VERSION) {
        fail(-ENOTSUP, "libcurl is older than 7.85.0");
    }
}

int bah_curl_load(void)
{
    pthread_once(&load_once, load);
    return load_status;
}

const char *bah_curl_load_message(void)
{
    return load_message;
}

CURL *bah_curl_easy_open(void)
{
    return curl.curl_easy_init();
}

void bah_curl_easy_close(CURL *easy)
{
    curl.curl_easy_cleanup(easy);
}

const char *bah_curl_describe_code(CURLcode code)
{
    return curl.curl_easy_strerror(code);
}

int64_t bah_curl_parse_date(const char *text)
{
    return curl.curl_getdate(text, NULL);
}

CURLcode bah_curl_set_long(CURL *easy, CURLoption option, long value)
{
    return curl.curl_easy_setopt(easy, option, value);
}

CURLcode bah_curl_leave_resolver(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075700
    CURLcode code = curl.curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    return code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
#else
    (void)easy;
    return CURLE_OK;
#endif
}

CURLcode bah_curl_allow_http2(CURL *easy)
{
    CURLcode code =
        curl.curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    return code == CURLE_OK ? CURLE_OK
                            : curl.curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                                                    (long)CURL_HTTP_VERSION_1_1);
}

CURLcode bah_curl_set_text(CURL *easy, CURLoption option, const char *text)
{
    return curl.curl_easy_setopt(easy, option, text);
}

CURLcode bah_curl_set_pointer(CURL *easy, CURLoption option, void *pointer)
{
    return curl.curl_easy_setopt(easy, option, pointer);
}

CURLcode bah_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list)
{
    return curl.curl_easy_setopt(easy, option, list);
}

CURLcode bah_curl_set_receiver(CURL *easy, CURLoption option, bah_curl_receive receive)
{
    return curl.curl_easy_setopt(easy, option, receive);
}

CURLcode bah_curl_resume(CURL *easy)
{
    return curl.curl_easy_pause(easy, CURLPAUSE_CONT);
}

static curl_socket_t open_socket(void *context, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    const struct bah_curl_gate *gate = context;
    if (purpose != CURLSOCKTYPE_IPCXN ||
        !gate->judge(&address->addr, address->addrlen, gate->context)) {
        return CURL_SOCKET_BAD;
    }
    curl_socket_t made =
        socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (made != CURL_SOCKET_BAD) {
        gate->opened(made, gate->context);
    }
    return made;
}

static int before_request(void *context, char *peer, char *local, int peer_port, int local_port)
{
    const struct bah_curl_gate *gate = context;
    const struct bah_curl_ends ends = {peer, local, peer_port, local_port};
    return gate->confirm(&ends, gate->context) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

CURLcode bah_curl_set_gate(CURL *easy, struct bah_curl_gate *gate)
{
    CURLcode code = curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (code == CURLE_OK) {
        code = curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, (void *)gate);
    }
    if (code == CURLE_OK) {
        code = curl.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
    }
    if (code == CURLE_OK) {
        code = curl.curl_easy_setopt(easy, CURLOPT_PREREQDATA, (void *)gate);
    }
    return code;
}

int bah_curl_local_port(curl_socket_t made)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getsockname(made, (struct sockaddr *)&address, &size) != 0) {
        return 0;
    }
    switch (address.ss_family) {
    case AF_INET: return ntohs(((struct sockaddr_in *)&address)->sin_port);
    case AF_INET6: return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    default: return 0;
    }
}

int bah_curl_has_input(curl_socket_t made)
{
    char byte;
    ssize_t count = recv(made, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

struct curl_slist *bah_curl_append_list(struct curl_slist *list, const char *text)
{
    return curl.curl_slist_append(list, text);
}

void bah_curl_free_list(struct curl_slist *list)
{
    curl.curl_slist_free_all(list);
}

long bah_curl_read_long(CURL *easy, CURLINFO info)
{
    long value = 0;
    return curl.curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

CURLM *bah_curl_multi_open(void)
{
    return curl.curl_multi_init();
}

void bah_curl_multi_close(CURLM *multi)
{
    curl.curl_multi_cleanup(multi);
}

CURLMcode bah_curl_multi_set_long(CURLM *multi, CURLMoption option, long value)
{
    return curl.curl_multi_setopt(multi, option, value);
}

CURLMcode bah_curl_multi_add(CURLM *multi, CURL *easy)
{
    return curl.curl_multi_add_handle(multi, easy);
}

CURLMcode bah_curl_multi_remove(CURLM *multi, CURL *easy)
{
    return curl.curl_multi_remove_handle(multi, easy);
}

CURLMcode bah_curl_multi_perform(CURLM *multi)
{
    int running = 0;
    return curl.curl_multi_perform(multi, &running);
}

CURLMcode bah_curl_multi_wait(CURLM *multi, int descriptor, int timeout_ms)
{
    struct curl_waitfd extra = { .fd = descriptor, .events = CURL_WAIT_POLLIN };
    return curl.curl_multi_poll(multi, &extra, 1, timeout_ms, NULL);
}

int bah_curl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result)
{
    int left = 0;
    const CURLMsg *message;
    while ((message = curl.curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *easy = message->easy_handle;
            *result = message->data.result;
            return 1;
        }
    }
    return 0;
}

CURLU *bah_curl_url_open(void)
{
    return curl.curl_url();
}

void bah_curl_url_close(CURLU *url)
{
    curl.curl_url_cleanup(url);
}

CURLUcode bah_curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags)
{
    return curl.curl_url_set(url, part, text, flags);
}

CURLUcode bah_curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned flags)
{
    return curl.curl_url_get(url, part, text, flags);
}

void bah_curl_free_text(char *text)
{
    curl.curl_free(text);
}

const char *bah_curl_describe_url_code(CURLUcode code)
{
    return curl.curl_url_strerror(code);
}
