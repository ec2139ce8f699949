import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.database.results import CUT_MARK, Result, plain, read_result


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (0.1, 0.1),
        (float("inf"), "inf"),
        (Decimal("12.50"), 12.5),
        (Decimal("123456789012345678.91"), "123456789012345678.91"),
        (Decimal("4.3333333333333333"), 4.333333333333333),
        (Decimal("1234567890.123456789"), "1234567890.123456789"),
        (Decimal("1234567890123456.3333333333333333"), "1234567890123456.3333333333333333"),
        (Decimal("NaN"), "NaN"),
        (b"\x01\xff", "0x01ff"),
        (memoryview(b"a"), "0x61"),
        (date(2026, 3, 4), "2026-03-04"),
        (datetime(2026, 3, 4, 5, 6, tzinfo=UTC), "2026-03-04T05:06:00+00:00"),
        (time(5, 6), "05:06:00"),
        (timedelta(hours=26, minutes=3, microseconds=5), "26:03:00.000005"),
        (timedelta(minutes=-90), "-01:30:00"),
        ({"a": [1, date(2026, 3, 4)]}, '{"a": [1, "2026-03-04"]}'),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_driver_values_become_json(value: Any, expected: Any) -> None:
    assert plain(value) == expected
    assert type(plain(value)) is type(expected)


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_loses_only_endless_places(value: Decimal) -> None:
    shown = plain(value)
    again = Decimal(shown if isinstance(shown, str) else repr(shown))
    places = -int(value.as_tuple().exponent)
    assert again == value or (places > 15 and abs(again - value) <= abs(value) * Decimal("1e-15"))


class Counting:
    """Endless rows that count how many were read."""

    taken = 0

    def __iter__(self) -> "Counting":
        return self

    def __next__(self) -> tuple[str]:
        self.taken += 1
        return ("x" * 8,)


def test_at_most_one_row_beyond_the_limit_is_read() -> None:
    rows = Counting()
    assert read_result(["a"], rows, 3, 1000) == Result(("a",), (("xxxxxxxx",),) * 3, is_cut=True)
    assert rows.taken == 4
    assert read_result(["a"], [(1,), (2,)], 2, 1000) == Result(("a",), ((1,), (2,)))
    assert read_result([], [], 2, 1000) == Result((), ())


def test_bytes_are_those_of_json() -> None:
    row = ("é", 1, None)
    size = len(json.dumps(row, ensure_ascii=False).encode()) + 2
    assert not read_result("abc", [row] * 3, 10, 3 * size).is_cut
    assert read_result("abc", [row] * 3, 10, 3 * size - 1) == Result(("a", "b", "c"), (row,) * 2, is_cut=True)


def test_long_texts_of_a_long_row_are_cut() -> None:
    result = read_result(["id", "name", "body"], [(1, "short", "é" * 5_000), (2, "next", "")], 10, 1_000)
    (number, name, body), *others = result.rows
    assert (number, name, others, result.has_cut_texts) == (1, "short", [(2, "next", "")], True)
    assert isinstance(body, str)
    assert body.rstrip(CUT_MARK) == "é" * (len(body) - 1)
    assert 500 < len(json.dumps([number, name, body], ensure_ascii=False).encode()) <= 1_000


def test_the_first_row_is_never_left_out() -> None:
    result = read_result(map(str, range(200)), [(12_345_678,) * 200, (1,) * 200], 10, 1_000)
    assert (len(result.rows), result.is_cut, result.has_cut_texts) == (1, True, False)


def test_texts_that_fit_a_page_alone_are_not_cut() -> None:
    rows = [("a" * 600,), ("b" * 600,)]
    first = read_result(["body"], rows, 10, 1_000)
    assert (first.rows, first.is_cut, first.has_cut_texts) == ((rows[0],), True, False)
