// Looks for its libraries in a folder of someone else. Linked with -rpath /srv/elsewhere.
#include "harmless.h"

BAHOST_PLUGIN("RUNPATH outside", "1.0");
