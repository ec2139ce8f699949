"""Rules for durations, amounts, percentages, ordinals and numbers, and ranges of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise

from turnkeep.blocks.facts.dates import COUNTED, Rule, classes, compiled, every, note_of, one, pairs_of
from turnkeep.blocks.facts.numerals import plain
from turnkeep.blocks.facts.tokens import Token, fraction

NUMBERED = "nyxHo"
REFERENCE = "numbers a text"


@dataclass(frozen=True)
class Quantity:
    value: str
    unit: str = ""
    note: str = ""
    other: str = ""


def duration(found: Sequence[Token], today: date) -> Quantity | None:
    """ "sei mesi e mezzo": P6.5M; "tutto il mese", "metà anno", "l'intero weekend"."""
    halved = Fraction(1, 2) if found[0].kind == "M" else Fraction(1)
    sizes: dict[str, Fraction] = {}
    for count, (size, letter) in pairs_of(found):
        sizes[letter.replace("E", "D")] = sizes.get(letter, Fraction(0)) + count * size * halved
    parts = [plain(sizes[each]) + each for each in ("Y", "M", "W", "D", "TH", "TM", "TS") if each in sizes]
    text = re.sub(r"(?<=[HMS])(.*?)T", r"\1", "".join(re.sub(r"(.*)T(.)", r"T\1\2", part) for part in parts))
    return Quantity("P" + text, note="working days" if one(found, "W") else note_of(found))


def _unit(found: Sequence[Token]) -> str:
    unit = one(found, "cQC")
    return str(unit.value) if unit else "pp" if one(found, "P") else ""


def single(found: Sequence[Token], today: date) -> Quantity | None:
    """ "1.234 km", "€ 1.234,50", "tre punti percentuali", "8,6 per mille", "tredici euro e quarantacinque cent"."""
    first, *rest = every(found, NUMBERED)
    value, written = fraction(first), _money if one(found, "cC") else plain
    if rest:
        cents = fraction(rest[0])
        is_part = cents < 100 and cents.denominator == value.denominator == 1
        return Quantity(_money(value + cents / 100), _unit(found), note_of(found)) if is_part else None
    if one(found, "‰C") and not one(found, "c"):
        part, named = (10, "per thousand") if one(found, "‰") else (100, f"hundredths of {_unit(found)}")
        return Quantity(written(value / part), _unit(found), f"{plain(value)} {named}")
    return Quantity(
        written(value), _unit(found), first.note, written(first.other) if first.other and first.note else ""
    )


def _money(value: Fraction) -> str:
    """With two places where it is not whole."""
    whole, point, decimals = plain(value).partition(".")
    return f"{whole}.{decimals.ljust(2, '0')}" if point else whole


def ordinal(found: Sequence[Token], today: date) -> Quantity | None:
    """ "terzo", "cento milionesimo"; "penultimo" is -2."""
    token = found[-1]
    value = Fraction(-1) if token.kind == "<" else token.other if token.kind == "n" else fraction(token)
    if value is None or value.denominator != 1 or (token.kind == "<" and token.word[:5] not in ("ultim", "last")):
        return None
    return Quantity(plain(value), note="counted from the end" if value < 0 else "")


def ratio(found: Sequence[Token], today: date) -> Quantity | None:
    """ "2 1/4", "uno su tre"."""
    *rest, above, below = [fraction(token) for token in every(found, NUMBERED)]
    return Quantity(plain(sum(rest) + above / below)) if below and (not rest or above < below) else None


def limits(found: Sequence[Token], today: date) -> Quantity | None:
    """ "tra 20 e 30": "[20,30]"; "superiore a un quarto e inferiore a un mezzo": "(0.25,0.5)"."""
    places = [match.end() for match in compiled(f"[{NUMBERED}][cQ%P]?[XY]?").finditer(classes(found))]
    lower, upper = list[str](), list[str]()
    for words in (found[start:end] for start, end in pairwise([0, *places])):
        kinds, value = classes(words), plain(fraction(every(words, NUMBERED)[-1]))
        way = "".join(kind for kind in kinds if kind in "GJXYZV")[-1:]
        is_open = way in ("G", "J") and not one(words, "KN")
        is_lower = (way in "GXZ") != ("N" in kinds) if way else not lower
        (lower if is_lower else upper).append(
            ("(" if is_open else "[") + value if is_lower else value + (")" if is_open else "]")
        )
    if len(lower) > 1 or len(upper) > 1:
        return None
    if lower and upper and Fraction(lower[0][1:]) > Fraction(upper[0][:-1]):
        return Quantity("", _unit(found), "the limits contradict each other")
    return Quantity(f"{''.join(lower) or '('},{''.join(upper) or ')'}", _unit(found), note_of(found))


_LIMIT = "(?:N z?)?(?:[GJ](?:[aLtfiF]{0,2}[GJ])?(?: K)?|[ZV])[aLtfiF]{0,2}"


def _ranges(kind: str, before: str, after: str) -> Iterator[Rule]:
    each, limit = f"{before}[{NUMBERED}]", f"{_LIMIT}{before}[{NUMBERED}]"
    yield kind, f"[bfF] {each}(?:{after})? [t&U-] {each}{after}|{before}[nyx]-{before}[nyx]{after}", limits
    yield kind, f"{limit}{after}(?:[,z&a]{{0,3}}{limit}{after})?|{each}{after} [XY]", limits


RULES: tuple[Rule, ...] = (
    ("number in text", "v[.aLv]{0,4}[nyoD](?! ?m)(?:/[ny])?|(?<!/)[ny]/y", lambda *_: Quantity("", note=REFERENCE)),
    ("duration", COUNTED + "(?: W)?|l L?[ue]|L?[ue] l|[HM] x? ?u", duration),
    ("duration alone", f"[fqF] {COUNTED}", duration),
    *_ranges("amount", "(?:c )?", " c"),
    *_ranges("amount", "c ", ""),
    ("amount", "[nyxH] c &? ?[ny] C|[nyxH] c n(?! [uck%CQ])|[nyxH] [cC]|c c?[nyxH]", single),
    *_ranges("percentage", "", " ?[%P]"),
    ("percentage", "[nyxH] ?[%P‰]", single),
    ("ordinal", "[nx]?o", ordinal),
    ("ordinal alone", "[n<]", ordinal),
    *_ranges("number", "", "(?: Q)?(?! ?u)"),
    ("number", "(?:[ny] )?n/n|[nyx] O [nyx]", ratio),
    ("number", "[nyxHo](?: Q)?", single),
)
