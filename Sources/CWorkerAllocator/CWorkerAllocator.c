#include "CWorkerAllocator.h"
