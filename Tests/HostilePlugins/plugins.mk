# Builds the plugins written in C into .build/plugins, with `cc` and the SDK's own rules. Included
# by the Makefile at the top:
#
#     make examples         the well-behaved ones
#     make plugins          examples, template, plugins with a sin in the file, and those of
#                           Sources/HostilePlugin
#     make check-plugins    header, layouts, shims and plugins under several compilers
#
#     HelloDownload.so LevelPacks.so template.so   well-behaved
#     load-<name>.so                               its sin is in the file

PLUGINS = .build/plugins
PLUGIN_OBJECTS = $(PLUGINS)/objects
BAHOST_INCLUDE = SDK/include
include SDK/template/plugin.mk

PLUGIN_STRICT = -std=gnu11 -Werror
PLUGIN_COMPILE = $(CC) $(PLUGIN_CFLAGS) $(PLUGIN_STRICT)
LOAD_SINS = Tests/HostilePlugins/LoadSins
ENVELOPE = Tests/HostilePlugins/Envelope
PLUGIN_RULES = SDK/template/plugin.mk Tests/HostilePlugins/plugins.mk \
    $(wildcard SDK/include/bahost/*.h)

LOAD_NAMES = $(basename $(notdir $(wildcard $(LOAD_SINS)/*.c)))

# What the linker is told besides, for one load sin.
LINK_missing-symbol = -Wl,-z,undefs
LINK_missing-library = -Wl,--no-as-needed -L$(PLUGIN_OBJECTS) -lbahost-absent
LINK_runpath-relative = -Wl,--enable-new-dtags,-rpath,lib
LINK_runpath-outside = -Wl,--enable-new-dtags,-rpath,/srv/elsewhere
LINK_executable-stack = -Wl,-z,execstack
LINK_tag-in-code = -Wl,-z,noseparate-code

EXAMPLE_FILES = $(PLUGINS)/HelloDownload.so $(PLUGINS)/LevelPacks.so $(PLUGINS)/template.so
LOAD_FILES = $(LOAD_NAMES:%=$(PLUGINS)/load-%.so)

examples: $(EXAMPLE_FILES)
plugins: examples $(LOAD_FILES)

$(PLUGINS)/HelloDownload.so: $(wildcard ExamplePlugins/HelloDownload/*.c)
$(PLUGINS)/LevelPacks.so: $(wildcard ExamplePlugins/LevelPacks/*.[ch])
$(PLUGINS)/template.so: SDK/template/plugin.c

$(EXAMPLE_FILES): $(PLUGIN_RULES) | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) $(PLUGIN_LDFLAGS) -o $@ $(filter %.c,$^)

$(LOAD_FILES): $(PLUGINS)/load-%.so: $(LOAD_SINS)/%.c $(LOAD_SINS)/harmless.h \
    $(PLUGIN_RULES) | $(PLUGIN_OBJECTS)/libbahost-absent.so
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) $(PLUGIN_LDFLAGS) -o $@ $< $(LINK_$*)

# Only linked against; the loader never finds it.
$(PLUGIN_OBJECTS)/libbahost-absent.so: | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -shared -Wl,-soname,libbahost-absent.so -o $@ -x c /dev/null

$(PLUGIN_OBJECTS):
	@mkdir -p $@

# ---- Checks ----

PLUGIN_SOURCES = $(wildcard ExamplePlugins/*/*.c) SDK/template/plugin.c
OWN_C = SDK/src/abi_layout.c $(wildcard Sources/CLinuxShims/*.c Sources/CWorkerAllocator/*.c)
C_WARNINGS = -Wall -Wextra -Werror -fsyntax-only -ISDK/include
OWN_C_INCLUDES = -ISources/CLinuxShims/include -ISources/CWorkerAllocator/include
CHECK_CXX = c++
# GCC does not know clang's words for pointers.
CROSS_CC = aarch64-linux-gnu-gcc -D_Nonnull= -D_Nullable=

check-plugins: check-header check-exports check-template

check-header:
	@for f in SDK/src/abi_layout.c $(PLUGIN_SOURCES); do \
	    $(CC) -std=gnu11 $(C_WARNINGS) $$f || exit 1; done
	@$(CC) -std=c11 -pedantic $(C_WARNINGS) SDK/src/abi_layout.c
	@$(CHECK_CXX) -x c++ -std=c++11 -pedantic $(C_WARNINGS) SDK/src/abi_layout.c
	@$(CHECK_CXX) -x c++ -std=c++11 $(C_WARNINGS) SDK/template/plugin.c
	@for f in $(OWN_C) $(PLUGIN_SOURCES); do \
	    $(CROSS_CC) -std=gnu11 $(C_WARNINGS) $(OWN_C_INCLUDES) $$f || exit 1; done

# A well-behaved plugin shows its tag and its entry points and nothing else.
check-exports: $(EXAMPLE_FILES)
	@for f in $^; do \
	    extra=$$(readelf --dyn-syms -W $$f | \
	        awk 'NR > 4 && $$7 != "UND" && $$8 !~ /^bahost_/ {print $$8}'); \
	    test -z "$$extra" || { echo "$$f also exports: $$extra"; exit 1; }; done

# The template builds outside this package, with the header folder alone.
check-template:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	    cp -r SDK/template/. "$$folder" && cp -r SDK/include "$$folder/header files" && \
	    $(MAKE) --no-print-directory -C "$$folder" BAHOST_INCLUDE="'header files'" && \
	    readelf --dyn-syms -W "$$folder/plugin.so" | grep -q 'OBJECT .* bahost_plugin$$'

.PHONY: examples plugins check-plugins check-header check-exports check-template

# ---- Sealing and fence ----

SEAL_SOURCE = Sources/SealAudit/seal_audit.c
PROBE_SOURCES = $(ENVELOPE)/probe.c $(wildcard Sources/CLinuxShims/bah_maps.c \
    Sources/CLinuxShims/bah_seal.c Sources/CLinuxShims/bah_fence.c)
ENVELOPE_FILES = $(PLUGINS)/libbahost-seal.so $(PLUGINS)/envelope-probe $(PLUGINS)/sealed-sins.so
# GCC does not know clang's words for pointers.
PLAIN_C = -D_Nonnull= -D_Nullable= -ISources/CLinuxShims/include

plugins: $(ENVELOPE_FILES)

$(PLUGINS)/libbahost-seal.so: $(SEAL_SOURCE) | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -O2 $(PLUGIN_STRICT) -Wall -Wextra -fPIC -fvisibility=hidden -shared -Wl,-z,now \
	    -Wl,--no-undefined -o $@ $<

$(PLUGINS)/envelope-probe: $(PROBE_SOURCES) $(wildcard Sources/CLinuxShims/include/*.h) \
    | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -O1 $(PLUGIN_STRICT) -Wall -Wextra $(PLAIN_C) -pthread -o $@ $(filter %.c,$^)

# The hole before its last segment is what it goes for.
$(PLUGINS)/sealed-sins.so: $(ENVELOPE)/sealed-sins.c | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -O1 $(PLUGIN_STRICT) -Wall -Wextra -fPIC -fno-plt -shared \
	    -Wl,--section-start=.far=0x4000000 -o $@ $<

check-plugins: check-envelope

check-envelope:
	@for f in $(SEAL_SOURCE) $(ENVELOPE)/*.c; do \
	    $(CC) -std=gnu11 $(PLAIN_C) $(C_WARNINGS) $$f || exit 1; \
	    $(CROSS_CC) -std=gnu11 $(C_WARNINGS) $(OWN_C_INCLUDES) $$f || exit 1; done

.PHONY: check-envelope
