#include <bahost/bahost.h>
