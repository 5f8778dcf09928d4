/*
 * Tries from inside a process what sealing and fence hold: envelope-probe WORD [FILE]. Prints one
 * line "what: number" for each attempt; 0 is success, otherwise the number of the error.
 */
#define _GNU_SOURCE
#include "bah_fence.h"
#include "bah_seal.h"
#include "bah_maps.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, LIMIT = 6 * MIB, THREADS = 20 };

static void say(const char *what, long number)
{
    printf("%s: %ld\n", what, number);
    fflush(stdout);
}

static long number(int status)
{
    return status == 0 ? 0 : errno;
}

static long now_microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void *code_page(uintptr_t address)
{
    return (void *)(address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1));
}

static void seal(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int variable = 0;
    say("own code sealed before", bah_is_sealed(bah_own_code()));
    const long before = now_microseconds();
    say("maps sealed", bah_seal_read_only_maps());
    say("microseconds", now_microseconds() - before);
    say("own code sealed", bah_is_sealed(bah_own_code()));
    say("library code sealed", bah_is_sealed((uintptr_t)dlsym(RTLD_DEFAULT, "memcpy")));
    say("stack sealed", bah_is_sealed((uintptr_t)&variable));
    say("no map", bah_is_sealed(page));
    void *code = code_page((uintptr_t)dlsym(RTLD_DEFAULT, "qsort"));
    say("code made writable", number(mprotect(code, page, PROT_READ | PROT_WRITE)));
    say("code unmapped", number(munmap(code, page)));
    void *over = mmap(
        code, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    say("code mapped over", over == MAP_FAILED ? errno : 0);
    say("sealed again", bah_seal_read_only_maps() > 0 ? 0 : 1);
}

static long map_at(uintptr_t address, size_t length)
{
    void *place = mmap(
        (void *)address, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
        0);
    return place == MAP_FAILED ? errno : 0;
}

static void *nothing(void *argument)
{
    return argument;
}

static void start_threads(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    int started = 0;
    for (; started < THREADS; started++) {
        if (pthread_create(&threads[started], &attributes, nothing, NULL) != 0) {
            break;
        }
    }
    say("threads", started);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

static __attribute__((noinline)) long use_stack(long left)
{
    volatile char room[4096];
    room[0] = 1;
    return left > 0 ? use_stack(left - 4096) + room[0] : 0;
}

/* How much malloc gives in pieces of one size until it says no. */
static long allocate(size_t piece)
{
    long sum = 0;
    for (;;) {
        char *block = malloc(piece);
        if (block == NULL) {
            return sum >> 10;
        }
        memset(block, 1, piece);
        sum += (long)piece;
    }
}

static int count_free(const struct bah_map *map, void *context)
{
    uintptr_t *state = context;
    if (map->kind != BAH_MAP_KERNEL) {
        state[1] += map->start - state[0];
        state[0] = map->end;
    }
    return 0;
}

static uint64_t status_bytes(const char *name)
{
    char line[128];
    unsigned long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kilobytes = strtoul(line + strlen(name), NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes << 10;
}

static int in_child(struct bah_fence *fence, size_t piece)
{
    long before = now_microseconds();
    const int status =
        bah_narrow_fence(fence, LIMIT * 3 / 2 + 2 * MIB, LIMIT * 3 / 2 + (256 << 10));
    say("narrow microseconds", now_microseconds() - before);
    say("narrow", status);
    uintptr_t state[2] = {65536, 0};
    bah_each_map(count_free, state);
    say("free MiB", (long)(state[1] >> 20));
    say("map in the window", map_at(fence->window_end - MIB, MIB / 2));
    say("map below the window", map_at(fence->window_start - 4096, 4096));
    say("map at 4 GiB", map_at((uintptr_t)1 << 32, 4096));
    munmap((void *)(fence->window_end - MIB), MIB / 2);
    say("unmap the fence", number(munmap((void *)(fence->window_start - 4096), 4096)));
    void *big = mmap(
        NULL, LIMIT * 3 / 2 + 3 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say("map over the window", big == MAP_FAILED ? errno : 0);
    say("stack", use_stack(900 << 10) >= 0 ? 0 : 1);
    start_threads();
    const uint64_t data = status_bytes("VmData:") + LIMIT;
    const struct rlimit limit = {.rlim_cur = data, .rlim_max = data};
    say("limit", number(setrlimit(RLIMIT_DATA, &limit)));
    say("malloc kB", allocate(piece));
    return 0;
}

static void fence(size_t piece)
{
    struct bah_fence fence;
    const struct rlimit stack = {.rlim_cur = MIB, .rlim_max = MIB};
    setrlimit(RLIMIT_STACK, &stack);
    say("seal", bah_seal_read_only_maps() > 0 ? 0 : 1);
    const long before = now_microseconds();
    const int status = bah_build_fence((uint64_t)1 << 34, MIB, &fence);
    say("build microseconds", now_microseconds() - before);
    say("build", status);
    say("map at 4 GiB", map_at((uintptr_t)1 << 32, 4096));
    say("top down", fence.is_top_down);
    const pid_t child = fork();
    if (child == 0) {
        _exit(in_child(&fence, piece));
    }
    int ended = -1;
    waitpid(child, &ended, 0);
    say("child", ended);
}

/*
 * Technique A1 without seals: fills the address space, then makes read-only memory that was there
 * before the limits writable, page by page, and fills it.
 */
static void use_read_only(int has_tight_space)
{
    const size_t size = 32 * MIB;
    char *constants = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint64_t data = status_bytes("VmData:") + LIMIT;
    const uint64_t space = status_bytes("VmSize:") + LIMIT;
    const struct rlimit data_limit = {.rlim_cur = data, .rlim_max = data};
    const struct rlimit space_limit = {.rlim_cur = space, .rlim_max = space};
    setrlimit(RLIMIT_DATA, &data_limit);
    if (has_tight_space) {
        setrlimit(RLIMIT_AS, &space_limit);
        for (size_t piece = MIB; piece >= 4096; piece /= 2) {
            while (mmap(NULL, piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
            }
        }
    }
    size_t taken = 0;
    while (taken < size && mprotect(constants + taken, 4096, PROT_READ | PROT_WRITE) == 0) {
        constants[taken] = 1;
        taken += 4096;
    }
    say("read-only kB taken", (long)(taken >> 10));
}

/* Loads a file, whose constructor and IFUNC resolver have printed what they tried. */
static void load(const char *path)
{
    say("own code sealed", bah_is_sealed(bah_own_code()));
    const long before = now_microseconds();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    say("load microseconds", now_microseconds() - before);
    if (library == NULL) {
        printf("error: %s\n", dlerror());
        return;
    }
    void (*entry)(void) = (void (*)(void))(uintptr_t)dlsym(library, "try_everything");
    if (entry != NULL) {
        entry();
    }
}

int main(int count, char **arguments)
{
    const char *word = count > 1 ? arguments[1] : "";
    if (strcmp(word, "seal") == 0) {
        seal();
    } else if (strcmp(word, "fence") == 0) {
        fence(count > 2 ? (size_t)atol(arguments[2]) : 4096);
    } else if (strcmp(word, "read-only") == 0) {
        use_read_only(count > 2);
    } else if (strcmp(word, "load") == 0 && count > 2) {
        load(arguments[2]);
    } else {
        return 64;
    }
    return 0;
}
