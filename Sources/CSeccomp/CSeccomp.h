/* The one door to libseccomp. Only module Sandbox imports it. */
#pragma once
#if !__has_include(<seccomp.h>)
#error "bahost needs the Debian package libseccomp-dev: run 'make setup'"
#endif
#include <seccomp.h>
