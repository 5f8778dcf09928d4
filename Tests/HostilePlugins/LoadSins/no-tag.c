// An entry point, but no tag.
#include "harmless.h"
