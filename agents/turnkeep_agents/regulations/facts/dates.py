"""Rules for dates and periods: patterns over the classes of tokens. In a pattern a blank matches what may separate two
words, "_" the same without a comma, "~" what may separate parts of a date: "16. Nov. 2016"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from turnkeep_agents.regulations.facts import days
from turnkeep_agents.regulations.facts.days import (
    DAY,
    MONTH,
    OPEN_END,
    OPEN_START,
    WEEK,
    YEAR,
    Span,
    Unit,
    dated,
    on,
    unit_of,
)
from turnkeep_agents.regulations.facts.tokens import (
    Token,
    ahead,
    classes,
    compiled,
    every,
    fraction,
    note_of,
    one,
    value,
)

PLURALS = {"giorni", "settimane", "mesi", "anni", "days", "weeks", "months", "years"}
CENTURY_TURN = 70  # "23/06/18" is 2018, "23/06/85" 1985
PARTS = {"Y": (12, "M"), "M": (30, "D"), "W": (7, "D"), "D": (1, "D")}  # used for halves

Read: TypeAlias = Callable[[Sequence[Token], date], Any]  # returns a Span or a Fact; ValueError outside the calendar
Rule: TypeAlias = tuple[str, str, Read]
"""A kind ("date alone" if only a whole span matches), a pattern, and the reader of its match."""


def unit(found: Sequence[Token]) -> Unit:
    """Return the last unit named."""
    last = [token.value for token in every(found, "ueR")][-1:]
    return last[0] if last and isinstance(last[0], tuple) else YEAR


def named(found: Sequence[Token], today: date) -> Span | None:
    """ "lunedì 12 gennaio 2026", "1° gennaio", "marzo 2026", "anno 2025", "venerdì 22", "il 15"."""
    month, year, day = value(found, "m"), value(found, "y"), value(found, "nox")
    return _checked(dated(today, year, month, day), found) if month or year or 1 <= (day or 0) <= 31 else None


def figures(found: Sequence[Token], today: date) -> Span | None:
    """ "2026-03-31", "31/03/26", "03/2025", "22/04"."""
    text = "/".join(str(token.value) for token in every(found, "Dny"))
    first, second, *years = map(int, re.findall(r"\d+", text))
    year = years[0] if years else None
    if first > 31 or (second > 31 and year is None):
        return _checked(dated(today, max(first, second), min(first, second), year), found)
    year = year if year is None or year >= 100 else year + (2000 if year < CENTURY_TURN else 1900)
    if first <= 12 < second:
        first, second = second, first
    span = dated(today, year, second, first)
    if first <= 12 and first != second:
        span = replace(span, note="read as day and month", other=dated(today, year, first, second))
    return _checked(span, found)


def _checked(span: Span, found: Sequence[Token]) -> Span:
    """Return the other reading if only that has the weekday, or add a note that the day has another weekday."""
    wanted = one(found, "w")
    if wanted is None or span.start.weekday() == fraction(wanted):
        return span
    if span.other and span.other.start.weekday() == fraction(wanted):
        return replace(span.other, note="the nearest such day")
    return replace(span, note=f"that day is no {wanted.word}")


def _is_vague(found: Sequence[Token]) -> bool:
    """ "ultimi giorni", "primi mesi del 2020": the number is not given."""
    return any(token.word in PLURALS for token in every(found, "u"))


def base(found: Sequence[Token], today: date) -> Span:
    """Return a named stretch: "lo scorso settembre", "questa settimana", "l'estate", "il mese dopo il prossimo"."""
    if _is_vague(found):
        raise ValueError("how many?")
    named_, year, way = one(found, "ms"), value(found, "y"), ahead(found)
    if named_ is None or (named_.kind == "m" and not every(found, "<>=")):
        return dated(today, year, value(found, "m"), None) if named_ or year else unit_of(today, unit(found), way)
    day, months, note = (21, 3, "a season from the 21st") if named_.kind == "s" else (1, 1, "")
    years = [year] if year else range(today.year - 2, today.year + 3)
    starts = [date(each, int(fraction(named_)), day) for each in years]
    spans = [Span(start, days.shifted(start, months, "M") - DAY, note) for start in starts]
    return spans[2] if one(found, "=") and not year else days.chosen(spans, today, way)


def counted(found: Sequence[Token], today: date) -> Span | None:
    """ "fra tre giorni", "2 anni, 1 mese e 21 giorni fa"."""
    if found[-1].kind == "o" and found[-1].word != "prima":
        return None
    start = today + DAY * (value(found, "r") or 0)  # "due settimane da oggi"
    return on(_moved(start, found, -1 if found[-1].kind in "gBo" else 1), note_of(found))


def _moved(day: date, found: Sequence[Token], sign: int) -> date:
    """Return the day so many units away; raises ValueError for units of time."""
    for count, (size, letter) in sorted(pairs_of(found), key=lambda pair: "YMWD".find(pair[1][1])):
        if letter not in PARTS:
            raise ValueError(letter)
        times, part_ = (1, letter) if (count * size).denominator == 1 else PARTS[letter]  # "un mese e mezzo"
        day = days.shifted(day, sign * round(count * size * times), part_)
    return day


def pairs_of(found: Sequence[Token]) -> list[tuple[Fraction, Unit]]:
    """ "2 anni e mezzo" is two and a half years."""
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


def weekday(found: Sequence[Token], today: date) -> Span | None:
    """ "venerdì", "venerdì scorso"; "domenica prossima" is that of next week, with the coming one as alternative."""
    wanted, kinds = value(found, "w") or 0, classes(found)
    coming = today + DAY * ((wanted - today.weekday()) % 7)
    before = today - DAY * ((today.weekday() - wanted - 1) % 7 + 1)
    there = unit_of(today, WEEK, ahead(found)).start + DAY * wanted
    if "<" in kinds or "=" in kinds:
        return on(before if "<" in kinds else there)
    if ">" in kinds:
        return on(there, "that of next week", coming) if there != coming > today else on(there)
    return on(coming, "the coming one", before)


def nth(found: Sequence[Token], today: date) -> Span | None:
    """Parse an ordinal, such as "il primo venerdì di luglio" or "l'ultimo giorno del mese"; None if it is vague."""
    which, what = one(found, "oI") or found[0], one(found, "w") or one(found, "eu")
    at, size = -1 if which.kind == "<" else int(fraction(which)), unit([what]) if what else (3, "M")
    rest = [token for token in found if token is not which and token is not what]
    wanted = value(found, "w")
    if _is_vague(found):
        return None
    if every(rest, "myus"):
        return base(rest, today).mapped(lambda span: days.nth_in(span, size, at, wanted))
    if wanted is not None:
        return days.nth_in(unit_of(today, MONTH), size, at, wanted) if at > 0 else None
    if size[1] not in "MW" or size == MONTH or at < 0:
        return None
    coming = days.chosen([days.nth_in(unit_of(today, YEAR, step), size, at) for step in (-1, 0, 1)], today)
    return replace(coming, note="year not named, the next one")


def of_unit(found: Sequence[Token], today: date) -> Span | None:
    """ "venerdì della prossima settimana", "il 20 del mese scorso"."""
    day = value(found, "nox")
    if unit(found) != (MONTH if day else WEEK) or _is_vague(found):
        return None
    span = base(every(found, "=<>u"), today)
    return days.nth_in(span, (1, "D"), day or 1, None if day else value(found, "w"))


def rolling(found: Sequence[Token], today: date) -> Span | None:
    """ "i prossimi 3 mesi" from tomorrow, "le ultime tre settimane" to yesterday."""
    day, is_next = _moved(today, found, ahead(found)), ahead(found) > 0
    ends = (today + DAY, day) if is_next else (day, today - DAY)
    return Span(*ends, note_of(found) or ("from tomorrow" if is_next else "up to yesterday"))


def part(found: Sequence[Token], today: date) -> Span | None:
    """ "inizio del prossimo anno", "fine marzo", "prima metà del 2016", "resto della settimana"."""
    kind = {1: "S", 2: "E"}.get(value(found[:1], "o") or 0, found[0].kind)

    def cut(span: Span) -> Span:
        count = (span.end - span.start).days + 1
        middle = days.shifted(span.start, 6, "M") if count > 360 else span.start + DAY * (count // 2)
        quarter = DAY * (count // 4)
        return {
            "S": Span(span.start, middle - DAY, "the first half"),
            "E": Span(middle, span.end, "the second half"),
            "M": Span(span.start + quarter, span.end - quarter, "the middle half"),
            "T": Span(max(today, span.start), span.end),
        }[kind]

    return base(found[1:], today).mapped(cut) if kind in "SEMT" else None


def decade(found: Sequence[Token], today: date) -> Span | None:
    """ "anni 70", "anni 1970"; otherwise a year."""
    year = value(found, "ny") or 0
    if found[0].word != "anni" or year % 10:
        return named(every(found, "y"), today)
    early, late = (unit_of(date(year % 100 + century, 1, 1), (10, "Y")) for century in (1900, 2000))
    if year < 100:
        return replace(early, other=late, note="century not named, the twentieth")
    return early if year < 2000 else late


def between(found: Sequence[Token], today: date) -> Span | None:
    """ "dal 4 al 22 marzo", "tra mercoledì e venerdì", "2014-2018"."""
    found = found[1:] if found[0].kind in "Ffbi" else found
    for at in (at for at in range(1, len(found) - 1) if found[at].kind in "tU-&"):
        ends = found[:at], found[at + 1 :]
        left, right = (
            [*own, *(every(other, "m") if re.fullmatch("w?[nxo]", classes(own)) else ())]
            for own, other in (ends, ends[::-1])
        )
        first, last = side(left, today), side(right, today)
        if first and last:
            last = replace(last, other=None) if one(right, "D/") else last
            return last.mapped(partial(_ranged, first.start, classes(left), classes(right)))
    return None


def _ranged(first: date, left: str, right: str, span: Span) -> Span:
    """Complete an end without a year by the other end, or by the year before or after: "dal 10 dicembre al 3 marzo"."""
    last = span.end
    if re.fullmatch(_YEARLESS, left):
        first = first.replace(month=last.month) if re.fullmatch("w?[nxo]", left) else first
        first = first.replace(year=last.year - (first.month > last.month))
    elif re.fullmatch(_YEARLESS, right):
        last = last.replace(year=first.year + (first.month > last.month))
    return Span(first, last)


def side(found: Sequence[Token], today: date) -> Span | None:
    """Return one end of a range."""
    ends = (*_SIDES, (_DAY, named))
    return next((read(found, today) for pattern, read in ends if compiled(pattern).fullmatch(classes(found))), None)


def open_ended(found: Sequence[Token], today: date) -> Span | None:
    """ "dal 1° gennaio", "fino a marzo", "dopo il 15 marzo"; "entro il 15 marzo" begins today."""
    kind, span = found[0].kind, side(found[1:], today)

    def made(each: Span) -> Span:
        starts = {"U": OPEN_START, "B": OPEN_START, "q": today, "A": each.end + DAY}
        ends = {"U": each.end, "B": each.start - DAY, "q": each.end}
        return Span(starts.get(kind, each.start), ends.get(kind, OPEN_END))

    return span and span.mapped(made)


COUNTED = "[hnyxH] -?W? ?u(?: &? [nxy] u){0,3}(?: & x?H)?"
_BASE = "(?:[ums] [=<>]|[=<>] [ums]|[ms](?: y)?|y)"
_YEARLESS = "w?[nxom/]+"
_ALONE = "(?! [-/]?[u%PCcknyQmoO‰])"
_DATES: tuple[Rule, ...] = (
    ("date", "(?:w~)?[nxo]~m(?:~y)?|(?:w~)?m~[no](?![u%c])(?:~y)?|y~n~m", named),
    ("date", "(?:w )?D", figures),
    ("date", "r", lambda found, today: on(today + DAY * (value(found, "r") or 0))),
    ("date", f"[bi] {COUNTED}(?: A)?|{COUNTED} (?:[gABo]|f r)", counted),
    ("date", "[=<>] w|w [<>=](?! u)|w", weekday),
    ("date", "w [no]" + _ALONE, named),
    ("date", "[=<>] u w|w [=<>] u|u [<>=] w|w u [<>=]|[nxo] [<>=] u|[nxo] u [<>=]", of_unit),
    ("date", f"[o<] w(?: {_BASE}| u)?|[o<] u (?:{_BASE}|u)", nth),
    ("date", f"E (?:{_BASE}|u)", lambda found, today: base(found[1:], today).mapped(lambda each: on(each.end))),
)
"""Order matters: among matches of the same length, the first wins."""
_SIDES: tuple[tuple[str, Read], ...] = (
    *((pattern, read) for _, pattern, read in _DATES),
    ("n/n", figures),
    (_BASE, base),
)
_SIDE = "(?:" + "|".join(pattern for pattern, _ in _SIDES) + ")"
_DAY = "[nxo]"
RULES: tuple[Rule, ...] = (
    *_DATES,
    ("date alone", "n[/-]n", figures),
    ("date alone", _DAY, named),
    ("period", f"(?:[Ffbi] )?(?:{_SIDE}|{_DAY})_[tU-]_{_SIDE}|b (?:{_SIDE}|{_DAY})_&_{_SIDE}", between),
    ("period", f"(?:[Ffb] )?{_SIDE}_[tU-]_{_DAY}(?! [uc%k])", between),
    ("period", f"{_BASE}|[eu] A L?>|e [=<>]|(?:[=<>] )?e", base),
    ("period", f"[<>] {COUNTED}|{COUNTED} [<>]|[hnx] [<>] u", rolling),
    ("period", f"[o<] e {_BASE}|[o<] u(?: {_BASE}| u y)?|I(?: y)?|y I|y b? ?[o] u", nth),
    ("period", f"(?:[SMET]|o(?= M)) (?:M )?(?:{_BASE}|u)", part),
    ("period", "(?:u|l L?) ?m(?: y)?|l L?y", named),
    ("period", "u [ny]", decade),
    ("period", f"[fFUAB] {_SIDE}", open_ended),
    ("period", f"q {COUNTED}", lambda found, today: Span(today, _moved(today, found[1:], 1), "from today")),
    ("period alone", f"(?:[Ffb] )?{_DAY} [t&U-] {_DAY}", between),
    ("period alone", f"q (?:{_SIDE}|{_DAY})|[fF] {_DAY}", open_ended),
)
