"""The simulation finds each one-line mutant of the protocol, but those that mutants.txt explains."""

import pytest

from simulation.mutants import applied, hunt, mutants
from simulation.test_simulation import RUNS

MUTANTS = list(mutants())
FINDABLE = [each for each in MUTANTS if not each.reason]


def name(mutant):
    return mutant.name


def test_there_are_mutants_enough():
    assert len(MUTANTS) >= 60


@pytest.mark.parametrize("mutant", FINDABLE, ids=name)
def test_a_mutant_is_found(mutant):
    assert hunt(mutant, RUNS[mutant.family]) is not None


@pytest.mark.parametrize("mutant", [each for each in MUTANTS if each.reason], ids=name)
def test_a_harmless_mutant_still_fits(mutant):
    with applied(mutant):
        pass
