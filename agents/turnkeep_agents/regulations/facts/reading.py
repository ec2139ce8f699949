"""Values of named spans, and the rules for quantities."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import Literal, TypeAlias

from turnkeep_agents.regulations.facts import dates
from turnkeep_agents.regulations.facts.dates import COUNTED, Read, Rule, pairs_of, unit
from turnkeep_agents.regulations.facts.days import Span
from turnkeep_agents.regulations.facts.numerals import plain
from turnkeep_agents.regulations.facts.tokens import Token, classes, compiled, every, fraction, note_of, one, tokens

Kind: TypeAlias = Literal["date", "period", "duration", "amount", "percentage", "ordinal", "number"]

LONGEST = 500  # characters of a span
_NO_DAY = "there is no such day"
_KINDS: tuple[tuple[Kind, ...], ...] = (
    ("date", "period", "duration"),
    ("ordinal",),
    ("number", "percentage", "amount"),
)
"""Kinds to try in turn if a span does not match its own: "nel 2024" is not a date."""
NUMBERED = "nyxHo"
RATES = {(1, "TH"): "hour", (1, "D"): "day", (1, "W"): "week", (1, "M"): "month", (1, "Y"): "year"}


@dataclass(frozen=True)
class Fact:
    """`value` by kind: date "2026-03-31"; period "2026-01-01/2026-03-31", both ends included, an open one "..";
    duration in ISO 8601 "P3M"; amount, percentage and number as decimals "1234.50", ranges of them "[20,30]", "(30,)";
    ordinal "3", from the end "-1". If the words contradict themselves it is empty, and `reading` explains."""

    text: str  # as in the message
    kind: Kind
    value: str
    unit: str = ""  # ISO 4217 of an amount; "pp" of percentage points; the unit of a number: "km"
    reading: str = ""  # the choice made if the words are ambiguous
    other: str = ""  # the alternative value


Quantity = partial(Fact, "", "number")  # any kind of quantity; the rule sets its span and kind


def duration(found: Sequence[Token], today: date) -> Fact | None:
    """ "sei mesi e mezzo": P6.5M; "tutto il mese", "metà anno", "l'intero weekend"."""
    halved = Fraction(1, 2) if found[0].kind == "M" else Fraction(1)
    sizes: dict[str, Fraction] = {}
    for count, (size, letter) in pairs_of(found):
        sizes[letter.replace("E", "D")] = sizes.get(letter, Fraction(0)) + count * size * halved
    date_ = "".join(plain(sizes[each]) + each for each in "YMWD" if each in sizes)
    time = "".join(plain(sizes["T" + each]) + each for each in "HMS" if "T" + each in sizes)
    note = "working days" if one(found, "W") else note_of(found)
    return Quantity(f"P{date_}T{time}" if time else f"P{date_}", reading=note)


def _unit(found: Sequence[Token]) -> str:
    unit = one(found, "cQC")
    return str(unit.value) if unit else "pp" if one(found, "P") else ""


def single(found: Sequence[Token], today: date) -> Fact | None:
    """ "1.234 km", "€ 1.234,50", "tre punti percentuali", "8,6 per mille", "tredici euro e quarantacinque cent"."""
    first, *rest = every(found, NUMBERED)
    value, places = fraction(first), 2 if one(found, "cC") else 0
    if rest:
        cents = fraction(rest[0])
        is_part = cents < 100 and cents.denominator == value.denominator == 1
        return Quantity(plain(value + cents / 100, 2), _unit(found), note_of(found)) if is_part else None
    if one(found, "‰C") and not one(found, "c"):
        part, named = (10, "per thousand") if one(found, "‰") else (100, f"hundredths of {_unit(found)}")
        return Quantity(plain(value / part, places), _unit(found), f"{plain(value)} {named}")
    other = plain(first.other, places) if first.other and first.note else ""
    return Quantity(plain(value, places), _unit(found), first.note, other)


def ordinal(found: Sequence[Token], today: date) -> Fact | None:
    """ "terzo", "cento milionesimo"; "penultimo" is -2."""
    token = found[-1]
    value = Fraction(-1) if token.kind == "<" else token.other if token.kind == "n" else fraction(token)
    if value is None or value.denominator != 1 or (token.kind == "<" and token.word[:5] not in ("ultim", "last")):
        return None
    return Quantity(plain(value), reading="counted from the end" if value < 0 else "")


def ratio(found: Sequence[Token], today: date) -> Fact | None:
    """ "2 1/4", "uno su tre"."""
    *rest, above, below = [fraction(token) for token in every(found, NUMBERED)]
    return Quantity(plain(sum(rest) + above / below)) if below and (not rest or above < below) else None


def limits(found: Sequence[Token], today: date) -> Fact | None:
    """ "tra 20 e 30": "[20,30]"; "superiore a un quarto e inferiore a un mezzo": "(0.25,0.5)"."""
    places = [match.end() for match in compiled(f"[{NUMBERED}][cQ%P]?[XY]?").finditer(classes(found))]
    ends: dict[bool, str] = {}  # lower and upper
    for words in (found[start:end] for start, end in pairwise([0, *places])):
        kinds, value = classes(words), plain(fraction(every(words, NUMBERED)[-1]))
        way = "".join(kind for kind in kinds if kind in "GJXYZV")[-1:]
        opening, closing = "()" if way in ("G", "J") and not one(words, "KN") else "[]"
        is_lower = (way in "GXZ") != ("N" in kinds) if way else True not in ends
        if is_lower in ends:
            return None
        ends[is_lower] = opening + value if is_lower else value + closing
    lower, upper = ends.get(True, "("), ends.get(False, ")")
    if len(ends) > 1 and Fraction(lower[1:]) > Fraction(upper[:-1]):
        return Quantity("", _unit(found), "the limits contradict each other")
    return Quantity(f"{lower},{upper}", _unit(found), note_of(found))


_LIMIT = "(?:N z?)?(?:[GJ](?:[aLtfiF]{0,2}[GJ])?(?: K)?|[ZV])[aLtfiF]{0,2}"


def _ranges(kind: str, before: str, after: str) -> Iterator[Rule]:
    each, limit = f"{before}[{NUMBERED}]", f"{_LIMIT}{before}[{NUMBERED}]"
    yield kind, f"[bfF] {each}(?:{after})? [t&U-] {each}{after}|{before}[nyx]-{before}[nyx]{after}", limits
    yield kind, f"{limit}{after}(?:[,z&a]{{0,3}}{limit}{after})?|{each}{after} [XY]", limits


_RATE = "a{0,3}(?:[tLx/]u(?! ?[<>=mynogAfB])|R)"
RULES: tuple[Rule, ...] = (
    ("duration", COUNTED + "(?: W)?|l L?[ue]|L?[ue] l|[HM] x? ?u", duration),
    ("duration alone", f"[fqF] {COUNTED}", duration),
    *_ranges("amount", "(?:c )?", " c"),
    *_ranges("amount", "c ", ""),
    ("amount", "[nyxH] c &? ?[ny] C|[nyxH] c n(?! [uck%CQ])|[nyxH] [cC]|c c?[nyxH]", single),
    ("amount alone", f"[nyx](?={_RATE})", single),
    *_ranges("percentage", "", " ?[%P]"),
    ("percentage", "[nyxH] ?[%P‰]", single),
    ("ordinal", "[nx]?o", ordinal),
    ("ordinal alone", "[n<]", ordinal),
    *_ranges("number", "", "(?: Q)?(?! ?u)"),
    ("number", "(?:[ny] )?n/n|[nyx] O [nyx]", ratio),
    ("number", "[nyxHo](?: Q)?", single),
)


def canonical(text: str, kind: Kind, *, today: date, language: str = "it") -> Fact | None:
    """Return the value of a span; None if it is unreadable or does not exist: "31 febbraio". Its kind follows the words
    and may differ: "nel 2024" named as a date is a period."""
    known = tokens(text, language) if len(text) <= LONGEST else []
    found = known[: len(classes(known).rstrip("aLftFbiqU,.z"))]  # "circa 3 mesi", "il 22%"
    found = found[len(found) - len(re.sub(r"^[aL,.z]*(?:[ti]L?(?=[my]|u ?y))?", "", classes(found)).strip()) :]
    kinds = classes(found)
    if kinds == "x" and len(known) > 1:  # "un po' di soldi"
        return None
    for each in sorted(next(family for family in _KINDS if kind in family), key=lambda other: other != kind):
        start = kinds.startswith("q") + kinds.startswith("qL") if kind == each == "date" else 0  # "entro il 31 marzo"
        for pattern, read in (*_rules(each), *_rules(each, " alone")):
            matches = compiled(pattern).fullmatch(kinds, start)
            if matches and (fact := _fact(text, each, read, found[start:], today)):
                return fact if fact.reading != _NO_DAY else None
    return None


@cache
def _rules(kind: Kind, scope: str = "") -> list[tuple[str, Read]]:
    rate = f"(?:{_RATE})?" if kind == "amount" else ""
    return [(f"(?:{each}){rate}", read) for name, each, read in (*dates.RULES, *RULES) if name == kind + scope]


def _fact(text: str, kind: Kind, read: Read, found: Sequence[Token], today: date) -> Fact | None:
    words = [token for token in found if token.kind not in "aL,."]
    rate = re.search("[tx/]?[uR]$", classes(words)) if kind == "amount" else None  # "1.900 euro lordi al mese"
    try:
        span = read(words[: rate.start()] if rate else words, today)
    except (ValueError, OverflowError):  # outside the calendar
        return Fact(text, kind, "", reading=_NO_DAY)
    if isinstance(span, Fact):
        per = f"per {RATES.get(unit(words), words[-1].word)}" if rate else ""
        return replace(span, text=text, kind=kind, reading="; ".join(filter(None, (span.reading, per))))
    if not isinstance(span, Span):
        return None
    if span.end < span.start:
        return Fact(text, kind, "", reading="it ends before it begins")
    has_other = span.other is not None and span.other.start <= span.other.end
    written, other = f"{span}", f"{span.other}" if has_other else ""
    return Fact(text, "date" if span.is_day else "period", written, "", span.note, other if other != written else "")
