"""Does a message lean on what was said before? Rules only, for English: what points back decides alone, the rest is
weighed. Most messages within a conversation lean on it, so the signs ask whether one names its topic in full."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from turnkeep.blocks.grammar import LINKS, PERIODS, QUALITIES, TWO_SIDED, Reading, is_topic
from turnkeep.blocks.pointers import FRAGMENT, relational, what_points_back
from turnkeep.blocks.words import singular, words

MESSAGE_CHARACTERS = 1_000
EARLIER_CHARACTERS = 500
EARLIER_MESSAGES = 10
READ_REPLIES = 3
SURE_SCORE = 0.85

_DEFINITION = re.compile(
    r"\W*(?:what|who)(?:'?s| is| are| was| were) (?:an? )?(?!the\b)(?P<topic>[^?.,]+?)"
    r"(?:,? and (?:why|how|where|when|what|who)\b.*)?\W*$"
    r"|\W*what do(?:es)? (?P<term>.+) means?\W*$",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\bthe (?:(?:most|least) \w+|best|worst|(?!interest|forest|test|request|rest|west|harvest|guest)\w{3,}est"
    r"|first|second|third|last|next)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FollowUp:
    """`reason` is a few words for the ledger; `is_sure` is false where a model would be worth asking."""

    is_follow_up: bool
    reason: str
    is_sure: bool = True


def depends_on_history(message: str, history: Sequence[str], *, replies: Sequence[str] = ()) -> FollowUp:
    """Whether `message` needs the earlier messages of its user, oldest first, to be understood. The assistant's
    `replies`, oldest first, tell a new subject from one that has come up."""
    if not any(text.strip() for text in history):
        return FollowUp(False, "nothing was said before")
    said = Said(message, history, replies)
    if reason := what_points_back(said.message):
        return FollowUp(True, reason, reason != FRAGMENT or len(said.new) < 2)
    return _weigh({reason: sign.weight for reason, sign in SIGNS.items() if sign.applies(said)})


def _weigh(signs: Mapping[str, float]) -> FollowUp:
    score = BIAS + sum(signs.values())
    is_follow_up = score > 0
    telling = {reason: abs(weight) for reason, weight in signs.items() if (weight > 0) == is_follow_up}
    reason = max(telling, key=telling.__getitem__, default="it names too little to stand alone")
    return FollowUp(is_follow_up, reason, bool(signs) and abs(score) >= SURE_SCORE)


class Said:
    """A message within its conversation. Long texts are read from their beginning only."""

    def __init__(self, message: str, history: Sequence[str], replies: Sequence[str]):
        self.message = Reading(message, MESSAGE_CHARACTERS)
        self._history = [Reading(text, EARLIER_CHARACTERS) for text in history[-EARLIER_MESSAGES:]]
        self.has_replies = bool(replies)
        self._replies = [Reading(text, MESSAGE_CHARACTERS) for text in replies[-READ_REPLIES:]]

    @cached_property
    def asked(self) -> frozenset[str]:
        """The topics of the user's earlier messages."""
        return frozenset(topic for text in self._history for topic in text.topics)

    @cached_property
    def heard(self) -> frozenset[str]:
        """The topics of the assistant's replies."""
        return frozenset(topic for text in self._replies for topic in text.topics)

    @cached_property
    def new(self) -> frozenset[str]:
        return self.message.topics - self.asked - self.heard

    @cached_property
    def named_before(self) -> frozenset[frozenset[str]]:
        return frozenset(phrase.topics for text in self._history for phrase in text.phrases if phrase.topics)

    @cached_property
    def names_again_in_full(self) -> bool:
        """Barges are, as "river barges" too, where barges were spoken of, but not where only river barges were."""
        named = [phrase.topics for phrase in self.message.phrases if phrase.topics & self.asked]
        return any(earlier <= topics for topics in named for earlier in self.named_before)


@dataclass(frozen=True)
class Sign:
    weight: float
    applies: Callable[[Said], bool]


def _is_known_thing(said: Said) -> bool:
    return any(len(words_) == 1 for words_ in _definite(said))


def _is_known_kind(said: Said) -> bool:
    return any(len(words_) > 1 for words_ in _definite(said))


def _definite(said: Said) -> list[tuple[str, ...]]:
    """The words of phrases with "the" that neither a name nor a complement makes definite."""
    found = [
        (phrase, said.message.complement(number))
        for number, phrase in enumerate(said.message.phrases)
        if phrase.before == "the" and not phrase.is_named and not relational(phrase)
    ]
    return [phrase.words for phrase, complement in found if complement is None or not complement.topics]


def _shortens(said: Said) -> bool:
    if said.names_again_in_full:
        return False
    named = [phrase.topics for phrase in said.message.phrases if phrase.topics]
    return any(topics < earlier for topics in named for earlier in said.named_before)


def _leaves_open(said: Said) -> bool:
    """Of what: "which hotels", "popular hotels", "the best hotel", "are there any hotels"."""
    message = said.message
    is_tied = any(phrase.after in {"of", "in", "to", "at"} for phrase in message.phrases)
    places = [at for at, word in enumerate(message.tokens) if word == "there"]
    exists = any(message.before(at) in {"is", "are", "was", "were"} for at in places)
    is_best = _SUPERLATIVE.search(message.text) is not None and not {"of", "in"} & set(message.tokens)
    return is_best or (exists and not is_tied) or any(_is_open(message, n) for n in range(len(message.phrases)))


def _is_open(message: Reading, number: int) -> bool:
    phrase = message.phrases[number]
    if phrase.before in {"what", "which"}:
        return phrase.after not in {"of", "for"} and not phrase.is_named
    complement = message.complement(number)
    is_tied = complement is not None and bool(complement.topics)
    is_praised = any(word in QUALITIES for word in phrase.words[:-1]) and phrase.words[-1] not in QUALITIES | PERIODS
    return is_praised and bool(phrase.topics) and not is_tied and phrase.before != "the"


def _repeats(said: Said) -> bool:
    return bool(said.message.topics & said.asked)


def _repeats_in_full(said: Said) -> bool:
    return said.names_again_in_full


def _brings_name(said: Said) -> bool:
    is_definite = any(phrase.before == "the" and phrase.is_named for phrase in said.message.phrases)
    return not is_definite and any(singular(name) not in said.asked for name in said.message.names)


def _defines(said: Said) -> bool:
    found = _DEFINITION.match(said.message.text)
    term = [singular(word) for word in words(found["topic"] or found["term"])] if found else []
    return 0 < len(term) <= 3 and all(map(is_topic, term))


def _completes(said: Said) -> bool:
    """A relational noun with a new complement: "the history of kites"."""
    message = said.message
    for number, phrase in enumerate(message.phrases):
        complement = message.complement(number)
        nouns = relational(phrase)
        if complement and nouns and complement.topics - said.asked:
            sides = [word for word in message.tokens[phrase.end :] if word in LINKS | {"and"}]
            return len(sides) > 1 or TWO_SIDED.isdisjoint(nouns)
    return False


def _says_much(said: Said) -> bool:
    return len(said.new) >= 3


def _is_all_new(said: Said) -> bool:
    return said.has_replies and len(said.new) > 1 and said.new == said.message.topics


BIAS = 1.04
SIGNS = {
    "it speaks of one thing as known": Sign(1.23, _is_known_thing),
    "it speaks of a kind as known": Sign(0.76, _is_known_kind),
    "it shortens what was named before": Sign(0.90, _shortens),
    "it leaves open among what": Sign(0.88, _leaves_open),
    "it repeats a topic by name": Sign(-1.31, _repeats),
    "it repeats a topic in full": Sign(-0.68, _repeats_in_full),
    "it brings a new name": Sign(-0.73, _brings_name),
    "it asks what something is": Sign(-1.35, _defines),
    "it says of what": Sign(-0.33, _completes),
    "it brings several new topics": Sign(-0.99, _says_much),
    "nothing of it was asked or answered before": Sign(-1.05, _is_all_new),
}
"""Log-odds as `benchmarks/fit_followups.py` finds them, positive for a follow-up; that of the last one is set by hand.
Of the messages without any sign most are follow-ups: hence the bias."""
