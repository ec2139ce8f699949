"""Rules for dates: patterns over the classes of tokens. In a pattern a blank is what may stand between two words,
"_" the same without a comma, "~" what may stand within a date: "16. Nov. 2016"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any

from turnkeep.blocks.facts import days
from turnkeep.blocks.facts.days import DAY, MONTH, WEEK, YEAR, Partial, Span, Unit, on, unit_of
from turnkeep.blocks.facts.tokens import Token, fraction

PLURALS = {"giorni", "settimane", "mesi", "anni", "days", "weeks", "months", "years"}
CENTURY_TURN = 70  # "23/06/18" is 2018, "23/06/85" 1985
PARTS = {"Y": (12, "M"), "M": (30, "D"), "W": (7, "D"), "D": (1, "D")}  # of which a half is counted

type Point = Partial | Span | None
type Read = Callable[[Sequence[Token], date], Any]
"""To a Point, or a Quantity of quantities.py; ValueError outside the calendar."""
type Rule = tuple[str, str, Read]
"""A kind, for spans alone "date alone", for whole texts "date in text"; a pattern; what reads its match."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    blanks = {" ": "[aL,]{0,2}", "_": "[aL]{0,2}", "~": "[aL,./-]{0,2}"}
    return re.compile("".join(blanks.get(letter, letter) for letter in pattern))


def classes(found: Sequence[Token]) -> str:
    return "".join(token.kind for token in found)


def every(found: Sequence[Token], kinds: str) -> list[Token]:
    return [token for token in found if token.kind in kinds]


def one(found: Sequence[Token], kinds: str) -> Token | None:
    return next(iter(every(found, kinds)), None)


def number(token: Token) -> int:
    return int(fraction(token))


def unit(found: Sequence[Token]) -> Unit:
    """The last one named."""
    value = [token.value for token in every(found, "ue")][-1:]
    return value[0] if value and isinstance(value[0], tuple) else YEAR


def ahead(found: Sequence[Token]) -> int:
    """1 of "next", -1 of "last", 2 of "after next"."""
    return sum({">": 1, "<": -1, "A": 1}.get(token.kind, 0) for token in found)


def note_of(found: Sequence[Token]) -> str:
    return next((token.note for token in found if token.note), "")


def resolved(point: Point, today: date) -> Span:
    if point is None:
        raise ValueError("no day")
    return point.resolved(today) if isinstance(point, Partial) else point


def value(found: Sequence[Token], kinds: str) -> int | None:
    token = one(found, kinds)
    return number(token) if token else None


def named(found: Sequence[Token], today: date) -> Point:
    """ "lunedì 12 gennaio 2026", "1° gennaio", "marzo 2026", "anno 2025"."""
    month, year, day = value(found, "m"), value(found, "y"), value(found, "nox")
    if day is None or (month is None and unit(found) == YEAR):
        return Partial(year or day, month, None)
    return _checked(Partial(year, month, day), found, today) if month and day <= 31 else None


def _checked(date_: Partial, found: Sequence[Token], today: date) -> Partial:
    """With a remark where the weekday is another one."""
    wanted = one(found, "w")
    is_other = wanted is not None and date_.resolved(today).start.weekday() != number(wanted)
    return replace(date_, note=f"that day is no {wanted.word}") if wanted and is_other else date_


def _is_vague(found: Sequence[Token]) -> bool:
    """ "ultimi giorni", "primi mesi del 2020": how many is not said."""
    return any(token.word in PLURALS for token in every(found, "u"))


def base(found: Sequence[Token], today: date) -> Span:
    """A stretch that has a name: "lo scorso settembre", "questa settimana", "l'estate", "il mese dopo il prossimo"."""
    if _is_vague(found):
        raise ValueError("how many?")
    named_, year, way = one(found, "ms"), value(found, "y"), ahead(found)
    if named_ is None or (named_.kind == "m" and not every(found, "<>=")):
        return resolved(named(every(found, "my"), today), today) if named_ or year else unit_of(today, unit(found), way)
    day, months, note = (21, 3, "a season from the 21st") if named_.kind == "s" else (1, 1, "")
    starts = [date(each, number(named_), day) for each in ([year] if year else range(today.year - 2, today.year + 3))]
    spans = [Span(start, days.shifted(start, months, "M") - DAY, note) for start in starts]
    return spans[2] if one(found, "=") and not year else days.chosen(spans, today, way)


def figures(found: Sequence[Token], today: date) -> Point:
    """ "2026-03-31", "31/03/26", "03/2025"."""
    parts = re.split(r"[-/.,]", str(found[-1].value))
    first, second, *third = map(int, parts)
    if not third:
        return Partial(*((first, second) if len(parts[0]) == 4 else (second, first)), None)
    century = 0 if len(parts[2]) == 4 else 2000 if third[0] < CENTURY_TURN else 1900
    is_iso = len(parts[0]) == 4
    written = Partial(first, second, third[0]) if is_iso else _day_first(first, second, third[0] + century)
    return _checked(written, found, today)


def short(found: Sequence[Token], today: date) -> Point:
    """ "22/04", "4-22"."""
    first, second, *years = [number(token) for token in every(found, "ny")]
    return _day_first(first, second, years[0] if years else None)


def _day_first(day: int, month: int, year: int | None) -> Partial:
    if month > 12 >= day:
        return Partial(year, day, month)
    if day > 12 or day == month:
        return Partial(year, month, day)
    return Partial(year, month, day, "read as day and month", Partial(year, day, month))


def counted(found: Sequence[Token], today: date) -> Point:
    """ "fra tre giorni", "2 anni, 1 mese e 21 giorni fa"."""
    if found[-1].kind == "o" and found[-1].word != "prima":
        return None
    start = today + DAY * (value(found, "r") or 0)  # "due settimane da oggi"
    return on(moved(start, found, -1 if found[-1].kind in "gBo" else 1), note_of(found))


def moved(day: date, found: Sequence[Token], sign: int) -> date:
    """The day so many units away; ValueError where they are of time."""
    for count, (size, letter) in sorted(pairs_of(found), key=lambda pair: "YMWD".find(pair[1][1])):
        if letter not in PARTS:
            raise ValueError(letter)
        times, part = (1, letter) if (count * size).denominator == 1 else PARTS[letter]  # "un mese e mezzo"
        day = days.shifted(day, sign * round(count * size * times), part)
    return day


def pairs_of(found: Sequence[Token]) -> list[tuple[Fraction, Unit]]:
    """ "2 anni e mezzo" is two and a half of a year."""
    pairs: list[tuple[Fraction, Unit]] = []
    count = Fraction(1)
    for token in every(found, "hnyxHue"):
        if token.kind in "ue":
            pairs.append((count, unit([token])))
        elif token.kind == "H" and pairs:
            pairs[-1] = (pairs[-1][0] + Fraction(1, 2), pairs[-1][1])
        else:
            count = fraction(token)
    return pairs


def weekday(found: Sequence[Token], today: date) -> Point:
    """ "venerdì", "venerdì scorso"; "domenica prossima" is that of next week, the other one the coming."""
    wanted, kinds = value(found, "w") or 0, classes(found)
    coming = today + DAY * ((wanted - today.weekday()) % 7)
    before = today - DAY * ((today.weekday() - wanted - 1) % 7 + 1)
    there = unit_of(today, WEEK, ahead(found)).start + DAY * wanted
    if "<" in kinds or "=" in kinds:
        return on(before if "<" in kinds else there)
    if ">" in kinds:
        return on(there, "that of next week", coming) if there != coming > today else on(there)
    return on(coming, "the coming one", before)


def weekday_and_day(found: Sequence[Token], today: date) -> Point:
    """ "venerdì 22": the nearest day that is both."""
    near = (today + DAY * sign * away for away in range(400) for sign in (1, -1))
    fitting = (day for day in near if (day.weekday(), day.day) == (number(found[0]), number(found[1])))
    return next((on(day, "the nearest such day") for day in fitting), None)


def nth(found: Sequence[Token], today: date) -> Point:
    """ "il primo venerdì di luglio", "il terzo trimestre 2025", "l'ultimo giorno del mese"."""
    which, what = one(found, "oI") or found[0], one(found, "w") or one(found, "eu")
    at, size = -1 if which.kind == "<" else number(which), unit([what]) if what else (3, "M")
    rest = [token for token in found if token is not which and token is not what]
    wanted = number(what) if what and what.kind == "w" else None

    def made(span: Span) -> Span:
        return days.unit_in(span, size, at) if wanted is None else days.weekday_in(span, wanted, at)

    if _is_vague(found):
        return None
    if every(rest, "myus"):
        return base(rest, today).mapped(made)
    if wanted is not None or size[1] not in "MW" or size == MONTH or at < 0:
        return made(unit_of(today, MONTH)) if wanted is not None and at > 0 else None
    found_one = days.chosen((made(unit_of(today, YEAR, step)) for step in (-1, 0, 1)), today)
    return replace(found_one, note="year not named, the next one")


def of_unit(found: Sequence[Token], today: date) -> Point:
    """ "venerdì della prossima settimana", "il 20 del mese scorso"."""
    day = value(found, "nox")
    if unit(found) != (MONTH if day else WEEK) or _is_vague(found):
        return None
    span = base(every(found, "=<>u"), today)
    return Partial(span.start.year, span.start.month, day) if day else days.weekday_in(span, value(found, "w") or 0, 1)


def last_day(found: Sequence[Token], today: date) -> Point:
    """ "fine mese", "end of March"."""
    return base(found[1:], today).mapped(lambda each: on(each.end))


def bare(found: Sequence[Token], today: date) -> Point:
    """ "il 15"."""
    return Partial(None, None, number(found[-1])) if 1 <= number(found[-1]) <= 31 else None


COUNTED = "[hnyxH] -?W? ?u(?: &? [nxy] u){0,3}(?: & H)?"
BASE = "(?:[ums] [=<>]|[=<>] [ums]|[ms](?: y)?|y)"
_ALONE = "(?! [-/]?[u%PCcknyQmoO‰])"
RULES: tuple[Rule, ...] = (
    ("date", "(?:w~)?[nxo]~m(?:~y)?|(?:w~)?m~[no](?![u%c])(?:~y)?|y~n~m", named),
    ("date", "(?:w )?D", figures),
    ("date", "r", lambda found, today: on(today + DAY * number(found[-1]))),
    ("date", f"[bi] {COUNTED}(?: A)?|{COUNTED} (?:[gABo]|f r)", counted),
    ("date", "[=<>] w|w [<>=](?! u)", weekday),
    ("date", "w [no]" + _ALONE, weekday_and_day),
    ("date", "[=<>] u w|w [=<>] u|u [<>=] w|w u [<>=]|[nxo] [<>=] u|[nxo] u [<>=]", of_unit),
    ("date", f"[o<] w(?: {BASE}| u)?|[o<] u (?:{BASE}|u)", nth),
    ("date", f"E (?:{BASE}|u)", last_day),
    ("date", "w", weekday),
    ("date alone", "[ny][/-][ny](?:[,/-]n)?", short),
    ("date alone", "[nxoy]", bare),
    ("date in text", "(?<=[LFtUqbfi])n/n(?!/)", short),
    ("date in text", "(?<=[LFq])n(?![,.]n)" + _ALONE, bare),
)
"""In an order in which the first that fits wins among those of the same length."""
