# Builds the fuzz targets with libFuzzer and AddressSanitizer and runs them. Included by the Makefile
# at the top:
#
#     make fuzz SECONDS=600 TARGETS="image wire"
#
# The modules under test are compiled here a second time, by the compiler itself and with counters in
# them: optimised, and every check left in. Nothing of that is seen by `swift build`.

FUZZ = .build/fuzz
FUZZ_FOLDER = Tests/Fuzz
FUZZ_TARGETS = image wire url answer resume manifest plist row
TARGETS = $(FUZZ_TARGETS)
SECONDS = 60
# What `make test` gives each target.
FUZZ_SECONDS ?= 20

FUZZ_MODULES = WireProtocol PluginImage URLPolicy BoundedJSON AssetPacks InstalledApps HTTPClient \
    Digests TransferEngine DownloadScheduler DownloadStore
FUZZ_C = CCurl CLinuxShims
FUZZ_COMPILE = swiftc -swift-version 6 -package-name bahost -parse-as-library -gline-tables-only \
    -wmo -module-cache-path $(FUZZ)/cache -I $(FUZZ) \
    $(foreach m,ExistentialAny InternalImportsByDefault MemberImportVisibility \
        NonisolatedNonsendingByDefault,-enable-upcoming-feature $(m)) \
    $(foreach m,$(FUZZ_C),-Xcc -fmodule-map-file=$(FUZZ)/$(m).modulemap) \
    -Xcc -fmodule-map-file=Sources/CCrypto/module.modulemap \
    -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap
FUZZ_WATCHED = -O -assert-config Debug -sanitize=fuzzer,address
FUZZ_OBJECTS = $(patsubst %,$(FUZZ)/%.o,FuzzTargets $(FUZZ_MODULES) LinuxSystem $(FUZZ_C))

fuzz:
	@$(MAKE) --no-print-directory -j 2 $(FUZZ)/program
	@printf '%s\n' $(TARGETS) | xargs -P 2 -n 1 $(FUZZ_FOLDER)/run $(SECONDS)

$(FUZZ)/program: $(FUZZ_OBJECTS)
	swiftc -use-ld=lld -sanitize=fuzzer,address -o $@ $(FUZZ_OBJECTS) -lFoundationEssentials \
	    -lcrypto -lsqlite3

$(FUZZ)/%.o: $(FUZZ_FOLDER)/fuzz.mk | $(patsubst %,$(FUZZ)/%.modulemap,$(FUZZ_C))
	$(FUZZ_COMPILE) $(FUZZ_WATCHED) -module-name $* -emit-module \
	    -emit-module-path $(FUZZ)/$*.swiftmodule -c $(filter %.swift,$^) -o $@

# Needed by the others, and not under test.
$(FUZZ)/LinuxSystem.o: private FUZZ_WATCHED = -Onone
$(FUZZ)/FuzzTargets.o: private FUZZ_WATCHED = -O
.PRECIOUS: $(FUZZ)/%.modulemap

$(foreach m,$(FUZZ_MODULES) LinuxSystem,$(eval $(FUZZ)/$(m).o: $(wildcard Sources/$(m)/*.swift)))
$(FUZZ)/FuzzTargets.o: $(wildcard $(FUZZ_FOLDER)/Targets/*.swift $(FUZZ_FOLDER)/Program/*.swift) \
    $(patsubst %,$(FUZZ)/%.o,$(FUZZ_MODULES))
$(FUZZ)/AssetPacks.o: $(FUZZ)/BoundedJSON.o $(FUZZ)/WireProtocol.o
$(FUZZ)/InstalledApps.o: $(FUZZ)/LinuxSystem.o
$(FUZZ)/HTTPClient.o: $(FUZZ)/LinuxSystem.o $(FUZZ)/URLPolicy.o
$(FUZZ)/TransferEngine.o: $(FUZZ)/Digests.o $(FUZZ)/HTTPClient.o
$(FUZZ)/DownloadStore.o: $(FUZZ)/DownloadScheduler.o $(FUZZ)/LinuxSystem.o

$(foreach m,$(FUZZ_C),$(eval $(FUZZ)/$(m).o: $(wildcard Sources/$(m)/*.c Sources/$(m)/include/*.h)))
$(patsubst %,$(FUZZ)/%.o,$(FUZZ_C)): $(FUZZ)/%.o:
	@mkdir -p $(FUZZ)/$*
	cd $(FUZZ)/$* && clang -c -g -O1 -std=gnu11 -I $(CURDIR)/Sources/$*/include \
	    $(addprefix $(CURDIR)/,$(filter %.c,$^))
	ld -r -o $@ $(FUZZ)/$*/*.o

$(FUZZ)/%.modulemap:
	@mkdir -p $(FUZZ)
	@echo 'module $* { umbrella header "$(CURDIR)/Sources/$*/include/$*.h" export * }' > $@

.PHONY: fuzz
