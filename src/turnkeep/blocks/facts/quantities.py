"""Rules for durations, amounts, percentages, ordinals and numbers, and ranges of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from turnkeep.blocks.facts.dates import COUNTED, classes, compiled, every, one, pairs_of
from turnkeep.blocks.facts.numerals import plain
from turnkeep.blocks.facts.tokens import Token, fraction


@dataclass(frozen=True)
class Quantity:
    value: str
    unit: str = ""
    note: str = ""
    other: str = ""


type Read = Callable[[Sequence[Token], date], Quantity | None]

NUMBERED = "nyxHo"


def duration(found: Sequence[Token], today: date) -> Quantity | None:
    """ "sei mesi e mezzo": P6.5M; "tutto il mese", "metà anno"."""
    if found[0].kind == "M":
        found = [Token("n", 0, 0, Fraction(1, 2)), *found[1:]]
    sizes: dict[str, Fraction] = {}
    for count, (size, letter) in pairs_of(found):
        sizes[letter] = sizes.get(letter, Fraction(0)) + count * size
    days, times = ("".join(plain(sizes[each]) + each[-1] for each in order if each in sizes) for order in _ORDERS)
    note = "working days" if one(found, "W") else _note(found)
    return Quantity(f"P{days}" + f"T{times}" * bool(times), note=note) if sizes else None


_ORDERS = (("Y", "M", "W", "D"), ("TH", "TM", "TS"))


def all_weekend(found: Sequence[Token], today: date) -> Quantity | None:
    return Quantity("P2D")


def _note(found: Sequence[Token]) -> str:
    return next((token.note for token in found if token.note), "")


def _unit(found: Sequence[Token]) -> str:
    unit = one(found, "cQ")
    return str(unit.value) if unit else "pp" if one(found, "P") else ""


def single(found: Sequence[Token], today: date) -> Quantity | None:
    """ "1.234 km", "22%", "tre punti percentuali", "8,6 per mille"."""
    token = every(found, NUMBERED)[0]
    value = fraction(token)
    if one(found, "‰"):
        return Quantity(plain(value / 10), note=f"{plain(value)} per thousand")
    return Quantity(
        plain(value), _unit(found), token.note, plain(token.other) if token.other is not None and token.note else ""
    )


def amount(found: Sequence[Token], today: date) -> Quantity | None:
    """ "€ 1.234,50", "tredici euro e quarantacinque cent", "12 centesimi"."""
    first, *rest = every(found, NUMBERED)
    value, cents = fraction(first), one(found, "C")
    if rest:
        part = fraction(rest[0])
        is_cents = part < 100 and part.denominator == value.denominator == 1
        return Quantity(money(value + part / 100), _unit(found), _note(found)) if is_cents else None
    if cents:
        return Quantity(money(value / 100), str(cents.value), f"hundredths of {cents.value}")
    return Quantity(
        money(value), _unit(found), first.note, money(first.other) if first.other is not None and first.note else ""
    )


def money(value: Fraction) -> str:
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


def between(found: Sequence[Token], today: date) -> Quantity | None:
    """ "tra 20 e 30", "da mille a millecinquecento"."""
    first, last = [fraction(token) for token in every(found, NUMBERED)]
    if first > last:
        return Quantity("", _unit(found), "the first limit is above the second one")
    return Quantity(f"[{plain(first)},{plain(last)}]", _unit(found), _note(found))


def limits(found: Sequence[Token], today: date) -> Quantity | None:
    """ "superiore a un quarto e inferiore a un mezzo": "(0.25,0.5)"."""
    ends = {"[": "", "]": ""}
    for part in compiled(f"[^{NUMBERED}]*?[{NUMBERED}][cQ%P]?[XY]?").finditer(classes(found)):
        words = found[part.start() : part.end()]
        side, limit = _limit(words)
        if ends[side]:
            return None
        ends[side] = limit
    lower, upper = ends["["] or "(", ends["]"] or ")"
    if len(lower) > 1 and len(upper) > 1 and Fraction(lower[1:]) > Fraction(upper[:-1]):
        return Quantity("", _unit(found), "the limits contradict each other")
    return Quantity(f"{lower},{upper}", _unit(found), _note(found))


def _limit(found: Sequence[Token]) -> tuple[str, str]:
    """ "più di trenta": ("[", "(30"); "non inferiore a 30", "almeno 30": ("[", "[30")."""
    kinds, value = classes(found), plain(fraction(every(found, NUMBERED)[-1]))
    ways = "".join(each for each in kinds if each in "GJXYZV")
    is_lower = (ways[-1:] in "GXZ") != ("N" in kinds)
    is_included = any(each in kinds for each in "KNXYZV")
    if is_lower:
        return "[", ("[" if is_included else "(") + value
    return "]", value + ("]" if is_included else ")")


_LIMIT = "(?:N z?)?(?:[GJ](?:[aLtfiF]{0,2}[GJ])?(?: K)?|[ZV])[aLtfiF]{0,2}"


def _ranges(before: str, after: str) -> Iterator[tuple[str, Read]]:
    one_, limit = f"{before}[{NUMBERED}]", f"{_LIMIT}{before}[{NUMBERED}]"
    yield f"[bfF] {one_}(?:{after})? [t&U-] {one_}{after}|{before}[nyx]-{before}[nyx]{after}", between
    yield f"{limit}{after}(?:[,z&a]{{0,3}}{limit}{after})?|{one_}{after} [XY]", limits


def reference(found: Sequence[Token], today: date) -> Quantity | None:
    """ "art. 18", "legge n. 300/1970": a number of none of the kinds."""
    return Quantity("", note=REFERENCE)


REFERENCE = "numbers a text"
IN_TEXT: tuple[tuple[str, Read], ...] = (("v[.aLv]{0,4}[nyoD](?! ?m)(?:/[ny])?|(?<!/)[ny]/y", reference),)
DURATIONS: tuple[tuple[str, Read], ...] = (
    (COUNTED + "(?: W)?|l L?u|L?u l|[HM] x? ?u", duration),
    ("l L?e|L?e l", all_weekend),
)
AMOUNTS: tuple[tuple[str, Read], ...] = (
    *_ranges("(?:c )?", " c"),
    *_ranges("c ", ""),
    ("[nyxH] c &? ?[ny] C|[nyxH] c n(?! [uck%CQ])|[nyxH] [cC]|c c?[nyxH]", amount),
)
PERCENTAGES: tuple[tuple[str, Read], ...] = (*_ranges("", " ?[%P]"), ("[nyxH] ?[%P‰]", single))
ORDINALS: tuple[tuple[str, Read], ...] = (("[nx]?o", ordinal),)
ORDINALS_ALONE: tuple[tuple[str, Read], ...] = (("[n<]", ordinal),)
NUMBERS: tuple[tuple[str, Read], ...] = (
    *_ranges("", "(?: Q)?(?! ?u)"),
    ("(?:[ny] )?n/n|[nyx] O [nyx]", ratio),
    ("[nyxHo](?: Q)?", single),
)
