#define _GNU_SOURCE
#include "bah_seal.h"

#include "bah_maps.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Newer than Debian 12's headers. Source: the kernel's Documentation/userspace-api/mseal.rst and
 * scripts/syscall.tbl (Linux 6.10, one number for all machines).
 */
#ifndef __NR_mseal
#define __NR_mseal 462
#endif
_Static_assert(__NR_mseal == 462, "the number that the kernel's table has");

int bah_seal_range(uintptr_t start, size_t length)
{
    return syscall(__NR_mseal, start, length, 0UL) == 0 ? 0 : -errno;
}

int bah_can_seal(void)
{
    /* Nothing, from address 0 on: the kernel says yes and does nothing. */
    return bah_seal_range(0, 0) == 0;
}

static int seal_map(const struct bah_map *map, void *context)
{
    int *sealed = context;
    if (map->kind == BAH_MAP_KERNEL || (map->protection & PROT_WRITE) != 0) {
        return 0;
    }
    const int status = bah_seal_range(map->start, map->end - map->start);
    *sealed += status == 0;
    return status;
}

int bah_seal_read_only_maps(void)
{
    int sealed = 0;
    const int status = bah_each_map(seal_map, &sealed);
    return status < 0 ? status : sealed;
}

struct place {
    uintptr_t address;
    int protection;
};

static int find_place(const struct bah_map *map, void *context)
{
    struct place *place = context;
    if (place->address < map->start || place->address >= map->end) {
        return 0;
    }
    place->protection = map->protection;
    return 1;
}

int bah_is_sealed(uintptr_t address)
{
    struct place place = {.address = address};
    const int found = bah_each_map(find_place, &place);
    if (found <= 0) {
        return found < 0 ? found : -ENOENT;
    }
    /* Changes nothing, and is refused all the same where the map is sealed. */
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(address & ~(page - 1));
    if (mprotect(start, page, place.protection) == 0) {
        return 0;
    }
    return errno == EPERM ? 1 : -errno;
}

int bah_seal_call_number(void)
{
    return __NR_mseal;
}

uintptr_t bah_own_code(void)
{
    return (uintptr_t)&bah_own_code;
}
