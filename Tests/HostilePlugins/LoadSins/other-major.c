// Made for another major of the interface.
#include "harmless.h"

#undef BAHOST_ABI_MAJOR
#define BAHOST_ABI_MAJOR 7

BAHOST_PLUGIN("Other major", "1.0");
