// Says that its main is to be called, and has none.
#include "harmless.h"

BAHOST_PLUGIN_EX("Main absent", "1.0", BAHOST_TAG_REGISTERS_BY_MAIN, "", 0);
