"""Writes src/turnkeep/kit/locales.json: how languages write months, currencies and large numbers. The source is
`babel`, which is too large to ship.

    python tools/locales.py
"""

import json
from pathlib import Path
from typing import Any, TypeAlias

from babel.core import Locale
from babel.dates import get_month_names
from babel.numbers import get_currency_name, get_currency_symbol

# Languages that write the month as a word between day and year.
# fmt: off
LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "pl", "sv", "da", "nb", "fi", "ro", "tr", "ca", "cs", "sk", "hu",
             "hr", "sl", "et", "lv", "lt", "el", "bg", "ru", "uk")
# fmt: on
ISO = ("USD", "EUR", "GBP", "CHF", "JPY", "INR")
BY_WORD = ("USD", "EUR", "GBP")  # currencies that languages have words for: "libras", "dollari"
SIGNS = {"USD": "$ us$ dollar dollars", "EUR": "€ euro euros", "GBP": "£ pound pounds", "JPY": "¥", "INR": "₹"}
STEMS = {
    "USD": ("dol", "dòl", "dól", "дол", "δολ"),
    "EUR": ("eur", "evr", "eir", "евр", "євр", "ευρ"),
    "GBP": ("pou", "pfu", "pon", "pun", "fun", "fon", "lib", "lir", "liv", "lli", "ste", "szt", "фун", "лир", "λίρ"),
}  # "pounds" alone identifies "British pounds"
SHORT = {"1000": "k", "1000000": "m mn", "1000000000": "b bn", "1000000000000": "t"}
FILE = Path(__file__).parents[1] / "src/turnkeep/kit/locales.json"

Table: TypeAlias = dict[str, str]


def tables() -> dict[str, Any]:
    scales = {language: _scales(language) for language in LANGUAGES}
    scales["en"] |= {size: _joined([scales["en"].get(size, ""), words]) for size, words in SHORT.items()}
    return {"months": {each: _months(each) for each in LANGUAGES}, "scales": scales, "currencies": _currencies()}


def _months(language: str) -> list[str]:
    """Return the forms of each month: "januar jan", "März Mrz" in lower case."""
    forms: list[list[str]] = [[] for _ in range(12)]
    for width, context in (("wide", "format"), ("wide", "stand-alone"), ("abbreviated", "format")):
        for number, name in get_month_names(width, context=context, locale=language).items():  # type: ignore[arg-type]
            forms[number - 1].append(name.casefold().rstrip("."))
    return [_joined(name for name in names if len(name) > 2 and name.isalpha()) for names in forms]


def _scales(language: str) -> Table:
    """Return "million Millionen Mio", by its value. A pattern without a digit, such as "mille", is not a number."""
    found: dict[str, list[str]] = {}
    for width in ("long", "short"):
        for forms in Locale.parse(language).compact_decimal_formats[width].values():
            for size, each in forms.items():
                digits = each.pattern.count("0")
                word = " ".join(each.pattern.replace("0", " ").replace("\u00a0", " ").split()).strip(".'").casefold()
                if digits and len(word) > 2 and word.replace(" ", "").isalpha():
                    found.setdefault(str(int(size) // 10 ** (digits - 1)), []).append(word.replace(" ", "_"))
    return {size: _joined(words) for size, words in found.items()}


def _currencies() -> Table:
    """Return signs, codes and names, by code: "£ gbp pounds libras"."""
    found = {code: [*SIGNS.get(code, "").split(), code.casefold()] for code in ISO}
    for language in LANGUAGES:
        for code in ISO:
            found[code].append(get_currency_symbol(code, locale=language).casefold())
        for code in BY_WORD:
            names = {get_currency_name(code, count, locale=language) for count in (None, 1, 2, 5)}
            words = [word for name in sorted(names) for word in name.casefold().split()]
            found[code] += [word for word in words if word.startswith(STEMS[code]) and word.isalpha()]
    return {code: _joined(words) for code, words in found.items()}


def _joined(words: Any) -> str:
    return " ".join(filter(None, dict.fromkeys(words)))


if __name__ == "__main__":
    FILE.write_text(json.dumps(tables(), ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")
