#pragma once

#include <bahost/bahost.h>
