/* The door to libcurl: typed wrappers, so that nobody calls a variadic function, over a table that
 * dlopen(3) fills on first use. Nothing here links libcurl (design.md, section 3). */
#pragma once

#if !__has_include(<curl/curl.h>)
#error "bahost needs the Debian package libcurl4-openssl-dev: run 'make setup'"
#endif

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Every function below but these two may be called only after this one has returned 0.
 * Opens libcurl.so.4 and calls curl_global_init(3) once per process, from any thread.
 * Returns 0 or a negative errno value: -ELIBACC when the library or one of its functions is
 * missing, -ENOTSUP when it is older than 7.85.0, -ENOMEM when its own start failed. */
int bah_curl_load(void);

/* What dlopen(3) or dlsym(3) said when loading failed; an empty string before and otherwise. */
const char *_Nonnull bah_curl_load_message(void);

/* curl_easy_init(3), curl_easy_cleanup(3), curl_easy_strerror(3), curl_getdate(3). */
CURL *_Nullable bah_curl_easy_open(void);
void bah_curl_easy_close(CURL *_Nonnull easy);
const char *_Nonnull bah_curl_describe_code(CURLcode code);
/* Seconds since 1970, or -1 when the text is no date. */
int64_t bah_curl_parse_date(const char *_Nonnull text);

/* curl_easy_setopt(3), by the type that the option takes. Each returns a CURLcode. */
CURLcode bah_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value);
/* CURLOPT_QUICK_EXIT where libcurl has it (7.87.0): whoever ends a transfer does not wait for the
 * thread that looks up its name. Where it does not, CURLE_OK. */
CURLcode bah_curl_leave_resolver(CURL *_Nonnull easy);
CURLcode bah_curl_set_text(CURL *_Nonnull easy, CURLoption option, const char *_Nullable text);
CURLcode bah_curl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable pointer);
/* The list is not copied: it must live as long as the handle uses it. */
CURLcode bah_curl_set_list(CURL *_Nonnull easy, CURLoption option,
                           struct curl_slist *_Nullable list);

/* CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION have one shape. */
typedef size_t (*bah_curl_receive)(char *_Nonnull bytes, size_t size, size_t count,
                                   void *_Nullable context);
CURLcode bah_curl_set_receiver(CURL *_Nonnull easy, CURLoption option,
                               bah_curl_receive _Nonnull receive);

/* Judges an address before a socket is made for it: non-zero goes on. CURLOPT_OPENSOCKETFUNCTION;
 * the socket that is then made has SOCK_CLOEXEC. */
typedef int (*bah_curl_judge)(const struct sockaddr *_Nonnull address, unsigned length,
                              void *_Nullable context);
/* Told of each socket that is made. */
typedef void (*bah_curl_opened)(curl_socket_t made, void *_Nullable context);
/* Both ends of a connection. */
struct bah_curl_ends {
    const char *_Nullable peer;
    const char *_Nullable local;
    int peer_port;
    int local_port;
};
/* Judges a connection, new or kept, before a request goes out on it: non-zero goes on.
 * CURLOPT_PREREQFUNCTION. */
typedef int (*bah_curl_confirm)(const struct bah_curl_ends *_Nonnull ends,
                                void *_Nullable context);

struct bah_curl_gate {
    bah_curl_judge _Nonnull judge;
    bah_curl_opened _Nonnull opened;
    bah_curl_confirm _Nonnull confirm;
    void *_Nullable context;
};
/* The gate is not copied: it must live as long as the handle. */
CURLcode bah_curl_set_gate(CURL *_Nonnull easy, struct bah_curl_gate *_Nonnull gate);

/* The local port of a socket; 0 when it has none. getsockname(2). */
int bah_curl_local_port(curl_socket_t made);
/* Non-zero when something waits to be read, be it the end. recv(2) with MSG_PEEK. */
int bah_curl_has_input(curl_socket_t made);

/* curl_slist_append(3): the new list, or NULL without memory, and then the old one is intact. */
struct curl_slist *_Nullable bah_curl_append_list(struct curl_slist *_Nullable list,
                                                  const char *_Nonnull text);
void bah_curl_free_list(struct curl_slist *_Nullable list);

/* curl_easy_getinfo(3): 0 when the value is not known. */
long bah_curl_read_long(CURL *_Nonnull easy, CURLINFO info);

/* curl_multi_init(3) and its family. Codes are CURLMcode. */
CURLM *_Nullable bah_curl_multi_open(void);
void bah_curl_multi_close(CURLM *_Nonnull multi);
CURLMcode bah_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);
CURLMcode bah_curl_multi_add(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode bah_curl_multi_remove(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode bah_curl_multi_perform(CURLM *_Nonnull multi);
/* Waits for any transfer, for `descriptor` to be readable, or for the time to be over. */
CURLMcode bah_curl_multi_wait(CURLM *_Nonnull multi, int descriptor, int timeout_ms);
/* 1 and the next transfer that has ended, or 0 when there is none. */
int bah_curl_multi_next_done(CURLM *_Nonnull multi, CURL *_Nullable *_Nonnull easy,
                             CURLcode *_Nonnull result);

/* curl_url(3) and its family. Codes are CURLUcode. A text that was got is freed by the caller. */
CURLU *_Nullable bah_curl_url_open(void);
void bah_curl_url_close(CURLU *_Nonnull url);
CURLUcode bah_curl_url_set(CURLU *_Nonnull url, CURLUPart part, const char *_Nonnull text,
                           unsigned flags);
CURLUcode bah_curl_url_get(CURLU *_Nonnull url, CURLUPart part, char *_Nullable *_Nonnull text,
                           unsigned flags);
void bah_curl_free_text(char *_Nullable text);
const char *_Nonnull bah_curl_describe_url_code(CURLUcode code);
