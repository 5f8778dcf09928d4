# Builds the well-behaved plugins of the tests into .build/plugins. Included by the Makefile at the
# top, after Tests/HostilePlugins/plugins.mk, whose flags are used:
#
#     legitimate-c.so            C
#     legitimate-openmp.so       C that needs the compiler's library for threads
#     legitimate-curl.so         C linked against libcurl
#     legitimate-cxx.so          C++
#     legitimate-cxx-static.so   the same with libstdc++ inside it
#     legitimate-rust.so         Rust, where there is a rustc
#
# The one in Swift is the package's product LegitimateSwift.

LEGITIMATE = Tests/LegitimatePlugins
LEGITIMATE_CXX = $(CXX) $(PLUGIN_CFLAGS) -std=c++17 -Werror
LEGITIMATE_RULES = $(LEGITIMATE)/legitimate.mk $(PLUGIN_RULES)
LEGITIMATE_C_FILES = $(PLUGINS)/legitimate-c.so $(PLUGINS)/legitimate-openmp.so \
    $(PLUGINS)/legitimate-curl.so
LEGITIMATE_CXX_FILES = $(PLUGINS)/legitimate-cxx.so $(PLUGINS)/legitimate-cxx-static.so
LEGITIMATE_FILES = $(LEGITIMATE_C_FILES) $(LEGITIMATE_CXX_FILES) legitimate-rust
RUSTC = rustc

plugins: $(LEGITIMATE_FILES)

$(PLUGINS)/legitimate-c.so: $(wildcard $(LEGITIMATE)/C/*.[ch])
$(PLUGINS)/legitimate-openmp.so: $(LEGITIMATE)/OpenMP/openmp.c
$(PLUGINS)/legitimate-openmp.so: USE_OPENMP = -fopenmp
$(PLUGINS)/legitimate-curl.so: $(LEGITIMATE)/Curl/curl.c
$(PLUGINS)/legitimate-curl.so: LINK_CURL = -lcurl
$(LEGITIMATE_C_FILES): $(LEGITIMATE)/legitimate.h $(LEGITIMATE_RULES) | $(PLUGIN_OBJECTS)
	@echo "  CC $(@F)"
	@$(PLUGIN_COMPILE) -D_GNU_SOURCE $(USE_OPENMP) $(PLUGIN_LDFLAGS) -o $@ $(filter %.c,$^) \
	    $(LINK_CURL)

$(PLUGINS)/legitimate-cxx-static.so: LINK_STDCXX = -static-libstdc++ -static-libgcc
$(LEGITIMATE_CXX_FILES): $(LEGITIMATE)/Cxx/cxx.cpp $(LEGITIMATE)/legitimate.h \
    $(LEGITIMATE_RULES) | $(PLUGIN_OBJECTS)
	@echo "  CXX $(@F)"
	@$(LEGITIMATE_CXX) $(PLUGIN_LDFLAGS) $(LINK_STDCXX) -o $@ $(filter %.cpp,$^)

ifneq ($(shell command -v $(RUSTC)),)
legitimate-rust: $(PLUGINS)/legitimate-rust.so
else
legitimate-rust:
	@echo "  RUSTC legitimate-rust.so: left out, there is no $(RUSTC)"
endif

# -C panic=unwind is catch_unwind's; a panic that leaves the plugin ends the process all the same.
$(PLUGINS)/legitimate-rust.so: $(LEGITIMATE)/Rust/rust.rs $(LEGITIMATE)/Rust/abi.rs \
    $(LEGITIMATE_RULES) | $(PLUGIN_OBJECTS)
	@echo "  RUSTC $(@F)"
	@$(RUSTC) --edition 2021 --crate-type cdylib --crate-name legitimate_rust -O -D warnings \
	    -A non_upper_case_globals -A dead_code -C panic=unwind -C strip=debuginfo \
	    -C link-arg=-Wl,-z,now -o $@ $<

# ---- Checks ----

check-plugins: check-legitimate

check-legitimate: $(LEGITIMATE_C_FILES) $(LEGITIMATE_CXX_FILES)
	@for f in $(filter-out %/curl.c,$(wildcard $(LEGITIMATE)/*/*.c)); do \
	    $(CROSS_CC) -std=gnu11 -D_GNU_SOURCE -fopenmp $(C_WARNINGS) $$f || exit 1; done

.PHONY: legitimate-rust check-legitimate
