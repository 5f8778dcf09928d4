// Requires a feature bit that means nothing.
#include "harmless.h"

BAHOST_PLUGIN_EX("Unknown feature", "1.0", 0, "", 1ull << 40);
