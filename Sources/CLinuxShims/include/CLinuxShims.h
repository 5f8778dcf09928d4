/*
 * Kernel calls that Swift cannot reach: variadic ones, macros, and ones that glibc has not wrapped.
 * One header and one source file per kernel feature. Every function returns 0 (or a descriptor, or
 * a count) or a negated errno value.
 */
#pragma once

#include "bah_beneath.h"
#include "bah_descriptor.h"
#include "bah_prctl.h"
#include "bah_signal.h"
#include "bah_spawn.h"
#include "bah_socket.h"
#include "bah_folder.h"
#include "bah_mark.h"
#include "bah_rlimit.h"
#include "bah_evidence.h"
#include "bah_capability.h"
#include "bah_landlock.h"
#include "bah_mount.h"
#include "bah_namespace.h"
#include "bah_runtime.h"
#include "bah_seccomp.h"
#include "bah_image.h"
#include "bah_maps.h"
#include "bah_seal.h"
#include "bah_fence.h"
#include "bah_time.h"
#include "bah_walk.h"
#include "bah_writeback.h"
