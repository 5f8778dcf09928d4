// The frame around every technique that holds memory: say so, hold, and go.
#include "holding.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int cannot_return;

#define TABLE_ROW(word, function) {word, function},
static const struct {
    const char *word;
    memory_technique *run;
} techniques[] = {MEMORY_TECHNIQUES(TABLE_ROW)};

enum { MOST_FILLERS = 256, PAUSE_MS = 15, HOLD_MS = 60 };

static struct {
    char *start;
    size_t size;
} fillers[MOST_FILLERS];
static int filler_count;

void pause_for(long milliseconds)
{
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

void begin_holding(void)
{
    prctl(PR_SET_NAME, "bah-begin");
    pause_for(PAUSE_MS);
}

void show_held(uint64_t bytes)
{
    char name[32];
    snprintf(name, sizeof name, "bah-hold %llu", (unsigned long long)(bytes / 1024));
    prctl(PR_SET_NAME, name);
}

static void stop_holding(void)
{
    prctl(PR_SET_NAME, "bah-done");
}

void stay_holding(uint64_t bytes)
{
    show_held(bytes);
    pause_for(HOLD_MS);
    stop_holding();
}

static int32_t hold(const struct call *call, const char *word, memory_technique *run)
{
    begin_holding();
    const uint64_t held = run(call);
    show_held(held);
    pause_for(call->argument[0] != '\0' ? atol(call->argument) : HOLD_MS);
    if (cannot_return)
        syscall(SYS_exit_group, 0);
    for (; filler_count > 0; filler_count--)
        munmap(fillers[filler_count - 1].start, fillers[filler_count - 1].size);
    say(call, "holding %llu kB by %s", (unsigned long long)(held / 1024), word);
    stop_holding();
    return 0;
}

int32_t hold_by(const struct call *call, const char *word)
{
    for (size_t i = 0; i < sizeof techniques / sizeof techniques[0]; i++)
        if (strcmp(word, techniques[i].word) == 0)
            return hold(call, word, techniques[i].run);
    return NO_SUCH_TECHNIQUE;
}

uint64_t a0_nothing(const struct call *call)
{
    (void)call;
    return 0;
}

void tell(const struct call *call, const char *what)
{
    attempt(call, -1, "%s", what);
}

const char *c_library(void)
{
    Dl_info library;
    return dladdr(dlsym(RTLD_DEFAULT, "getpid"), &library) != 0 ? library.dli_fname : "";
}

/* ---- Memory ---- */

char *map_anonymous(void *hint, size_t size, int protection, int flags)
{
    const long place =
        syscall(SYS_mmap, hint, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return place == -1 ? NULL : (char *)place; // SAFETY: what the kernel returned
}

uint64_t dirty(char *start, size_t size)
{
    for (size_t offset = 0; offset < size; offset += PAGE)
        *(volatile char *)(start + offset) = 0x5a;
    return size;
}

uint64_t map_until_refused(uint64_t held, int flags, int then)
{
    size_t size = MEBIBYTE;
    while (held < MOST_HELD && size >= PAGE) {
        char *piece = map_anonymous(NULL, size, PROT_READ | PROT_WRITE, flags);
        if (piece == NULL) {
            size /= 2;
            continue;
        }
        held += dirty(piece, size);
        if (then != (PROT_READ | PROT_WRITE) && mprotect(piece, size, then) != 0)
            break;
    }
    return held;
}

void fill_address_space(void)
{
    for (size_t size = (size_t)1 << 46; size >= PAGE; size /= 2)
        while (filler_count < MOST_FILLERS) {
            char *piece = map_anonymous(NULL, size, PROT_NONE, MAP_NORESERVE);
            if (piece == NULL)
                break;
            fillers[filler_count].start = piece;
            fillers[filler_count++].size = size;
        }
}

/* ---- What is mapped ---- */

static struct maps maps;
static char text[128 * 1024];

static const char *read_text(void)
{
    size_t length = 0;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t count;
    while (file >= 0 && length + 1 < sizeof text &&
           (count = read(file, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(file);
    return text;
}

static int contains(const struct range *range, uintptr_t address)
{
    return range->start <= address && address < range->end;
}

static void note_groups(void)
{
    const uintptr_t own = (uintptr_t)&note_groups, libc = (uintptr_t)dlsym(RTLD_DEFAULT, "getpid");
    const uintptr_t loader = (uintptr_t)dlsym(RTLD_DEFAULT, "__tls_get_addr");
    for (int i = 0; i < maps.count; i++) {
        if (contains(&maps.ranges[i], own))
            maps.own_group = maps.ranges[i].group;
        if (contains(&maps.ranges[i], libc))
            maps.libc_group = maps.ranges[i].group;
        if (contains(&maps.ranges[i], loader))
            maps.loader_group = maps.ranges[i].group;
    }
}

const struct maps *read_maps(void)
{
    char path[256], previous[256] = "";
    int group = 0;
    maps.count = 0;
    for (const char *line = read_text(); line != NULL && maps.count < MOST_RANGES;) {
        unsigned long start, end;
        char access[5];
        path[0] = '\0';
        if (sscanf(line, "%lx-%lx %4s %*s %*s %*s%*[ ]%255[^\n]", &start, &end, access, path) < 3)
            break;
        group += strcmp(path, previous) != 0;
        strcpy(previous, path);
        const int protection = (access[0] == 'r' ? PROT_READ : 0) |
                               (access[1] == 'w' ? PROT_WRITE : 0) |
                               (access[2] == 'x' ? PROT_EXEC : 0);
        // The kernel's own pages are neither to be dirtied nor to be missed.
        if (strncmp(path, "[v", 2) != 0 && strcmp(path, "[stack]") != 0)
            maps.ranges[maps.count++] = (struct range){start, end, protection, group};
        line = strchr(line, '\n');
        line = line != NULL && line[1] != '\0' ? line + 1 : NULL;
    }
    note_groups();
    return &maps;
}

int is_disposable(const struct maps *all, const struct range *range)
{
    return !(range->protection & PROT_WRITE) && range->group != all->own_group &&
           range->group != all->libc_group && range->group != all->loader_group;
}

uint64_t unmap_disposable(const struct call *call)
{
    uint64_t unmapped = 0;
    const struct maps *all = read_maps();
    for (int i = 0; i < all->count; i++) {
        const struct range *range = &all->ranges[i];
        if (!is_disposable(all, range) ||
            munmap((void *)range->start, range->end - range->start) != 0)
            continue;
        unmapped += range->end - range->start;
        cannot_return |= range->protection != PROT_NONE; // a guard page is missed by nobody
    }
    if (unmapped == 0)
        tell(call, "munmap");
    return unmapped;
}
