"""Where somebody is reached: e-mail, phone, a page of their own, the address of a machine."""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from turnkeep.blocks.pii.findings import Finding

HOME = "IT"
"""The country of a phone number that names none."""

_EMAIL = re.compile(r"(?<![\w.+%'-])[\w.+%'-]++@[\w-]++(?:\.[\w-]++)+")
_SPOKEN_AT = r"(?: ?[(\[{<] ?(?:at|@|chiocciola) ?[)\]}>] ?| (?:at|chiocciola|@) | @|@ )"
_SPOKEN_DOT = r"(?: ?[(\[{<] ?(?:dot|punto|\.) ?[)\]}>] ?| (?:dot|punto) |\.)"
_SPOKEN = re.compile(
    rf"(?<!\w)([\w+-]{{1,40}}+(?:{_SPOKEN_DOT}[\w+-]{{1,40}}+){{0,3}}){_SPOKEN_AT}"
    rf"(\w[\w-]{{1,40}}+(?:{_SPOKEN_DOT}[\w-]{{2,40}}+){{1,3}})",
    re.I,
)
_SPOKEN_SIGN = re.compile(r"[(\[{< ](?:at|@|chiocciola)[)\]}> ]|@ ", re.I)
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"'\[\]\ue000]++", re.I)
_OWN_PAGE = re.compile(
    r"//[^/?#]*@"  # "https://mario:secret@example.com"
    r"|[?&#][\w.-]+=\w"  # "?user=mario"
    r"|/(?:[~@]|users?/|u/|in/|profiles?/|profilo/|people/|members?/)\w"  # "linkedin.com/in/mario-rossi"
    r"|(?:facebook|instagram|twitter|x|tiktok|github|gitlab|t|wa|medium)\.(?:com|me)/\w"  # "github.com/mrossi"
    r"|/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}",  # "/d/1A2b3C4d5E6f7G8h9I0j": who has the link may read
    re.I,
)
_IPV4 = re.compile(r"(?<![\w.])(?<!v)(?<!version )(?<!versione )\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}+(?:\.\d{1,3}){0,3}(?![\w:])", re.I)

_PHONE = re.compile(
    r"(?<![\w.,/+-])(?<![€$£]\x20)(?:\+|\(\+)?\(?\d{1,15}+\)?"
    r"(?:(?:(?<=\))|[ .-]|\x20-\x20|/|\x20?(?=\())\(?\d{1,8}+\)?){0,7}+"
    r"(?:\x20?(?:x|ext\.?|int\.?)\x20?\d{1,6})?(?![\w/]|[.,]\d)(?!\x20?[€$£%])"
)
_CALLED = re.compile(
    r"\b(?:tel|phone|mobile|cell|cellphone|telephone|telefono|cellulare|telefonico|whatsapp|fax|call(?: me)?|text|sms|"
    r"desk|answering|reach(?: me)?|chiama\w*|ring|numero|number|contact)\b[^\d\n]{0,24}\n?[ (]*$",
    re.I,
)
_NO_PHONE = re.compile(
    r"(?:\b(?:artt?|nn?|art\w+|comm[ai]|legge|l|d\.?lgs|dpr|prot\w*|pagg?|pp?|isbn|issn|doi|arxiv|capitale|euro|eur"
    r"|usd"
    r"|importo|somma|version\w*|v|order|ordine|invoice|fattura|pratica|sentenza|ticket)\b\.?|[§#€$£])[ :]*"
    r"(?:n(?:\.|umero|r\.)? ?)?$",
    re.I,
)
_TOO_LONG = 14
_DATE = re.compile(r"(?:\d{1,2}([./ -])\d{1,2}\1(?:19|20)\d\d|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2})(?!\d)")
_RANGE = re.compile(  # "28.000 - 50.000", "(50000 - 28000)", "7140 - 1801.36", and "104/2022)" of a law
    r"\(?\d{1,3}(?:[.,]\d{3})+\s*[-\u2013]\s*\d{1,3}(?:[.,]\d{3})+\)?|\([1-9]\d{3,}\s+[-\u2013]\s+[1-9]\d{3,}\)"
    r"|\d+(?:[.,]\d\d)?\s+[-\u2013]\s+\d+[.,]\d\d|\d+[.,]\d\d\s+[-\u2013]\s+\d+|\(?\d{1,4}/(?:19|20)\d\d\)?"
)
_AMOUNT = re.compile(
    r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|[1-9] \d{3}(?: \d{3})*|[1-9]\d{0,2} \d{3}|(?:1[5-9]|20)\d\d ?- ?(?:1[5-9]"
    r"|20)\d\d"
)
_LOCAL = re.compile(r"[2-9]\d\d[ -]\d{4}|\d{4} \d{4}|0\d{1,3}[/ -]\d{5,8}")
_LOCAL_ROUND = re.compile(r"\d*00[ -]\d*00")


def emails(text: str) -> Iterator[Finding]:
    """ "mario.rossi@example.it", "mario (at) example punto it"."""
    if "@" in text:
        for at in _EMAIL.finditer(text):
            yield Finding("EMAIL", at.start(), at.end(), at[0].lower())
    if not _SPOKEN_SIGN.search(text):
        return
    for at in _SPOKEN.finditer(text):
        name, host = (re.sub(_SPOKEN_DOT, ".", part, flags=re.I).lower() for part in at.groups())
        if not re.search(r"\sat\s$", text[at.end(1) : at.start(2)]) or re.search(r"\bdot\b", at[2]):
            yield Finding("EMAIL", at.start(), at.end(), f"{name}@{host}")


def urls(text: str) -> Iterator[Finding]:
    """Links that name somebody or let in who has them; "https://docs.python.org/3/" stays."""
    if "/" not in text:
        return
    for at in _ADDRESS.finditer(text):
        address = at[0].rstrip(".,;:!?)*_")
        if _OWN_PAGE.search(address):
            yield Finding("URL", at.start(), at.start() + len(address), address)


def ips(text: str) -> Iterator[Finding]:
    """ "86.121.97.248", "2001:db8::1"; not "version 1.2.3.4"."""
    for sign, pattern in ((".", _IPV4), (":", _IPV6)):
        if text.count(sign) < 2:
            continue
        for at in pattern.finditer(text):
            if _is_ip(at[0].partition("/")[0]):
                yield Finding("IP", at.start(), at.end(), at[0].lower())


def _is_ip(spelling: str) -> bool:
    if spelling.count(":") and not re.search(r"\w{3}|\w:\w", spelling):
        return False  # "::" in a program
    try:
        ip_address(spelling)
    except ValueError:
        return False
    return True


def phones(text: str) -> Iterator[Finding]:
    """ "+39 333 1234567", "06/12345678", "(37) 788-063", "345-899-3560x4587"; not "1.234.567", "2003-08-28"."""
    for at in _PHONE.finditer(text):
        for start, end in _numbers_of(at):
            spelling = text[start:end]
            digits = re.sub(r"\D", "", spelling)
            if 6 <= len(digits) <= 17 and _is_phone(spelling, digits, text[max(start - 60, 0) : start]):
                yield Finding("PHONE", start, end, _international(spelling) or digits)


def _numbers_of(at: re.Match[str]) -> list[tuple[int, int]]:
    """The whole, or the valid numbers of it where it is too long: "333 1234567 333 7654321"."""
    groups = [group.span() for group in re.finditer(r"[+(]*\d+\)?", at[0])]
    found: list[tuple[int, int]] = []
    while groups and sum(c.isdigit() for c in at[0]) >= _TOO_LONG:
        ends = (end for _, end in reversed(groups[:6]) if _international(at[0][groups[0][0] : end]))
        end = next(ends, 0)
        if end:
            found.append((at.start() + groups[0][0], at.start() + end))
        groups = [group for group in groups[1:] if group[0] >= end]
    return found or [at.span()]


def _is_phone(spelling: str, digits: str, before: str) -> bool:
    groups = re.findall(r"\d+", spelling)
    if "(" in spelling and ")" not in spelling:  # "2025 (5.300 euro)"
        return False
    if max(map(len, groups)) < 2 or _DATE.match(spelling) or _NO_PHONE.search(before) or _RANGE.fullmatch(spelling):
        return False
    is_abroad = spelling.lstrip("(").startswith(("+", "00")) and len(digits) >= 8
    if is_abroad or _CALLED.search(before) or _AMOUNT.fullmatch(spelling):
        return is_abroad or not _AMOUNT.fullmatch(spelling) or bool(_CALLED.search(before))
    if len(groups) == 1:
        return 9 <= len(digits) <= 11 and digits[0] in "03" and bool(_international(spelling))
    if len(groups) == 2:
        local = _LOCAL.fullmatch(spelling) and not _LOCAL_ROUND.fullmatch(spelling)
        return bool(local) or "(" in spelling or (len(digits) >= 8 and bool(_international(spelling)))
    # "416 60 039", "01.84.17.61.18"; not "10 20 30 40"
    return (
        "/" not in spelling
        and 7 <= len(digits) <= 15
        and (digits[0] == "0" or len(digits) == 8 or max(map(len, groups)) > 2)
    )


def _international(spelling: str) -> str:
    """ "+393331234567" for "333 123 4567"; nothing where that is no number."""
    import phonenumbers  # noqa: PLC0415

    try:
        number = phonenumbers.parse(spelling, HOME)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_valid_number(number):
        return ""
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
