# One door: make demo, make test, make check, make bench. .venv is built on the way; the environments of [tool.tox] in pyproject.toml are in .tox.
# A test is in make test, or marked exhaustive and in make exhaustive; make check runs both (docs/design.md).
PYTHON ?= python3
SITE ?=
BARE ?=
ARGS ?=
FUZZ_PAGES ?= 20000
BIN := .venv/bin
READY := .venv/.ready
TOX := .tox/program/bin/tox
# In four processes, also where fewer cores are: tests wait for the processes that they start. A file is in one
# process, so that what its tests share is made once. A test that hangs is ended.
PYTEST := pytest -q -n 4 --dist loadscope --timeout 600 --timeout-method thread
# Compiled modules are kept, whatever the caller's environment: tests start many processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test exhaustive fuzz check lint kernel commands figures bench house docs test-oldest test-extras test-bare test-spark test-scrapy beside clean release-check fresh-kernel

$(READY): pyproject.toml .ci/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "templcrawl needs Python 3.10 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24"
	@echo "installing the libraries of the demo and of all tests into .venv: some minutes, once"
	$(BIN)/python -m pip install --quiet --constraint .ci/constraints.txt --editable '.[dev]'
	@touch $@

$(TOX): .ci/constraints.txt
	$(PYTHON) -m venv .tox/program
	.tox/program/bin/python -m pip install --quiet --constraint .ci/constraints.txt tox
	@touch $@

help:   ## list what can be made
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1: \2/p' $(firstword $(MAKEFILE_LIST))

demo: $(READY) fresh-kernel   ## crawl a generated site, or SITE=<url or path>, and print what was learned
	$(BIN)/python -m lab.bench.demo $(if $(SITE),--site "$(SITE)")

test: $(READY) fresh-kernel   ## run the tests of a few minutes
	$(BIN)/python -m $(PYTEST) -m "not exhaustive and not long" --hypothesis-profile quick $(ARGS)

exhaustive: $(READY) fresh-kernel   ## run the tests that make test leaves out, but the longest; and all examples of properties
	$(BIN)/python -m $(PYTEST) -m "(exhaustive or hypothesis) and not long" $(ARGS)

fuzz: FUZZ_SEED := $(or $(FUZZ_SEED),$(shell date +%s))
fuzz: $(READY) fresh-kernel   ## run the longest tests, and those of properties with other and more examples; FUZZ_PAGES= damaged pages of FUZZ_SEED=
	$(BIN)/python -m $(PYTEST) -m "long and not hypothesis" $(ARGS)
	$(BIN)/python -m $(PYTEST) -m hypothesis --hypothesis-profile fuzz $(ARGS)
	@echo "repeat these with: make fuzz FUZZ_PAGES=$(FUZZ_PAGES) FUZZ_SEED=$(FUZZ_SEED)"
	FUZZ_PAGES=$(FUZZ_PAGES) FUZZ_SEED=$(FUZZ_SEED) $(BIN)/python -m $(PYTEST) --timeout 0 tests/test_mutated_pages.py

check: lint test exhaustive   ## all that must be clean before a change lands

lint: $(READY)   ## check format, style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@! command -v cargo > /dev/null || cargo fmt --manifest-path kernel/Cargo.toml --check
	$(BIN)/python -m pytest -q tests/test_architecture.py

kernel:   ## build the native page reader; needs cargo (TEMPLCRAWL_KERNEL=off: pages are read by Python all the same)
	TEMPLCRAWL_BUILD_KERNEL=1 $(PYTHON) kernel/build.py

# Built where cargo is; again where a source of it has changed since.
fresh-kernel:
	@$(PYTHON) kernel/build.py

commands: $(READY)   ## run the commands of docs/finished-crawls.md and docs/recipes.md and write down what they print; write docs/tables
	$(BIN)/python -m docs.build.commands
	$(BIN)/python -m docs.build.whole_tables

figures: $(READY)   ## fill the tables of the documents (docs/build/tables) with the results that benchmarks have stored
	$(BIN)/python -m docs.build.figures

bench: $(READY) fresh-kernel   ## print the tables of the benchmarks that need nothing, and name the others (lab/bench/README.md)
	$(BIN)/python -m lab.bench

house: $(READY) fresh-kernel   ## print what a stranger must read: five measures of the structure, with their goals
	$(BIN)/python -m lab.bench.house $(ARGS)

release-check: $(READY)   ## build a release, install it for each Python that is found, crawl and test with it; TAG=v1.2.3
	rm -rf .release
	$(BIN)/python -m tests.release_check .release $(if $(TAG),--tag "$(TAG)") $(ARGS)

# Each in an environment of its own; pyproject.toml says what it is for.
test-extras: kernel
test-scrapy: ARGS += $(if $(BARE),--bare)
test-oldest test-extras test-bare test-spark test-scrapy beside docs: $(TOX) fresh-kernel
	$(TOX) run --quiet -e $(patsubst test-%,%,$@) -- $(ARGS)

clean:
	rm -rf .venv .tox .release site demo-output kernel/target templcrawl/_native
