"""Rules for durations, amounts, percentages, ordinals and numbers, and ranges of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from turnkeep.blocks.facts.dates import COUNTED, one, pairs_of
from turnkeep.blocks.facts.numerals import plain
from turnkeep.blocks.facts.tokens import Token


@dataclass(frozen=True)
class Quantity:
    value: str
    unit: str = ""
    note: str = ""
    other: str = ""


type Read = Callable[[Sequence[Token]], Quantity | None]

HUNDREDTH = Fraction(1, 100)
_NUMBER = "[nyxH]"
_LIMIT = "(?:N z?)?[GJ](?:[aLtfiF]{0,2}[GJ])?(?: K)?[aLtfiF]{0,2}"


def fraction(token: Token) -> Fraction:
    return Fraction(1, 2) if token.kind == "H" and token.value is None else Fraction(str(token.value))


def noted(found: Sequence[Token]) -> str:
    return next((token.note for token in found if token.note), "")


def duration(found: Sequence[Token]) -> Quantity | None:
    """ "sei mesi e mezzo": P6.5M."""
    sizes: dict[str, Fraction] = {}
    for count, (size, letter) in pairs_of(found):
        sizes[letter] = sizes.get(letter, Fraction(0)) + count * size
    text = "P"
    for letter in ("Y", "M", "W", "D", "TH", "TM", "TS"):
        if value := sizes.get(letter):
            text += ("T" if letter[0] == "T" and "T" not in text else "") + plain(value) + letter[-1]
    note = "working days" if one(found, "W") else noted(found)
    return Quantity(text, note=note) if text != "P" else None


def whole(found: Sequence[Token]) -> Quantity | None:
    """ "tutto il mese", "half a year"."""
    if one(found, "e"):
        return Quantity("P2D")
    units = [token for token in found if token.kind == "u"]
    if one(found, "HM"):
        return duration([Token("n", 0, 0, Fraction(1, 2)), *units])
    return duration(units)


def amount(found: Sequence[Token]) -> Quantity | None:
    """ "€ 1.234,50", "tredici euro e quarantacinque cent", "12 centesimi"."""
    currency, cents, numbers = one(found, "c"), one(found, "C"), [token for token in found if token.kind in _NUMBER]
    if not numbers:
        return None
    first = numbers[0]
    if len(numbers) > 1:
        part = fraction(numbers[1])
        if part >= 100 or part.denominator != 1 or fraction(first).denominator != 1:
            return None
        return Quantity(money(fraction(first) + part * HUNDREDTH), str(currency.value) if currency else "", first.note)
    if cents and not currency:
        return Quantity(money(fraction(first) * HUNDREDTH), str(cents.value), f"{cents.word} of {cents.value}")
    other = money(first.other) if isinstance(first.other, Fraction) else ""
    return Quantity(money(fraction(first)), str(currency.value) if currency else "", first.note, other)


def money(value: Fraction) -> str:
    """With two places where it is not whole."""
    text = plain(value)
    whole_part, _, decimals = text.partition(".")
    return f"{whole_part}.{decimals.ljust(2, '0')}" if decimals else text


def percentage(found: Sequence[Token]) -> Quantity | None:
    """ "22%", "tre punti percentuali", "8,6 per mille"."""
    token = one(found, _NUMBER)
    if token is None:
        return None
    if one(found, "‰"):
        return Quantity(plain(fraction(token) / 10), note=f"{plain(fraction(token))} per thousand")
    other = plain(token.other) if isinstance(token.other, Fraction) else ""
    return Quantity(plain(fraction(token)), "pp" if one(found, "P") else "", token.note, other)


def ordinal(found: Sequence[Token]) -> Quantity | None:
    token = found[-1]
    value = token.other if token.kind == "n" else fraction(token)
    return Quantity(plain(value)) if isinstance(value, Fraction) and value.denominator == 1 else None


def single(found: Sequence[Token]) -> Quantity | None:
    token, unit = found[0], one(found, "Q")
    other = plain(token.other) if isinstance(token.other, Fraction) and token.note else ""
    return Quantity(plain(fraction(token)), str(unit.value) if unit else "", token.note, other)


def ratio(found: Sequence[Token]) -> Quantity | None:
    """ "2 1/4", "uno su tre"."""
    *rest, above, below = [fraction(token) for token in found if token.kind in _NUMBER]
    if not below or (rest and above >= below):
        return None
    return Quantity(plain((rest[0] if rest else 0) + above / below))


def limited(found: Sequence[Token]) -> tuple[bool, bool, Fraction] | None:
    """Whether it is a lower limit, whether it is one of the values itself, and which: "più di trenta", "almeno 5"."""
    token = next((token for token in reversed(found) if token.kind in "nyxHo"), None)
    if token is None:
        return None
    value = fraction(token)
    if one(found, "XZ"):
        return True, True, value
    if one(found, "YV"):
        return False, True, value
    ways = [token.kind for token in found if token.kind in "GJ"]
    if not ways:
        return None
    if one(found, "N"):
        return ways[-1] == "J", True, value
    return ways[-1] == "G", one(found, "K") is not None, value


def limits(found: Sequence[Token]) -> Quantity | None:
    """ "superiore a un quarto e inferiore a un mezzo": "(0.25,0.5)"."""
    parts = _parted(found)
    known = [limit for part in parts if (limit := limited(part))]
    lower = next((limit for limit in known if limit[0]), None)
    upper = next((limit for limit in known if not limit[0]), None)
    if len(known) != len(parts) or len(known) != sum(limit is not None for limit in (lower, upper)):
        return None
    if lower and upper and lower[2] > upper[2]:
        return Quantity("", _unit(found), "the limits contradict each other")
    start = ("[" if lower[1] else "(") + plain(lower[2]) if lower else "("
    end = plain(upper[2]) + ("]" if upper[1] else ")") if upper else ")"
    return Quantity(f"{start},{end}", _unit(found), noted(found))


def _parted(found: Sequence[Token]) -> list[list[Token]]:
    """One part a number."""
    parts: list[list[Token]] = [[]]
    for token in found:
        if (token.kind in "nyxHo" and parts[-1] and any(each.kind in "nyxHo" for each in parts[-1])) or (token.kind in "GJNZV" and any(each.kind in "nyxHo" for each in parts[-1])):
            parts.append([])
        parts[-1].append(token)
    return parts


def between(found: Sequence[Token]) -> Quantity | None:
    """ "tra 20 e 30", "da mille a millecinquecento"."""
    first, last = [token for token in found if token.kind in "nyxHo"]
    if fraction(first) > fraction(last):
        return Quantity("", _unit(found), "the first limit is above the second one")
    return Quantity(f"[{plain(fraction(first))},{plain(fraction(last))}]", _unit(found), noted(found))


def _unit(found: Sequence[Token]) -> str:
    unit = one(found, "cQ")
    return str(unit.value) if unit else "pp" if one(found, "P") else ""


_ANY = "[nyxHo]"
RANGES = (
    ("[bfF] {c}" + _ANY + "{c} [t&U-] {c}" + _ANY + "{u}", between),
    ("{c}[nyx]-{c}[nyx]{u}", between),
    (_LIMIT + "{c}" + _ANY + "{u}(?:[,z&a]{0,3}" + _LIMIT + "{c}" + _ANY + "{u})?", limits),
    ("[ZV][aLtfiF]{0,2}{c}" + _NUMBER + "{u}|{c}" + _NUMBER + "{u} [XY]", limits),
)


def _ranges(before: str, after: str) -> Iterator[tuple[str, Read]]:
    for pattern, read in RANGES:
        yield pattern.replace("{c}", before).replace("{u}", after), read


DURATIONS: tuple[tuple[str, Read], ...] = (
    (COUNTED + "(?: W)?", duration),
    ("l L?[ue]|L?[ue] l|[HM] x? ?u", whole),
)
AMOUNTS: tuple[tuple[str, Read], ...] = (
    *_ranges("(?:c )?", " c"),
    *_ranges("c ", ""),
    ("[nyxH] c &? ?[ny] C", amount),
    ("[nyxH] c n(?! [uck%CQ])", amount),
    ("[nyxH] [cC]", amount),
    ("c c?[nyxH]", amount),
)
PERCENTAGES: tuple[tuple[str, Read], ...] = (*_ranges("", " ?[%P]"), ("[nyxH] ?[%P‰]", percentage))
ORDINALS: tuple[tuple[str, Read], ...] = (("[nx]?o", ordinal), ("n", ordinal))
NUMBERS: tuple[tuple[str, Read], ...] = (
    *_ranges("", "(?: Q)?"),
    ("(?:[ny] )?n/n", ratio),
    ("[nyx] O [nyx]", ratio),
    ("[nyxHo](?: Q)?", single),
)
