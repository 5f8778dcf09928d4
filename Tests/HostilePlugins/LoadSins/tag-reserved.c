// A tag whose reserved bytes are not zero.
#include "harmless.h"

bahost_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC,
    .struct_size = sizeof(bahost_tag),
    .abi_minor = BAHOST_ABI_MINOR,
    .name = "Reserved bytes",
    .reserved = {[31] = 1}};
