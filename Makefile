# Two commands need nothing else: `make demo` and `make test`.
# Needed from the system: git, make, python3 >= 3.11 with venv (Debian: apt-get install git make python3-venv).
# No other system package is needed. Packages come from wherever pip and uv on this machine are set up to look;
# after setup nothing here touches a network.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP ?= $(PY) -m pip
UV ?= $(BIN)/uv

STAMPS := $(VENV)/.stamps
UVFLAGS := --python $(PY) --no-managed-python --no-progress
LOCK := $(UV) pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-header --no-annotate --quiet --extra embed $(UPGRADE)

.PHONY: help setup demo check lint test coverage soak bench lock format clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

# ------------------------------------------------------------------------------------------------------------ setup

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "oblio: '$(PYTHON)' is missing or older than 3.11; name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "oblio: this Python cannot make virtual environments." >&2; \
	       echo "       Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/uv: requirements/uv.txt | $(STAMPS)/venv
	@$(PIP) install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/uv.txt
	@touch $@

# The demo installs what a user gets. A virtual environment that has the tests' packages has these too.
$(STAMPS)/run: requirements/run.txt pyproject.toml $(STAMPS)/uv
	@if [ -e $(STAMPS)/dev ]; then $(MAKE) --no-print-directory $(STAMPS)/dev; \
	else $(call install,requirements/run.txt); fi
	@touch $@

$(STAMPS)/dev: requirements/dev.txt pyproject.toml $(STAMPS)/uv
	@$(call install,requirements/dev.txt)
	@touch $@

define install
$(UV) pip sync $(UVFLAGS) --quiet --require-hashes --compile-bytecode $(1) \
&& $(UV) pip install $(UVFLAGS) --quiet --offline --no-deps --no-build-isolation --compile-bytecode --editable .
endef

setup: $(STAMPS)/dev  ## make .venv with everything the tests need

lock: $(STAMPS)/uv  ## resolve again and write requirements/*.txt (newer versions: make lock UPGRADE=--upgrade)
	@echo uv | $(UV) pip compile - --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet $(UPGRADE) \
	  --output-file requirements/uv.txt
	@$(LOCK) --group build --output-file requirements/run.txt
	@$(LOCK) --group build --group dev --constraint requirements/run.txt --output-file requirements/dev.txt
	@! grep -nE '://|^-|@ ' requirements/*.txt || { echo "oblio: a lock file names a host or a path" >&2; exit 1; }

# ------------------------------------------------------------------------------------------------------------- use

demo: $(STAMPS)/run  ## install and show the product, offline
	@$(BIN)/oblio demo

# ------------------------------------------------------------------------------------------------------------ gates

lint: $(STAMPS)/dev
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

check: lint  ## the gate while working, at most 2 minutes
	@$(PY) -m pytest -q -m "not slow and not soak" tests/arch tests/unit

test: lint coverage  ## everything, at most 20 minutes on 2 cores

coverage: $(STAMPS)/dev
	@rm -rf .cache/coverage && mkdir -p .cache/coverage
	@$(BIN)/coverage run -m pytest -m "not soak"
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --fail-under=100 \
	  --include='src/oblio/model/*,src/oblio/vault/*,src/oblio/audit/*,src/oblio/erasure/*'

soak: $(STAMPS)/dev  ## long measurements; reports in docs/soak
	@mkdir -p docs/soak
	@OBLIO_SOAK_REPORTS=docs/soak $(PY) -m pytest -q -m soak --timeout=0 tests

bench: $(STAMPS)/dev  ## figures of benchmarks/*.py
	@for script in $(wildcard benchmarks/*.py); do echo "== $$script"; $(PY) $$script; done

format: $(STAMPS)/dev  ## rewrite the layout
	@$(BIN)/ruff format --quiet . && $(BIN)/ruff check --quiet --fix .

clean:  ## remove what make made, .venv included
	@rm -rf $(VENV) .cache build dist .mypy_cache .ruff_cache .pytest_cache
