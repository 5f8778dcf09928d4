#include "CArgp.h"
