// What the activities of the C and C++ plugins share. See README.md.
#pragma once

#include <bahost/bahost.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an activity is given. */
struct call {
    const bahost_host *host;
    const bahost_content_request *request;
};

typedef int32_t activity(const struct call *call);

struct named_activity {
    const char *word;
    activity *run;
};

/* A claim that does not hold: its text and errno are logged, and the activity returns -1. */
#define REQUIRE(call, claim)                                                                       \
    do {                                                                                           \
        errno = 0;                                                                                 \
        if (!(claim))                                                                              \
            return failed((call), #claim, __LINE__);                                               \
    } while (0)

static inline int32_t failed(const struct call *call, const char *claim, int line)
{
    bahost_log_format(call->host, BAHOST_LOG_ERROR, "failed: line %d: %s (%s)", line, claim,
                      strerror(errno));
    return -1;
}

/* Logs what was found, for the end of an activity. Returns 0. */
#define FOUND(call, ...) (bahost_log_format((call)->host, BAHOST_LOG_INFO, "ok: " __VA_ARGS__), 0)

/* A path below the container in `room`. */
static inline const char *in_container(
    const struct call *call, const char *name, char *room, size_t size)
{
    snprintf(room, size, "%s/%s", call->request->app->container_path, name);
    return room;
}

/* Does what the manifest's first line says. */
static inline int32_t run_first_line(
    const bahost_host *host, const bahost_content_request *request,
    const struct named_activity *activities, size_t count)
{
    char word[64] = "";
    const struct call call = {host, request};
    FILE *manifest = request->manifest_path != NULL ? fopen(request->manifest_path, "re") : NULL;
    REQUIRE(&call, manifest != NULL);
    const int read = fscanf(manifest, "%63s", word);
    fclose(manifest);
    REQUIRE(&call, read == 1);
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, activities[i].word) == 0)
            return activities[i].run(&call);
    bahost_log_format(host, BAHOST_LOG_ERROR, "failed: there is no activity `%s`", word);
    return -1;
}
