// Its main returns 3.
#include "harmless.h"

BAHOST_PLUGIN_EX("Main fails", "1.0", BAHOST_TAG_REGISTERS_BY_MAIN, "", 0);

BAHOST_EXPORT int main(void)
{
    return 3;
}
