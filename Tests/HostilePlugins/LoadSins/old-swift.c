// Says that it needs a Swift runtime of long ago.
#include "harmless.h"

BAHOST_PLUGIN_EX("Old Swift", "1.0", BAHOST_TAG_USES_SWIFT, "swift-5.1", 0);
