// Sets a flag bit of the tag that means nothing.
#include "harmless.h"

BAHOST_PLUGIN_EX("Unknown flag", "1.0", 1ull << 40, "", 0);
