"""Rules for periods, both ends included. What one end of a range leaves open is taken from the other one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from turnkeep.blocks.facts import dates, days
from turnkeep.blocks.facts.dates import BASE, COUNTED, Point, Read, Rule, base, every, named, number, resolved, unit
from turnkeep.blocks.facts.days import DAY, DECADE, OPEN_END, OPEN_START, WEEK, WEEKEND, YEAR, Partial, Span, unit_of
from turnkeep.blocks.facts.tokens import Token


def month_in_figures(found: Sequence[Token], today: date) -> Point:
    """ "03/2025"."""
    value = dates.figures(found, today)
    return value if isinstance(value, Partial) and value.day is None else None


def rolling(found: Sequence[Token], today: date) -> Point:
    """ "i prossimi 3 mesi" from tomorrow, "le ultime tre settimane" to yesterday; decades are those of the calendar."""
    way = dates.ahead(found)
    if unit(found) == DECADE:
        near, far = unit_of(today, DECADE, way), unit_of(today, DECADE, way * number(every(found, "nx")[0]))
        return Span(min(near.start, far.start), max(near.end, far.end))
    day = dates.moved(today, found, way)
    if way > 0:
        return Span(today + DAY, day, dates.note_of(found) or "from tomorrow")
    return Span(day, today - DAY, dates.note_of(found) or "up to yesterday")


def week_with(found: Sequence[Token], today: date) -> Point:
    """ "settimana del 16 settembre"."""
    span = resolved(side(found[1:], today), today)
    return span.mapped(lambda each: unit_of(each.start, WEEK)) if unit(found[:1]) == WEEK else None


def part(found: Sequence[Token], today: date) -> Point:
    """ "inizio del prossimo anno", "fine marzo", "resto della settimana"."""
    span, kind = base(found[1:], today), found[0].kind
    if kind == "o":  # "prima metà del 2016"
        kind = {1: "S", 2: "E"}[number(found[0])]
    if kind == "T":
        return replace(span, start=max(today, span.start))
    return span.mapped(lambda each: _cut(each, kind))


def _cut(span: Span, kind: str) -> Span:
    """The first, second or middle half; of a week to Wednesday, from Thursday, Tuesday to Friday."""
    count = (span.end - span.start).days + 1
    half = 3 if count == 7 else count // 30 * 15
    middle = days.shifted(span.start, 6, "M") if count > 300 else span.start + DAY * half
    if kind == "M":
        quarter = 1 if count == 7 else count // 4
        return Span(span.start + DAY * quarter, span.end - DAY * (quarter + (count == 7)), "the middle half")
    ends = (span.start, middle - DAY) if kind == "S" else (middle, span.end)
    return Span(*ends, f"the {'first' if kind == 'S' else 'second'} half")


def decade(found: Sequence[Token], today: date) -> Point:
    """ "anni 70", "anni 1970"; else a year."""
    value = number(found[1])
    if found[0].word != "anni" or value % 10:
        return named(found, today) if unit(found) == YEAR and value > 31 else None
    if value >= 100:
        return unit_of(date(value, 1, 1), DECADE)
    other = unit_of(date(2000 + value, 1, 1), DECADE)
    return replace(unit_of(date(1900 + value, 1, 1), DECADE), other=other, note="century not named, the twentieth")


def between(found: Sequence[Token], today: date) -> Point:
    """ "dal 4 al 22 marzo", "tra mercoledì e venerdì", "2014-2018"."""
    found = found[1:] if found[0].kind in "Ffbi" else found
    places = [at for at in range(1, len(found) - 1) if found[at].kind in "tU-&"]
    sides = ((side(found[:at], today), side(found[at + 1 :], today)) for at in places)
    return next((_ranged(first, last, today) for first, last in sides if first and last), None)


def weekdays_of_week(found: Sequence[Token], today: date) -> Point:
    """ "la prossima settimana tra mercoledì e venerdì"."""
    week, (first, last) = every(found, "=<>u"), every(found, "w")
    return _ranged(side([*week, first], today), side([*week, last], today), today)


def side(found: Sequence[Token], today: date) -> Point:
    """One end of a range."""
    found = [token for token in found if token.kind not in "aL,."]
    text = dates.classes(found)
    if re.fullmatch("[nxo]", text):
        return dates.bare(found, today)
    return next((read(found, today) for pattern, read in _SIDES if dates.compiled(pattern).fullmatch(text)), None)


def _ranged(first: Point, last: Point, today: date) -> Point:
    if isinstance(first, Partial) and isinstance(last, Partial):
        first, last = _shared(first, last)
    end = resolved(last, today)
    if isinstance(first, Partial) and first.year is None:
        return end.mapped(lambda each: Span(_before(first, each.end).start, each.end))
    return Span(resolved(first, today).start, end.end, end.note)


def _shared(first: Partial, last: Partial) -> tuple[Partial, Partial]:
    """ "dal 4 al 22 marzo", "novembre 19-20", "dal 10 dicembre al 3 marzo 2026"; a swap counts for neither."""
    if last.month is None and last.day is not None:
        last = replace(last, month=first.month, year=first.year)
    if first.month is None and first.day is not None:
        first = replace(first, month=last.month)
    over = (first.month or 0) > (last.month or 12)
    year = first.year or (last.year - over if last.year else None)
    last_year = last.year or (first.year + over if first.year else None)
    return replace(first, year=year, swapped=None), replace(last, year=last_year, swapped=None)


def _before(first: Partial, end: date) -> Span:
    """Of the end's year, or of the one before where its month is later: "dal 10 dicembre al 3 marzo"."""
    month = first.month or end.month
    return replace(first, swapped=None, month=month, year=end.year - (month > end.month)).resolved(end)


def open_ended(found: Sequence[Token], today: date) -> Point:
    """ "dal 1° gennaio", "fino a marzo", "dopo il 15 marzo"; "entro il 15 marzo" begins today."""
    ends: dict[str, Callable[[Span], Span]] = {
        "U": lambda each: Span(OPEN_START, each.end),
        "q": lambda each: Span(today, each.end),
        "A": lambda each: Span(each.end + DAY, OPEN_END),
        "B": lambda each: Span(OPEN_START, each.start - DAY),
    }
    return resolved(side(found[1:], today), today).mapped(
        ends.get(found[0].kind, lambda each: Span(each.start, OPEN_END))
    )


_SIDES: tuple[tuple[str, Read], ...] = (
    *((pattern, read) for kind, pattern, read in dates.RULES if kind == "date"),
    ("[ny]/[ny](?:[,/-]n)?", dates.short),
    ("m(?: y)?|y", named),
    ("D", month_in_figures),
    (BASE, base),
)
_SIDE = "(?:" + "|".join(pattern for pattern, _ in _SIDES) + ")"
_DAY = "[nxo]"
RULES: tuple[Rule, ...] = (
    ("period", "[=<>] u [bfF] w [t&] w", weekdays_of_week),
    ("period", f"(?:[Ffbi] )?(?:{_SIDE}|{_DAY})_[tU-]_{_SIDE}|b (?:{_SIDE}|{_DAY})_&_{_SIDE}", between),
    ("period", f"(?:[Ffb] )?{_SIDE}_[tU-]_{_DAY}(?! [uc%k])", between),
    ("period", "e A L?>|e [=<>]|(?:[=<>] )?e", lambda found, today: unit_of(today, WEEKEND, dates.ahead(found))),
    ("period", "u A L?>", base),
    ("period", f"[<>] {COUNTED}|{COUNTED} [<>]|[hnx] [<>] u", rolling),
    ("period", f"[o<] e {BASE}|[o<] u(?: {BASE}| u y)?|I(?: y)?|y I|y b? ?[o] u", dates.nth),
    ("period", f"u {_SIDE}", week_with),
    ("period", f"(?:[SMET]|o(?= M)) (?:M )?(?:{BASE}|u)", part),
    ("period", "(?:u|l L?) ?m(?: y)?|l L?y", named),
    ("period", "u [ny]", decade),
    ("period", BASE, base),
    ("period", "D", month_in_figures),
    ("period", f"[fFUAB] {_SIDE}", open_ended),
    ("period", f"q {COUNTED}", lambda found, today: Span(today, dates.moved(today, found[1:], 1), "from today")),
    ("period alone", f"(?:[Ffb] )?{_DAY} [t&U-] {_DAY}", between),
    ("period alone", f"q (?:{_SIDE}|{_DAY})|[fF] {_DAY}", open_ended),
    ("period in text", f"F {_DAY} [tU-] {_DAY}(?! [uc%k])", between),
)
