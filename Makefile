# Needs only Python 3.11 or later: `make demo`, `make test`.
PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ELECTRICITY := examples/electricity
EXTRAS ?=
# how many times more random cases than `make test` the campaigns of `make fuzz` have
LENGTH ?= 100
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS)
LONG := --no-cpu-limit --timeout 0 --durations-file=build/durations-long.csv

# compiled once, the modules of the tests are read in a few seconds
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo studio test test-quick test-engines test-product test-all lint fuzz bench docs client screenshots theory vscode wheelhouse format clean bytecode

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: bytecode ## run the paper's policy on the paper's table
	@mkdir -p build/demo
	cat $(ELECTRICITY)/policy.acp
	cat $(ELECTRICITY)/table.csv
	$(BIN)/python -m acompass run $(ELECTRICITY)/policy.acp $(ELECTRICITY)/table.csv \
		-o build/demo/table.csv --set k=2 --set l=1 --trace $(ELECTRICITY)/trace.txt
	cat build/demo/table.csv

studio: $(VENV)/.studio bytecode ## open the studio in the browser, on a copy of the paper's example
	@mkdir -p build/studio
	@test -e build/studio/policy.acp || cp $(ELECTRICITY)/policy.acp $(ELECTRICITY)/table.csv build/studio
	$(BIN)/python -m acompass studio build/studio/policy.acp build/studio/table.csv --set k=2 --set l=1

test: lint test-quick ## check style and types, run the tests that need nothing else: minutes

test-quick: $(VENV)/.test bytecode
	$(PYTEST) --dist worksteal -m quick --durations-file=build/durations-quick.csv

test-engines: $(VENV)/.test-all bytecode ## run the tests on PostgreSQL and Spark
	$(PYTEST) --dist loadgroup -m engines --durations-file=build/durations-engines.csv

test-product: $(VENV)/.test-all bytecode ## run the tests of pages, packages, integrations, the theory, and the laws at length
	$(PYTEST) --dist loadgroup -m product --durations-file=build/durations-product.csv
	ACOMPASS_TEST_LENGTH=10 $(PYTEST) --dist worksteal -m 'campaign and quick' tests/laws $(LONG)

test-all: ## run all tests, one target after the other
	$(MAKE) test
	$(MAKE) test-engines
	$(MAKE) test-product

lint: $(VENV)/.test ## check style and types
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

fuzz: $(VENV)/.test-all ## run the long random tests; LENGTH=1000 for longer ones
	ACOMPASS_TEST_LENGTH=$(LENGTH) $(PYTEST) --dist loadgroup -m campaign $(LONG)
	$(BIN)/python -m tests.text.fuzz_texts --cases 1000000
	$(BIN)/python -m tests.laws.differential --engine duckdb --cases 100000 --workers $(WORKERS)
	$(BIN)/python -m tests.laws.differential --engine postgres --cases 20000 --workers $(WORKERS)
	$(BIN)/python -m tests.laws.differential --engine spark --cases 5000 --workers $(WORKERS)
	$(BIN)/python -m tests.prove.soundness --policies 20000 --tables 1000 --workers $(WORKERS)
	$(BIN)/python -m tests.prove.decided --policies 2000
	$(BIN)/python -m tests.prove.decided --policies 2000 --kind everyday
	$(BIN)/python -m tests.prove.mutants --workers $(WORKERS)
	$(BIN)/python -m tests.reason.compare.campaign --pairs 2000
	$(BIN)/python -m tests.reason.compare.any_policies --pairs 500
	$(BIN)/python -m tests.reason.privacy.campaign --policies 2000
	$(BIN)/python -m tests.reason.privacy.sampling_policies 2000
	$(BIN)/python -m tests.reason.privacy.stability_policies 2000
	$(BIN)/python -m tests.explain.algebra_campaign --cases 20000
	$(BIN)/python -m tests.promise.campaign --cases 5000 --workers $(WORKERS)
	$(BIN)/python -m tests.cli.interrupts_campaign --times 1000 --load
	$(BIN)/python -m tests.theory.campaign --cases 20000 --workers $(WORKERS)
	$(BIN)/python -m tests.theory.decisions --cases 20000
	$(BIN)/python -m tests.theory.tampering --files 100000
	$(BIN)/python -m tests.prove.certify.campaign --proofs 20000

bench: $(VENV)/.test-all bytecode ## run the benchmarks
	$(BIN)/python benchmarks/parse_and_check.py
	$(BIN)/python benchmarks/prove_scaling.py
	$(BIN)/python benchmarks/measure_pycanon.py
	$(BIN)/python -m benchmarks.suggest
	$(BIN)/python -m benchmarks.studio
	$(BIN)/python -m benchmarks.performance

docs: $(VENV)/.docs ## build the documentation in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

client: ## build the studio's page from studio/; needs Node
	cd studio && npm ci && npm run build

screenshots: $(VENV)/.test ## take the screenshots of the report and the studio for docs/images; needs Chromium
	$(BIN)/python -m tests.report.screenshots
	$(BIN)/python -m tests.assist.studio.screenshots

theory: ## compile the theorems in theory/ and their interpreter; needs Coq and OCaml
	$(MAKE) -C theory

vscode: ## package the VS Code extension as build/acompass.vsix; needs Node
	@mkdir -p build
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm run package

wheelhouse: | $(VENV)/.python ## build a zip for offline installation in build/; EXTRAS=all includes Spark
	$(BIN)/python release/wheelhouse.py --into build --extras '$(EXTRAS)'

format: $(VENV)/.test ## format the code
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

# pip does not compile editable installs
bytecode: $(VENV)/.demo
	@$(BIN)/python -m compileall -q src

clean: ## remove all generated files and the environment
	rm -rf $(VENV) .venv-dbt* build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

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
	$(PIP) install --editable '.[lsp,postgres,studio]' --group test --group lint
	@touch $(VENV)/.demo $(VENV)/.studio $@

# Spark alone is 400 MB
$(VENV)/.test-all: pyproject.toml | $(VENV)/.python
	$(PIP) install --editable '.[lsp,postgres,spark,studio]' --group test-all --group lint
	@touch $(VENV)/.demo $(VENV)/.studio $(VENV)/.test $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.python
	$(PIP) install --group docs
	@touch $@
