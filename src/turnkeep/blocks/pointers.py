"""What in a message points back for certain: pronouns, "that one", half sentences, nouns without their "of what".
A pronoun counts only where no earlier clause of the same message named something that it may stand for."""

import re
from collections.abc import Callable

from turnkeep.blocks.grammar import (
    AUXILIARIES,
    CONJUNCTIONS,
    PERIODS,
    PRONOUNS,
    QUESTION_WORDS,
    RELATIONAL,
    REQUESTS,
    SPEAKER,
    Phrase,
    Reading,
    word_class,
)
from turnkeep.blocks.words import singular

FRAGMENT = "it is only part of a sentence"
FRAGMENT_WORDS = 5

_EMPTY = re.compile(
    r"\b(?:it(?:'s| is| was| would be)?|is it|was it) (?:true|possible|safe|okay|ok|worth|necessary|hard|easy|legal"
    r"|important|better|good|normal) (?:that|to|for \w+ to)\b|\bit (?:takes?|means?|costs?) to\b"
    r"|\b(?:is|are|was|were) there\W*$",
    re.IGNORECASE,
)
"""Pronouns that stand for nothing."""
_ELLIPSIS = re.compile(
    r"\W*(?:and|but|so|then|also|or|because|what about|how about|what if|why not|if so|if not|such as|along with"
    r"|in that case|besides|go on)\b",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"\W*(?:ok|okay|yes|yeah|no|nope|sure|right|thanks|thank you|great|good|well|oh|ah|oops|sorry|excuse me|wow|hmm"
    r"|of course|i meant?|not|speaking|by the way|btw|got it|i see)\b"
    r"|[^?.!]*\w[.!]+\s+\w",
    re.IGNORECASE,
)
_COMPARATIVES = word_class(
    "better worse less fewer easier harder larger bigger smaller faster slower older younger longer shorter higher"
    " lower cheaper stronger closer safer newer"
)
_BEFORE_THAT = AUXILIARIES | word_class("about of for with from to like by after before why how in on")
_COUNTED = word_class("of day time person more way hundred thousand million year month week hour")
_SAYING = AUXILIARIES | QUESTION_WORDS | REQUESTS | SPEAKER | {"you"}
_VERBAL = SPEAKER | PRONOUNS | AUXILIARIES | {"to", "you", "not", "please"}
_OWNED = PRONOUNS | QUESTION_WORDS | {"my", "your", "our"}


def what_points_back(message: Reading) -> str | None:
    """The first reason, in a few words, why `message` cannot be understood alone; None if there is none for certain."""
    return next((reason for reason, applies in _POINTERS.items() if applies(message)), None)


def relational(phrase: Phrase) -> list[str]:
    """Its relational nouns; "use" in "can I use" is none."""
    inside = phrase.words[1:] if phrase.before in _VERBAL else phrase.words
    return [word for word in inside if word in RELATIONAL]


def _has_pronoun(message: Reading) -> bool:
    without = Reading(_EMPTY.sub(" ", message.text), len(message.text))
    return any(without.tokens[at] in PRONOUNS for at in without.unbound())


def _has_demonstrative(message: Reading) -> bool:
    return any(_is_demonstrative(message, at) for at in message.unbound())


def _is_demonstrative(message: Reading, at: int) -> bool:
    word, before, after = message.tokens[at], message.before(at), message.after(at)
    if word in {"this", "these", "those"}:
        return singular(after) not in PERIODS and after != "who"
    if word == "that":
        is_subject = after in AUXILIARIES and (not before or before in AUXILIARIES | CONJUNCTIONS | {","})
        return is_subject or _ends(after) or before in _BEFORE_THAT
    return word == "here" or (word == "there" and _ends(after) and before not in AUXILIARIES)


def _has_anaphor(message: Reading) -> bool:
    return any(_is_anaphor(message, at) for at in range(len(message.tokens)))


def _is_anaphor(message: Reading, at: int) -> bool:
    """Words that mean another thing than the one they name, unless the message itself says which."""
    tokens, before, after = message.tokens, message.before(at), message.after(at)
    match tokens[at]:
        case "one" | "ones":
            is_open = after not in _COUNTED and before not in {"no", "at", "for"}
        case "other" | "others" | "another" | "else" | "former" | "latter" | "aforementioned":
            is_open = before != "than" and "than" not in tokens[at + 1 : at + 4]
        case "same":
            is_open = after != "time" and "and" not in tokens[:at]
        case "both" | "either" | "neither":
            is_open = not {"and", "or", "nor"} & set(tokens[at + 1 : at + 6])
        case "too" | "again" | "instead":
            is_open = _ends(after)
        case "different" | "similar" | "differ" | "related" | "compare":
            is_open = at > 0 and _ends(after) and "and" not in tokens[:at]
        case _:
            is_open = False
    return is_open


def _compares(message: Reading) -> bool:
    return bool(_COMPARATIVES & set(message.tokens)) and not {"than", "or"} & set(message.tokens)


def _is_elliptic(message: Reading) -> bool:
    return _ELLIPSIS.match(message.text) is not None


def _reacts(message: Reading) -> bool:
    return _REACTION.match(message.text) is not None


def _is_fragment(message: Reading) -> bool:
    spoken = [word for word in message.tokens if word[0].isalnum()]
    return len(spoken) <= FRAGMENT_WORDS and not _SAYING & set(spoken)


def _lacks_complement(message: Reading) -> bool:
    return any(_is_bare(message, number) for number in range(len(message.phrases)))


def _is_bare(message: Reading, number: int) -> bool:
    """A relational noun alone, without a complement after it or after the noun that "and" adds to it."""
    phrase = message.phrases[number]
    if phrase.topics or phrase.before in _OWNED or not relational(phrase):
        return False
    complement = message.complement(number)
    return complement is None or not complement.topics


def _names_nothing(message: Reading) -> bool:
    return not message.topics


def _ends(after: str) -> bool:
    """Whether a phrase may end before the word."""
    return not after[:1].isalnum() or after in CONJUNCTIONS | AUXILIARIES


_POINTERS: dict[str, Callable[[Reading], bool]] = {
    "a pronoun stands for something said before": _has_pronoun,
    "this, that or there points back": _has_demonstrative,
    "a word such as one, other or same points back": _has_anaphor,
    "it compares with something unsaid": _compares,
    "it goes on from the last message": _is_elliptic,
    "it reacts to what was said": _reacts,
    FRAGMENT: _is_fragment,
    "it leaves out of what": _lacks_complement,
    "it names no topic": _names_nothing,
}
