"""Where somebody is reached: addresses of e-mail, phone numbers."""

import re
from collections.abc import Iterator
from functools import lru_cache

from turnkeep.blocks.pii.findings import Finding

_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]++@[\w-]++(?:\.[\w-]++)+")
_PHONE = re.compile(r"(?<![\w.,/+-])(?:\+|00)?\(?\d{1,4}\)?(?:[ ./-]{0,2}\(?\d{1,8}+\)?){1,7}(?: ?x\d{1,6})?(?![\w/])")
HOME = "IT"
"""The country of a number that names none."""


def emails(text: str) -> Iterator[Finding]:
    for at in _EMAIL.finditer(text):
        yield Finding("EMAIL", at.start(), at.end(), at[0].lower())


def phones(text: str) -> Iterator[Finding]:
    for at in _PHONE.finditer(text):
        number = _international(at[0].strip())
        if number:
            yield Finding("PHONE", at.start(), at.end(), number)


@lru_cache(256)
def _international(spelling: str) -> str:
    """ "+393331234567" for "333 123 4567"; nothing where that is no number."""
    import phonenumbers

    try:
        number = phonenumbers.parse(spelling, HOME)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_valid_number(number):
        return ""
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
