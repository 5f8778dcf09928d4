// A tag, but nothing to call.
#include <bahost/bahost.h>

BAHOST_PLUGIN("No entry point", "1.0");
