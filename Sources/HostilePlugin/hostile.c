// The hostile plugin: does the one wrong thing that it is told to do.
#include "hostile.h"

#include <sys/resource.h>

BAHOST_PLUGIN("Hostile", "1.0");

volatile enum terminate in_terminate;

#define TABLE_ROW(word, function) {word, function},
static const struct {
    const char *word;
    technique *run;
} techniques[] = {TECHNIQUES(TABLE_ROW)};

/* A worker always has this limit. Without it this is not a worker, and nothing is done. */
static int is_limited(void)
{
    struct rlimit data;
    return getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY;
}

static int32_t run(const struct call *call, const char *word)
{
    if (!is_limited()) {
        say(call, "%s: not done, because RLIMIT_DATA is unlimited here", word);
        return NOT_LIMITED;
    }
    for (size_t i = 0; i < sizeof techniques / sizeof techniques[0]; i++)
        if (strcmp(word, techniques[i].word) == 0)
            return techniques[i].run(call);
    int32_t status = hold_by(call, word);
    if (status == NO_SUCH_TECHNIQUE)
        say(call, "there is no technique `%s`", word);
    return status;
}

/* Cuts `<word> [argument]` into its parts; without a word: hello. */
static const char *split_line(struct call *call, char *line)
{
    char *rest = NULL;
    const char *word = strtok_r(line, " \r\n", &rest);
    const char *argument = strtok_r(NULL, "\r\n", &rest);
    call->argument = argument != NULL ? argument : "";
    return word != NULL ? word : "hello";
}

/* ---- While it is loaded ---- */

/* In a copy of the file these bytes are overwritten by `<word> [argument]` and NUL. */
static volatile const char constructor_word[64] = "BAHOST-CONSTRUCTOR-WORD";

__attribute__((constructor)) static void on_load(void)
{
    char line[sizeof constructor_word + 1] = "";
    if (constructor_word[0] == 'B') // no word begins with a capital letter
        return;
    for (size_t i = 0; i < sizeof constructor_word; i++)
        line[i] = constructor_word[i];
    struct call call = {.argument = ""};
    run(&call, split_line(&call, line));
}

/* ---- Entry points ---- */

/* The manifest's first line is `<word> [argument]`. Without a manifest: hello. */
int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    char line[512] = "";
    struct call call = {.host = host, .request = request};
    if (request->manifest_path != NULL)
        call.manifest = fopen(request->manifest_path, "re");
    if (call.manifest != NULL && fgets(line, sizeof line, call.manifest) == NULL)
        line[0] = '\0';
    int32_t status = run(&call, split_line(&call, line));
    if (call.manifest != NULL)
        fclose(call.manifest);
    return status;
}

int32_t bahost_update(const bahost_host *host, const bahost_content_request *request)
{
    return bahost_install(host, request);
}

int32_t bahost_check_for_updates(const bahost_host *host, const bahost_content_request *request)
{
    return bahost_install(host, request);
}

/* An identifier `sin.<word>` does word; `return.<number>` returns number; others return 0. */
static int32_t run_identifier(const bahost_host *host, const char *identifier)
{
    struct call call = {.host = host, .argument = ""};
    if (strncmp(identifier, "sin.", 4) == 0)
        return run(&call, identifier + 4);
    return strncmp(identifier, "return.", 7) == 0 ? atoi(identifier + 7) : 0;
}

int32_t bahost_should_download(const bahost_host *host, const bahost_asset_pack *pack)
{
    return run_identifier(host, pack->identifier);
}

int32_t bahost_download_finished(
    const bahost_host *host, const bahost_download *download, const char *path)
{
    bahost_log_format(host, BAHOST_LOG_INFO, "finished %s at %s", download->identifier, path);
    return run_identifier(host, download->identifier);
}

int32_t bahost_download_failed(
    const bahost_host *host, const bahost_download *download, const bahost_error *error)
{
    bahost_log_format(host, BAHOST_LOG_INFO, "failed %s: domain %u code %d", download->identifier,
                      error->domain, error->code);
    return run_identifier(host, download->identifier);
}

void bahost_will_terminate(const bahost_host *host, uint32_t reason)
{
    bahost_log_format(host, BAHOST_LOG_INFO, "will terminate: reason %u", reason);
    while (in_terminate == HANGS)
        continue;
    if (in_terminate == LEAVES)
        exit(0);
}
