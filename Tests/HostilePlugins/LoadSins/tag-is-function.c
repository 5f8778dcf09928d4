// The tag's symbol is code.
#include <stdint.h>

__attribute__((visibility("default"))) int32_t bahost_plugin(void)
{
    return 0;
}

__attribute__((visibility("default"))) int32_t bahost_install(void)
{
    return 0;
}
