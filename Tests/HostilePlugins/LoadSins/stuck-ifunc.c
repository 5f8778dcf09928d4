// Its IFUNC resolver, which the loader runs while relocating, does not return.
#include "harmless.h"

BAHOST_PLUGIN("Stuck IFUNC", "1.0");

static volatile int never;

typedef void function(void);

static function *resolve(void)
{
    while (!never)
        continue;
    return NULL;
}

BAHOST_EXPORT function resolved_never __attribute__((ifunc("resolve")));
