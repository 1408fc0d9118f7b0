# One front door: `make help`. `make check` is what CI checks, `make test` is the README's test command.
.DEFAULT_GOAL := help
.PHONY: help setup check lint types arch test test-real e2e compose-check schemas bus demo eval eval-full bench authmatrix rolling fuzz chaos clean
SHELL := /bin/sh

BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
# One test process per core. Tests of one file stay together where they share a stack.
SIDE_BY_SIDE := -n auto --maxprocesses 4
READY := .venv/.synced
# Some checkers ask a registry for a newer version of themselves; the lock decides that here.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): uv.lock pyproject.toml scripts/setup.sh
	@scripts/setup.sh

setup: $(READY) ## Make .venv exactly as uv.lock says

check: ## All static checks: lint, then types, then arch; stops at the first that fails
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory arch

lint: $(READY) ## Format, lint, our own rules, spelling, YAML, ADR index
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/python -m scripts.lint_rules
	$(BIN)/codespell
	$(BIN)/yamllint --strict .
	$(BIN)/python -m scripts.adr_index --check
	$(BIN)/python -m scripts.generate_bus --check

types: $(READY) ## Strict types, by pyright and by mypy
	$(BIN)/pyright
	$(BIN)/mypy

arch: $(READY) ## Import rules, unused and missing dependencies
	$(BIN)/lint-imports
	$(BIN)/deptry .

test: $(READY) ## The fast suite: no servers, under two minutes
	$(PYTEST) $(SIDE_BY_SIDE)

test-real: $(READY) ## Tests against real NATS, Postgres and Redis servers, started from wheels
	$(PYTEST) $(SIDE_BY_SIDE) --dist worksteal -m "connected or slow" --ignore=tests/e2e --ignore=tests/cases

e2e: $(READY) ## Whole stacks: every process started, questions in, answers out
	$(PYTEST) $(SIDE_BY_SIDE) --dist loadfile -m "" tests/e2e tests/cases

authmatrix: $(READY) ## Every user of the bus and the stores, and every HTTP key, on everything it could try, against what its table says
	$(PYTEST) -m "" tests/integration/security tests/component/gateway/test_scope_matrix.py

rolling: $(READY) ## Restart every service ten times and the broker five times under load: no ask may fail
	$(BIN)/python -m tests.e2e.rolling $(ARGS)

chaos: $(READY) ## 10,000 durable asks under random kills of everything, and a naive worker that must lose some
	$(BIN)/python -m tests.chaos $(ARGS)

COMPOSE_CHECK ?= compose-check
compose-check: ## Build and run the compose project, kill every part, scale, re-up: COMPOSE_CHECK=tool
	$(COMPOSE_CHECK) . --profile observability --timeout 400 --smoke 'sh deploy/compose/smoke.sh' --scale orchestrator=3 --reup \
	    --kill nats --kill postgres --kill redis \
	    --kill gateway --kill orchestrator --kill intent --kill facts --kill narrative

schemas: $(READY) ## Write contracts/schemas and contracts/asyncapi.json again
	$(BIN)/python -m scripts.generate_schemas

bus: $(READY) ## Write deploy/nats and the table of docs/operations/bus.md again
	$(BIN)/python -m scripts.generate_bus

demo: ## Start everything on the sample company and ask five questions
	./ragspine demo

eval: $(READY) ## Public questions on private stacks, against the committed baseline
	$(BIN)/python -m cli eval evaluation/real.toml --baseline evaluation/real.baseline.json --quiet $(ARGS)

eval-full: $(READY) ## The full sets, with every miss: make eval-full DATA=DIR
	$(BIN)/python -m cli eval evaluation/full.toml --data $(DATA) $(ARGS)

bench: $(READY) ## Benchmarks, printed with the machine they ran on
	$(BIN)/python -m bench $(ARGS)

fuzz: $(READY) ## A million hostile payloads; what breaks a claim is kept below .fuzz-failures: make fuzz ARGS="--seed 7"
	$(BIN)/python -m tests.fuzz $(ARGS)
	FUZZ=full $(PYTEST) -m "" -s tests/e2e/test_hostile_input.py

clean: ## Remove caches; the environment and the data stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist contracts/dist
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
