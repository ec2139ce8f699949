"""Numbers of documents and accounts, by shape or by the word before. Lines of `papers.txt`: kind, words, shape."""

import re
from collections.abc import Iterator
from pathlib import Path

from turnkeep.pii.findings import PiiMatch

_GAP = (
    r"(?:[ \t\n:#=.,;()-]|\b(?:is|was|are|è|no|nr|n|num|number|numero|number is|with|con|di|del|della|my|mio|mia"
    r"|°|º)\b|°|º){1,8}+"
)
_BETWEEN = (  # words between a cue and its number: "il PIN della carta è 48213"
    r",?(?: (?!(?:è|era|is|was|ist|est|es) )[^\W\d_][\w'\u2019-]{0,15}){1,5} ?(?: (?:è|era|is|was|ist|est|es)|:|=):? +"
)
_NAMED_IN_SENTENCES = {"SECRET", "CARD", "PASSPORT", "LICENCE", "HEALTH_CARD", "NATIONAL_ID"}
_ROWS = [row.split("\t") for row in Path(__file__).with_name("papers.txt").read_text("utf-8").splitlines()]
_SHAPES = [(kind, re.compile(rf"(?<![\w-])(?:{value})(?![\w-])")) for kind, words, value in _ROWS if not words]
_WORDS = [
    (kind, re.compile(rf"(?<![^\W_])(?:{words})(?:{_GAP}|{between})({value})(?![\w@])", re.I))
    for kind, words, value in _ROWS
    for between in [_BETWEEN if kind in _NAMED_IN_SENTENCES else "$"]
    if words
]
_DAY = (
    r"\d{1,2}(?:[./ -]\d{1,2}[./ -]|(?:°|º|st|nd|rd|th|\.)?(?: of| de| di)? ?[a-zà-ü]{3,10}\.?,?"
    r"(?: of| de| del)? )(?:19|20)?\d\d"
    r"|(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?|[a-z]{3,9}\.? (?:the )?\d{1,2}(?:st|nd|rd|th)?,? (?:of )?(?:19|20)\d\d"
)
_BIRTH = re.compile(
    r"(?<!\w)(?:nat[oa]|nascita|born|birth|birthday|compleanno|d\.?o\.?b\.?|né|née|geboren|nacid[oa])(?!\w)"
    rf"(?:\ue000++|[^\d\n.]){{0,40}}?({_DAY})(?!\d)",  # a run of \ue000 covers other data
    re.I,
)


def papers(text: str) -> Iterator[PiiMatch]:
    """ "CA00000AA", "patente n. U1A12345678", "my driver's license number is 2270-66-1551", "PIN: 1234"."""
    for kind, pattern in _WORDS:
        for at in pattern.finditer(text):
            yield PiiMatch(kind, at.start(1), at.end(1), _compact(at[1]))
    for kind, pattern in _SHAPES:
        for at in pattern.finditer(text):
            yield PiiMatch(kind, at.start(), at.end(), _compact(at[0]))


def births(text: str) -> Iterator[PiiMatch]:
    """ "nato a Roma il 12/05/1980"; other dates are not personal data."""
    for at in _BIRTH.finditer(text):
        yield PiiMatch("BIRTH_DATE", at.start(1), at.end(1), at[1].lower())


def _compact(spelling: str) -> str:
    return re.sub(r"[ -]", "", spelling).upper()
