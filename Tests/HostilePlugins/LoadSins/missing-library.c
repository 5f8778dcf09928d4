// Needs a library that exists nowhere: the stub it is linked with is not shipped.
#include "harmless.h"

BAHOST_PLUGIN("Missing library", "1.0");
