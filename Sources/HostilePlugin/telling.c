// How techniques say what they did, and what they ask of their surroundings.
#include "hostile.h"

#include <stdarg.h>

enum { TEXT_BYTES = 1024 };

void say(const struct call *call, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (call->host != NULL)
        bahost_log_text(call->host, BAHOST_LOG_INFO, text);
    else
        fprintf(stderr, "%s\n", text);
}

/* `VERDICT WHAT`, and `: NAME` where there is an error. */
static void tell_attempt(const struct call *call, const char *verdict, int error,
                         const char *format, va_list arguments)
{
    char what[TEXT_BYTES];
    vsnprintf(what, sizeof what, format, arguments);
    const char *name = error != 0 ? strerrorname_np(error) : "";
    if (error == 0)
        say(call, "%s %s", verdict, what);
    else if (name != NULL)
        say(call, "%s %s: %s", verdict, what, name);
    else
        say(call, "%s %s: %d", verdict, what, error);
}

void allowed(const struct call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_attempt(call, "allowed", 0, format, arguments);
    va_end(arguments);
}

int32_t attempt(const struct call *call, long result, const char *format, ...)
{
    const int error = result < 0 ? errno : 0;
    va_list arguments;
    va_start(arguments, format);
    tell_attempt(call, error != 0 ? "refused" : "allowed", error, format, arguments);
    va_end(arguments);
    return 0;
}

int32_t forbidden(const struct call *call, long result, const char *format, ...)
{
    const int error = result < 0 ? errno : 0;
    va_list arguments;
    va_start(arguments, format);
    tell_attempt(call, error != 0 ? "refused" : "hole", error, format, arguments);
    va_end(arguments);
    return error != 0 ? 0 : -1;
}

int32_t unheard(const struct call *call, long result, int answer, const char *format, ...)
{
    const int error = result < 0 ? errno : 0;
    char what[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    errno = error;
    if (error == 0 || error == answer)
        return forbidden(call, result, "%s", what);
    const char *name = strerrorname_np(error);
    return forbidden(call, 0, "%s, and the kernel answered %s", what, name != NULL ? name : "?");
}

int32_t not_here(const struct call *call, const char *what)
{
    say(call, "not here %s", what);
    return 0;
}

void asked(const struct call *call, int32_t status, const char *what)
{
    if (status == BAHOST_STATUS_OK)
        say(call, "allowed %s", what);
    else
        say(call, "refused %s: %d", what, status);
}

long number_argument(const struct call *call, int place)
{
    char *rest = (char *)call->argument;
    long number = 0;
    for (int i = 0; i <= place; i++)
        number = strtol(rest, &rest, 10);
    return number;
}

const char *in_container(const struct call *call, const char *name)
{
    enum { PATHS = 4 };
    static char paths[PATHS][2048];
    static unsigned turn;
    char *path = paths[turn++ % PATHS];
    snprintf(path, sizeof paths[0], "%s/%s", container(call), name);
    return path;
}

const char *container(const struct call *call)
{
    const char *home = getenv("HOME");
    if (call->request != NULL && call->request->app != NULL)
        return call->request->app->container_path;
    return home != NULL ? home : ".";
}

void make_request(
    const struct call *call, bahost_download_request *request, const char *identifier)
{
    const char *url = call->argument[0] != '\0' ? call->argument : "https://example.com/file";
    bahost_request_init(request, identifier, url, 0);
}
