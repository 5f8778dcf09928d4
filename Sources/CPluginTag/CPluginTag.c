#include "CPluginTag.h"
