"""Every promise of the model holds in the runs of fixed seeds, in each family of operations. tests/README.md explains
how to read a schedule."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simulation.scenarios import FAMILIES, plan_of
from simulation.shrink import read, schedule, shrink
from simulation.world import play

RUNS = {"threads": 4_500, "memory": 9_800, "imports": 4_000, "serving": 800, "queue": 200, "saver": 900}
PARTS = 10
QUICK_SHARE = 12
"""`make test` does one run in so many."""
SCHEDULES = sorted((Path(__file__).parent / "schedules").glob("*.json"))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("family", FAMILIES)
def test_every_promise_holds(request, family, part):
    seeds = range(part, RUNS[family], PARTS)
    for seed in seeds[: len(seeds) // QUICK_SHARE] if request.config.getoption("--no-servers") else seeds:
        plan = plan_of(family, seed)
        found, _ = play(plan)
        assert found is None, f"\n{schedule(shrink(plan, limit=100))}"


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.stem)
def test_what_was_found_once_is_not_found_again(path):
    plan = read(path.read_text())
    found, _ = play(plan)
    assert found is None, f"\n{schedule(plan)}"


def sent(plan):
    """All that was sent in the run; ids and bytes of LangGraph and of secrets are left out."""
    found, world = play(plan, log=True)
    lines = [(round(at, 9), who, n, what, fault) for at, who, n, what, _, fault in world.sim.network.log]
    return [*lines, found.kind if found else ""]


def digest():
    lines = [sent(plan_of(family, seed)) for family in FAMILIES for seed in range(6)]
    return hashlib.sha256(repr(lines).encode()).hexdigest()


def test_the_same_seed_is_the_same_run_in_another_process():
    code = "from simulation.test_simulation import digest; print(digest())"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environ = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_is_the_same_run_with_and_without_botocores_layers(family):
    """Seed 27 of `serving` loses the answer to a transaction."""
    for plan in (plan_of(family, seed) for seed in range(30)):
        assert sent(replace(plan, is_direct=True)) == sent(replace(plan, is_direct=False))
