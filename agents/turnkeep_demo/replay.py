"""Recorded turns: the answers of a model to a question, found by its nearest wording. A message that differs in a word
that carries meaning (a name, a number, a period, a "not") is another question and has no recording."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Self, TypeAlias

from turnkeep.kit.words import singular, words
from turnkeep.records import JSON

FOLDER = Path(__file__).parent / "samples" / "recorded"
DECLINED, DECLINED_IT = "This demo cannot answer that.", "Questa demo non sa rispondere."
SUGGESTED = 3
LONGEST_MESSAGE = 500  # characters
LEAST_LETTERS = 4
"""Letters that a word needs before a wrong one counts as a typo: "CPA" is not "CPC"."""
_SMALL_WORDS = """
a an the of for in is are was were be do does did have has had can could please pls thanks hi hey
me us i we you my our your some any there what which show tell give see dollars s m d and so ok
il lo la gli le l un uno una di del della dello dei degli delle dell che cosa e sono mi ci per favore
"""
FILLERS = frozenset(words(_SMALL_WORDS))  # words that a near miss may leave out or add
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_SIGNS = {"$": " dollars ", "\u20ac": " euro ", "\u00a3": " pounds ", "%": " percent ", "'": " ", "\u2019": " "}

Tokens: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Recording:
    """One turn. `asks` are other wordings, `before` the questions that it follows, oldest first, and `calls` the
    answers to inner calls, keyed by the last part of their names."""

    question: str
    calls: Mapping[str, Any]
    asks: Sequence[str] = ()
    before: Sequence[str] = ()

    def distance(self, given: Tokens) -> float:
        return min(distance(given, tokens(wording)) for wording in (self.question, *self.asks))


class Recordings:
    """Recorded turns of an agent."""

    def __init__(self, every: Iterable[Recording]):
        self.every = tuple(every)

    @classmethod
    def of(cls, agent: str) -> Self:
        lines = (FOLDER / f"{agent}.jsonl").read_text(encoding="utf-8").splitlines()
        return cls(Recording(**json.loads(line)) for line in lines)

    def find(self, message: str, conversation: Sequence[JSON] = ()) -> Recording | None:
        """Return the turn that was recorded for a message; None also if two different turns match.

        Args:
            conversation: earlier messages, each with `role` and `content`; it may begin in the middle of the thread.
        """
        asked = [one["content"] for one in conversation if one["role"] == "user"]
        given = tokens(message) if len(message) <= LONGEST_MESSAGE else ()
        ranked = defaultdict[tuple[float, int], list[Recording]](list)
        for one in self.every:
            if not one.before or (is_answered(conversation) and self._follows(one, asked)):
                ranked[one.distance(given), -len(one.before)].append(one)
        (nearest, _), best = min(ranked.items(), default=((math.inf, 0), []))
        return best[0] if nearest < math.inf and all(one.calls == best[0].calls for one in best) else None

    def nearest(self, message: str) -> list[str]:
        """Return the questions that share most words with a message, of those without history and figures."""
        given = set(tokens(message)) - FILLERS

        def shared(question: str) -> float:
            own = set(tokens(question)) - FILLERS
            return len(given & own) / max(1, len(given | own))

        plain = [one.question for one in self.every if not one.before and not re.search(r"\d", one.question)]
        return sorted(plain, key=shared, reverse=True)[:SUGGESTED]

    def decline(self, message: str) -> str:
        """Return the reply to a message that was not recorded."""
        named = "; ".join(f"“{question}”" for question in self.nearest(message))
        return f"{DECLINED} Shall I answer one of these instead: {named}?"

    def _follows(self, one: Recording, asked: Sequence[str]) -> bool:
        """Return whether the last questions of the thread equal `before`, as far as the prompt shows them."""
        pairs = [*zip(reversed(one.before), reversed(asked), strict=False)]
        return bool(pairs) and all(self._is(question, tokens(given)) for question, given in pairs)

    def _is(self, question: str, given: Tokens) -> bool:
        same = [one for one in self.every if one.question == question] or [Recording(question, {})]
        return any(one.distance(given) < math.inf for one in same)


def is_answered(conversation: Sequence[JSON]) -> bool:
    """Return whether the last reply was an answer: no question follows from a decline."""
    replies = [one["content"] for one in conversation if one["role"] == "assistant"]
    return bool(replies) and not replies[-1].startswith((DECLINED, DECLINED_IT))


@lru_cache(4096)
def tokens(text: str) -> Tokens:
    """Return the words of a text; currency signs are words, "1,200" is 1200."""
    plain = _THOUSANDS.sub("", text)
    for sign, name in _SIGNS.items():
        plain = plain.replace(sign, name)
    return tuple(words(plain))


def distance(given: Tokens, asked: Tokens) -> float:
    """Return how many fillers and typos lie between two texts; infinity if anything else does."""
    if FILLERS.issuperset(given) or FILLERS.issuperset(asked):
        return 0.0 if given == asked else math.inf
    row = [0.0]
    for other in asked:
        row.append(row[-1] + _dropped(other))
    for word in given:
        new = [row[0] + _dropped(word)]
        for at, other in enumerate(asked):
            new.append(min(row[at] + _changed(word, other), row[at + 1] + _dropped(word), new[at] + _dropped(other)))
        row = new
        if min(row) == math.inf:
            break
    return row[-1]


def _dropped(word: str) -> float:
    return 1.0 if word in FILLERS else math.inf


def _changed(given: str, asked: str) -> float:
    if given == asked:
        return 0.0
    is_near = singular(given) == singular(asked) or (given not in _known() and is_typo(given, asked))
    return 1.0 if is_near else math.inf


@cache
def _known() -> frozenset[str]:
    """Return the words of all recordings: one in place of another is not a typo."""
    every = {word for file in FOLDER.glob("*.jsonl") for word in words(file.read_text(encoding="utf-8"))}
    return frozenset(every | {*map(singular, every)})


def is_typo(given: str, asked: str) -> bool:
    """Return whether one letter is wrong, missing, added or swapped, but not the first: "four" is not "hour"."""
    shortest = min(len(given), len(asked))
    if shortest < LEAST_LETTERS or given[0] != asked[0] or not (given + asked).isalpha():
        return False
    start = next((at for at, pair in enumerate(zip(given, asked, strict=False)) if len({*pair}) > 1), shortest)
    ours, theirs = given[start:], asked[start:]
    is_swapped = ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]
    return ours[1:] == theirs[1:] or ours[1:] == theirs or ours == theirs[1:] or is_swapped
