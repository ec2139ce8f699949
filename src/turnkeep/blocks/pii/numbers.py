"""Numbers that a checksum vouches for: cards, IBANs, Italian tax and VAT numbers."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from turnkeep.blocks.pii.findings import Finding

_CARD = re.compile(r"(?<![\w.,+/-])\d{3,19}+(?:[ -]\d{3,7}+)*+(?![\w/-])")
_CARD_DIGITS = range(12, 20)
_IBAN = re.compile(r"(?<!\w)(?=([A-Za-z]{2} ?\d{2}(?:[ .-]?[A-Za-z0-9]){11,30}+))")
_DIGITS = re.compile(r"\d+")
_TAX_ID = re.compile(
    r"(?<!\w)[A-Z]{3} ?[A-Z]{3} ?[\dL-NP-V]{2} ?[A-EHLMPR-T] ?[\dL-NP-V]{2} ?[A-Z] ?[\dL-NP-V]{3} ?[A-Z](?!\w)", re.I
)
_VAT_ID = re.compile(r"(?<![\w.,+/-])(?:IT[ -]?)?\d{11}(?![\w/-])", re.I)


def cards(text: str) -> Iterator[Finding]:
    """ "4111 1111 1111 1111", "3782-822463-10005": 12 to 19 digits that Luhn's sum agrees with, also two in a row."""
    for at in _CARD.finditer(text):
        groups = list(_DIGITS.finditer(text, *at.span()))
        n = 0
        while n < len(groups):
            count = _groups_of_a_card([group[0] for group in groups[n : n + 5]])
            if count:
                start, end = groups[n].start(), groups[n + count - 1].end()
                yield Finding("CARD", start, end, re.sub(r"\D", "", text[start:end]))
            n += count or 1


def _groups_of_a_card(groups: list[str]) -> int:
    for count in range(len(groups), 0, -1):
        digits = "".join(groups[:count])
        is_long = len(digits) in _CARD_DIGITS and (count == 1 or len(groups[0]) == 4)
        is_issued = digits[0] in "23456" or digits[:4] == "1800"
        if is_long and is_issued and len(set(digits)) > 1 and _is_valid("luhn", digits):
            return count
    return 0


def ibans(text: str) -> Iterator[Finding]:
    """ "IT60 X054 2811 1010 0000 0123 456": as long as those of its country. Without blanks it needs no checksum, since
    one that was mistyped is somebody's all the same."""
    for at in _IBAN.finditer(text):
        compact = re.sub(r"[ .-]", "", at[1]).upper()
        length = _iban_length(compact[:2])
        if not length or len(compact) < length:
            continue
        end = at.start() + _end_of(at[1], length)
        value = compact[:length]
        if text[end : end + 1].isalnum():
            continue
        is_one_word = text[at.start() : end].isalnum() and any(c.isdigit() for c in value[6:])
        if is_one_word or _is_valid("iban", value, check_country=False):
            yield Finding("IBAN", at.start(), end, value)


def tax_ids(text: str) -> Iterator[Finding]:
    """ "RSSMRA85T10A562S", also where letters stand for digits of namesakes: the shape is like no other, so that one
    that was mistyped is found too."""
    for at in _TAX_ID.finditer(text):
        if at[0].islower() and at[0].isalpha() and not _is_valid("it.codicefiscale", at[0]):
            continue  # a word of sixteen letters
        yield Finding("TAX_ID", at.start(), at.end(), at[0].replace(" ", "").upper())


def vat_ids(text: str) -> Iterator[Finding]:
    """ "01234567897": eleven digits that the checksum agrees with."""
    for at in _VAT_ID.finditer(text):
        if _is_valid("it.iva", at[0]):
            yield Finding("VAT_ID", at.start(), at.end(), at[0][-11:])


def _is_valid(number: str, value: str, **options: Any) -> bool:
    """By the checksum in this module of stdnum, which is loaded when it is first needed."""
    return bool(import_module(f"stdnum.{number}").is_valid(value, **options))


@cache
def _iban_length(country: str) -> int:
    """Of this country, two capitals; 0 where it has none."""
    from stdnum import numdb  # noqa: PLC0415

    structure = numdb.get("iban").info(f"{country}00")[0][1].get("bban", "")
    return 4 + sum(map(int, re.findall(r"\d+(?=!)", structure))) if structure else 0


def _end_of(spelling: str, length: int) -> int:
    """Where the first `length` letters and digits of it end."""
    for n, c in enumerate(spelling):
        length -= c.isalnum()
        if not length:
            return n + 1
    return len(spelling)
