# Two commands do all set-up on a fresh machine:
#   make recommend   answers an example profile
#   make test        lints, proves the rule book and passes the tests
# And for those who change rules, facts or prices:
#   make changes     which answers differ from those of the last commit
# And for those who read:
#   make site        the guide and the rule book as pages: open site/index.html
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXAMPLE ?= docs/examples/lora-7b-one-card.yaml
CODE    := engine tests benchmarks hatch_build.py
SINCE   ?= HEAD

.PHONY: recommend test lint check unit differential differential-long changes site clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.site: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[site]'
	@touch $@ $(VENV)/.run

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.run $(VENV)/.site

recommend: $(VENV)/.run
	$(BIN)/python -m engine recommend $(EXAMPLE)

test: lint check unit differential

lint: $(VENV)/.dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy

check: $(VENV)/.dev
	$(BIN)/python -m engine rules check
	$(BIN)/python -m engine rules test
	$(BIN)/python -m engine catalog check

unit: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n 2

# Random profiles through every runtime: 20,000 on small choices of catalog rows, then 60 on the whole
# catalog. The second seed is fresh each time and printed, so the share of rows reached varies about 93
# of a hundred. `differential-long` takes many more.
differential: $(VENV)/.dev
	$(BIN)/python -m tests.differential --profiles 20000 --batch 500 --reach 0.9 --minutes 15
	$(BIN)/python -m tests.differential --profiles 60 --rows 100000 --batch 25 --reference 1 --reach 0 --minutes 8

differential-long: $(VENV)/.dev
	$(BIN)/python -m tests.differential
	$(BIN)/python -m tests.differential --profiles 500 --rows 100000 --batch 25 --reference 1 --reach 0

# The answers to the example profiles by the book of a commit (SINCE) and by the one at hand.
changes: $(VENV)/.run
	$(BIN)/python -m tests.answers $(SINCE)

# Both languages and the page that leads to them. Without -q: it would disarm --strict.
site: $(VENV)/.site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
