"""Rules for dates: patterns over the classes of tokens. In a pattern a blank is what may stand between two words,
"~" what may stand within a date: "16. Nov. 2016", "il 10 settembre, 2001"."""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from functools import cache

from turnkeep.blocks.facts.calendar_days import Partial, Span, Unit, day_of, shifted, unit_of, weekday_in
from turnkeep.blocks.facts.tokens import Token

FILLERS = "aL,"
CENTURY_TURN = 70  # "23/06/18" is 2018, "23/06/85" 1985

type Point = Partial | Span | None
type Read = Callable[[Sequence[Token], date], Point]

COUNTED = "[nxyH] -?u(?: &? [nxy] u){0,3}(?: & H)?"
"""Of some units: "2 anni, 1 mese e 21 giorni", "un mese e mezzo"."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", f"[{FILLERS}]{{0,2}}").replace("~", "[aL,./-]{0,2}"))


def classes(found: Sequence[Token]) -> str:
    return "".join(token.kind for token in found)


def words_of(found: Sequence[Token]) -> list[Token]:
    return [token for token in found if token.kind not in "aL,."]


def number(token: Token) -> int:
    return int(Fraction(str(token.value)))


def one(found: Sequence[Token], kinds: str) -> Token | None:
    return next((token for token in found if token.kind in kinds), None)


def month_number(token: Token) -> int:
    return token.value[0] if isinstance(token.value, tuple) else number(token)


def weekday_number(token: Token) -> int:
    return token.value[1] if isinstance(token.value, tuple) else number(token)


def unit(token: Token) -> Unit:
    assert isinstance(token.value, tuple)
    return token.value


def ahead(found: Sequence[Token]) -> int:
    """1 of "next", -1 of "last"."""
    return sum({">": 1, "<": -1}.get(token.kind, 0) for token in found)


def named(found: Sequence[Token], today: date) -> Point:
    """ "lunedì 12 gennaio 2026", "January 12", "1° gennaio"."""
    month, year = one(found, "mj"), one(found, "y")
    parts = [token for token in found if token.kind in "nox" and token is not year]
    weekday = next((token for token in found if token.kind in "wj" and token is not month), None)
    if month is None or not parts:
        return None
    if weekday and weekday.kind == "j" and month.kind == "j":  # "mar 3 mar"
        weekday, month = [token for token in found if token.kind == "j"][:2]
    month = _month_at(found, month)
    day = number(parts[0])
    if not 1 <= day <= 31:
        return None
    value = Partial(number(year) if year else None, month_number(month), day)
    return _checked(value, weekday if weekday is not month else None, today)


def _month_at(found: Sequence[Token], first: Token) -> Token:
    """Of "mar 12 gennaio" the month is January."""
    return next((token for token in found if token.kind == "m"), first)


def _checked(value: Partial, weekday: Token | None, today: date) -> Point:
    """With a remark where the weekday is another one."""
    span = value.resolved(today)
    if weekday is None or span is None or span.start is None or span.start.weekday() == weekday_number(weekday):
        return value
    if value.year is None and span.other and span.other.start and span.other.start.weekday() == weekday_number(weekday):
        return Span(
            span.other.start, span.other.end, "the year in which the weekday fits", Span(span.start, span.end), True
        )
    return Partial(value.year, value.month, value.day, f"not a {weekday.word}")


def figures(found: Sequence[Token], today: date) -> Point:
    """ "2026-03-31", "31/03/26", "03/2025"."""
    token = one(found, "D")
    if token is None:
        return None
    parts = re.split(r"[-/.,]", str(token.value))
    numbers = [int(part) for part in parts]
    if len(parts) == 2:
        year, month = numbers if len(parts[0]) == 4 else numbers[::-1]
        return Partial(year, month, None)
    if len(parts[0]) == 4:
        return _checked(_day_first(numbers[2], numbers[1], numbers[0], is_iso=True), one(found, "wj"), today)
    if len(parts[2]) not in (2, 4) or len(parts[0]) > 2:
        return None
    year = numbers[2] if len(parts[2]) == 4 else numbers[2] + (2000 if numbers[2] < CENTURY_TURN else 1900)
    return _checked(_day_first(numbers[0], numbers[1], year), one(found, "wj"), today)


def short(found: Sequence[Token], today: date) -> Point:
    """ "22/04", "4-22"."""
    first, second, *years = [number(token) for token in found if token.kind in "ny"]
    return _day_first(first, second, years[0] if years else None) if max(first, second) <= 31 else None


def _day_first(day: int, month: int, year: int | None, *, is_iso: bool = False) -> Partial:
    if month > 12 and 1 <= day <= 12:
        day, month = month, day
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return Partial(year or 1, 2, 31)
    if day > 12 or is_iso or day == month:
        return Partial(year, month, day)
    return Partial(year, month, day, "read as day and month", Partial(year, day, month))


def relative(found: Sequence[Token], today: date) -> Point:
    return day_of(today + timedelta(days=number(found[-1])))


def counted(found: Sequence[Token], today: date) -> Point:
    """ "fra tre giorni", "2 anni, 1 mese e 21 giorni fa"."""
    if found[-1].kind == "o" and found[-1].word != "prima":
        return None
    sign = -1 if found[-1].kind in "gBo" else 1
    day, note = moved(today, [token for token in found if token.kind in "nxyHu&"], sign)
    return day_of(day, note) if day else None


def moved(day: date, found: Sequence[Token], sign: int) -> tuple[date | None, str]:
    """The day so many units away; (None, "") where they are of time or too many."""
    pairs = sorted(pairs_of(found), key=lambda pair: "YMWD".find(pair[1][1]))
    where: date | None = day
    for count, (size, letter) in pairs:
        total = count * size
        if letter[0] == "T" or where is None:
            return None, ""
        if total.denominator != 1:  # "un mese e mezzo"
            total, letter = (total * 12, "M") if letter == "Y" else (Fraction(round(total * 30)), "D")
            letter = letter if total.denominator == 1 else "M"
        where = shifted(where, sign * round(total), letter)
    notes = [token.note for token in found if token.note]
    return where, notes[0] if notes else ""


def pairs_of(found: Sequence[Token]) -> list[tuple[Fraction, Unit]]:
    pairs: list[tuple[Fraction, Unit]] = []
    count: Fraction | None = None
    for token in found:
        if token.kind == "u":
            pairs.append((Fraction(1) if count is None else count, unit(token)))
            count = None
        elif token.kind == "H" and pairs:
            pairs[-1] = (pairs[-1][0] + Fraction(1, 2), pairs[-1][1])
        elif token.kind in "nxyH":
            count = Fraction(str(token.value or Fraction(1, 2)))
    return pairs


def weekday(found: Sequence[Token], today: date) -> Point:
    """ "venerdì", "venerdì scorso", "domenica prossima"."""
    wanted = one(found, "wj")
    if wanted is None:
        return None
    coming = today + timedelta(days=(weekday_number(wanted) - today.weekday()) % 7)
    before = today - timedelta(days=(today.weekday() - weekday_number(wanted) - 1) % 7 + 1)
    week = unit_of(today, (1, "W"), ahead(found))
    if one(found, "="):
        week = unit_of(today, (1, "W"))
        return day_of(weekday_in(week, weekday_number(wanted), 1) or coming) if week else None
    if one(found, "<"):
        return day_of(before)
    if one(found, ">") and week:
        there = weekday_in(week, weekday_number(wanted), 1) or coming
        nearer = coming if coming > today and coming != there else None
        note = "that of next week" if nearer else ""
        return Span(there, there, note, day_of(nearer) if nearer else None, is_day=True)
    return Span(coming, coming, "the coming one", day_of(before), is_day=True)


def weekday_of_week(found: Sequence[Token], today: date) -> Point:
    """ "venerdì della prossima settimana"."""
    wanted, weeks = one(found, "wj"), one(found, "u")
    week = unit_of(today, (1, "W"), ahead(found))
    if wanted is None or weeks is None or week is None or unit(weeks) != (1, "W"):
        return None
    day = weekday_in(week, weekday_number(wanted), 1)
    return day_of(day) if day else None


def weekday_and_day(found: Sequence[Token], today: date) -> Point:
    """ "venerdì 22": the nearest day of a month that is one."""
    wanted, day = weekday_number(found[0]), number(found[1])
    if not 1 <= day <= 31:
        return None
    near = [today + timedelta(days=sign * away) for away in range(400) for sign in (1, -1)]
    found_day = next((each for each in near if each.day == day and each.weekday() == wanted), None)
    return day_of(found_day, "the nearest such day") if found_day else None


def nth_weekday(found: Sequence[Token], today: date) -> Point:
    """ "il primo venerdì di luglio", "the last Friday of the month"."""
    which, wanted = found[0], weekday_number(found[1])
    at = -1 if which.kind == "<" else number(which)
    month = one(found[2:], "mj")
    year = one(found[2:], "y")
    if month is None:
        span = unit_of(today, (1, "M"), ahead(found[2:]))
        day = weekday_in(span, wanted, at) if span else None
        return day_of(day) if day else None
    years = [number(year)] if year else range(today.year - 1, today.year + 2)
    spans = [Partial(each, month_number(month), None).resolved(today) for each in years]
    days = [day for span in spans if span and (day := weekday_in(span, wanted, at))]
    coming, past = [day for day in days if day >= today], [day for day in days if day < today]
    if year or not coming or not past:
        return day_of(days[0]) if days else None
    return Span(coming[0], coming[0], "year not named, the next", day_of(past[-1]), is_day=True)


def day_of_month(found: Sequence[Token], today: date) -> Point:
    """ "il 20 del prossimo mese"."""
    day, months = one(found, "nxo"), one(found, "u")
    if day is None or months is None or unit(months) != (1, "M"):
        return None
    span = unit_of(today, (1, "M"), ahead(found))
    return Partial(span.start.year, span.start.month, number(day)) if span and span.start else None


def edge(found: Sequence[Token], today: date) -> Point:
    """ "fine mese", "end of March", "l'ultimo giorno dell'anno"."""
    span = whole(found, today)
    if span is None or span.start is None or span.end is None:
        return None
    first = found[0]
    if first.kind == "o":
        day = span.start + timedelta(days=number(first) - 1)
        return day_of(day) if day <= span.end else None
    other = span.other.end if span.other else None
    return Span(span.end, span.end, span.note, day_of(other) if other else None, is_day=True)


def whole(found: Sequence[Token], today: date) -> Span | None:
    """The month, year, week ... that is named last: "questo mese", "marzo 2026"."""
    month, year, units = one(found, "mj"), one(found, "y"), [token for token in found if token.kind == "u"]
    if month or year:
        return Partial(number(year) if year else None, month_number(month) if month else None, None).resolved(today)
    return unit_of(today, unit(units[-1]), ahead(found[1:])) if units else None


def bare(found: Sequence[Token], today: date) -> Point:
    """ "il 15"."""
    day = number(found[-1])
    return Partial(None, None, day) if 1 <= day <= 31 else None


_ALONE = "(?! [-/]?[u%PCcknyQmjoO‰])"
DATES: tuple[tuple[str, Read], ...] = (
    ("(?:[wj]~)?[nxo]~[mj](?:~y)?", named),
    ("(?:[wj]~)?[mj]~[no](?![u%c])(?:~y)?", named),
    ("y~n~[mj]", named),
    ("(?:[wj] )?D", figures),
    ("r", relative),
    (f"[bi] {COUNTED}(?: A)?", counted),
    (f"{COUNTED} [gABo]", counted),
    ("[=<>] [wj]", weekday),
    ("[wj] [<>=](?! u)", weekday),
    ("[=<>] u [wj]|[wj] [=<>] u|u [<>=] [wj]|[wj] u [<>=]", weekday_of_week),
    ("[wj] [no]" + _ALONE, weekday_and_day),
    ("[o<] [wj](?: m(?: y)?| [<>=] u| u(?: [<>=])?)?", nth_weekday),
    ("[nxo] (?:[<>=] u|u [<>=])", day_of_month),
    ("E (?:u(?: [=<>])?|[=<>] u|m(?: y)?|y)", edge),
    ("[o<] u (?:[=<>] u|m(?: y)?|u(?: [=<>])?|y)", edge),
    ("[wj]", weekday),
)
"""In an order in which the first that fits wins among those of the same length."""
ONLY_ALONE: tuple[tuple[str, Read], ...] = (
    ("[ny][/-][ny](?:[,/-]n)?", short),
    ("[nxoy]", bare),
)
"""What is a date only where somebody says so: "4-22", "15"."""
IN_TEXT: tuple[tuple[str, Read], ...] = (
    ("(?<=[LFtUqbfi])[n]/[n](?![/\\d])", short),
    ("(?<=[LFtq])n(?![,.]n)" + _ALONE, bare),
)
