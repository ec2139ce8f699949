"""Does a message lean on what was said before, and what to search for if it does. Rules only, for English.
Naming the topic of the conversation again is the sign of a message that stands alone, not of a follow-up."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from turnkeep.blocks.words import STOP_WORDS, singular, words

CONTEXT_MESSAGES = 2
MESSAGE_WEIGHT = 3
SHORT_WORDS = 8
FRAGMENT_WORDS = 3

_POINTERS = re.compile(
    r"\b(it|its|they|them|their|theirs|he|him|his|she|her|hers|these|those|former|latter|which ones?"
    r"|(the|that|this) (same|ones?|others?|rest|first|second|third|last|previous|above|two|three))\b"
    r"|\b(that|this) (is|was|does|did|has|have|had|would|will|can|could)\b"
    r"|\b(does|did|do|is|was|about|of|for|with|from|to|has|like|by|after|before|why|how) (that|this)\b"
    r"|\b(that|this|there)\W*$",
    re.IGNORECASE,
)
_EMPTY_POINTERS = re.compile(
    r"\bit('s| is| was)? (true|possible|safe|ok|okay|worth|necessary|hard|easy) (that|to|for)\b"
    r"|\bhow long (does|will|did) it take\b|\b(is|are|was|were) there\W*$",
    re.IGNORECASE,
)
_CLAUSE_BREAK = re.compile(r",|\b(?:and|or|but|if|when|because|that)\b", re.IGNORECASE)
_PHRASES = re.compile(
    r"^\W*(and|but|so|or|also|then|ok|okay|yes|no|sure|why|why not|how so|what if|such as)\b"
    r"(?! (is|are|do|does|did|was|were)\b)"
    r"|\b(tell me more\W*$|more (details?|information|examples?)\b|(what|how) about|what else|anything else"
    r"|any others?|similar to|another (one|option|example)|other (similar )?\w+\W*$|go on|elaborate|instead\W*$"
    r"|(what|how) (is|are|was|were)('s)? the differences?( (in|with)\b.*)?\W*$|(as well|too|else|differ|again)\W*$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:] )[\"'“]?(?!I\b)[A-Z][\w-]*|\b[A-Z]{2,}\w*|\b\w*\d\w*\b|\"[^\"]+\"")
_ASKS = re.compile(
    r"\b(who|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|will|would|should|may|has|have|had"
    r"|tell|explain|describe|compare|define|give|show|list|find|i|we|you)\b|'s\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^\W*(?:what|who)(?:['\u2019]?s| is| are| was| were) (?:an? )?(?P<topic>[^?.]+?)\W*$"
    r"|^\W*(?:tell me about|describe|explain|define) (?P<named>.+)$",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"\bthe (?:\w+ )?(?!(?:of|in|for|between|to|on|behind|from|main|most)\b)[a-z]+"
    r"(?=\W*$| (?!of|in|for|between|to|on|behind|from)[a-z]+)"
)
_GENERIC = frozenset(
    words(
        """
        advantage approach argument author available bad become begin benefit best big biggest book cause
        change characteristic come common compare component con cost criticism difference different difficult
        disadvantage drawback effect end evidence example fact factor famous feature finding first found full
        function get give goal good happen help history idea impact implication important importance invented
        issue key kind know largest last less limitation list long main major make many mean member method
        modern much name need new number old oldest origin original paper part people popular possible
        potential problem process pro property published purpose reason recent related relationship result
        risk role sign significance similar similarity size smallest solution some source start step story
        study successful symptom system term test theme thing time treatment two type typical use used value
        version way well work world year tell explain describe define show find cite citation conclusion
        detail dataset experiment evaluated limit proposed written wrote write say said does mention mentioned
        better worse fast faster
        """
    )
)


@dataclass(frozen=True)
class FollowUp:
    """`reason` is a few words for the ledger."""

    is_follow_up: bool
    reason: str


def depends_on_history(message: str, history: Sequence[str]) -> FollowUp:
    """Whether `message` needs the earlier messages of its user, oldest first, to be understood."""
    if not any(text.strip() for text in history):
        return FollowUp(False, "nothing was said before")
    for verdict, reason, applies in _RULES:
        if applies(message, history):
            return FollowUp(verdict, reason)
    return FollowUp(False, "it names what it asks about")


def standalone_query(message: str, history: Sequence[str]) -> str:
    """What to search for: the message alone where it brings a name or asks what something is, else the message,
    three times for its weight, and the two messages before it. The repetition is for lexical search."""
    stands_alone = _has_name(message, history) or _asks_for_definition(message, history)
    if not history or (stands_alone and not depends_on_history(message, history).is_follow_up):
        return message
    return "\n".join([message] * MESSAGE_WEIGHT + list(history[-CONTEXT_MESSAGES:]))


def _points_back(message: str, history: Sequence[str]) -> bool:
    text = _EMPTY_POINTERS.sub(" ", message)
    return any(not _has_antecedent(text[: found.start()]) for found in _POINTERS.finditer(text))


def _has_antecedent(before: str) -> bool:
    """An earlier clause of the same message that names something may be what the pronoun stands for."""
    clauses = _CLAUSE_BREAK.split(before)
    return any(_topics(clause) for clause in clauses[:-1])


def _continues(message: str, history: Sequence[str]) -> bool:
    return _PHRASES.search(message) is not None


def _is_fragment(message: str, history: Sequence[str]) -> bool:
    return len(words(message)) <= FRAGMENT_WORDS and _ASKS.search(message) is None


def _has_name(message: str, history: Sequence[str]) -> bool:
    return _NAME.search(message) is not None


def _asks_for_definition(message: str, history: Sequence[str]) -> bool:
    found = _DEFINITION.search(message)
    if found is None:
        return False
    topic = found["topic"] or found["named"]
    return bool(_topics(topic)) and bool(_topics(words(topic)[0]))


def _is_definite(message: str, history: Sequence[str]) -> bool:
    return _DEFINITE.search(message) is not None


def _repeats_topic(message: str, history: Sequence[str]) -> bool:
    said = {word for text in history for word in _topics(text)}
    return bool(said & set(_topics(message)))


def _is_vague(message: str, history: Sequence[str]) -> bool:
    return not _topics(message)


def _is_short(message: str, history: Sequence[str]) -> bool:
    return len(words(message)) <= SHORT_WORDS


def _topics(text: str) -> list[str]:
    said = [singular(word) for word in words(text) if word not in STOP_WORDS and len(word) > 1]
    return [word for word in said if word not in _GENERIC]


_RULES: tuple[tuple[bool, str, Callable[[str, Sequence[str]], bool]], ...] = (
    (True, "a word points back", _points_back),
    (True, "it goes on from the last message", _continues),
    (True, "it is only part of a sentence", _is_fragment),
    (False, "it names something", _has_name),
    (False, "it asks what something is", _asks_for_definition),
    (True, "it speaks of something as known", _is_definite),
    (False, "it repeats the topic by name", _repeats_topic),
    (True, "it names no topic", _is_vague),
    (True, "it is short and names nothing said before", _is_short),
)
