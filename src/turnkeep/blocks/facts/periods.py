"""Rules for periods, both ends included. What one end of a range leaves open is taken from the other one."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from turnkeep.blocks.facts.dates import (
    BASE, COUNTED, DATES, Point, Read, ahead, bare, base, classes, compiled, every, figures, moved, nth, number, one, resolved,
    short, unit,
)  # fmt: skip
from turnkeep.blocks.facts.days import DAY, OPEN_END, OPEN_START, WEEK, WEEKEND, Partial, Span, shifted, unit_of
from turnkeep.blocks.facts.tokens import Token

DECADE = (10, "Y")


def named(found: Sequence[Token], today: date) -> Point:
    """ "marzo 2026", "nel 2024", "anno d'imposta 2025"; as a Partial, for an end of a range."""
    month, year = one(found, "m"), one(found, "yn")
    is_year = one(found, "u") is None or unit(every(found, "u")[0]) == (1, "Y")
    return Partial(number(year) if year else None, number(month) if month else None, None) if is_year else None


def month_in_figures(found: Sequence[Token], today: date) -> Point:
    """ "03/2025"."""
    value = figures(found, today)
    return value if isinstance(value, Partial) and value.day is None else None


def rolling(found: Sequence[Token], today: date) -> Point:
    """ "i prossimi 3 mesi" from tomorrow, "le ultime tre settimane" to yesterday; decades are those of the calendar."""
    way, note = ahead(found), next((token.note for token in found if token.note), "")
    if unit(every(found, "u")[0]) == DECADE:
        count = number(every(found, "nx")[0])
        near, far = unit_of(today, DECADE, way), unit_of(today, DECADE, way * count)
        return Span(min(near.start, far.start), max(near.end, far.end)) if near and far else None
    day = moved(today, found, way)
    if day is None:
        return None
    return (
        Span(today + DAY, day, note or "from tomorrow")
        if way > 0
        else Span(day, today - DAY, note or "up to yesterday")
    )


def week_with(found: Sequence[Token], today: date) -> Point:
    """ "settimana del 16 settembre"."""
    span = resolved(side(found[1:], today), today)
    return span.mapped(lambda each: unit_of(each.start, WEEK)) if span and unit(found[0]) == WEEK else None


def part(found: Sequence[Token], today: date) -> Point:
    """ "inizio del prossimo anno", "fine marzo", "resto della settimana"."""
    span = base(found[1:], today)
    if span and found[0].kind == "T":
        return replace(span, start=max(today, span.start))
    return span.mapped(lambda each: _cut(each, found[0].kind)) if span else None


def _cut(span: Span, kind: str) -> Span | None:
    """The first or second half, the middle half; of a week to Wednesday, from Thursday, Tuesday to Friday."""
    days = (span.end - span.start).days + 1
    middle = (
        shifted(span.start, 6, "M")
        if days > 300
        else span.start + DAY * (3 if days == 7 else 15 if days < 32 else days // 2)
    )
    if middle is None or kind == "M":
        quarter = DAY * (1 if days == 7 else days // 4)
        return Span(span.start + quarter, span.end - quarter - DAY * (days == 7), "the middle half")
    return (
        Span(span.start, middle - DAY, "the first half") if kind == "S" else Span(middle, span.end, "the second half")
    )


def decade(found: Sequence[Token], today: date) -> Point:
    """ "anni 70", "anni 1970"."""
    value = number(found[1])
    if found[0].word != "anni" or value % 10 or not (20 <= value < 100 or 1000 <= value < 3000):
        return None
    span = unit_of(date(value if value >= 100 else 1900 + value, 1, 1), DECADE)
    other = unit_of(date(2000 + value, 1, 1), DECADE) if value < 100 else None
    return replace(span, other=other, note="century not named, the twentieth" if other else "") if span else None


def between(found: Sequence[Token], today: date) -> Point:
    """ "dal 4 al 22 marzo", "tra mercoledì e venerdì", "2014-2018"."""
    found = found[1:] if found[0].kind in "Ffbi" else found
    for at in range(1, len(found) - 1):
        if found[at].kind in "tU-&":
            first, last = side(found[:at], today), side(found[at + 1 :], today)
            if first is not None and last is not None:
                return _ranged(first, last, today)
    return None


def weekdays_of_week(found: Sequence[Token], today: date) -> Point:
    """ "la prossima settimana tra mercoledì e venerdì"."""
    week, (first, last) = every(found, "=<>u"), every(found, "w")
    start, end = side([*week, first], today), side([*week, last], today)
    return _ranged(start, end, today) if start and end else None


def side(found: Sequence[Token], today: date) -> Point:
    """One end of a range."""
    text = classes(found)
    if re.fullmatch("[nxo]", text):
        return bare(found, today)
    found = every(found, "".join(set(text) - set("aL,.")))
    return next((read(found, today) for pattern, read in _SIDES if compiled(pattern).fullmatch(text)), None)


def _ranged(first: Point, last: Point, today: date) -> Point:
    if isinstance(first, Partial) and isinstance(last, Partial):
        first, last = _shared(first, last)
    end = resolved(last, today)
    if first is None or end is None:
        return None
    if isinstance(first, Span) or first.year:
        start = resolved(first, today)
        return Span(start.start, end.end, end.note) if start else None
    plain = replace(first, swapped=None)
    return end.mapped(lambda each: (start := _before(plain, each.end)) and Span(start.start, each.end))


def _shared(first: Partial, last: Partial) -> tuple[Partial, Partial]:
    """ "dal 4 al 22 marzo", "novembre 19-20", "dal 10 dicembre al 3 marzo 2026"; a swap counts for neither."""
    if last.month is None and last.day is not None:
        last = replace(last, month=first.month, year=first.year)
    if first.month is None and first.day is not None:
        first = replace(first, month=last.month)
    over = int(bool(first.month and last.month and first.month > last.month))
    if first.year is None and last.year is not None:
        first = replace(first, year=last.year - over)
    elif last.year is None and first.year is not None:
        last = replace(last, year=first.year + over)
    return replace(first, swapped=None), replace(last, swapped=None)


def _before(first: Partial, end: date) -> Span | None:
    """Of the end's year, or of the one before where its month is later: "dal 10 dicembre al 3 marzo"."""
    if first.month is None:
        return replace(first, year=end.year, month=end.month).resolved(end)
    return replace(first, year=end.year - (first.month > end.month)).resolved(end)


def open_ended(found: Sequence[Token], today: date) -> Point:
    """ "dal 1° gennaio", "fino a marzo", "dopo il 15 marzo"; "entro il 15 marzo" begins today."""
    span = resolved(side(found[1:], today), today)

    def made(each: Span) -> Span:
        return {
            "U": Span(OPEN_START, each.end),
            "q": Span(today, each.end, "from today"),
            "A": Span(each.end + DAY, OPEN_END),
            "B": Span(OPEN_START, each.start - DAY),
        }.get(found[0].kind, Span(each.start, OPEN_END))

    return span.mapped(made) if span else None


def within(found: Sequence[Token], today: date) -> Point:
    """ "entro 30 giorni"."""
    end = moved(today, found[1:], 1)
    return Span(today, end, "from today") if end else None


def weekend(found: Sequence[Token], today: date) -> Point:
    return unit_of(today, WEEKEND, ahead(found))


_SIDES: tuple[tuple[str, Read], ...] = (
    *DATES,
    ("[ny]/[ny](?:[,/-]n)?", short),
    ("m(?: y)?|y", named),
    ("D", month_in_figures),
    (BASE, base),
)
_SIDE = "(?:" + "|".join(pattern for pattern, _ in _SIDES) + ")"
_DAY = "[nxo]"
PERIODS: tuple[tuple[str, Read], ...] = (
    ("[=<>] u [bfF] w [t&] w", weekdays_of_week),
    (f"(?:[Ffbi] )?(?:{_SIDE}|{_DAY}) [tU-] {_SIDE}|b (?:{_SIDE}|{_DAY}) & {_SIDE}", between),
    (f"(?:[Ffb] )?{_SIDE} [tU-] {_DAY}(?! [uc%k])", between),
    ("(?:[=<>] )?e|e [=<>]|e A L?>", weekend),
    ("u A L?>", base),
    (f"[<>] {COUNTED}|{COUNTED} [<>]|[nx] [<>] u", rolling),
    (f"[o<] e {BASE}|[o<] u(?: {BASE}| u y)?|I(?: y)?|y b? ?[o] u", nth),
    (f"u {_SIDE}", week_with),
    (f"[SMET] (?:{BASE}|u)", part),
    ("u [ny]", decade),
    ("m(?: y)?|u [ny]|y", named),
    (BASE, base),
    ("D", month_in_figures),
    (f"[fFUAB] {_SIDE}", open_ended),
    (f"q {COUNTED}", within),
)
ONLY_ALONE: tuple[tuple[str, Read], ...] = (
    (f"(?:[Ffb] )?{_DAY} [t&U-] {_DAY}", between),
    (f"q (?:{_SIDE}|{_DAY})|[fF] {_DAY}", open_ended),
)
IN_TEXT: tuple[tuple[str, Read], ...] = ((f"F {_DAY} [tU-] {_DAY}(?! [uc%k])", between),)
