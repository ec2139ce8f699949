"""What a query gave, in plain JSON types."""

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
_PLACES = 15
"""Which a float keeps. PostgreSQL writes an average with 16 and more behind the point."""


@dataclass(frozen=True, slots=True)
class Result:
    """`is_cut` where there were more rows, or more bytes, than the caps let through. Dates are ISO 8601, decimals are
    floats where that loses nothing, or nothing but the endless places of a quotient, and text where it would lose more;
    bytes are hexadecimal with 0x before them. `has_cut_texts` where a row was too long for the caps by itself: its long
    texts end with CUT_MARK."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_cut: bool = False
    has_cut_texts: bool = False


Try: TypeAlias = Callable[[str], Result | None]
"""Runs a statement that code itself asks, as any other is run; None where it may not, or fails."""


def read_result(columns: Iterable[str], rows: Iterable[Sequence[Any]], max_rows: int, max_bytes: int) -> Result:
    """Takes no more of `rows` than one beyond what fits: `max_bytes` are those of the rows as JSON. Whatever a row
    holds, the first is always given, so that the next page begins behind it."""
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
    """The same where it fits by itself; else with its longest texts cut, those that are short whole."""
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
    """A value of any driver as JSON has it."""
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
    """As MySQL writes a TIME, which may be negative and longer than a day."""
    seconds = abs(value) // timedelta(seconds=1)
    fraction = f".{value.microseconds:06d}" if value.microseconds else ""
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
