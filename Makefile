# One door: make demo, make test, make check, make bench. Each builds .venv itself;
# beside and those named test-... have one of their own each.
# A test is in make test, or marked exhaustive and in make exhaustive; make check runs both (docs/development.md).
PYTHON ?= python3
SITE ?=
BARE ?=
ARGS ?=
FUZZ_PAGES ?= 20000
BIN := .venv/bin
READY := .venv/.ready
SPARK := .venv-spark
SCRAPY := .venv-scrapy
OLDEST := .venv-oldest
EXTRAS := .venv-extras
WITHOUT := .venv-bare
BESIDE := .venv-beside
DOCS := .venv-docs
# On all cores, a file in one process, so that what its tests share is made once. A test that hangs is ended.
# Each worker imports all tests: four are enough for make test.
PYTEST := pytest -q -n auto --dist loadscope --timeout 600 --timeout-method thread
# Compiled modules are kept, whatever the caller's environment: tests start many processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test exhaustive kernel figures commands docs fuzz test-scrapy test-oldest test-spark test-extras test-bare beside check format lint types layers bench clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "templcrawl needs Python 3.10 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)   ## crawl a generated site, or SITE=<url or path>, and print what was learned
	$(BIN)/python -m benchmarks.demo $(if $(SITE),--site "$(SITE)")

test: $(READY)   ## run the tests of a few minutes
	$(BIN)/python -m $(PYTEST) --maxprocesses 4 -m "not exhaustive" --hypothesis-profile quick $(ARGS)

exhaustive: $(READY)   ## run the tests that make test leaves out: documents, benchmarks, the long and the large; and all examples of properties
	$(BIN)/python -m $(PYTEST) -m "exhaustive or hypothesis" $(ARGS)

kernel:   ## build the native page layer, which pages are then read by; needs cargo (TEMPLCRAWL_KERNEL=off: without)
	$(PYTHON) kernel/build.py

fuzz: FUZZ_SEED := $(or $(FUZZ_SEED),$(shell date +%s))
fuzz: $(READY)   ## run the tests of properties with other examples in each run, and more of them; FUZZ_PAGES= damaged pages of FUZZ_SEED=
	$(BIN)/python -m $(PYTEST) -m hypothesis --hypothesis-profile fuzz $(ARGS)
	@echo "repeat these with: make fuzz FUZZ_PAGES=$(FUZZ_PAGES) FUZZ_SEED=$(FUZZ_SEED)"
	FUZZ_PAGES=$(FUZZ_PAGES) FUZZ_SEED=$(FUZZ_SEED) $(BIN)/python -m $(PYTEST) --timeout 0 tests/test_mutated_pages.py

test-scrapy: $(SCRAPY)/.ready   ## run Scrapy's own tests with the add-on in its default settings; BARE=1: without, ARGS=: for pytest
	$(SCRAPY)/bin/python -m tests.scrapy_own $(SCRAPY)/source $(if $(BARE),--bare) $(ARGS)

$(SCRAPY)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(SCRAPY)
	$(SCRAPY)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(SCRAPY)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[scrapy-tests]'
	$(SCRAPY)/bin/python -m pip download --quiet --constraint constraints.txt --no-deps --no-binary scrapy \
	  --dest $(SCRAPY)/source scrapy
	@touch $@

test-spark: $(SPARK)/.ready   ## test that Spark and DuckDB give equal tables; installs PySpark (450 MB), needs Java 17 or 21
	$(SPARK)/bin/python -m $(PYTEST) tests/engines

$(SPARK)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(SPARK)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,spark]'
	@touch $@

test-oldest: $(OLDEST)/.ready   ## run all tests with the oldest Scrapy and libraries that pyproject.toml allows
	$(OLDEST)/bin/python -m $(PYTEST) $(ARGS)

$(OLDEST)/.ready: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(OLDEST)/bin/python -m pip install --quiet --constraint constraints-oldest.txt --editable '.[dev]'
	@touch $@

test-extras: $(EXTRAS)/.ready   ## test with every extractor, peer and plot, and an archive on S3; no test may be skipped
	$(EXTRAS)/bin/python -m $(PYTEST) --no-skips --ignore tests/engines/test_spark.py \
	  $(if $(wildcard templcrawl/_native/*),,--ignore-glob 'tests/page/test_kernel*') tests

$(EXTRAS)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(EXTRAS)
	$(EXTRAS)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(EXTRAS)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[extras-tests]'
	@touch $@

test-bare: $(WITHOUT)/.ready   ## test without any extra: what lacks the library of one is skipped, nothing else
	$(WITHOUT)/bin/python -m $(PYTEST) --bare $(ARGS)

$(WITHOUT)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(WITHOUT)
	$(WITHOUT)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(WITHOUT)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[tests]'
	@touch $@

commands: $(READY)   ## run the commands of docs/commands.md and write down what they print
	$(BIN)/python -m documents.commands

beside: $(BESIDE)/.ready   ## crawl with and without the one line beside other add-ons; needs chromium and redis-server
	$(BESIDE)/bin/python -m benchmarks.beside

$(BESIDE)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BESIDE)
	$(BESIDE)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(BESIDE)/bin/python -m pip install --quiet --editable '.[beside]'
	@touch $@

figures: $(READY)   ## write the figures that benchmarks have kept (docs/figures) into README and documents
	$(BIN)/python -m documents.figures

docs: $(DOCS)/.ready   ## build the documents as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/python -m mkdocs build --quiet

$(DOCS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade "pip>=24"
	$(DOCS)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

check: format lint types layers test exhaustive   ## all that must be clean before a change lands

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py

bench: $(READY)   ## print the tables of the benchmarks that need nothing, and name the others (benchmarks/README.md)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv $(SPARK) $(SCRAPY) $(OLDEST) $(EXTRAS) $(WITHOUT) $(BESIDE) $(DOCS) site demo-output kernel/target templcrawl/_native
