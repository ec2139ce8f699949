"""Numbers as words and as figures: "duemilacinquecento", "twenty-five hundred", "1.234,50"."""

import re
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

EXACT_DIGITS = 60
MOST_DIGITS = 15  # of a number that is no decimal, such as two thirds
LONGEST_WORD = 80

_ITALIAN = ["zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "dodici", "tredici", "quattordici", "quindici", "sedici", "diciassette", "diciotto", "diciannove"]
_TENS = {
    "vent": 20,
    "trent": 30,
    "quarant": 40,
    "cinquant": 50,
    "sessant": 60,
    "settant": 70,
    "ottant": 80,
    "novant": 90,
}
_ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_ENGLISH_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_FIRST = {
    "it": ["zeresim", "prim", "second", "terz", "quart", "quint", "sest", "settim", "ottav", "non", "decim"],
    "en": ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"],
}
_MARKS = {"it": (".", ","), "en": (",", ".")}
"""Between thousands, before decimals."""


def in_words(word: str, language: str) -> int | None:
    if len(word) > LONGEST_WORD or not word.isalpha():
        return None
    return _italian(word) if language.startswith("it") else _english().get(word)


def ordinal_in_words(word: str, language: str) -> int | None:
    """ "ventunesimo", "thirtieth", "quarti"; halves are no ordinals."""
    if len(word) > LONGEST_WORD or not word.isalpha():
        return None
    return _italian_ordinal(word) if language.startswith("it") else _english_ordinal(word)


def in_figures(text: str, language: str) -> tuple[Fraction, Fraction | None, str]:
    """The value, the other one that it may have, and what was chosen: "1.234" is a thousand in Italian."""
    body, _, power = text.partition("^")
    body, _, exponent = body.lower().partition("e")
    sign = -1 if body[0] in "-\u2212" else 1
    body = re.sub(r"[+\-\u2212 \u00a0\u202f'\u2019]", "", body)
    thousands, point = _MARKS["it" if language.startswith("it") else "en"]
    value, other, note = _separated(body, thousands, point)
    scale = sign * Fraction(10) ** int(exponent or 0)
    value, other = value * scale, None if other is None else other * scale
    if power:
        raised = int(power[-2:].lstrip("+-") or 0) * (-1 if power.count("-") == 1 else 1)
        value = abs(value) ** raised * sign if value else value
    return value, other, note


def plain(value: Fraction) -> str:
    """ "0.75"; of what is no decimal fifteen digits."""
    for digits in (EXACT_DIGITS, MOST_DIGITS):
        found = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
        if Fraction(found) == value:
            break
    text = f"{found:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _separated(body: str, thousands: str, point: str) -> tuple[Fraction, Fraction | None, str]:
    marks = re.findall(r"[.,]", body)
    digits = re.split(r"[.,]", body)
    together = Fraction("".join(digits))
    if not marks:
        return together, None, ""
    split = Fraction(f"{''.join(digits[:-1])}.{digits[-1]}")
    is_grouped = all(len(group) == 3 for group in digits[1:]) and 1 <= len(digits[0]) <= 3 and digits[0] != "0"
    if len(marks) > 1:
        return (together, None, "") if len(set(marks)) == 1 else (split, None, "")
    if not is_grouped:
        return split, None, ""
    chosen, other = (together, split) if marks[0] == thousands else (split, together)
    mark = "thousands" if marks[0] == thousands else "decimals"
    return chosen, other, f'"{marks[0]}" read as a mark of {mark}'


@cache
def _hundreds() -> re.Pattern[str]:
    units = "|".join(_ITALIAN[1:10])
    teens = "|".join(_ITALIAN[10:])
    tens = "|".join(_TENS)
    part = rf"(?:(?P<h{{0}}>{units})?(?P<c{{0}}>cento?))?(?:(?P<t{{0}}>{teens})|(?P<d{{0}}>{tens})[ia]?)?(?P<u{{0}}>{units}|un)?"
    return re.compile(rf"(?P<many>{part.format(1)}mila|(?P<one>mille))?{part.format(2)}")


@cache
def _sizes() -> dict[str, int]:
    return {word: size for size, word in enumerate(_ITALIAN)} | {"un": 1}


def _italian(word: str) -> int | None:
    if word == "zero":
        return 0
    found = _hundreds().fullmatch(word)
    if not found or not word:
        return None
    thousands = 1 if found["one"] else _below(found, 1) if found["many"] else 0
    return thousands * 1000 + _below(found, 2)


def _below(found: re.Match[str], part: int) -> int:
    sizes = _sizes()
    hundreds = sizes.get(found[f"h{part}"], 1) if found[f"c{part}"] else 0
    teens = sizes.get(found[f"t{part}"], 0)
    return 100 * hundreds + teens + _TENS.get(found[f"d{part}"], 0) + sizes.get(found[f"u{part}"], 0)


def _italian_ordinal(word: str) -> int | None:
    stem = word[:-1]
    if stem in _FIRST["it"] and word[-1] in "oaie":
        return _FIRST["it"].index(stem)
    if not stem.endswith("esim") or word[-1] not in "oaie":
        return None
    stem = stem.removesuffix("esim")
    for scale, size in (("milion", 10**6), ("miliard", 10**9), ("bilion", 10**12), ("trilion", 10**18)):
        if stem.endswith(scale):
            times = _italian(stem.removesuffix(scale)) if stem != scale else 1
            return times * size if times else None
    stem = stem.removesuffix("mill") + "mila" if stem.endswith("mill") and stem != "mill" else stem
    return next((value for ending in ("", "o", "i", "a", "e") if (value := _italian(stem + ending))), None)


@cache
def _english() -> dict[str, int]:
    return {word: at for at, word in enumerate(_ENGLISH)} | {
        word: 20 + 10 * at for at, word in enumerate(_ENGLISH_TENS)
    }


def _english_ordinal(word: str) -> int | None:
    if word in _FIRST["en"]:
        return _FIRST["en"].index(word)
    single = word.removesuffix("s")
    if single in ("third", "quarter", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"):
        return 4 if single == "quarter" else _FIRST["en"].index(single)
    sizes = {"hundredth": 100, "thousandth": 1000, "millionth": 10**6, "billionth": 10**9}
    if single in sizes:
        return sizes[single]
    stem = single.removesuffix("th")
    return _english().get(stem) or _english().get(stem.removesuffix("ie") + "y") if stem != single else None
