"""Dates as a text names them."""

import pytest

from turnkeep.blocks.dates import Day, find_days, is_known_day


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 5 May 2026", [Day(2026, 5, 5)]),
        ("on the 5th of May", [Day(None, 5, 5)]),
        ("on May 5, 2026", [Day(2026, 5, 5)]),
        ("on 2026-05-05", [Day(2026, 5, 5)]),
        ("in 2026-05", [Day(2026, 5, None)]),
        ("in Sept 2026", [Day(2026, 9, None)]),
        ("on Jan. 5", [Day(None, 1, 5)]),
        ("from 1 to 14 May", [Day(None, 5, 1), Day(None, 5, 14)]),
        ("from May 1 to 14, 2026", [Day(2026, 5, 1), Day(2026, 5, 14)]),
        ("it may 5 times", []),
        ("in May. 7 clicks", []),
        ("May 5 % of them", []),
        ("version 1.5 May it be", []),
        ("7 clicks in 2026", []),
        ("0 May 2026", [Day(2026, 5, None)]),
        ("45 May 2026", [Day(2026, 5, None)]),
        ("31 May", [Day(None, 5, 31)]),
    ],
)
def test_a_date_is_found_in_the_spellings_of_english(text: str, days: list[Day]) -> None:
    assert [day for _, found in find_days(text) for day in found] == days


def test_what_a_date_leaves_out_is_open_and_what_it_says_must_agree() -> None:
    known = [Day(2026, 5, 5)]
    assert is_known_day(Day(None, 5, 5), known)
    assert is_known_day(Day(2026, 5, None), known)
    assert not is_known_day(Day(2026, 6, 5), known)
    assert not is_known_day(Day(2026, 5, 5), [Day(2026, 5, None)])
