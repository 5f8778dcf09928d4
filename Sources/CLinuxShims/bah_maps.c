#define _GNU_SOURCE
#include "bah_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Takes hexadecimal digits from `*text` on and leaves it after them. */
static uintptr_t parse_address(const char **text)
{
    uintptr_t value = 0;
    for (;; (*text)++) {
        const char digit = **text;
        if (digit >= '0' && digit <= '9') {
            value = (value << 4) + (uintptr_t)(digit - '0');
        } else if (digit >= 'a' && digit <= 'f') {
            value = (value << 4) + (uintptr_t)(digit - 'a' + 10);
        } else {
            return value;
        }
    }
}

/* One line without its end: "start-end rwxp offset device inode   name". */
static int parse_line(const char *line, struct bah_map *map)
{
    map->start = parse_address(&line);
    if (*line++ != '-') {
        return -EINVAL;
    }
    map->end = parse_address(&line);
    if (*line++ != ' ' || strlen(line) < 4) {
        return -EINVAL;
    }
    map->protection = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0)
                      | (line[2] == 'x' ? PROT_EXEC : 0);
    const char *name = strrchr(line, ' ');
    map->kind = name == NULL                         ? BAH_MAP_OTHER
                : strcmp(name + 1, "[stack]") == 0    ? BAH_MAP_STACK
                : strcmp(name + 1, "[vsyscall]") == 0 ? BAH_MAP_KERNEL
                                                      : BAH_MAP_OTHER;
    return 0;
}

struct lines {
    char line[256];
    size_t length;
};

/* Collects characters into lines; a name that is too long is cut, which changes nothing here. */
static int feed(
    struct lines *lines, const char *text, size_t count,
    int (*take)(const struct bah_map *map, void *context), void *context)
{
    for (size_t i = 0; i < count; i++) {
        if (text[i] != '\n') {
            if (lines->length < sizeof lines->line - 1) {
                lines->line[lines->length++] = text[i];
            }
            continue;
        }
        struct bah_map map;
        lines->line[lines->length] = '\0';
        lines->length = 0;
        const int status = parse_line(lines->line, &map);
        const int taken = status == 0 ? take(&map, context) : status;
        if (taken != 0) {
            return taken;
        }
    }
    return 0;
}

int bah_each_map(int (*take)(const struct bah_map *map, void *context), void *context)
{
    char text[4096];
    struct lines lines = {.length = 0};
    int status = 0;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -errno;
    }
    while (status == 0) {
        const ssize_t count = read(file, text, sizeof text);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            status = count < 0 ? -errno : 0;
            break;
        }
        status = feed(&lines, text, (size_t)count, take, context);
    }
    close(file);
    return status;
}
