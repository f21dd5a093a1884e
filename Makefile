# Needs only make and Python 3.11 or newer; uses uv when it is there.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint types arch format bench fuzz clean

VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
UV := $(shell command -v uv 2>/dev/null)
FIND_PYTHON = for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done
# pytest-xdist workers: one per core
WORKERS ?= auto

help: ## what can be made here
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

$(PY):
	@python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then echo "seatrial needs Python 3.11 or newer on the PATH" >&2; exit 1; fi; \
	if [ -n "$(UV)" ]; then "$(UV)" venv -q --python "$$python" $(VENV); \
	else "$$python" -m venv $(VENV) && $(PY) -m pip install -q --upgrade 'pip>=25.1'; fi

# Bytecode is compiled once, at the install, whatever the environment says about writing it later.
define install
	@if [ -n "$(UV)" ]; then VIRTUAL_ENV=$(VENV) "$(UV)" pip install -q --compile-bytecode $(1); \
	else PYTHONDONTWRITEBYTECODE= $(PY) -m pip install -q $(1); fi
	@PYTHONDONTWRITEBYTECODE= $(PY) -m compileall -q src
endef

$(VENV)/.demo: pyproject.toml | $(PY)
	$(call install,-e '.[local$(comma)metrics$(comma)chat]')
	@touch $@

$(VENV)/.dev: pyproject.toml | $(PY)
	$(call install,-e '.[all]' --group dev)
	@$(PY) scripts/fetch_test_model.py
	@touch $@ $(VENV)/.demo

# What only the tests need beyond the environment: real MCP servers, the conformance suite, Node.js.
SERVERS := $(VENV)/share/seatrial/servers/.installed
$(SERVERS): scripts/install_test_servers.py $(wildcard tests/servers/*) | $(VENV)/.dev
	@$(PY) scripts/install_test_servers.py

# The built package in environments of its own, with the oldest and the newest dependencies that it allows.
PACKAGES := $(VENV)/share/seatrial/packages/.fetched
$(PACKAGES): scripts/install_packages.py pyproject.toml | $(VENV)/.dev
	@$(PY) scripts/install_packages.py

comma := ,

setup: $(VENV)/.dev ## a virtual environment with everything that development needs

demo: $(VENV)/.demo ## test the example agent: no key, no server
	@$(BIN)/seatrial test examples/support; status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi; \
	echo; echo "What was stored:"; $(BIN)/seatrial runs list --agent examples/support --limit 3

test: $(VENV)/.dev $(SERVERS) $(PACKAGES) ## the tests
	@$(PY) -m pytest -n $(WORKERS)

check: lint types arch test ## everything that must hold before a change lands

fuzz: $(VENV)/.dev ## 1,000,000 random streams, 100,000 replies and agent files; SEED=n repeats a round
	@seed=$${SEED:-$$(date +%s)}; echo "seed $$seed"; export SEATRIAL_SEED=$$seed; \
	SEATRIAL_STREAMS=1000000 SEATRIAL_REPLIES=100000 SEATRIAL_MUTATIONS=100000 \
	$(PY) -m pytest -x -n $(WORKERS) --timeout=3600 tests/unit/formats/test_random_replies.py \
	tests/unit/core/test_random_runs.py tests/unit/config/test_mutations.py

lint: $(VENV)/.dev ## style and common mistakes
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: $(VENV)/.dev ## strict type checking
	@$(BIN)/mypy

arch: $(VENV)/.dev ## who may import whom
	@$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev ## put the code into its one form
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

bench: $(VENV)/.dev $(SERVERS) ## the benchmarks; figures go to benchmarks/RESULTS.md
	@$(PY) benchmarks/run.py

clean: ## remove what was built
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
