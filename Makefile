# Everything runs in .venv, which is made from nothing but Python 3.11+, pip and make.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help

# Python and pytest keep what they compiled, even where the environment forbids it: otherwise every worker and every
# program that a test starts compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help:  ## Show these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-11s %s\n", $$1, $$2}'

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Tallystick needs Python 3.11 or newer"'
	$(PYTHON) -m venv .venv
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[trent,pst,room,serve,cluster,experiments,dev]'
	touch $@

.PHONY: setup
setup: .venv/ready  ## Make the environment

.PHONY: test
test: .venv/ready  ## Run the tests (minutes)
	$(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: slow
slow: .venv/ready  ## Run the slow tests: processes killed while they write, a fresh installation
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

.PHONY: fuzz
fuzz: .venv/ready  ## Fuzz the verifier for an hour or so: forty times the cases of the slow tests, and more if FUZZ says so
	TALLYSTICK_FUZZ=$(or $(FUZZ),40) $(BIN)/python -m pytest -n auto -m slow tests/verifier/test_fair_blame.py tests/verifier/test_hostile_questions.py tests/verifier/test_fuzz.py

.PHONY: mutants
mutants: .venv/ready  ## Change the verifier's rules one by one, and see whether a test notices
	$(BIN)/python -m tests.mutants

.PHONY: check
check: .venv/ready  ## Check format, lint, types, import contracts, spelling and generated docs
	$(MAKE) --no-print-directory --jobs 2 --output-sync check-types check-rest

.PHONY: check-types
check-types: .venv/ready
	$(BIN)/mypy

.PHONY: check-rest
check-rest: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/cog --check -I . -P docs/*.md docs/papers/*.md README.md CHANGELOG.md

.PHONY: fix
fix: .venv/ready  ## Format the code and regenerate the generated docs and vectors
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/cog -r -I . -P docs/*.md docs/papers/*.md README.md CHANGELOG.md
	$(BIN)/python -m tests.vectors.generate

.PHONY: coverage
coverage: .venv/ready  ## Show which lines the tests do not reach
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report

.PHONY: demo
demo: .venv/ready  ## From nothing to three matters side by side
	rm -rf build/demo
	$(BIN)/tallystick demo --out build/demo

.PHONY: dist
dist: .venv/ready  ## Build the wheel, the sources and the page of the last commit, with their hashes, into dist
	$(BIN)/python -m tools.dist dist

.PHONY: bench
bench: .venv/ready  ## Measure everything against its floor, as ratios
	$(BIN)/python -m bench

.PHONY: bench-small
bench-small: .venv/ready  ## The same on small inputs, to see that it runs
	$(BIN)/python -m bench --small

.PHONY: bench-full
bench-full: .venv/ready  ## The protocol at the paper's size, 720,000 documents
	$(BIN)/python -m bench --full

.PHONY: bench-large
bench-large: .venv/ready  ## Ten million documents on this machine, from texts to the court's verdict; LARGE="--documents 200000" for fewer
	$(BIN)/python -m bench.large $(LARGE)

.PHONY: screens
screens: .venv/ready  ## Draw the pictures of rooms in docs/ again
	TALLYSTICK_SCREENS=1 TALLYSTICK_NEEDS_BROWSER=1 $(BIN)/python -m pytest -m slow tests/protocol/room/test_screens.py

.PHONY: clean
clean:  ## Remove the environment and what tools left behind
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
