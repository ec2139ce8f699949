"""Numbers that look random and are functions of ids and days alone, so that a past day never changes while the window
moves on. Days are ordinals everywhere in this folder, as date.toordinal() counts them."""

from collections.abc import Sequence
from datetime import date
from functools import cache

_MASK = 0xFFFFFFFFFFFFFFFF


def mix(first: int, second: int = 0) -> int:
    """A number of 63 bits."""
    mixed = (first * 0x9E3779B97F4A7C15 + second * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return (mixed ^ (mixed >> 31)) >> 1


def pick[T](options: Sequence[T], roll: int) -> T:
    return options[roll % len(options)]


def between(low: int, high: int, roll: int) -> int:
    """From `low` to `high`, both included."""
    return low + roll % (high - low + 1)


@cache
def iso(day: int) -> str:
    return date.fromordinal(day).isoformat()


def at(day: int, minute: int = 540) -> str:
    """A moment, `minute` after midnight."""
    return f"{iso(day + minute // 1440)} {minute // 60 % 24:02d}:{minute % 60:02d}:00"


def clock(minute: int) -> str:
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}:00"


def day_of(year: int, month: int, day: int = 1) -> int:
    return date(year, month, day).toordinal()


def is_working_day(day: int) -> bool:
    return (day - 1) % 7 < 5


def working_day(day: int) -> int:
    """The day, or the Monday after it."""
    return day if is_working_day(day) else day + 8 - ((day - 1) % 7 + 1)


@cache
def month_of(day: int) -> int:
    """Months are counted through: year * 12 + month - 1."""
    when = date.fromordinal(day)
    return when.year * 12 + when.month - 1


@cache
def first_of(month: int) -> int:
    return date(month // 12, month % 12 + 1, 1).toordinal()


def last_of(month: int) -> int:
    return first_of(month + 1) - 1
