# Builds the library of hostile techniques into .build/plugins, with `cc`. It is shipped, for
# `bahost conformance`. Included by the Makefile at the top, after Tests/HostilePlugins/plugins.mk,
# whose flags are used:
#
#     hostile.so          does what it is told: README.md
#     shape-<name>.so     the same techniques in a file that holds memory by its shape
#     libbahost-*.so      what shapes need
#     swift-*.so          the same, and needs the Swift runtime; left out where there is none

HOSTILE = Sources/HostilePlugin
HOSTILE_RULES = $(PLUGIN_RULES) $(HOSTILE)/hostile.mk
HOSTILE_OBJECTS = $(patsubst $(HOSTILE)/%.c,$(PLUGIN_OBJECTS)/%.o,$(wildcard $(HOSTILE)/*.c))

# File shapes: the pages such a file is linked with, and what the linker is told besides.
ICU_DATA := $(firstword $(wildcard /usr/lib/*-linux-gnu/libicudata.so))
SHAPE_NAMES = big-bss some-bss big-rodata far-segments far-alignment own-relro needs-bss \
    needs-rodata needs-relro $(if $(ICU_DATA),needs-icu)
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
HAS_SWIFT := $(wildcard $(SWIFT_FOLDER)lib/swift/linux/libFoundation.so)
SWIFT_NEEDS = -Wl,--no-as-needed -L$(SWIFT_FOLDER)lib/swift/linux -lswiftCore -lFoundation
swift_needs = $(if $(filter swift-%,$(@F)),$(SWIFT_NEEDS))

HOSTILE_NAMES = hostile $(SHAPE_NAMES:%=shape-%)
CONFORMANCE_FILES = $(HOSTILE_NAMES:%=$(PLUGINS)/%.so) \
    $(PAGE_LIBRARIES:%=$(PLUGINS)/libbahost-%.so) \
    $(if $(HAS_SWIFT),$(HOSTILE_NAMES:%=$(PLUGINS)/swift-%.so))

plugins: $(CONFORMANCE_FILES)

$(PLUGINS)/hostile.so $(PLUGINS)/swift-hostile.so: $(HOSTILE_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) $(PLUGIN_LDFLAGS) -o $@ $^ $(swift_needs)

# One shape, $(1), for one kind of launcher, $(2).
define SHAPE_RULES
$(PLUGINS)/$(2)shape-$(1).so: $(HOSTILE_OBJECTS) $(PAGES_$(1):%=$(PLUGIN_OBJECTS)/pages-%.o) \
    $(PAGE_LIBRARIES:%=$(PLUGINS)/libbahost-%.so)
	@echo "  CC $$(@F)"
	@$(CC) $(PLUGIN_LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(LINK_$(1)) $$(swift_needs)
endef
$(foreach name,$(SHAPE_NAMES),$(eval $(call SHAPE_RULES,$(name),)) \
    $(eval $(call SHAPE_RULES,$(name),swift-)))

$(PAGE_KINDS:%=$(PLUGIN_OBJECTS)/pages-%.o): $(PLUGIN_OBJECTS)/pages-%.o: \
    $(HOSTILE)/MemoryShapes/pages.c $(HOSTILE)/hostile.mk | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(CC) -fPIC -Werror -DPAGES=$(word 1,$(subst -, ,$*)) \
	    -DPAGES_BYTES=$(word 2,$(subst -, ,$*)) -c -o $@ $<

$(PAGE_LIBRARIES:%=$(PLUGINS)/libbahost-%.so): $(PLUGINS)/libbahost-%.so: \
    $(PLUGIN_OBJECTS)/pages-%.o
	@echo "  CC $(@F)"
	@$(CC) $(PLUGIN_LDFLAGS) $(RELR) -o $@ $<

$(PLUGIN_OBJECTS)/%.o: $(HOSTILE)/%.c $(wildcard $(HOSTILE)/*.h) $(HOSTILE_RULES) \
    | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) -c -o $@ $<

# What `bahost conformance` needs, for `make install`. Some are large and nearly all zero.
install-conformance: $(CONFORMANCE_FILES)
	install -d $(DESTDIR)$(PREFIX)/libexec/bahost/conformance
	cp --sparse=always $^ $(DESTDIR)$(PREFIX)/libexec/bahost/conformance/
	chmod 644 $(DESTDIR)$(PREFIX)/libexec/bahost/conformance/*.so

# Checked with the others by `make check-plugins`.
PLUGIN_SOURCES += $(wildcard $(HOSTILE)/*.c)

.PHONY: install-conformance
