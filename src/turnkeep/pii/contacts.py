"""Contact data of people: e-mail, phone, personal pages, IP and postal addresses."""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from ipaddress import ip_address

from turnkeep.pii.findings import PiiMatch, patterns_of

HOME = "IT"  # the country of a phone number without a country code

_PATTERNS = {name: re.compile(pattern) for name, pattern in patterns_of("contacts").items()}
_CALLED, _AMOUNT = _PATTERNS["called"], _PATTERNS["amount"]
_SPELLED_SIGNS = {"at": "@", "chiocciola": "@", "dot": ".", "punto": ".", "underscore": "_", "trattino": "-"}
_POSTAL = {name: re.compile(pattern) for name, pattern in patterns_of("addresses").items()}


def emails(text: str) -> Iterator[PiiMatch]:
    """ "mario.rossi@example.it", "mario (at) example punto it", "m a r i o at r o s s i punto i t"."""
    for at in _PATTERNS["email"].finditer(text):
        yield PiiMatch("EMAIL", at.start(), at.end(), at[0].replace("\n", "").lower())
    if not _PATTERNS["spoken sign"].search(text):
        return
    for at in _PATTERNS["spelled"].finditer(text):
        signs = (_SPELLED_SIGNS.get(each.strip("()[]"), each) for each in re.split(r"[ \t]", at[0].lower()))
        yield PiiMatch("EMAIL", at.start(), at.end(), "".join(signs))
    for at in _PATTERNS["spoken"].finditer(text):
        name, host = (_PATTERNS["spoken dot"].sub(".", part).lower() for part in at.groups())
        if not re.search(r"\sat\s$", text[at.end(1) : at.start(2)]) or re.search(r"\bdot\b", at[2]):
            yield PiiMatch("EMAIL", at.start(), at.end(), f"{name}@{host}")


def urls(text: str) -> Iterator[PiiMatch]:
    """Yield links that identify a person or grant access to the holder; "https://docs.python.org/3/" stays."""
    for at in _PATTERNS["address"].finditer(text):
        address = at[0].rstrip(".,;:!?)*_")
        if _PATTERNS["own page"].search(address):
            yield PiiMatch("URL", at.start(), at.start() + len(address), address)


def ips(text: str) -> Iterator[PiiMatch]:
    """ "86.121.97.248", "2001:db8::1"; not "version 1.2.3.4"."""
    for name in ("ipv4", "ipv6"):
        for at in _PATTERNS[name].finditer(text):
            if _is_ip(at[0].partition("/")[0]):
                yield PiiMatch("IP", at.start(), at.end(), at[0].lower())


def _is_ip(spelling: str) -> bool:
    with suppress(ValueError):
        ip_address(spelling)
        return ":" not in spelling or bool(re.search(r"\w{3}|\w:\w", spelling))  # not "::" in a program
    return False


def phones(text: str) -> Iterator[PiiMatch]:
    """ "+39 333 1234567", "06/12345678", "(37) 788-063", "345-899-3560x4587"; not "1.234.567", "2003-08-28"."""
    for at in _PATTERNS["phone"].finditer(_PATTERNS["whole date"].sub(lambda found: "x" * len(found[0]), text)):
        for start, end in _numbers_of(at):
            spelling = text[start:end]
            digits = re.sub(r"\D", "", spelling)
            if 6 <= len(digits) <= 17 and _is_phone(spelling, digits, text[max(start - 60, 0) : start]):
                yield PiiMatch("PHONE", start, end, _international(spelling) or digits)


def _numbers_of(at: re.Match[str]) -> list[tuple[int, int]]:
    """Return the match, or the valid numbers in a match of 14 digits or more: "333 1234567 333 7654321"."""
    groups = [group.span() for group in re.finditer(r"[+(]*\d+\)?", at[0])]
    found: list[tuple[int, int]] = []
    is_too_long = sum(c.isdigit() for c in at[0]) >= 14
    while groups and is_too_long:
        ends = (end for _, end in reversed(groups[:6]) if _international(at[0][groups[0][0] : end]))
        end = next(ends, 0)
        if end:
            found.append((at.start() + groups[0][0], at.start() + end))
        groups = [group for group in groups[1:] if group[0] >= end]
    return found or [at.span()]


def _is_phone(spelling: str, digits: str, before: str) -> bool:
    groups = re.findall(r"\d+", spelling)
    if max(map(len, groups)) < 2 or "_" in spelling or "\t" in spelling or "  " in spelling:
        return len(digits) > 8 and bool(_international(re.sub(r"[^+\d]", "", spelling)))
    is_open = "(" in spelling and ")" not in spelling  # "2025 (5.300 euro)"
    is_other = _PATTERNS["date"].match(spelling) or _PATTERNS["range"].fullmatch(spelling)
    if is_open or is_other or _PATTERNS["no phone"].search(before):
        return False
    is_abroad = spelling.lstrip("(").startswith(("+", "00")) and len(digits) >= 8
    if is_abroad or _CALLED.search(before) or _AMOUNT.fullmatch(spelling):
        return is_abroad or not _AMOUNT.fullmatch(spelling) or bool(_CALLED.search(before))
    if len(groups) == 1:
        return 9 <= len(digits) <= 11 and digits[0] in "03" and bool(_international(spelling))
    if len(groups) == 2:
        local = _PATTERNS["local"].fullmatch(spelling) and not _PATTERNS["local round"].fullmatch(spelling)
        return bool(local) or "(" in spelling or (len(digits) >= 8 and bool(_international(spelling)))
    # "416 60 039", "01.84.17.61.18", "06/5551.9988"; not "10 20 30 40"
    return (
        ("/" not in spelling or (digits[0] in "03" and bool(_international(digits))))
        and 7 <= len(digits) <= 15
        and (digits[0] == "0" or len(digits) == 8 or max(map(len, groups)) > 2)
    )


@lru_cache(maxsize=4_096)
def _international(spelling: str) -> str:
    """ "+393331234567" for "333 123 4567"; empty if it is not a number."""
    if not spelling.startswith(("+", "(", "0", "3", "8")) or not 8 <= sum(map(str.isdigit, spelling)) <= 15:
        return ""  # not a valid first digit or length for HOME
    import phonenumbers  # noqa: PLC0415

    try:
        number = phonenumbers.parse(spelling, HOME)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_valid_number(number):
        return ""
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def addresses(text: str) -> Iterator[PiiMatch]:
    """ "via Garibaldi 12, 20121 Milano (MI)", "221B Baker Street", "20121 Milano (MI)", "ZIP: 8592"; not "Milano"."""
    done = 0
    for at in _POSTAL["street"].finditer(text):
        if at.start() < done:
            continue
        tail = _POSTAL["tail"].match(text, at.end())
        done = tail.end() if tail and re.search(r"\d", at[0]) else at.end()
        yield _address(text, at.start(), done)
    for name in ("postcode", "last line", "lives", "zip"):
        for at in _POSTAL[name].finditer(text):
            yield _address(text, at.start(1), at.end(1))


def streets(text: str) -> Iterator[PiiMatch]:
    """Yield streets in a text without digits: "via Garibaldi"."""
    for at in _POSTAL["unnumbered street"].finditer(text):
        yield _address(text, at.start(), at.end())


def _address(text: str, start: int, end: int) -> PiiMatch:
    spelling = text[start:end].rstrip(" \n,;.-")
    return PiiMatch("ADDRESS", start, start + len(spelling), " ".join(re.sub(r"[^\w/]", " ", spelling.lower()).split()))
