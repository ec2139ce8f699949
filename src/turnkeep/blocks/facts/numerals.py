"""Numbers that are one word or figures: "duemilacinquecento", "ventunesimo", "1.234,50"."""

import re
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

from turnkeep.blocks.facts.lexicon import lexicon

EXACT_DIGITS, ROUNDED_DIGITS = 60, 15  # of decimals, and of what is none, such as two thirds
_MARKS = {"it": ".", "en": ","}  # between thousands


@cache
def _sizes() -> dict[str, int]:
    """Of parts of Italian numbers; tens lose their vowel: "ventuno", "ottantotto"."""
    known = {words[0]: value for words, (kind, value) in lexicon("it").items() if kind in "nx" and len(words) == 1}
    sizes = {word: value for word, value in known.items() if isinstance(value, int) and 0 < value < 100}
    return sizes | {word[:-1]: value for word, value in sizes.items() if value >= 20}


@cache
def _italian() -> re.Pattern[str]:
    units, teens, tens = (
        "|".join(sorted((word for word, size in _sizes().items() if size in range(*sizes)), key=len, reverse=True))
        for sizes in ((1, 10), (10, 20), (20, 100))
    )
    part = (
        rf"(?:(?P<h{{0}}>{units})?(?P<c{{0}}>cento?))?(?:(?P<t{{0}}>{teens})|(?P<d{{0}}>{tens})?(?P<u{{0}}>{units})?)"
    )
    return re.compile(rf"(?:(?P<one>mille)|(?P<many>{part.format(1)})mila)?{part.format(2)}")


def in_words(word: str) -> int | None:
    found = _italian().fullmatch(word) if word else None
    if found is None:
        return None
    return 1000 * (1 if found["one"] else _below(found, "1") if found["many"] else 0) + _below(found, "2")


def _below(found: re.Match[str], part: str) -> int:
    hundreds, teens, tens, units = (_sizes().get(found[name + part] or "", 0) for name in "htdu")
    return 100 * (hundreds or 1) * bool(found["c" + part]) + teens + tens + units


def ordinal_in_words(word: str) -> int | None:
    """ "ventunesimo", "duemillesimi"; those up to ten are in the lexicon."""
    found = re.fullmatch(r"(\w*?)(milion|miliard|bilion|trilion|mill)?esim[oaie]", word)
    sizes = {"milion": 10**6, "miliard": 10**9, "bilion": 10**12, "trilion": 10**18, "mill": 1000}
    if found and found[2]:
        return sizes[found[2]] * ((in_words(found[1]) or 0) if found[1] else 1) or None
    return next((value for ending in ("", *"oiae") if found and (value := in_words(found[1] + ending))), None)


def in_figures(text: str, language: str) -> tuple[Fraction, Fraction | None, str]:
    """The value, the other one that it may have, and what was chosen: "1.234" is a thousand in Italian."""
    body, _, power = text.lower().partition("^")
    body, _, exponent = body.partition("e")
    scale = Fraction(10) ** int(exponent or 0) * (-1 if body[0] in "-\u2212" else 1)
    value, other, note = _separated(re.sub(r"[^\d.,]", "", body), _MARKS[language])
    if power and value:
        value **= int(re.sub(r"\D", "", power)) * (-1 if power.count("-") == 1 else 1)
    return value * scale, None if other is None else other * scale, note


def _separated(body: str, thousands: str) -> tuple[Fraction, Fraction | None, str]:
    marks, groups = re.findall(r"[.,]", body), re.split(r"[.,]", body)
    together, split = Fraction("".join(groups)), Fraction(f"{''.join(groups[:-1])}.{groups[-1]}" if marks else body)
    if len(marks) != 1 or len(groups[1]) != 3 or len(groups[0]) > 3 or not groups[0].strip("0"):
        return (together if len(marks) > 1 and len(set(marks)) == 1 else split), None, ""
    if marks[0] == thousands:
        return together, split, f'"{marks[0]}" read as a mark of thousands'
    return split, together, f'"{marks[0]}" read as a mark of decimals'


def plain(value: Fraction) -> str:
    """ "0.75"; of what is no decimal fifteen digits."""
    for digits in (EXACT_DIGITS, ROUNDED_DIGITS):
        found = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
        if Fraction(found) == value:
            break
    text = f"{found:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
