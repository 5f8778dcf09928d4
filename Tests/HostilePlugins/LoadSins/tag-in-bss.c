// The tag has no bytes in the file; a constructor writes it.
#include "harmless.h"

bahost_tag bahost_plugin;

__attribute__((constructor)) static void write_tag(void)
{
    bahost_tag tag = {.struct_size = sizeof tag, .abi_minor = BAHOST_ABI_MINOR};
    memcpy(tag.magic, BAHOST_TAG_MAGIC, sizeof tag.magic);
    bahost_plugin = tag;
}
