"""The words of facts (`words.txt`), each with its class, one letter that rules use in patterns; and numbers written as
one word or in figures: "duemilacinquecento", "ventunesimo", "1.234,50"."""

import re
import unicodedata
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TypeAlias

from turnkeep.kit.locales import notation

Entry: TypeAlias = tuple[str, object]  # a class and a value: ("m", 3), ("u", (3, "M")), ("c", "EUR")

LONG_LETTERS = 4  # of a word that counts in the other language too: "euro", "April", but not "due" or "set"
EXACT_DIGITS, ROUNDED_DIGITS = 60, 15  # of decimals, and of periodic numbers, such as two thirds
_MARKS = {"it": ".", "en": ","}  # thousands separators
_SIZES = {"milion": 10**6, "miliard": 10**9, "bilion": 10**12, "trilion": 10**18, "mill": 1000}


def folded(word: str) -> str:
    """Return lower case without accents; a single letter keeps its accent: "è" is not "e"."""
    word = word.casefold().replace("\u2019", "'")
    if len(word) == 1 or word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))


@cache
def lexicon(language: str) -> dict[tuple[str, ...], Entry]:
    """Return the entries, keyed by the folded words of a phrase."""
    other = "en" if language == "it" else "it"
    entries = [(phrase, entry) for phrase, entry in _entries(other) if len(phrase) >= LONG_LETTERS] + _entries(language)
    return {tuple(map(folded, phrase.split("_"))): entry for phrase, entry in entries}


@cache
def _entries(language: str) -> list[tuple[str, Entry]]:
    """Return the entries; the calendar's months, scales and currencies come first, so words.txt overrides them."""
    writes = notation(language)
    found: list[tuple[str, Entry]] = [(word, ("m", min(months))) for word, months in writes.months.items()]
    found += [(word.replace(" ", "_"), ("k", int(max(sizes)))) for word, sizes in writes.scales.items()]
    signs = [(word, code) for word, code in writes.currencies.items() if not word.isalpha() or word == code.lower()]
    found += [(word, ("c", code)) for word, code in signs]
    for line in Path(__file__).with_name("words.txt").read_text("utf-8").splitlines():
        which, kind, *words = line.split()
        if which in (language, "*"):
            size = re.fullmatch(r"(-?\d+)([A-Z]*)", kind[2:])
            value = kind[2:] if size is None else (int(size[1]), size[2]) if size[2] else int(size[1])
            found += [(word, (kind[0], value)) for word in words]
    return found


@cache
def _below_1000() -> dict[str, int]:
    """Return Italian numbers. Tens lose their vowel, a hundred may: "ventuno", "ottantotto", "centotto"."""
    known = {words[0]: value for words, (kind, value) in lexicon("it").items() if kind in "nx" and len(words) == 1}
    small = {word: value for word, value in known.items() if isinstance(value, int) and 0 < value < 100}
    units = {word: value for word, value in small.items() if value < 10}
    tens = {end: value for word, value in small.items() if value >= 20 for end in (word, word[:-1])}
    small |= {ten + unit: tens[ten] + units[unit] for ten in tens for unit in units} | {"": 0}
    hundreds = {f"{word}{end}": 100 * (units.get(word) or 1) for word in ("", *units) for end in ("cento", "cent")}
    return small | {hundred + word: hundreds[hundred] + small[word] for hundred in hundreds for word in small}


def in_words(word: str) -> int | None:
    """ "centosette", "duemila", "millenovecento"."""
    known = _below_1000()
    many, mila, rest = word.rpartition("mila")
    if word.startswith("mille"):
        many, mila, rest = "uno", "mila", word.removeprefix("mille")
    is_number = word and rest in known and many in known and (many or not mila)
    return 1000 * known[many] + known[rest] if is_number else None


def ordinal_in_words(word: str) -> int | None:
    """ "ventunesimo", "duemillesimi"; those up to ten are in the lexicon."""
    found = re.fullmatch(rf"(\w*?)({'|'.join(_SIZES)})?esim[oaie]", word)
    if found is None or found[2]:
        return found and (_SIZES[found[2]] * ((in_words(found[1]) or 0) if found[1] else 1) or None)
    return next((value for ending in ("", *"oiae") if (value := in_words(found[1] + ending))), None)


def in_figures(text: str, language: str) -> tuple[Fraction, Fraction | None, str]:
    """Return the value, its alternative, and the choice made: "1.234" is a thousand in Italian."""
    body, _, exponent = text.lower().partition("e")
    scale = Fraction(10) ** int(exponent or 0) * (-1 if body[0] in "-\u2212" else 1)
    body = re.sub(r"[^\d.,]", "", body)
    marks, groups = re.findall(r"[.,]", body), re.split(r"[.,]", body)
    together, split = scale * int("".join(groups)), scale * Fraction(".".join(("".join(groups[:-1]), groups[-1])))
    if len(marks) != 1 or len(groups[1]) != 3 or len(groups[0]) > 3 or not groups[0].strip("0"):
        return (together if not marks or len(marks) > len(set(marks)) == 1 else split), None, ""
    if marks[0] == _MARKS[language]:
        return together, split, f'"{marks[0]}" read as a mark of thousands'
    return split, together, f'"{marks[0]}" read as a mark of decimals'


def plain(value: Fraction, places: int = 0) -> str:
    """ "0.75", with this many places if not whole; fifteen digits if the decimals are infinite."""
    for digits in (EXACT_DIGITS, ROUNDED_DIGITS):
        found = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
        if Fraction(found) == value:
            break
    whole, _, decimals = f"{found:f}".partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals.ljust(places, '0')}" if decimals else whole
