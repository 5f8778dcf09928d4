// Needs a minor that no host has yet.
#define BAHOST_PLUGIN_MINOR 999
#include "harmless.h"

BAHOST_PLUGIN("Higher minor", "1.0");
