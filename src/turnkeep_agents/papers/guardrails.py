"""How far a request belongs to a field, judged without a model from the words of a corpus and a list of field terms.
A single everyday word of a title proves little: names and field terms count whole, other words have to add up."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from turnkeep.blocks.words import STOP_WORDS, singular, words

MAX_PHRASE_WORDS = 8
STRONG, PAIR, TITLE, TEXT = 1.0, 0.85, 0.5, 0.1
PAIR_LETTERS = 4
ACRONYM_LETTERS = 3
_TOKEN = re.compile(r"[\w-]+")
_COINED = re.compile(r"[A-Z][\w-]*[A-Z0-9]|[a-z][\w-]*[A-Z]")
# Words of asking, which say nothing about the field.
_ASKING = frozenset(
    words(
        """
        about answer ask author authors base compare comparison date describe detail difference does doi
        example explain find give idea introduce invent list main mean method name paper please propose
        publish published question read recommend result say show study suggest summarise summarize summary
        tell thank thanks title two use used want work write wrote written year know need help like new first
        make many much better best come get go good look think time way work s t re ve ll m d
        """
    )
)


@dataclass(frozen=True)
class ScopeScore:
    """`score` runs from 0 (not at all) to 100; `reason` is one sentence for the ledger."""

    score: int
    reason: str


class Scope:
    """The words of a field. Terms, names, titles and coined words (capitals inside) count whole, pairs of neighbours
    nearly so, other words of titles by half and of texts hardly. Surnames and short acronyms need their capitals."""

    def __init__(self, *, terms: Iterable[str], names: Iterable[str], titles: Iterable[str], texts: Iterable[str]):
        names, titles, texts = list(names), list(titles), list(texts)
        stems = [_stems(text) for text in [*titles, *texts]]
        self._weights: dict[tuple[str, ...], float] = {(word,): TEXT for text in stems for word in text}
        self._weights |= {(word,): TITLE for title in titles for word in _stems(title)}
        self._weights |= {pair: PAIR for text in stems for pair in pairwise(text) if _is_telling(pair)}
        coined = {token for text in [*titles, *texts] for token in _TOKEN.findall(text) if _COINED.match(token)}
        short = {token for token in coined if len(token) <= ACRONYM_LETTERS}
        parts = (part for title in titles for part in title.split(":") if len(part.split()) > 1)
        self._weights |= {
            tuple(_stems(phrase)): STRONG for phrase in [*(coined - short), *parts, *titles, *names, *terms]
        }
        self._as_written = short | {name.split()[-1] for name in names if name.split()}

    def weigh(self, query: str) -> list[tuple[str, float]]:
        """Each phrase or word of a query with its weight; words of asking and numbers are left out."""
        as_written = {singular(token.lower()) for token in _TOKEN.findall(query) if token in self._as_written}
        stems, weighed, position = _stems(query), list[tuple[str, float]](), 0
        while position < len(stems):
            unit = self._next(stems[position : position + MAX_PHRASE_WORDS])
            position += len(unit)
            weight = STRONG if unit[0] in as_written else self._weights.get(unit, 0.0)
            if weight > TITLE or not _is_idle(unit[0]):
                weighed.append((" ".join(unit), weight))
        return weighed

    def _next(self, stems: Sequence[str]) -> tuple[str, ...]:
        """The longest phrase known at this place, or one word."""
        lengths = range(len(stems), 1, -1)
        return next((tuple(stems[:n]) for n in lengths if tuple(stems[:n]) in self._weights), (stems[0],))


def score_scope(query: str, scope: Scope) -> ScopeScore:
    """Evidence that some of the query is of the field, less what the field does not know in it."""
    weighed = scope.weigh(query)
    known = {unit: weight for unit, weight in weighed if weight}
    if not known:
        return ScopeScore(0, "No word of the request belongs to the field.")
    doubt = 1.0
    for weight in known.values():
        doubt *= 1 - weight
    coverage = sum(min(1.0, weight / TITLE) for _, weight in weighed) / len(weighed)
    score = round(100 * (1 - doubt) * min(1.0, 0.5 + 0.8 * coverage))
    strongest = sorted(known, key=lambda unit: -known[unit])[:3]
    return ScopeScore(score, f"Of the field: {', '.join(strongest)}; {coverage:.0%} of the request is covered.")


def _stems(text: str) -> list[str]:
    return [word if word in STOP_WORDS else singular(word) for word in words(text)]


def _is_idle(word: str) -> bool:
    return word in STOP_WORDS or word in _ASKING or word.isdigit() or len(word) < 2


def _is_telling(pair: Sequence[str]) -> bool:
    return all(len(word) >= PAIR_LETTERS and not _is_idle(word) for word in pair)
