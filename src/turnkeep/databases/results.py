"""What a query gave, in plain JSON types."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

type Cell = str | int | float | bool | None

_SEPARATORS_BYTES = 2


@dataclass(frozen=True, slots=True)
class Result:
    """`is_cut` where there were more rows, or more bytes, than the caps let through. Dates are ISO 8601, decimals are
    floats where that loses nothing and text where it would, bytes are hexadecimal with 0x before them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_cut: bool = False


def read_result(columns: Iterable[str], rows: Iterable[Sequence[Any]], max_rows: int, max_bytes: int) -> Result:
    """Takes no more of `rows` than one beyond what fits: `max_bytes` are those of the rows as JSON."""
    taken: list[tuple[Cell, ...]] = []
    size, names = 0, tuple(map(str, columns))
    for row in rows:
        cells = tuple(map(plain, row))
        size += len(json.dumps(cells, ensure_ascii=False).encode(errors="replace")) + _SEPARATORS_BYTES
        if len(taken) == max_rows or size > max_bytes:
            return Result(names, tuple(taken), is_cut=True)
        taken.append(cells)
    return Result(names, tuple(taken))


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
    return nearest if isinstance(value, float) or Decimal(repr(nearest)) == value else str(value)


def _clock(value: timedelta) -> str:
    """As MySQL writes a TIME, which may be negative and longer than a day."""
    seconds = abs(value) // timedelta(seconds=1)
    fraction = f".{value.microseconds:06d}" if value.microseconds else ""
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
