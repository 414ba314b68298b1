# Needs only Python 3.11 or later: `make demo`, `make test`.
PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ELECTRICITY := examples/electricity
EXTRAS ?=

.PHONY: help demo studio test test-fast lint pytest fuzz bench docs client screenshots theory vscode wheelhouse format clean bytecode

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: bytecode ## run the paper's policy on the paper's table
	@mkdir -p build/demo
	cat $(ELECTRICITY)/policy.acp
	cat $(ELECTRICITY)/table.csv
	$(BIN)/acompass run $(ELECTRICITY)/policy.acp $(ELECTRICITY)/table.csv \
		-o build/demo/table.csv --set k=2 --set l=1 --trace $(ELECTRICITY)/trace.txt
	cat build/demo/table.csv

studio: $(VENV)/.studio bytecode ## open the studio on a copy of the paper's example, in the browser
	@mkdir -p build/studio
	@test -e build/studio/policy.acp || cp $(ELECTRICITY)/policy.acp $(ELECTRICITY)/table.csv build/studio
	$(BIN)/acompass studio build/studio/policy.acp build/studio/table.csv --set k=2 --set l=1

test: lint pytest ## check style and types, run all tests

test-fast: $(VENV)/.test bytecode ## run the tests that are quick and need no server, browser or Spark
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --hypothesis-profile=fast \
		-m 'not (server or spark or browser or slow)'

lint: $(VENV)/.test ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

pytest: $(VENV)/.test bytecode
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

fuzz: $(VENV)/.test ## run the long random tests
	$(BIN)/python -m tests.syntax.fuzz_texts --cases 1000000
	$(BIN)/python -m tests.laws.differential --engine duckdb --cases 100000 --workers $(WORKERS)
	$(BIN)/python -m tests.laws.differential --engine postgres --cases 20000 --workers $(WORKERS)
	$(BIN)/python -m tests.laws.differential --engine spark --cases 5000 --workers $(WORKERS)
	$(BIN)/python -m tests.prove.soundness --policies 20000 --tables 1000 --workers $(WORKERS)
	$(BIN)/python -m tests.prove.mutants --workers $(WORKERS)
	$(BIN)/python -m tests.compare.campaign --pairs 2000
	$(BIN)/python -m tests.theory.campaign --cases 20000 --workers $(WORKERS)
	$(BIN)/python -m tests.theory.decisions --cases 20000
	$(BIN)/python -m tests.certify.campaign --proofs 20000

bench: $(VENV)/.test bytecode ## run the benchmarks
	$(BIN)/python benchmarks/parse_and_check.py
	$(BIN)/python benchmarks/prove_scaling.py
	$(BIN)/python benchmarks/measure_pycanon.py
	$(BIN)/python -m benchmarks.suggest
	$(BIN)/python -m benchmarks.studio
	$(BIN)/python -m benchmarks.performance

docs: $(VENV)/.docs ## build the documentation in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

client: ## build the studio's page from studio/; needs Node
	cd studio && npm ci && npm run build

screenshots: $(VENV)/.test ## take the pictures of the report and the studio in docs/images; needs Chromium
	$(BIN)/python -m tests.report.screenshots
	$(BIN)/python -m tests.studio.screenshots

theory: ## compile the theorems of theory/ and their interpreter; needs Coq and OCaml
	$(MAKE) -C theory

vscode: ## package the extension for VS Code as build/acompass.vsix; needs Node
	@mkdir -p build
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm run package

wheelhouse: | $(VENV)/.python ## gather acompass and all it needs in one zip in build/, to install it offline; EXTRAS=all for Spark too
	$(BIN)/python release/wheelhouse.py --into build --extras '$(EXTRAS)'

format: $(VENV)/.test ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# pip does not compile an editable install
bytecode: $(VENV)/.demo
	@$(BIN)/python -m compileall -q src

clean: ## remove all generated files and the environment
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo '$(PYTHON) is missing or older than 3.11; choose another: make PYTHON=python3.12 …' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo '$(PYTHON) lacks venv; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/.python
	$(PIP) install --editable .
	@touch $@

$(VENV)/.studio: pyproject.toml | $(VENV)/.python
	$(PIP) install --editable '.[studio,suggest]'
	@touch $(VENV)/.demo $@

$(VENV)/.test: pyproject.toml | $(VENV)/.python
	$(PIP) install --editable '.[lsp,postgres,spark,studio]' --group test --group lint
	@touch $(VENV)/.demo $(VENV)/.studio $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.python
	$(PIP) install --group docs
	@touch $@
