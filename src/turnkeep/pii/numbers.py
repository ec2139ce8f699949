"""Numbers with a checksum: cards, IBANs, Italian tax and VAT numbers, with up to three separators between any two
characters. Any character may be adjacent, except one that would extend the number."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from stdnum import iban, luhn, numdb
from stdnum.it import codicefiscale, iva

from turnkeep.pii.findings import PiiMatch

_GAP = r"[ \t\n./_|-]{0,3}"
_APART = re.compile(r"[ \t\n./_|-]")
_RUN = re.compile(rf"(?<!\d,)\d(?:{_GAP}\d)*+(?!,\d)")  # it may contain several numbers
_CARD_DIGITS = range(12, 20)
_IBAN = re.compile(rf"(?=([A-Z]){_GAP}([A-Z]){_GAP}\d{_GAP}\d)", re.I)
_DIGITS = re.compile(r"\d+")
_LETTER, _FIGURE = ["[A-Z]"], [r"[\dL-NP-V]"]
_PARTS = (_LETTER * 3, _LETTER * 3, _FIGURE * 2, ["[A-EHLMPR-T]"], _FIGURE * 2, _LETTER, _FIGURE * 3, _LETTER)
_TAX_ID = re.compile(rf"(?<![a-z\d]){' ?'.join(map(''.join, _PARTS))}(?![a-z\d])", re.I)
_TAX_ID_APART = re.compile(rf"(?=({_GAP.join(chain(*_PARTS))}))", re.I)
_NO_NUMBER = re.compile(  # a date, or amounts alone
    r"(?<!\d)(?:(?:0?[1-9]|[12]\d|3[01])([./ -])(?:0?[1-9]|1[0-2])\1(?:19|20)\d\d"
    r"|(?:19|20)\d\d([./-])\d\d?\2\d\d?)(?!\d)"
    r"|\A\d{1,3}(?:\.\d{3})+(?:[ /-]+\d{1,3}(?:\.\d{3})+)*\Z"
)
_CELLS = re.compile(r"\d{2,11}(?P<border> \| |\n)\d{2,11}(?:(?P=border)\d{2,11}){2,}")  # of a row or a column
_HEX = re.compile(r"(?<![a-f\d])(?:[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}|\d{0,23}+[a-f][a-f\d]{23,}+)", re.I)


def cards(text: str) -> Iterator[PiiMatch]:
    """ "4111 1111 1111 1111", "3782-822463-10005": 12 to 19 digits with a valid Luhn checksum, also two in a row."""
    for start, stop in _runs(_HEX.sub(lambda found: "x" * len(found[0]), text)):
        groups = list(_DIGITS.finditer(text, start, stop))
        is_one = 13 <= sum(len(group[0]) for group in groups) <= 19 and _is_spread(text[start:stop])
        n = 0
        while n < len(groups):
            if not is_one and len(groups[n][0]) != 4 and len(groups[n][0]) not in _CARD_DIGITS:
                n += 1
                continue
            count = _groups_of_a_card([group[0] for group in groups[n : None if is_one else n + 5]], is_one=is_one)
            if count:
                first, end = groups[n].start(), groups[n + count - 1].end()
                yield PiiMatch("CARD", first, end, re.sub(r"\D", "", text[first:end]))
            n, is_one = n + (count or 1), False


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield runs of digits, and shorter ones between underscores: "2025_4111..._1.pdf"."""
    for start, end in (run.span() for run in _RUN.finditer(text)):
        yield start, end
        first, last = text.find("_", start, end), text.rfind("_", start, end)
        if first >= 0:
            yield from ((start, last), (first + 1, end))
            yield from (part.span() for part in re.compile(r"[^_]+").finditer(text, start, end))


def _groups_of_a_card(groups: list[str], *, is_one: bool) -> int:
    """Return how many of the first groups are a card number."""
    for count in range(len(groups), 0, -1):
        digits = "".join(groups[:count])
        is_grouped = count == 1 or (len(groups[0]) == 4 and min(map(len, groups[:count])) > 2)
        is_long = len(digits) in _CARD_DIGITS and (is_grouped or (is_one and count == len(groups)))
        is_issued = digits[0] in "23456" or digits[:4] == "1800"
        if is_long and is_issued and len(set(digits)) > 1 and luhn.is_valid(digits):
            return count
    return 0


def _is_spread(run: str) -> bool:
    """Return whether digits in unusual groups may still be one number."""
    return not _NO_NUMBER.search(run) and not _CELLS.fullmatch(run)


def ibans(text: str) -> Iterator[PiiMatch]:
    """ "IT60 X054 2811 1010 0000 0123 456", in the form of its country. Without blanks it needs no valid checksum: a
    mistyped IBAN is personal data too."""
    for begin in _IBAN.finditer(text):
        form = _form_of(f"{begin[1]}{begin[2]}".upper())
        at = form.match(text, begin.start()) if form else None
        if at is None:
            continue
        value = _APART.sub("", at[0]).upper()
        around = text[max(at.start() - 1, 0) : at.start()] + text[at.end() : at.end() + 1]
        is_one_word = at[0].isalnum() and any(map(str.isdigit, value[6:])) and not re.search(r"[^\W_]", around)
        if is_one_word or iban.is_valid(value, check_country=False):
            yield PiiMatch("IBAN", at.start(), at.end(), value)


def tax_ids(text: str) -> Iterator[PiiMatch]:
    """ "RSSMRA85T10A562S", also with letters for digits (namesakes). The shape is unique: any checksum will do."""
    for at in _TAX_ID.finditer(text):
        if not (at[0].islower() and at[0].isalpha()) or codicefiscale.is_valid(at[0]):  # otherwise it is a word
            yield PiiMatch("TAX_ID", at.start(), at.end(), at[0].replace(" ", "").upper())
    for at in _TAX_ID_APART.finditer(text) if _DIGITS.search(text) else ():
        value = _APART.sub("", at[1]).upper()
        if any(map(str.isdigit, value)) and codicefiscale.is_valid(value):
            yield PiiMatch("TAX_ID", at.start(), at.end(1), value)


def vat_ids(text: str) -> Iterator[PiiMatch]:
    """ "01234567897": eleven digits with a valid checksum."""
    for run in _runs(text):
        whole = [run] if _is_spread(text[slice(*run)]) else []
        for start, end in (*whole, *(at.span() for at in _DIGITS.finditer(text, *run))):
            value = _APART.sub("", text[start:end])
            if len(value) == 11 and iva.is_valid(value):
                country = re.search(rf"(?<![a-z\d])IT{_GAP}\Z", text[max(start - 6, 0) : start], re.I)
                yield PiiMatch("VAT_ID", start - (len(country[0]) if country else 0), end, value)
                break


@cache
def _form_of(country: str) -> re.Pattern[str] | None:
    """Return the IBAN pattern of a country, two capitals; None if it has no IBANs."""
    structure = numdb.get("iban").info(f"{country}00")[0][1].get("bban", "")
    kinds = {"n": r"\d", "a": "[A-Z]", "c": r"[A-Z\d]"}
    signs = [kinds[kind] for count, kind in re.findall(r"(\d+)!?([nac])", structure) for _ in range(int(count))]
    return re.compile(_GAP.join([*country, r"\d", r"\d", *signs]), re.I) if signs else None
