// Looks for its libraries in a relative folder. Linked with -rpath lib.
#include "harmless.h"

BAHOST_PLUGIN("Relative RUNPATH", "1.0");
