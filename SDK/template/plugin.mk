# How a plugin is built from C: flags for compiling and for linking. Works with any compiler that
# takes GCC's options; needs BAHOST_INCLUDE, the folder that holds bahost/bahost.h.
#
# Hidden visibility: only the tag and the entry points leave the plugin; the header marks them.
# -z defs: a missing symbol fails here and not at the user's. -z now: it is also bound at loading.

PLUGIN_CFLAGS = -O2 -g -fPIC -fvisibility=hidden -Wall -Wextra -I$(BAHOST_INCLUDE)
PLUGIN_LDFLAGS = -shared -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
