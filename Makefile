# The front door. `make run` and `make test` set everything up by themselves.

.DEFAULT_GOAL := help
SHELL := /bin/sh
CONFIGURATION ?= debug
PREFIX ?= /usr/local
SWIFT_BUILD = swift build -c $(CONFIGURATION)

include Tests/HostilePlugins/plugins.mk
include Sources/HostilePlugin/hostile.mk
include Tests/LegitimatePlugins/legitimate.mk
include Tests/Fuzz/fuzz.mk

plugins: ## Build the C plugins, examples and hostile ones, into .build/plugins

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 10

setup: ## Install the Debian packages of .ci/packages (with sudo when not root)
	@.ci/setup

build: setup ## Build everything (CONFIGURATION=release for speed)
	$(SWIFT_BUILD)
	@$(MAKE) --no-print-directory place-seal

# The audit library lies beside the worker that it belongs to.
place-seal: $(PLUGINS)/libbahost-seal.so
	@for f in .build/debug .build/release; do \
	    test ! -d $$f || { cp $< $$f/ && ln -sfn ../../plugins $$f/conformance; }; done

run: build examples ## Run the main job: a plugin, a local nginx, real files, visible progress
	@ExamplePlugins/demo $(CONFIGURATION)

test: setup plugins ## Build and run every test, then the fuzz targets for 20 s each
	swift build --build-tests
	@$(MAKE) --no-print-directory place-seal
	@.ci/test
	@test $(FUZZ_SECONDS) = 0 || $(MAKE) --no-print-directory fuzz SECONDS=$(FUZZ_SECONDS)

fuzz: setup ## Look for bugs in what reads outside bytes: SECONDS=60 TARGETS="image wire url ..."

check: setup check-plugins ## Format, warnings, imports, one door per library, lengths, links
	@.ci/check

install: setup install-conformance $(PLUGINS)/libbahost-seal.so ## Install programs, header and documents below PREFIX (/usr/local)
	swift build -c release --product bahost
	swift build -c release --product bahost-worker
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/bahost \
	    $(DESTDIR)$(PREFIX)/include/bahost $(DESTDIR)$(PREFIX)/share/doc/bahost
	install -m 755 .build/release/bahost $(DESTDIR)$(PREFIX)/bin/
	install -m 755 .build/release/bahost-worker $(DESTDIR)$(PREFIX)/libexec/bahost/
	install -m 644 $(PLUGINS)/libbahost-seal.so $(DESTDIR)$(PREFIX)/libexec/bahost/
	install -m 644 SDK/include/bahost/*.h $(DESTDIR)$(PREFIX)/include/bahost/
	cp -r README.md docs SDK $(DESTDIR)$(PREFIX)/share/doc/bahost/

clean: ## Remove what was built
	rm -rf .build

bench: setup $(PLUGINS)/libbahost-seal.so ## Compare with real peers, in release builds, and write docs/performance.md
	@.ci/setup Tests/Benchmarks/packages
	@Tests/Benchmarks/bench --page docs/performance.md

docs: ## Build manuals and reference (not there yet)
	@echo "make docs: not there yet" >&2; exit 2

.PHONY: place-seal help setup build run test check install clean bench docs
