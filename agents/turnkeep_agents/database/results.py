"""The result of a query, in plain JSON types."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

Cell: TypeAlias = str | int | float | bool | None

_SEPARATORS_BYTES = 2
CUT_MARK = "…"
_PLACES = 15  # decimal places that a float keeps; PostgreSQL writes averages with 16 and more


@dataclass(frozen=True, slots=True)
class Result:
    """`is_cut` means that rows or bytes exceeded the limits, `has_cut_texts` that one row did: its long texts end with
    CUT_MARK. Dates are ISO 8601. Decimals are floats if only endless decimal places are lost, else text. Bytes are
    hexadecimal after 0x."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_cut: bool = False
    has_cut_texts: bool = False


Try: TypeAlias = Callable[[str], Result | None]  # runs a statement of our own; None if it may not run, or fails


def read_result(columns: Iterable[str], rows: Iterable[Sequence[Any]], max_rows: int, max_bytes: int) -> Result:
    """Read at most one row more than fits; `max_bytes` limits the rows as JSON. The first row is always included, so
    that the next page can begin after it."""
    taken: list[tuple[Cell, ...]] = []
    size, has_cut_texts, names = 0, False, tuple(map(str, columns))
    for row in rows:
        cells = tuple(map(plain, row))
        fitting = _fitting(cells, max_bytes)
        size += _bytes_of(fitting)
        if len(taken) == max_rows or (taken and size > max_bytes):
            return Result(names, tuple(taken), is_cut=True, has_cut_texts=has_cut_texts)
        taken.append(fitting)
        has_cut_texts = has_cut_texts or fitting is not cells
    return Result(names, tuple(taken), has_cut_texts=has_cut_texts)


def _fitting(cells: tuple[Cell, ...], max_bytes: int) -> tuple[Cell, ...]:
    """Return the row unchanged if it fits by itself, else with its longest texts cut."""
    longest, fitting = max((len(cell) for cell in cells if isinstance(cell, str)), default=0), cells
    if longest > max_bytes:  # so that nothing enormous is written as JSON to be measured
        longest, fitting = max_bytes, tuple(_cut(cell, max_bytes) for cell in cells)
    while longest and _bytes_of(fitting) > max_bytes:
        longest = longest * 3 // 4
        fitting = tuple(_cut(cell, longest) for cell in cells)
    return fitting


def _cut(cell: Cell, longest: int) -> Cell:
    return f"{cell[:longest]}{CUT_MARK}" if isinstance(cell, str) and len(cell) > longest else cell


def _bytes_of(cells: tuple[Cell, ...]) -> int:
    return len(json.dumps(cells, ensure_ascii=False).encode(errors="replace")) + _SEPARATORS_BYTES


def plain(value: Any) -> Cell:
    match value:
        case None | str() | bool() | int():
            return value
        case float() | Decimal():
            return _number(value)
        case bytes() | bytearray() | memoryview():
            return f"0x{bytes(value).hex()}"
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return _clock(value)
    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _number(value: float | Decimal) -> float | str:
    if not math.isfinite(value):
        return str(value)
    nearest = float(value)
    if isinstance(value, float) or Decimal(repr(nearest)) == value:
        return nearest
    _, _, exponent = value.as_tuple()
    is_quotient = isinstance(exponent, int) and -exponent > _PLACES and value.adjusted() < _PLACES
    return nearest if is_quotient else str(value)


def _clock(value: timedelta) -> str:
    """Format like MySQL's TIME, which may be negative and longer than a day."""
    seconds = abs(value) // timedelta(seconds=1)
    fraction = f".{value.microseconds:06d}" if value.microseconds else ""
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
