"""Picks sentences and facts out of papers without a model."""

import re
from collections.abc import Sequence

from turnkeep.blocks.rarity import Weights, sentences, stem_of, stems
from turnkeep.blocks.words import STOP_WORDS, singular, words
from turnkeep.records import JSON

# Words of asking; they say what kind of answer is wanted, not what it is about.
_ASKING = frozenset(
    """paper study work article research author wrote write written writer invent invented invention create created
    creator introduce introduced propose proposed publish published publication come appear appeared release
    released year date old recent title called name named link url read find found tell explain describe summarise
    summarize summary give show list compare comparison difference differ different versus vs between better best
    good main idea key please know want need like get use used using does mean about detail example many much say
    said help first new make made kind type thing happen result contribution finding overview short simple word
    people team behind problem solve""".split()  # noqa: SIM905
)


def asked_terms(text: str) -> list[str]:
    """What a question is about, each word once, in order."""
    kept = [word for word in words(text) if word not in STOP_WORDS and singular(word) not in _ASKING and len(word) > 1]
    return list(dict.fromkeys(stem_of(word) for word in kept))


def best_sentences(
    document: JSON, asked: Sequence[str], weights: Weights, *, count: int, said: str = "", cue: re.Pattern[str] | None
) -> list[str]:
    """The `count` sentences that speak most of what was asked, in the order of the text. The opening counts extra, and
    so does the `cue` of this kind of question; where nothing particular is asked, what was `said` is left out."""
    every = sentences(document["text"])
    own = [term for term in asked if term not in set(stems(document["title"]))]
    fresh = every if own else [sentence for sentence in every if sentence not in said] or every
    about = own or list(asked)

    def merit(sentence: str) -> float:
        repeated = 0.2 if sentence in said else 0.0
        opening = 0.35 if sentence == every[0] and not repeated else 0.0
        fitting = 0.5 if cue and cue.search(sentence) else 0.0
        place = 0.02 * (len(every) - every.index(sentence))
        return (
            weights.coverage(about, sentence)
            + 0.3 * weights.coverage(asked, sentence)
            + opening
            + fitting
            + place
            - repeated
        )

    chosen = sorted(fresh, key=merit, reverse=True)[:count]
    return [sentence for sentence in every if sentence in chosen]
