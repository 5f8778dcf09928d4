// A tag with another beginning.
#include "harmless.h"

bahost_tag bahost_plugin = {
    .magic = "BAHOSTX", .struct_size = sizeof(bahost_tag), .name = "Wrong magic"};
