/*
 * The audit library that the loader of a launcher and its workers carries: rtld-audit(7), LD_AUDIT.
 *
 * la_objopen runs when an object has been mapped and before it is relocated, so before its IFUNC
 * resolvers and constructors. It seals what of the object can never be written: the segments
 * without PF_W and the holes between segments, which the loader maps with PROT_NONE. Sealed memory
 * can neither be unmapped nor made writable, so a plugin cannot turn what its load was given for
 * nothing into memory of its own. docs/threat-model.md.
 *
 * Nothing here fails a load: on a kernel without mseal every call is refused and that is all.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Newer than Debian 12's headers. Source: the kernel's Documentation/userspace-api/mseal.rst and
 * scripts/syscall.tbl (Linux 6.10, one number for all machines). The same lines are in
 * Sources/CLinuxShims/bah_seal.c.
 */
#ifndef __NR_mseal
#define __NR_mseal 462
#endif
_Static_assert(__NR_mseal == 462, "the number that the kernel's table has");

/* An object with more program headers keeps the rest unsealed; PluginImage refuses it before. */
enum { MOST_HEADERS = 128 };

#define EXPORTED __attribute__((visibility("default")))
EXPORTED unsigned int la_version(unsigned int version);
EXPORTED unsigned int la_objopen(
    struct link_map *map, Lmid_t namespace_id, uintptr_t *cookie);

static void seal(uintptr_t start, uintptr_t end)
{
    if (start < end) {
        syscall(__NR_mseal, start, end - start, 0UL);
    }
}

static void seal_object(uintptr_t base, const ElfW(Phdr) *headers, size_t count)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t previous_end = 0;
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD) {
            continue;
        }
        const uintptr_t start = (base + headers[i].p_vaddr) & ~(page - 1);
        const uintptr_t end = (base + headers[i].p_vaddr + headers[i].p_memsz + page - 1)
                              & ~(page - 1);
        if (previous_end != 0) {
            seal(previous_end, start);
        }
        if ((headers[i].p_flags & PF_W) == 0) {
            seal(start, end);
        }
        previous_end = end;
    }
}

/*
 * Reads the headers that the loader has mapped by. What dlinfo gives may lie: it is found through
 * PT_PHDR, an address that the file chooses.
 */
static size_t read_headers(const char *path, ElfW(Phdr) *headers)
{
    ElfW(Ehdr) header;
    size_t count = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    if (pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header
        && header.e_phentsize == sizeof headers[0]) {
        count = header.e_phnum < MOST_HEADERS ? header.e_phnum : MOST_HEADERS;
        const size_t size = count * sizeof headers[0];
        if (pread(file, headers, size, (off_t)header.e_phoff) != (ssize_t)size) {
            count = 0;
        }
    }
    close(file);
    return count;
}

unsigned int la_version(unsigned int version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned int la_objopen(struct link_map *map, Lmid_t namespace_id, uintptr_t *cookie)
{
    ElfW(Phdr) headers[MOST_HEADERS];
    const int before = errno;
    (void)namespace_id;
    (void)cookie;
    size_t count = map->l_name[0] != '\0' ? read_headers(map->l_name, headers) : 0;
    if (count > 0) {
        seal_object(map->l_addr, headers, count);
    } else {
        /* The program itself has no name here; the kernel has mapped it, nobody lies. */
        const ElfW(Phdr) *own = NULL;
        const int found = dlinfo(map, RTLD_DI_PHDR, &own);
        if (found > 0 && own != NULL) {
            seal_object(map->l_addr, own, (size_t)found);
        }
    }
    errno = before;
    return 0;
}
