// The tag is writable, and a constructor changes it.
#include "harmless.h"

bahost_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC,
    .struct_size = sizeof(bahost_tag),
    .abi_minor = BAHOST_ABI_MINOR,
    .name = "As in the file"};

__attribute__((constructor)) static void change_tag(void)
{
    bahost_plugin.name[0] = 'X';
}
