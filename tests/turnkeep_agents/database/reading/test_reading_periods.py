from datetime import date

import pytest

from turnkeep_agents.database.reading.asked import EARLIEST, LATEST
from turnkeep_agents.database.reading.times.periods import find_periods

TODAY = date(2026, 11, 22)
"""A Sunday."""


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("sold today", date(2026, 11, 22), date(2026, 11, 22)),
        ("sold yesterday", date(2026, 11, 21), date(2026, 11, 21)),
        ("due tomorrow", date(2026, 11, 23), date(2026, 11, 23)),
        ("in the last week", date(2026, 11, 9), date(2026, 11, 15)),
        ("this week", date(2026, 11, 16), date(2026, 11, 22)),
        ("next week", date(2026, 11, 23), date(2026, 11, 29)),
        ("last month", date(2026, 10, 1), date(2026, 10, 31)),
        ("the month before last", date(2026, 9, 1), date(2026, 9, 30)),
        ("last quarter", date(2026, 7, 1), date(2026, 9, 30)),
        ("in q1", date(2026, 1, 1), date(2026, 3, 31)),
        ("q4 2025", date(2025, 10, 1), date(2025, 12, 31)),
        ("the first half of 2026", date(2026, 1, 1), date(2026, 6, 30)),
        ("this year", date(2026, 1, 1), date(2026, 12, 31)),
        ("year to date", date(2026, 1, 1), date(2026, 11, 22)),
        ("in march", date(2026, 3, 1), date(2026, 3, 31)),
        ("since new year", date(2026, 1, 1), TODAY),
        ("since christmas", date(2025, 12, 25), TODAY),
        ("since last october", date(2026, 10, 1), TODAY),
        ("last november", date(2025, 11, 1), date(2025, 11, 30)),
        ("this april", date(2026, 4, 1), date(2026, 4, 30)),
        ("next march", date(2027, 3, 1), date(2027, 3, 31)),
        ("ends in april", date(2027, 4, 1), date(2027, 4, 30)),
        ("was due in april", date(2026, 4, 1), date(2026, 4, 30)),
        ("planned for friday", date(2026, 11, 27), date(2026, 11, 27)),
        ("in december", date(2025, 12, 1), date(2025, 12, 31)),
        ("at the end of last year", date(2025, 12, 31), date(2025, 12, 31)),
        ("at the start of next month", date(2026, 12, 1), date(2026, 12, 1)),
        ("issued from 3 march 2026", date(2026, 3, 3), LATEST),
        ("in march 2024", date(2024, 3, 1), date(2024, 3, 31)),
        ("march of last year", date(2025, 3, 1), date(2025, 3, 31)),
        ("on 5 may", date(2026, 5, 5), date(2026, 5, 5)),
        ("on may 5th, 2025", date(2025, 5, 5), date(2025, 5, 5)),
        ("on 2026-02-03", date(2026, 2, 3), date(2026, 2, 3)),
        ("in 2025-02", date(2025, 2, 1), date(2025, 2, 28)),
        ("on 03/02/2026", date(2026, 2, 3), date(2026, 2, 3)),
        ("in 2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("in the last 30 days", date(2026, 10, 23), TODAY),
        ("over the past two months", date(2026, 9, 22), TODAY),
        ("in the next 14 days", TODAY, date(2026, 12, 6)),
        ("since june", date(2026, 6, 1), TODAY),
        ("since 2023", date(2023, 1, 1), TODAY),
        ("after 10 june 2026", date(2026, 6, 11), LATEST),
        ("before march", EARLIEST, date(2026, 2, 28)),
        ("until 31 march", EARLIEST, date(2026, 3, 31)),
        ("older than 30 days", EARLIEST, date(2026, 10, 22)),
        ("more than two weeks ago", EARLIEST, date(2026, 11, 7)),
        ("between january and march", date(2026, 1, 1), date(2026, 3, 31)),
        ("from november to january", date(2025, 11, 1), date(2026, 1, 31)),
        ("from 3 to 9 may", date(2026, 5, 3), date(2026, 5, 9)),
        ("on monday", date(2026, 11, 16), date(2026, 11, 16)),
        ("last friday", date(2026, 11, 20), date(2026, 11, 20)),
        ("next friday", date(2026, 11, 27), date(2026, 11, 27)),
    ],
)
def test_times_are_days_from_and_to(said: str, start: date, end: date) -> None:
    assert [(found.start, found.end) for found in find_periods(said, TODAY)] == [(start, end)]


@pytest.mark.parametrize(
    "said",
    ["bills over 2000", "31 june", "2026-13-01", "room 2020 dollars", "by month", "maybe", "between 1000 and 2000"],
)
def test_what_is_no_time_is_left_alone(said: str) -> None:
    assert find_periods(said, TODAY) == []


def test_times_come_in_their_order_and_do_not_overlap() -> None:
    found = find_periods("paid in may 2025 and due before 3 june 2025", TODAY)
    assert [one.words for one in found] == ["may 2025", "before 3 june 2025"]
