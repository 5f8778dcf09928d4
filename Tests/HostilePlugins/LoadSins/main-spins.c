// Its main does not return.
#include "harmless.h"

BAHOST_PLUGIN_EX("Main spins", "1.0", BAHOST_TAG_REGISTERS_BY_MAIN, "", 0);

BAHOST_EXPORT int main(void)
{
    for (volatile uint64_t turns = 0;; turns++)
        continue;
}
