#include "levels.h"

#include <errno.h>
#include <sys/stat.h>

int levels_open(struct level_reader *reader, const char *path)
{
    *reader = (struct level_reader){.file = fopen(path, "re")};
    return reader->file == NULL ? -1 : 0;
}

void levels_close(struct level_reader *reader)
{
    fclose(reader->file);
}

int is_level_identifier(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    size_t length = strlen(name);
    return length > 0 && length <= 200 && name[0] != '.' && strspn(name, allowed) == length;
}

/* Fills the level from its line. Returns NULL, or what is wrong. */
static const char *parse(struct level *level)
{
    char *rest = NULL, *word[6];
    memcpy(level->words, level->line, sizeof level->words);
    for (int i = 0; i < 6; i++)
        word[i] = strtok_r(i == 0 ? level->words : NULL, " \t", &rest);
    if (word[4] == NULL || word[5] != NULL || strcmp(word[0], "level") != 0)
        return "not `level <identifier> <size> <sha256> <url>`";
    level->identifier = word[1];
    level->url = word[4];
    level->sha256 = strcmp(word[3], "-") == 0 ? NULL : level->digest;
    if (!is_level_identifier(level->identifier))
        return "an identifier is letters, digits, _ - . and begins with no dot";
    errno = 0;
    level->size = strtoull(word[2], NULL, 10);
    if (errno != 0 || strspn(word[2], "0123456789") != strlen(word[2]))
        return "the size is not a number of bytes";
    if (level->sha256 != NULL && bahost_sha256_from_hex(level->digest, word[3]) != 0)
        return "the sha256 is neither 64 hexadecimal digits nor `-`";
    return NULL;
}

int levels_next(struct level_reader *reader, struct level *level)
{
    while (fgets(level->line, sizeof level->line, reader->file) != NULL) {
        reader->line_number++;
        size_t length = strlen(level->line);
        if (!feof(reader->file) && (length == 0 || level->line[length - 1] != '\n')) {
            reader->complaint = "too long, or a NUL in it";
            return -1;
        }
        while (length > 0 && strchr("\r\n", level->line[length - 1]) != NULL)
            level->line[--length] = '\0';
        if (level->line[strspn(level->line, " \t")] == '\0' || level->line[0] == '#')
            continue;
        reader->complaint = parse(level);
        return reader->complaint == NULL ? 1 : -1;
    }
    reader->complaint = "it cannot be read further";
    return ferror(reader->file) ? -1 : 0;
}

char *path_join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

int level_is_installed(const char *levels_folder, const struct level *level)
{
    char *path = levels_folder ? path_join(levels_folder, level->identifier) : NULL;
    struct stat found;
    int installed = path != NULL && stat(path, &found) == 0 && S_ISREG(found.st_mode) &&
                    (level->size == 0 || (uint64_t)found.st_size == level->size);
    free(path);
    return installed;
}

/* <container> of <container>/Downloads/<name>, for the caller to free; NULL with errno. */
static char *container_of(const char *path)
{
    static const char downloads[] = "/Downloads";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    size_t tail = sizeof downloads - 1;
    if (length <= tail || memcmp(path + length - tail, downloads, tail) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return strndup(path, length - tail);
}

int move_into_levels(const char *path, const char *identifier)
{
    char *container = container_of(path);
    char *folder = container ? path_join(container, LEVELS_FOLDER) : NULL;
    char *target = folder ? path_join(folder, identifier) : NULL;
    int status = -1;
    if (target != NULL && (mkdir(folder, 0700) == 0 || errno == EEXIST))
        status = rename(path, target);
    int code = errno;
    free(target);
    free(folder);
    free(container);
    errno = code;
    return status;
}

int find_essential(struct level *level, const char *identifier)
{
    // No app information comes with a failure; the worker's HOME is its container.
    const char *container = getenv("HOME");
    char *list = container ? path_join(container, ESSENTIALS_LIST) : NULL;
    struct level_reader reader;
    int status = list != NULL ? levels_open(&reader, list) : -1;
    free(list);
    if (status != 0)
        return -1;
    int found;
    do
        found = levels_next(&reader, level);
    while (found > 0 && strcmp(level->identifier, identifier) != 0);
    levels_close(&reader);
    return found > 0 ? 0 : -1;
}
