// Wants an executable stack. Linked with -z execstack.
#include "harmless.h"

BAHOST_PLUGIN("Executable stack", "1.0");
