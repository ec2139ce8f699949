"""A message in simple signs and words, before it is cut: nothing contracted, one way to say how rows are sorted, names
of columns put together."""

import re

from turnkeep_agents.database.reading.words.lexicon import EXACT, Lexicon

MOST_CHARACTERS = 1_500

_SIMPLER = {**dict.fromkeys(range(0x2010, 0x2016), "-"), **dict.fromkeys(range(0x2018, 0x201C), "'")}
_SIMPLER |= {**dict.fromkeys(range(0x201C, 0x2020), '"'), ord("<"): " < ", ord(">"): " > ", ord("|"): " "}
_CONTRACTIONS = (
    (r"\b(ca)n't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"(\w)n't\b", r"\1 not"),
    (r"\b(what|who|where|how|when|there|that|it|here)'s\b", r"\1 is"),
    (r"\b(\w+)'(?:re)\b", r"\1 are"),
    (r"\b(i|we|you|they)'(?:ve|d|ll|m)\b", r"\1"),
    (
        r"\b(?:order|sort|rank|arrange)(?:ed)?((?: it| them| these| those| that| this| the list| all)?) by\b",
        r"sort\1 by",
    ),
    (r"\b(?:starting|beginning) with the (\w+est)(?: ones?)?(?: first)?\b", r"\1 first"),
    (r"\bin order of\b", "sort by"),
    (
        r"\bin (ascending|descending|increasing|decreasing|reverse) order (?:of|by)\b",
        r"sort \1 by",
    ),
    (r"\b(reverse|flip|invert)(?: the| this| that| its| their)?(?: sort)? (?:order|list|sorting|sort)\b", r"\1 it"),
    (r"\b(?:the )?other way (?:a)?round\b", "reversed"),
    (r"\bin (?:the )?(?:reverse|reversed|opposite) order\b(?! (?:of|by))", "reversed"),
    (r"\b(?:in )?(ascending|descending|increasing|decreasing) order\b(?! (?:of|by))", r"\1"),
    (r"\b(?:in |by )?reverse(?:d)? (?:alphabetical order|alphabetically)\b", "sort by name descending"),
    (r"\bsort(?:ed|ing)? (?:them |it |these |those |the list )?alphabetically by\b", "sort by"),
    (
        r"\b(?:(?:sort(?:ed|ing)? )?(?:them |it |these |those )?(?:in |by )?(?:an )?alphabetic(?:al)? order"
        r"|(?:sort(?:ed|ing)? )?(?:them |it |these |those )?alphabetically|from a to z)\b",
        "sort by name",
    ),
    (r"\bfrom z to a\b", "sort by name descending"),
    (r"\b(?:sort(?:ed|ing)? )?(?:in )?chronological(?:ly)?(?: order)?\b", "sort by date"),
    (r"\be-mail", "email"),
)
_PARTED = re.compile(r"\b(\w+) (?:were|was|are|is|have been|has been|had been) (\w+ed|lost|spent|paid|driven|sold)\b")


def plain(text: str) -> str:
    """`text` with the simplest signs, one space between words, and nothing contracted."""
    text = re.sub(r"\s+", " ", text[:MOST_CHARACTERS].translate(_SIMPLER)).strip()
    for pattern, simple in _CONTRACTIONS:
        text = re.sub(pattern, simple, text, flags=re.I)
    return text


def whole_names(text: str, lexicon: Lexicon) -> str:
    """The text with names of columns put together that an auxiliary stands within: days were lost."""
    for found in _PARTED.finditer(text):
        for pair in ((found[1], found[2]), (found[2], found[1])):
            known = lexicon.meanings([word.lower() for word in pair])
            if any(one.sort == "column" and one.weight >= EXACT for one in known):
                return text.replace(found[0], " ".join(pair), 1)
    return text
