"""Numbers of papers and accounts, by their shape or by the word before them."""

import re
from collections.abc import Iterator

from turnkeep.blocks.pii.findings import Finding

_SHAPES = tuple(
    (kind, re.compile(rf"(?<![\w-])(?:{shape})(?![\w-])"))
    for kind, shape in (
        ("PASSPORT", r"Y[A-C] ?\d{7}"),
        ("LICENCE", r"U1(?=\w*\d)[A-Z0-9]{7,8}[A-Z0-9]|[A-Z]{2}\d{7}[A-Z]"),
        ("ID_CARD", r"C[A-Z] ?\d{5} ?[A-Z]{2}|[A-Z]{2} ?\d{7}"),
        ("HEALTH_CARD", r"80380\d{15}"),
        (
            "NATIONAL_ID",
            r"\d{3}-\d{2}-\d{4}|(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
        ),
        ("PLATE", r"[A-HJ-NPR-TV-Z]{2} ?\d{3} ?[A-HJ-NPR-TV-Z]{2}"),
    )
)
_GAP = (
    r"(?:[ \t\n:#=.,;()-]|\b(?:is|was|are|è|no|nr|n|num|number|numero|number is|with|con|di|del|della|my|mio|mia"
    r"|°|º)\b|°|º){1,8}+"
)
_WORDS = tuple(
    (kind, re.compile(rf"(?<!\w)(?:{words}){_GAP}({value})(?![\w@])", re.I))
    for kind, words, value in (
        ("PASSPORT", r"pass(?:aporto|port)", r"(?=\w*\d\w*\d)[A-Z0-9]{6,12}"),
        (
            "LICENCE",
            r"(?:driver'?s?|driving) licen[cs]e|patente(?: di guida)?(?: (?:di categoria )?[a-d])?",
            r"(?=[\w-]*\d\w*-?\w*\d)[A-Z0-9-]{5,18}",
        ),
        (
            "ID_CARD",
            r"carta d[' ]?identità(?: elettronica)?|carta identità|c\.i\.|cie|identity card|id card|id"
            r"|documento(?: d'identità)?",
            r"(?=[\w-]*\d\w*-?\w*\d)[A-Z0-9-]{6,14}",
        ),
        (
            "HEALTH_CARD",
            r"tessera (?:sanitaria|team)|health (?:card|insurance)|nhs|medicare|mrn|medical record",
            r"(?=[\w -]*\d{3})[A-Z0-9]{2,20}(?:[ -]\d{2,6}){0,4}",
        ),
        (
            "NATIONAL_ID",
            r"ssn|social security(?: number)?|national insurance|nino|dni|nie|nif|personalausweis|tax id"
            r"|tin|codice fiscale|c\.f\.|cf",
            r"(?=[\w-]*\d\w*-?\w*\d)[A-Z0-9]{2,16}(?:[ -]?\d{2,4}){0,3}",
        ),
        (
            "VAT_ID",
            r"vat(?: id| number| no)?|ust-?id(?:-?nr)?|tva|partita iva|p\.? ?iva",
            r"(?:[A-Z]{2} ?)?(?=\w*\d{4})[A-Z0-9]{7,13}",
        ),
        (
            "PLATE",
            r"targa(?:to|ta)?|licen[cs]e plate|number plate|registration plate",
            r"(?=[\w -]*\d)[A-Z]{1,3}[ -]?[A-Z0-9]{2,5}[ -]?[A-Z0-9]{0,3}",
        ),
        ("CARD", r"(?:credit|debit)? ?card|carta(?: di credito)?|cc", r"\d{4}(?:[ -]?\d{4}){2}(?:[ -]?\d{1,7})?"),
        (
            "ACCOUNT",
            r"account|conto(?: corrente)?|matricola|(?:codice|id) cliente|customer (?:id|number)|polizza"
            r"|policy|badge|employee id|swift|bic|user ?id",
            r"(?=[\w-]*\d{3})[A-Z0-9-]{5,20}",
        ),
        (
            "SECRET",
            r"password|passwd|pwd|pin|puk|cvv|cvc|api[ _-]?key|secret key|access token|otp",
            r"(?=\S*\d)[^\s,;\"'\[\]\ue000]{3,80}",
        ),
    )
)
_ANY_WORD = re.compile(
    r"(?<!\w)(?:pass|dri|pat|cart|c\.?[if]|id|doc|tess|health|nhs|med|mrn|ssn|soc|nat|nin|dni|ni[ef]|pers|tax|tin"
    r"|cod|vat|ust|tva|p\.? ?iva|targ|lic|num|reg|cred|deb|cc|acc|conto|matr|cust|pol|badge|emp|swift|bic|user|pin"
    r"|puk|cv|api|secr|otp|pwd|card)",
    re.I,
)
_ANY_SHAPE = re.compile(r"[A-Z]{2} ?\d\d|[A-Z]\d[A-Z\d]\d|\d-\d\d-\d|80380")
_DAY = (
    r"\d{1,2}(?:[./ -]\d{1,2}[./ -]|°? ?[a-zà-ü]{3,10}\.? )(?:19|20)?\d\d|(?:19|20)\d\d-\d\d-\d\d"
    r"|[a-z]{3,9} \d{1,2},? (?:19|20)\d\d"
)
_BIRTH = re.compile(
    r"(?<!\w)(?:nat[oa]|nascita|born|birth|birthday|compleanno|d\.?o\.?b\.?|né|née|geboren|nacid[oa])(?!\w)"
    rf"[^\d\n.]{{0,40}}?({_DAY})(?!\d)",
    re.I,
)


def papers(text: str) -> Iterator[Finding]:
    """ "CA00000AA", "patente n. U1A12345678", "my driver's license number is 2270-66-1551", "PIN: 1234"."""
    for kind, pattern in _WORDS if _ANY_WORD.search(text) else ():
        for at in pattern.finditer(text):
            yield Finding(kind, at.start(1), at.end(1), _compact(at[1]))
    for kind, pattern in _SHAPES if _ANY_SHAPE.search(text) else ():
        for at in pattern.finditer(text):
            yield Finding(kind, at.start(), at.end(), _compact(at[0]))


def births(text: str) -> Iterator[Finding]:
    """ "nato a Roma il 12/05/1980": a date that is somebody's; other dates stay."""
    for at in _BIRTH.finditer(text):
        yield Finding("BIRTH_DATE", at.start(1), at.end(1), at[1].lower())


def _compact(spelling: str) -> str:
    return re.sub(r"[ -]", "", spelling).upper()
