"""What is computed rests on what was shown, and on nothing else."""

from datetime import date

import pytest

from turnkeep_agents.regulations.prompts import Step
from turnkeep_agents.regulations.reckoning import Unreckonable, known_in, reckon

SHOWN = (
    "23 per cento fino a 28.000 euro, 35 per cento fino a 50.000 euro; on an income of 42,000.50 EUR",
    "assunta il 31 gennaio 2026, malata dal 12 ottobre, entro sessanta giorni",
)
KNOWN = known_in(SHOWN, date(2026, 11, 23))


def steps(*expressions: str) -> list[Step]:
    return [Step(name=f"n{at}", expression=expression) for at, expression in enumerate(expressions, 1)]


def test_brackets_are_computed_step_by_step() -> None:
    planned = steps("28000 * 23 / 100", "(42000.50 - 28000) * 0.35", "s1 + s2")
    assert reckon(planned, KNOWN) == [
        "s1 n1: 28000 * 23 / 100 = 6440",
        "s2 n2: (42000.50 - 28000) * 0.35 = 4900.18",
        "s3 n3: 6440 + 4900.18 = 11340.18",
    ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("max(28000 - 50000, 0)", "0"),
        ("min(28000, 50000) / 12", "2333.33"),
        ('after("2026-01-31", 1, "months")', "2026-02-28 (Saturday, then Monday 2026-03-02)"),
        ('after("2026-11-23", 6, "weeks")', "2027-01-04 (Monday)"),
        ('days("2026-01-31", "2026-11-23")', "296"),
        ('after("2026-10-12", 60, "days")', "2026-12-11 (Friday)"),
    ],
)
def test_numbers_and_days(expression: str, value: str) -> None:
    assert reckon(steps(expression), KNOWN)[0].endswith(f" = {value}")


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("28000 * 43 / 100", "43 is neither in"),
        ('after("2026-02-01", 1, "days")', "2026-02-01 is neither in"),
        ('after("2026-01-31", 1, "fortnights")', "is not a unit"),
        ('after("2026-01-31", 0.5, "days")', "whole number"),
        ('after("2026-01-31", 28000, "years")', "too large"),
        ("28000 / (2 - 2)", "divides by zero"),
        ('28000 + "2026-01-31"', "mixes"),
        ("s1 + 1", "something else"),
        ("__import__('os')", "something else"),
        ("28000 *", "not an expression"),
        ("1 + " * 80 + "1", "too long"),
    ],
)
def test_anything_else_is_refused_with_the_reason(expression: str, why: str) -> None:
    with pytest.raises(Unreckonable, match=why):
        reckon(steps(expression), KNOWN)
