// A tag whose name fills its 64 bytes, without a NUL, and is not UTF-8.
#include "harmless.h"

bahost_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC,
    .struct_size = sizeof(bahost_tag),
    .abi_minor = BAHOST_ABI_MINOR,
    .name = "\xff" "23456789012345678901234567890123456789012345678901234567890123\xff"};
