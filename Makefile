# The commands for people. On Debian, each first says which packages are missing, and installs them; `make setup` does
# only that. See README.md, and CONTRIBUTING.md for how long tests and checks take.

.DEFAULT_GOAL := help
PREFIX ?= /usr/local
# The targets of one command line are made in order.
.NOTPARALLEL:
.PHONY: help run build test check bench conformance conformance-logins prove failover soak faults lint format docs \
	fuzz vectors libotp install uninstall install-tool uninstall-tool setup \
	packages packages-check clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup-run build ## Make and verify a code, enroll and use a second factor, and validate the RFC vectors
	@Scripts/demo.sh

build: setup-run ## Build the tool for release: .build-release/release/otp
	@bash -c 'source Scripts/flavours.sh && swift_build --package-path Tool "$${flavour_tool[@]}"'
	@touch .build-release/release/otp

test: setup-test ## Run the tests that every change needs
	@Scripts/test.sh test

check: setup-check ## Run these and all other checks (SKIP or ONLY="name ..." choose; Scripts/test.sh --list names them)
	@Scripts/test.sh check

bench: setup-bench ## Run the benchmark, and write its table to Benchmarks/results
	@Scripts/bench.sh

conformance: setup-conformance ## Run every vector on other libraries; writes vectors/conformance/results
	@vectors/conformance/run.sh && vectors/conformance/newest.py

conformance-logins: setup-conformance ## Test the second factor of running logins; writes results/logins.md there
	@vectors/conformance/logins/run.sh && vectors/conformance/newest.py

prove: setup-check ## Prove kernels, windows, the protocol, and constant time (prints the seconds of each)
	@Tests/Proofs/run.sh all

failover: setup-check ## Sign users in while Patroni moves the primary of a PostgreSQL cluster
	@Tests/Checks/stores/run.sh patroni

soak: setup-check ## Run the long forms of checks: 10^8 codes for each hash and instruction set, 10^7 timings, kills
	@Scripts/soak.sh

faults: setup-check ## Plant each fault of Tests/faults in turn, and see that the command beside it notices it
	@Tests/faults/run.py

lint: setup-test ## Check the format of the sources, and the rules that a tool can check
	@Scripts/lint.sh

format: ## Format the Swift and C sources in place
	@Scripts/format.sh

docs: setup-run ## Build the documentation as one site, .build-docs/site
	@Scripts/docs.sh

fuzz: setup-run ## Fuzz every parser for FUZZ_SECONDS each (default 60)
	@Tests/Fuzz/run.sh $(or $(FUZZ_SECONDS),60)

libotp: ## Build the engine as a C library: .build-libotp/libotp.so.0, .a, .pc (TARGET=aarch64-linux-gnu: for arm64)
	@Scripts/setup.sh $(if $(TARGET),cross,libotp)
	@OTP_LIBOTP_TARGET="$(TARGET)" LibOTP/build.sh

install: ## Install what make libotp built under PREFIX (default /usr/local; DESTDIR is a prefix)
	@OTP_LIBOTP_TARGET="$(TARGET)" DESTDIR="$(DESTDIR)" LibOTP/build.sh install "$(PREFIX)"

uninstall: ## Remove what install put under PREFIX
	@DESTDIR="$(DESTDIR)" LibOTP/build.sh uninstall "$(PREFIX)"

install-tool: ## Install the tool otp of make build, its manual page and completions under PREFIX (default /usr/local)
	@DESTDIR="$(DESTDIR)" Scripts/install-tool.sh install "$(PREFIX)"

uninstall-tool: ## Remove what install-tool put under PREFIX
	@DESTDIR="$(DESTDIR)" Scripts/install-tool.sh uninstall "$(PREFIX)"

packages: ## Build Debian packages, a wheel, a Go module and a crate into dist, with SBOMs (LibOTP/bindings/README.md)
	@Scripts/setup.sh packages
	@LibOTP/packaging/packages.sh

packages-check: ## As root: install, use, upgrade and purge what is in dist, in clean chroots of Debian 12 and 13
	@Scripts/setup.sh packages-check
	@LibOTP/packaging/check.sh

vectors: ## Complete the files of vectors/
	python3 vectors/generate.py

setup: ## Only install what `make test` needs, after naming it (FOR=run, libotp, check, bench, conformance: those)
	@Scripts/setup.sh $(or $(FOR),test)

setup-%:
	@Scripts/setup.sh $*

clean: ## Remove everything that was built
	rm -rf dist .build .build-* Tool/.build Tests/Fuzz/.build Tests/Fuzz/.build-fuzz Tests/Fuzz/.corpus \
		Tests/Fuzz/findings Tests/Checks/.build Benchmarks/.build Servers/.build LibOTP/examples/own-table/swift/.build
