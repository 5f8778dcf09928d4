# Builds the plugins written in C into .build/plugins, with `cc` and the SDK's own rules. Included
# by the Makefile at the top:
#
#     make examples         the well-behaved ones
#     make plugins          examples, template, hostile plugins
#     make check-plugins    header, layouts, shims and plugins under several compilers
#
#     HelloDownload.so LevelPacks.so template.so   well-behaved
#     hostile.so                                   does what the manifest's first line says
#     constructor-<word>.so                        does it while it is loaded
#     load-<name>.so                               its sin is in the file
#     shape-<name>.so shape-<name>-constructor.so  a file that holds memory by its shape
#     swift-*.so                                   the same, and needs the Swift runtime

PLUGINS = .build/plugins
PLUGIN_OBJECTS = $(PLUGINS)/objects
BAHOST_INCLUDE = SDK/include
include SDK/template/plugin.mk

PLUGIN_STRICT = -std=gnu11 -Werror
PLUGIN_COMPILE = $(CC) $(PLUGIN_CFLAGS) $(PLUGIN_STRICT)
HOSTILE = Tests/HostilePlugins
PLUGIN_RULES = SDK/template/plugin.mk $(HOSTILE)/plugins.mk $(wildcard SDK/include/bahost/*.h)

CONSTRUCTOR_WORDS = abort close-all-descriptors deep-recursion exit-0 fork \
    garbage-on-all-descriptors ignore-signals-and-spin malloc-forever malloc-null-write \
    mmap-forever null-pointer popen raise-segv sleep socket spin stop-self system thread-flood \
    vfork write-outside
# The words of holding.h, each also in a constructor.
MEMORY_WORDS := $(shell grep -o '"[abc][0-9][^"]*"' $(HOSTILE)/holding.h | tr -d '"')
LOAD_NAMES = $(basename $(notdir $(wildcard $(HOSTILE)/LoadSins/*.c)))
HOSTILE_TOPICS = $(filter-out hostile,$(basename $(notdir $(wildcard $(HOSTILE)/*.c))))

# What the linker is told besides, for one load sin.
LINK_missing-symbol = -Wl,-z,undefs
LINK_missing-library = -Wl,--no-as-needed -L$(PLUGIN_OBJECTS) -lbahost-absent
LINK_runpath-relative = -Wl,--enable-new-dtags,-rpath,lib
LINK_runpath-outside = -Wl,--enable-new-dtags,-rpath,/srv/elsewhere
LINK_executable-stack = -Wl,-z,execstack
LINK_tag-in-code = -Wl,-z,noseparate-code

# File shapes: the word that the constructor of such a file does, the pages it is linked with, and
# what the linker is told besides.
ICU_DATA := $(firstword $(wildcard /usr/lib/*-linux-gnu/libicudata.so))
SHAPE_NAMES = big-bss some-bss big-rodata far-segments far-alignment own-relro needs-bss \
    needs-rodata needs-relro $(if $(ICU_DATA),needs-icu)
WORD_big-bss = b8-reserve
WORD_some-bss = b8-reserve
WORD_big-rodata = a8-own-pages
WORD_far-segments = a10-own-holes
WORD_far-alignment = a10-own-holes
WORD_own-relro = a0-map
WORD_needs-bss = b8-reserve
WORD_needs-rodata = a2-munmap-flip
WORD_needs-relro = a0-map
WORD_needs-icu = a2-munmap-flip
PAGES_big-bss = bss-67108864
PAGES_some-bss = bss-4194304
PAGES_big-rodata = rodata-16777216
PAGES_own-relro = relro-4194304
LINK_far-segments = -Wl,-Ttext=0x4000000
LINK_far-alignment = -Wl,-z,max-page-size=0x400000
LINK_own-relro = $(RELR)
LINK_needs-bss = $(NEEDS) -l:libbahost-bss-67108864.so
LINK_needs-rodata = $(NEEDS) -l:libbahost-rodata-16777216.so
LINK_needs-relro = $(NEEDS) -l:libbahost-relro-12582912.so
LINK_needs-icu = -Wl,--no-as-needed $(ICU_DATA)
NEEDS = -Wl,--no-as-needed,--enable-new-dtags,-rpath,'$$ORIGIN' -L$(PLUGINS)
RELR = -Wl,-z,pack-relative-relocs
PAGE_LIBRARIES = bss-67108864 rodata-16777216 relro-12582912
PAGE_KINDS = $(sort $(PAGE_LIBRARIES) $(foreach name,$(SHAPE_NAMES),$(PAGES_$(name))))

# The runtime that the host loads for Swift plugins.
SWIFT_FOLDER := $(dir $(patsubst %/,%,$(dir $(realpath $(shell command -v swift)))))
SWIFT_NEEDS = -Wl,--no-as-needed -L$(SWIFT_FOLDER)lib/swift/linux -lswiftCore -lFoundation

EXAMPLE_FILES = $(PLUGINS)/HelloDownload.so $(PLUGINS)/LevelPacks.so $(PLUGINS)/template.so
CONSTRUCTOR_NAMES = $(CONSTRUCTOR_WORDS:%=constructor-%) $(MEMORY_WORDS:%=constructor-%) \
    $(MEMORY_WORDS:%=swift-constructor-%)
SHAPES = $(SHAPE_NAMES:%=shape-%) $(SHAPE_NAMES:%=swift-shape-%)
HOSTILE_FILES = $(PLUGINS)/hostile.so $(PLUGINS)/swift-hostile.so \
    $(CONSTRUCTOR_NAMES:%=$(PLUGINS)/%.so) $(LOAD_NAMES:%=$(PLUGINS)/load-%.so) \
    $(SHAPES:%=$(PLUGINS)/%.so) $(SHAPES:%=$(PLUGINS)/%-constructor.so)
TOPIC_OBJECTS = $(HOSTILE_TOPICS:%=$(PLUGIN_OBJECTS)/%.o)

examples: $(EXAMPLE_FILES)
plugins: examples $(HOSTILE_FILES)

$(PLUGINS)/HelloDownload.so: $(wildcard ExamplePlugins/HelloDownload/*.c)
$(PLUGINS)/LevelPacks.so: $(wildcard ExamplePlugins/LevelPacks/*.[ch])
$(PLUGINS)/template.so: SDK/template/plugin.c

$(EXAMPLE_FILES): $(PLUGIN_RULES) | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) $(PLUGIN_LDFLAGS) -o $@ $(filter %.c,$^)

$(PLUGINS)/hostile.so $(PLUGINS)/swift-hostile.so: $(PLUGIN_OBJECTS)/hostile.o $(TOPIC_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) $(PLUGIN_LDFLAGS) -o $@ $^ $(if $(filter swift-%,$(@F)),$(SWIFT_NEEDS))

# All that is compiled for a constructor is its word.
$(CONSTRUCTOR_NAMES:%=$(PLUGINS)/%.so): $(PLUGINS)/%.so: $(PLUGIN_OBJECTS)/constructor.o \
    $(TOPIC_OBJECTS)
	@echo "  CC $(@F)"
	@printf 'const char constructor_word[] = "%s";\n' $(patsubst constructor-%,%,$(*:swift-%=%)) | \
	    $(CC) -fPIC -fvisibility=hidden $(PLUGIN_LDFLAGS) -o $@ $^ \
	    $(if $(filter swift-%,$(@F)),$(SWIFT_NEEDS)) -x c -

# One shape, $(1), for one kind of launcher, $(2): to be told a word, and with it in a constructor.
define SHAPE_RULES
$(PLUGINS)/$(2)shape-$(1).so: $(PLUGIN_OBJECTS)/hostile.o
$(PLUGINS)/$(2)shape-$(1)-constructor.so: $(PLUGIN_OBJECTS)/constructor.o
$(PLUGINS)/$(2)shape-$(1)-constructor.so: WORD = $(WORD_$(1))
$(PLUGINS)/$(2)shape-$(1).so $(PLUGINS)/$(2)shape-$(1)-constructor.so: $(TOPIC_OBJECTS) \
    $(PAGES_$(1):%=$(PLUGIN_OBJECTS)/pages-%.o) $(PAGE_LIBRARIES:%=$(PLUGINS)/libbahost-%.so)
	@echo "  CC $$(@F)"
	@printf 'const char constructor_word[] = "%s";\n' '$$(WORD)' | \
	    $(CC) -fPIC -fvisibility=hidden $(PLUGIN_LDFLAGS) -o $$@ $$(filter %.o,$$^) \
	    $$(LINK_$(1)) $(if $(2),$$(SWIFT_NEEDS)) -x c -
endef
$(foreach name,$(SHAPE_NAMES),$(eval $(call SHAPE_RULES,$(name),)) \
    $(eval $(call SHAPE_RULES,$(name),swift-)))

$(PAGE_KINDS:%=$(PLUGIN_OBJECTS)/pages-%.o): $(PLUGIN_OBJECTS)/pages-%.o: \
    $(HOSTILE)/MemoryShapes/pages.c | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -fPIC -Werror -DPAGES=$(word 1,$(subst -, ,$*)) \
	    -DPAGES_BYTES=$(word 2,$(subst -, ,$*)) -c -o $@ $<

$(PAGE_LIBRARIES:%=$(PLUGINS)/libbahost-%.so): $(PLUGINS)/libbahost-%.so: \
    $(PLUGIN_OBJECTS)/pages-%.o
	@echo "  CC $(@F)"
	@$(CC) $(PLUGIN_LDFLAGS) $(RELR) -o $@ $<

$(PLUGIN_OBJECTS)/%.o: $(HOSTILE)/%.c $(wildcard $(HOSTILE)/*.h) $(PLUGIN_RULES) | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) -c -o $@ $<

$(PLUGIN_OBJECTS)/constructor.o: $(HOSTILE)/hostile.c $(wildcard $(HOSTILE)/*.h) $(PLUGIN_RULES) \
    | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) -DIN_CONSTRUCTOR -c -o $@ $<

$(LOAD_NAMES:%=$(PLUGINS)/load-%.so): $(PLUGINS)/load-%.so: $(HOSTILE)/LoadSins/%.c \
    $(HOSTILE)/LoadSins/harmless.h $(PLUGIN_RULES) | $(PLUGIN_OBJECTS)/libbahost-absent.so
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
	@for f in $(OWN_C) $(PLUGIN_SOURCES) $(wildcard $(HOSTILE)/*.c); do \
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
PROBE_SOURCES = $(HOSTILE)/Envelope/probe.c $(wildcard Sources/CLinuxShims/bah_maps.c \
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
$(PLUGINS)/sealed-sins.so: $(HOSTILE)/Envelope/sealed-sins.c | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -O1 $(PLUGIN_STRICT) -Wall -Wextra -fPIC -fno-plt -shared \
	    -Wl,--section-start=.far=0x4000000 -o $@ $<

check-plugins: check-envelope

check-envelope:
	@for f in $(SEAL_SOURCE) $(HOSTILE)/Envelope/*.c; do \
	    $(CC) -std=gnu11 $(PLAIN_C) $(C_WARNINGS) $$f || exit 1; \
	    $(CROSS_CC) -std=gnu11 $(C_WARNINGS) $(OWN_C_INCLUDES) $$f || exit 1; done

.PHONY: check-envelope
