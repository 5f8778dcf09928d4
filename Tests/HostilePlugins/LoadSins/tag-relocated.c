// A relocation writes into the tag's reserved bytes.
#define bahost_plugin bahost_plugin_as_declared
#include "harmless.h"
#undef bahost_plugin

struct relocated_tag {
    char magic[8];
    uint32_t struct_size;
    uint16_t abi_major, abi_minor;
    uint64_t required_features, flags;
    char texts[128];
    const void *reserved[4];
};

BAHOST_EXPORT const struct relocated_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC,
    .struct_size = sizeof(struct relocated_tag),
    .abi_minor = BAHOST_ABI_MINOR,
    .texts = "Relocated",
    .reserved = {&bahost_plugin}};
