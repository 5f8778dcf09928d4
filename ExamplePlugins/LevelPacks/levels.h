// The manifest of levels, and the places in the container where levels lie.
#pragma once

#include <bahost/bahost.h>

#include <stdlib.h>

/* Under the container. */
#define LEVELS_FOLDER "Library/levels"
#define ESSENTIALS_LIST "Library/essential-levels.txt"

/* Longer than any identifier, size, digest and URL together. */
#define LEVEL_LINE_BYTES (9 * 1024)

/* One line: `level <identifier> <size> <sha256> <url>`. The pointers lead into the struct. */
struct level {
    const char *identifier; // letters, digits, `_` `-` `.`, not beginning with a dot
    const char *url;
    const uint8_t *sha256; // 32 bytes; NULL for `-`, not checked
    uint64_t size;         // bytes; 0 not known
    char line[LEVEL_LINE_BYTES]; // as it was read, without the line end
    char words[LEVEL_LINE_BYTES];
    uint8_t digest[32];
};

struct level_reader {
    FILE *file;
    int line_number;       // of the line read last
    const char *complaint; // what is wrong with it, after levels_next returned -1
};

/* Opens a manifest. Returns 0, or -1 with errno. */
int levels_open(struct level_reader *reader, const char *path);
/* The next level. Returns 1; 0 at the end; -1 with reader->complaint. */
int levels_next(struct level_reader *reader, struct level *level);
void levels_close(struct level_reader *reader);

/* Whether a name may be a level's: it becomes a file's name. */
int is_level_identifier(const char *name);
/* Whether a file of the level's size lies in the folder. NULL: no folder, so no. */
int level_is_installed(const char *levels_folder, const struct level *level);
/* Moves a finished download out of <container>/Downloads. Returns 0, or -1 with errno. */
int move_into_levels(const char *path, const char *identifier);
/* Looks the level up in the list that the install wrote. Returns 0, or -1: it is not there. */
int find_essential(struct level *level, const char *identifier);
/* folder/name, for the caller to free; NULL without memory. */
char *path_join(const char *folder, const char *name);
