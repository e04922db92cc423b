# Two commands do all set-up on a fresh machine:
#   make recommend   answers an example profile
#   make test        lints, proves the rule book and passes the tests
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXAMPLE ?= docs/examples/lora-7b-one-card.yaml

.PHONY: recommend test lint check unit differential clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.run

recommend: $(VENV)/.run
	$(BIN)/python -m engine recommend $(EXAMPLE)

test: lint check unit differential

lint: $(VENV)/.dev
	$(BIN)/ruff check engine tests benchmarks
	$(BIN)/ruff format --check engine tests benchmarks
	$(BIN)/mypy

check: $(VENV)/.dev
	$(BIN)/python -m engine rules check
	$(BIN)/python -m engine rules test
	$(BIN)/python -m engine catalog check

unit: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n 2

# 100,000 random profiles through every runtime; the second seed is fresh each time and printed.
differential: $(VENV)/.dev
	$(BIN)/python -m tests.differential

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
