#define _GNU_SOURCE
#include "bah_image.h"

#include <link.h>
#include <unistd.h>

static int add_relro(struct dl_phdr_info *object, size_t size, void *context)
{
    uint64_t *sum = context;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_GNU_RELRO) {
            /* The loader protects whole pages only, and rounds both ends down. */
            const uintptr_t start = (object->dlpi_addr + header->p_vaddr) & ~(page - 1);
            const uintptr_t end =
                (object->dlpi_addr + header->p_vaddr + header->p_memsz) & ~(page - 1);
            *sum += end > start ? end - start : 0;
        }
    }
    return 0;
}

uint64_t bah_read_relro_bytes(void)
{
    uint64_t sum = 0;
    dl_iterate_phdr(add_relro, &sum);
    return sum;
}
