// A tag that says it is longer than its symbol.
#include "harmless.h"

bahost_tag bahost_plugin = {
    .magic = BAHOST_TAG_MAGIC, .struct_size = 4096, .name = "Long tag"};
