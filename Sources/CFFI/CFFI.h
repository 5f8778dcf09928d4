/* The one door to libffi. Only module PluginRuntime imports it. */
#pragma once
#if !__has_include(<ffi.h>)
#error "bahost needs the Debian package libffi-dev: run 'make setup'"
#endif
#include <ffi.h>
