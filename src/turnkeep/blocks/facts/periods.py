"""Rules for periods, both ends included; the ends of a range are read as dates, months and years are."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from turnkeep.blocks.facts import dates
from turnkeep.blocks.facts.calendar_days import Partial, Span, shifted, unit_of, week_of, weekday_in
from turnkeep.blocks.facts.dates import COUNTED, Point, Read, ahead, classes, compiled, month_number, number, one, unit
from turnkeep.blocks.facts.tokens import Token

DAY = timedelta(days=1)


def named(found: Sequence[Token], today: date) -> Point:
    """ "marzo 2026", "nel 2024", "anno d'imposta 2025"."""
    month, year = one(found, "mj"), one(found, "yn")
    return Partial(number(year) if year else None, month_number(month) if month else None, None)


def figures(found: Sequence[Token], today: date) -> Point:
    """ "03/2025"."""
    value = dates.figures(found, today)
    return value if isinstance(value, Partial) and value.day is None else None


def near(found: Sequence[Token], today: date) -> Point:
    """ "la prossima settimana", "lo scorso anno", "il mese dopo il prossimo"."""
    steps = ahead(found) + (1 if one(found, "A") else 0)
    if weekend := one(found, "e"):
        return _weekend(today, steps) if weekend else None
    units = one(found, "u")
    return unit_of(today, unit(units), steps) if units and unit(units)[1][0] != "T" else None


def weekend(found: Sequence[Token], today: date) -> Point:
    return _weekend(today, 0)


def _weekend(today: date, steps: int) -> Span | None:
    week = unit_of(today, (1, "W"), steps)
    return Span(week.end - DAY, week.end) if week and week.end else None


def near_month(found: Sequence[Token], today: date) -> Point:
    """ "questo settembre", "lo scorso settembre"."""
    month = one(found, "mj")
    spans = (
        [Partial(today.year + step, month_number(month), None).resolved(today) for step in (-2, -1, 0, 1)]
        if month
        else []
    )
    known = [span for span in spans if span and span.start and span.end]
    past = [span for span in known if span.end and span.end < today]
    coming = [span for span in known if span.start and span.start > today]
    if one(found, "<"):
        other = past[-2] if past and past[-1].start and past[-1].start.year == today.year else None
        return replace(past[-1], note="the latest" if other else "", other=other)
    return coming[0] if one(found, ">") and coming else known[2]


def rolling(found: Sequence[Token], today: date) -> Point:
    """ "i prossimi 3 mesi" from tomorrow, "le ultime tre settimane" to yesterday; decades are those of the calendar."""
    units = one(found, "u")
    if units and unit(units) == (10, "Y"):
        return _decades(found, today)
    counted = [token for token in found if token.kind in "nxyHu"]
    notes = next((token.note for token in found if token.note), "")
    if one(found, ">"):
        end, _ = dates.moved(today, counted, 1)
        return Span(today + DAY, end, notes or "from tomorrow") if end else None
    start, _ = dates.moved(today, counted, -1)
    return Span(start, today - DAY, notes or "up to yesterday") if start else None


def _decades(found: Sequence[Token], today: date) -> Span | None:
    count, way = one(found, "nx"), ahead(found)
    steps = number(count) if count else 1
    first = unit_of(today, (10, "Y"), 1 if way > 0 else -steps)
    last = unit_of(today, (10, "Y"), steps if way > 0 else -1)
    return Span(first.start, last.end) if first and last else None


def part_of_year(found: Sequence[Token], today: date) -> Point:
    """ "primo trimestre 2025", "la terza settimana di marzo", "secondo semestre", "Q1 2025"."""
    which, units = one(found, "oI<"), one(found, "u")
    at = number(which) if which and which.kind != "<" else 0
    size = unit(units) if units else (3, "M")
    month, year = one(found, "mj"), one(found, "y")
    rest = [token for token in found if token is not units and token is not which]
    if size[1] == "W":
        return _week(at, rest, today)
    if size[1] != "M" or month or size[0] == 1:
        return None
    at = at or 12 // size[0]
    if not 1 <= at <= 12 // size[0]:
        return None
    this_year = today.year + ahead(rest)
    years = [number(year)] if year else [this_year] if one(rest, "u") else [this_year - 1, this_year, this_year + 1]
    spans = [span for each in years if (span := unit_of(date(each, size[0] * (at - 1) + 1, 1), size))]
    coming = [span for span in spans if span.end and span.end >= today]
    past = [span for span in spans if span.end and span.end < today]
    if len(spans) == 1 or not coming or not past:
        return spans[0] if spans else None
    return replace(coming[0], note="year not named, the next", other=past[-1])


def _week(at: int, rest: Sequence[Token], today: date) -> Point:
    month, year, units = one(rest, "mj"), one(rest, "y"), one(rest, "u")
    if units and unit(units)[1] == "M":
        span = unit_of(today, (1, "M"), ahead(rest))
        return week_of(span.start.year, span.start.month, at) if span and span.start else None
    if month:
        span = Partial(number(year) if year else None, month_number(month), None).resolved(today)
        return week_of(span.start.year, span.start.month, at) if span and span.start else None
    return week_of(number(year) if year else today.year + ahead(rest), None, at)


def weekends(found: Sequence[Token], today: date) -> Point:
    """ "l'ultimo weekend del 2015", "il primo weekend di marzo"."""
    span = dates.whole(found, today)
    day = weekday_in(span, 6, -1 if found[0].kind == "<" else number(found[0])) if span else None
    return Span(day - DAY, day) if day else None


def week_with(found: Sequence[Token], today: date) -> Point:
    """ "settimana del 16 settembre"."""
    point = side(found[1:], today)
    span = point.resolved(today) if isinstance(point, Partial) else point
    if span is None or span.start is None or unit(found[0]) != (1, "W"):
        return None
    other = unit_of(span.other.start, (1, "W")) if span.other and span.other.start else None
    week = unit_of(span.start, (1, "W"))
    return replace(week, note=span.note, other=other) if week else None


def part(found: Sequence[Token], today: date) -> Point:
    """ "inizio del prossimo anno", "fine marzo", "resto della settimana"."""
    season = one(found, "s")
    span = _season(season, one(found, "y"), today) if season else dates.whole(found, today)
    if span is None or span.start is None or span.end is None:
        return None
    if found[0].kind == "T":
        return Span(today, span.end) if span.start <= today <= span.end else span
    return replace(_cut(span, found[0].kind), other=_cut(span.other, found[0].kind) if span.other else None)


def _cut(span: Span, kind: str) -> Span:
    """The first or second half, the middle half; of a week Monday to Wednesday, Tuesday to Friday, Thursday to Sunday."""
    assert span.start is not None
    assert span.end is not None
    days = (span.end - span.start).days + 1
    if days > 31:
        middle = shifted(span.start, 6 if days > 300 else round(days / 60), "M") or span.end
        quarter = timedelta(days=days // 4)
    else:
        middle = span.start + timedelta(days=3 if days == 7 else 15)
        quarter = timedelta(days=round(days / 4) if days > 7 else 1)
    if kind == "S":
        return Span(span.start, middle - DAY, "the first half")
    if kind == "E":
        return Span(middle, span.end, "the second half")
    return Span(span.start + quarter, span.end - quarter - (DAY if days == 7 else 0 * DAY), "the middle half")


def season(found: Sequence[Token], today: date) -> Point:
    """ "l'estate del 2016", "la prossima primavera"."""
    word = one(found, "s")
    return _season(word, one(found, "y"), today, ahead(found)) if word else None


def _season(word: Token, year: Token | None, today: date, way: int = 0) -> Span | None:
    month = number(word)
    years = [number(year)] if year else range(today.year - 1, today.year + 3)
    starts = [date(each, month, 21) for each in years]
    spans = [Span(start, end - DAY) for start in starts if (end := shifted(start, 3, "M"))]
    note = f"{word.word}: from the 21st of its first month"
    fitting = [span for span in spans if year or (span.end and span.end >= today and (way <= 0 or span.start > today))]  # type: ignore[operator]
    if way < 0:
        fitting = [span for span in reversed(spans) if span.end and span.end < today]
    return replace(fitting[0], note=note) if fitting else None


def decade(found: Sequence[Token], today: date) -> Point:
    """ "anni 70", "anni 1970"."""
    value = number(found[1])
    if found[0].word != "anni" or value % 10 or not (value < 100 or 1000 <= value < 3000):
        return None
    if value >= 100:
        return unit_of(date(value, 1, 1), (10, "Y"))
    spans = [unit_of(date(century + value, 1, 1), (10, "Y")) for century in (1900, 2000)]
    return replace(spans[0], note="of the twentieth century", other=spans[1]) if spans[0] else None


def between(found: Sequence[Token], today: date) -> Point:
    """ "dal 4 al 22 marzo", "tra mercoledì e venerdì", "2014-2018"."""
    found = found[1:] if found[0].kind in "Ffbi" else found
    for at, token in enumerate(found[:-1]):
        if token.kind in "tU-&" and at:
            first, last = side(found[:at], today), side(found[at + 1 :], today)
            if first is not None and last is not None:
                return _ranged(first, last, today)
    return None


def days_of_month(found: Sequence[Token], today: date) -> Point:
    """ "novembre 19-20", "dal 4 al 22 questo mese": the month stands once."""
    days = [token for token in found if token.kind in "nxo"]
    months = [token for token in found if token.kind in "mjuy<>="]
    span = dates.whole([days[0], *months], today) if one(months, "mju") else None
    if len(days) != 2 or span is None or span.start is None:
        return None
    is_open = one(months, "mj") and not one(months, "y")
    year, month = (None if is_open else span.start.year), span.start.month
    return _ranged(Partial(year, month, number(days[0])), Partial(year, month, number(days[1])), today)


def weekdays_of_week(found: Sequence[Token], today: date) -> Point:
    """ "la prossima settimana tra mercoledì e venerdì"."""
    week = unit_of(today, (1, "W"), ahead(found))
    first, last = [token for token in found if token.kind in "wj"]
    start, end = (weekday_in(week, dates.weekday_number(each), 1) if week else None for each in (first, last))
    return Span(start, end) if start and end else None


def side(found: Sequence[Token], today: date) -> Point:
    """One end of a range."""
    text = classes(found)
    if re.fullmatch("[nxo]", text):
        return dates.bare(found, today)
    for pattern, read in (*dates.DATES, ("[ny][/][ny](?:[,/-]n)?", dates.short), *_ENDS):
        if compiled(pattern).fullmatch(text):
            return read(dates.words_of(found), today)
    return None


def _ranged(first: Point, last: Point, today: date) -> Point:
    """What one end leaves open is taken from the other one."""
    if isinstance(last, Partial) and isinstance(first, Partial):
        if last.month is None and last.day is not None and first.month is not None:
            last = replace(last, month=first.month, year=last.year or first.year)
        first = replace(first, month=first.month if first.month is not None or first.day is None else last.month)
        if first.year is None and last.year is not None:
            crosses = first.month is not None and last.month is not None and first.month > last.month
            first = replace(first, year=last.year - 1 if crosses else last.year)
        if first.year is not None and last.year is None:
            crosses = first.month is not None and last.month is not None and first.month > last.month
            last = replace(last, year=first.year + 1 if crosses else first.year)
    end = last.resolved(today) if isinstance(last, Partial) else last
    if end is None or end.end is None:
        return None
    start = _before(first, end.end) if isinstance(first, Partial) else first
    if start is None:
        return None
    other = None
    if end.other and end.other.end and isinstance(first, Partial) and first.year is None:
        before = _before(first, end.other.end)
        other = Span(before.start, end.other.end) if before else None
    return Span(start.start, end.end, end.note, other)


def _before(first: Partial, end: date) -> Span | None:
    """The latest that does not begin after the end; of the same month the one that does, a contradiction to be told."""
    if first.year is not None:
        return first.resolved(end)
    if first.day is not None and first.month is None:
        return Partial(end.year, end.month, first.day).resolved(end)
    year = end.year - 1 if first.month is not None and first.month > end.month else end.year
    return replace(first, year=year).resolved(end)


def from_on(found: Sequence[Token], today: date) -> Point:
    """ "dal 1° gennaio", "since 2020"."""
    span = _resolved(found[1:], today)
    return Span(span.start, None, span.note, Span(span.other.start, None) if span.other else None) if span else None


def up_to(found: Sequence[Token], today: date) -> Point:
    span = _resolved(found[1:], today)
    return Span(None, span.end, span.note, Span(None, span.other.end) if span.other else None) if span else None


def after(found: Sequence[Token], today: date) -> Point:
    span = _resolved(found[1:], today)
    return Span(span.end + DAY, None, span.note) if span and span.end else None


def before(found: Sequence[Token], today: date) -> Point:
    span = _resolved(found[1:], today)
    return Span(None, span.start - DAY, span.note) if span and span.start else None


def within(found: Sequence[Token], today: date) -> Point:
    """ "entro 30 giorni": from today."""
    end, note = dates.moved(today, found[1:], 1)
    return Span(today, end, note or "from today") if end else None


def within_date(found: Sequence[Token], today: date) -> Point:
    span = _resolved(found[1:], today)
    return Span(today, span.end, span.note or "from today") if span else None


def _resolved(found: Sequence[Token], today: date) -> Span | None:
    point = side(found, today)
    return point.resolved(today) if isinstance(point, Partial) else point


_ENDS: tuple[tuple[str, Read], ...] = (
    ("[mj](?: y)?", named),
    ("y", named),
    ("D", figures),
    ("[=<>] u|u [=<>]", near),
    ("[=<>] [mj]", near_month),
)
_SIDE = (
    "(?:" + "|".join(pattern for pattern, _ in (*dates.DATES, ("[nyx]/[nyx](?:[,/-]n)?", dates.short), *_ENDS)) + ")"
)
_BARE = r"[nxo]"
PERIODS: tuple[tuple[str, Read], ...] = (
    ("[bf]? [=<>] u [bfF] [wj] [t&] [wj]", weekdays_of_week),
    (f"(?:[Ffbi] )?(?:{_SIDE}|{_BARE}) [tU-] {_SIDE}", between),
    (f"b (?:{_SIDE}|{_BARE}) & {_SIDE}", between),
    (f"(?:[Ffb] )?{_SIDE} [tU-] {_BARE}(?! [uc%k])", between),
    (f"(?:[Ffb] )?{_BARE} [t&U-] {_BARE} (?:[=<>] u|u [=<>])", days_of_month),
    (f"[mj] {_BARE} [t-] {_BARE}(?: y)?", days_of_month),
    ("[=<>] u|u [=<>]", near),
    ("u A [L]?>", near),
    ("[=<>] e|e [=<>]|e A L?>", near),
    ("[o<] e (?:m(?: y)?|y|[=<>] u)", weekends),
    ("e", weekend),
    ("[=<>] [mj]", near_month),
    (f"[<>] {COUNTED}|{COUNTED} [<>]|[nx] [<>] u", rolling),
    ("[o<] u(?: [=<>] u| u [=<>]| m(?: y)?| y| u y)?|I(?: y)?|y,? b?.?[a ]?[o<] u", part_of_year),
    (f"u {_SIDE}", week_with),
    ("[SMET] (?:u(?: [=<>])?|[=<>] u|m(?: y)?|y|s(?: y)?)", part),
    ("s(?: y)?|[=<>] s|s [=<>]", season),
    ("u [ny]", decade),
    ("m(?: y)?", named),
    ("u [ny]", named),
    ("D", figures),
    ("y", named),
    (f"[fF] {_SIDE}", from_on),
    (f"U {_SIDE}", up_to),
    (f"A {_SIDE}", after),
    (f"B {_SIDE}", before),
    (f"q {COUNTED}", within),
)
ONLY_ALONE: tuple[tuple[str, Read], ...] = (
    (f"(?:[Ffb] )?{_BARE} [t&U-] {_BARE}", between),
    (f"q (?:{_SIDE}|{_BARE})", within_date),
    (f"[fF] {_BARE}", from_on),
)
IN_TEXT: tuple[tuple[str, Read], ...] = ((f"F {_BARE} [tU-] {_BARE}(?! [uc%k])", between),)
