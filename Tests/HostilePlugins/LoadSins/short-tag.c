// A tag that says it is shorter than any reader accepts.
#include "harmless.h"

bahost_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC, .struct_size = BAHOST_TAG_MIN_SIZE - 1, .name = "Short tag"};
