// Its writable data alone is over the memory limit.
#include "harmless.h"

BAHOST_PLUGIN("Big BSS", "1.0");

BAHOST_EXPORT char bahost_big_bss[64 << 20];
