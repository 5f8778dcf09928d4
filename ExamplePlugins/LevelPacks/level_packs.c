// A game's levels. The first three must be there before the game can start (essential), the rest
// come in the background, in the order of the manifest. See README.md.
#include "levels.h"

BAHOST_PLUGIN("Level packs", "1.0");

enum { ESSENTIAL_LEVELS = 3 };

/* What one pass over the manifest works with. */
struct pass {
    const bahost_host *host;
    const char *levels_folder; // where finished levels lie; NULL: ask for all
    FILE *essentials;          // remembers the essential ones; NULL: none is essential
};

static int32_t ask(const bahost_host *host, const struct level *level, int essential, int place)
{
    bahost_download_request wish;
    bahost_request_init(&wish, level->identifier, level->url, level->size);
    wish.flags = essential ? BAHOST_REQUEST_ESSENTIAL : 0;
    wish.priority = -place; // earlier levels first; compared within this app only
    wish.sha256 = level->sha256;
    return host->schedule(host, &wish);
}

/* Asks for one level: essential if it is among the first and that is possible, else plain. */
static void ask_for_level(const struct pass *pass, const struct level *level, int place)
{
    int essential = pass->essentials != NULL && place <= ESSENTIAL_LEVELS && level->size > 0;
    int32_t status = ask(pass->host, level, essential, place);
    if (essential && status == BAHOST_STATUS_OK)
        fprintf(pass->essentials, "%s\n", level->line);
    if (status == BAHOST_STATUS_ESSENTIAL_DOWNLOAD_NOT_PERMITTED ||
        (essential && status == BAHOST_STATUS_WOULD_EXCEED_ALLOWANCE))
        status = ask(pass->host, level, 0, place);
    if (status != BAHOST_STATUS_OK)
        bahost_log_format(pass->host, BAHOST_LOG_WARNING, "level %s: refused with %d",
                          level->identifier, status);
}

/* Walks the manifest. Returns 0, or negative when it cannot be read or a line is wrong. */
static int32_t ask_for_levels(const struct pass *pass, const char *manifest_path)
{
    struct level_reader reader;
    if (levels_open(&reader, manifest_path) != 0) {
        bahost_log_format(pass->host, BAHOST_LOG_ERROR, "cannot open the manifest: %m");
        return -1;
    }
    struct level level;
    int place = 0;
    int found;
    while ((found = levels_next(&reader, &level)) > 0) {
        place++;
        if (!level_is_installed(pass->levels_folder, &level))
            ask_for_level(pass, &level, place);
    }
    if (found < 0)
        bahost_log_format(pass->host, BAHOST_LOG_ERROR, "manifest line %d: %s", reader.line_number,
                          reader.complaint);
    levels_close(&reader);
    return found < 0 ? -2 : 0;
}

/* Install and update: everything, the first levels essential. The list of essential ones is kept,
 * because another worker may be told that one failed, and the manifest is gone by then. */
int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    if (request->manifest_path == NULL)
        return 0;
    char *list = path_join(request->app->container_path, ESSENTIALS_LIST);
    struct pass pass = {.host = host, .essentials = list ? fopen(list, "we") : NULL};
    if (pass.essentials == NULL)
        bahost_log_format(host, BAHOST_LOG_WARNING, "no level is essential: cannot write %s: %m",
                          ESSENTIALS_LIST);
    int32_t status = ask_for_levels(&pass, request->manifest_path);
    if (pass.essentials != NULL && fclose(pass.essentials) != 0)
        bahost_log_format(host, BAHOST_LOG_WARNING, "cannot write %s: %m", ESSENTIALS_LIST);
    free(list);
    return status;
}

int32_t bahost_update(const bahost_host *host, const bahost_content_request *request)
{
    return bahost_install(host, request);
}

/* The periodic check: what is missing. */
int32_t bahost_check_for_updates(const bahost_host *host, const bahost_content_request *request)
{
    if (request->manifest_path == NULL)
        return 0;
    char *folder = path_join(request->app->container_path, LEVELS_FOLDER);
    struct pass pass = {.host = host, .levels_folder = folder};
    int32_t status = ask_for_levels(&pass, request->manifest_path);
    free(folder);
    return status;
}

/* Moves the level from <container>/Downloads/… to <container>/Library/levels/<identifier>. */
int32_t bahost_download_finished(
    const bahost_host *host, const bahost_download *download, const char *path)
{
    if (download->kind != BAHOST_KIND_URL || !is_level_identifier(download->identifier))
        return BAHOST_FINISHED_KEEP;
    if (move_into_levels(path, download->identifier) != 0) {
        bahost_log_format(host, BAHOST_LOG_WARNING, "level %s stays at %s: %m",
                          download->identifier, path);
        return BAHOST_FINISHED_KEEP;
    }
    bahost_log_format(host, BAHOST_LOG_INFO, "level %s is ready", download->identifier);
    return BAHOST_FINISHED_DONE;
}

/* An essential level that failed is asked for again as a plain one: the game can start without it
 * and the host goes on trying. */
int32_t bahost_download_failed(
    const bahost_host *host, const bahost_download *download, const bahost_error *error)
{
    bahost_log_format(host, BAHOST_LOG_WARNING, "level %s failed: %s", download->identifier,
                      error->message);
    if ((download->flags & BAHOST_DOWNLOAD_ESSENTIAL) == 0)
        return 0;
    struct level level;
    if (find_essential(&level, download->identifier) != 0) {
        bahost_log_format(host, BAHOST_LOG_ERROR, "level %s is not in %s", download->identifier,
                          ESSENTIALS_LIST);
        return 0;
    }
    int32_t status = ask(host, &level, 0, 0);
    bahost_log_format(host, status ? BAHOST_LOG_ERROR : BAHOST_LOG_INFO,
                      "level %s: asked for again, status %d", download->identifier, status);
    return 0;
}
