// The tag lies in the segment of the code. Linked with -z noseparate-code.
#define bahost_plugin bahost_plugin_as_declared
#include "harmless.h"
#undef bahost_plugin

BAHOST_EXPORT const bahost_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC,
    .struct_size = sizeof(bahost_tag),
    .abi_minor = BAHOST_ABI_MINOR,
    .name = "Tag in code"};
