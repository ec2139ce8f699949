"""What the demo model answers from the manual: the sentences and steps that speak of the question, word for word, each
with the section it is from. Whatever a page says is only ever quoted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from turnkeep_agents.database.manual.concepts import (
    MOST_CHARACTERS,
    Concept,
    concepts_of,
    coverage,
    fields_of,
    plain_fields,
    score,
    strength,
    weight_of,
)
from turnkeep_agents.database.manual.definitions import definition_in
from turnkeep_agents.database.manual.stems import stems
from turnkeep.blocks.rarity import Weights, sentences
from turnkeep.blocks.words import STOP_WORDS
from turnkeep.records import JSON

NOTHING = (
    "The manual has nothing on this. Other words for it, or the name of the page or menu it is about, "
    "would help me to look again."
)
LEAST_COVERAGE = 0.6  # of what is asked, by weight, that a section has to speak of
LEAST_OF_MUCH, MUCH = 0.3, 1.1  # less will do where that is much: as a word weighs that nobody else has
OF_ADVICE = 0.6  # of what is found counts where somebody asks what to buy, wear or visit: hardly of an application
LEAST_NEAR = 0.3  # and to be named where none does
PART_WEIGHT = 0.25
RANK_WEIGHT = 0.12  # how much each place further down a section's search result counts against it
NOBODYS_WORD = ""
LEAST_CONCEPTS = 2  # of a message that needs no other
MOST_PARTS = (3, 2)  # of the best section, and of the next where it is nearly as good
NEAR = 0.7
MOST_NEAR = 3
MOST_STEPS = 12

_ADVICE = re.compile(
    r"\b(?:(?:buy|get|find|rent) (?:me |us )?(?:an? |some )?(?:cheap|good|decent|nice|second[- ]hand|used)|nearest"
    r"|near(?:by| here| to| of)|recommend|(?:has|have|is|are) the best"
    r"|(?:should|do|can) (?:i|we) (?:buy|wear|cook|eat|drink)|what time (?:does|do|is))\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"\W*(?:and|or|but|what about|how about|what if|also)\b", re.IGNORECASE)
_HOW = re.compile(
    r"\bhow (?:do|can|could|should|would|to|must)\b|\bwhere\b|\bsteps?\b|\b(?:can|may|could|should) (?:i|we)\b"
    r"|\bis it possible\b|\binstructions?\b|\bwhat (?:should|must|do) (?:i|we) do\b",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"\bhow (?:many|much|long|often|large|big|old|far|soon|late)\b|\bwhen\b|\blimit\b", re.IGNORECASE)
_MEANING = re.compile(r"\bwhat(?:'s|s| is| are| does| do)\b|\bmean(?:s|ing)?\b|\bdefin\w+|\bexplain\b", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:[-*+]\s+)?(?:(?:an?|the)\s+)?(?P<name>[^:.]{2,60}?)(?:\*\*)?(?::| is\b| are\b| means\b| says\b)", re.IGNORECASE
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_STEP = re.compile(r"^\s*\d+[.)]\s+")
_FIGURE = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|never|always|once|daily|weekly|monthly|yearly)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence, an item of a list, or all steps of a numbered list with the words before it."""

    text: str
    is_steps: bool = False


def answer_from(parts: JSON, weights: Weights | None = None) -> str:
    """The answer from the documents of a prompt; `weights` are those of the whole manual, else of the documents."""
    question, rows = parts["query"][:MOST_CHARACTERS], parts["documents"]
    if told := definition_in(question, rows):
        return told
    concepts = concepts_of(question)
    weights = weights or Weights((f"{row['title']} {row['text']}" for row in rows), stems)
    trust = OF_ADVICE if _ADVICE.search(question) else 1.0
    if not any(_answers(row, concepts, weights, trust) for row in rows):
        return _refusal(rows, concepts, weights)
    merits = _merits(rows, question, concepts, weights)
    ranked = sorted(range(len(rows)), key=lambda at: -merits[at])
    near = [at for at in ranked[1:2] if merits[at] >= NEAR * merits[ranked[0]]]
    chosen = zip([ranked[0], *near], MOST_PARTS, strict=False)
    return "\n\n".join(_quoted(rows[at], question, concepts, weights, most) for at, most in chosen)


def names_subject(message: str, rows: Sequence[JSON], weights: Weights) -> bool:
    """Whether a message says enough of its own for the sections found to be about it, whatever was said before."""
    concepts = concepts_of(message)
    if len(concepts) < LEAST_CONCEPTS or _ELLIPSIS.match(message):
        return False
    return any(_answers(row, concepts, weights) for row in rows)


def _answers(row: JSON, concepts: Sequence[Concept], weights: Weights, trust: float = 1.0) -> bool:
    """Whether a section is about what is asked: rare words count, and those that the manual does not have most. Who
    tells a story says much beside what is asked, so a large part of one question is a small part of another."""
    share = trust * coverage(concepts, fields_of(row), weights)
    found = share * sum(weight_of(one, weights) for one in concepts) / weights.of(NOBODYS_WORD)
    return share >= LEAST_COVERAGE or (share >= LEAST_OF_MUCH and found >= MUCH)


def _refusal(rows: Sequence[JSON], concepts: Sequence[Concept], weights: Weights) -> str:
    """With the names of the sections that come nearest, if any is near: the manual may have it in other words."""
    near = [row["title"] for row in rows if coverage(concepts, fields_of(row), weights) >= LEAST_NEAR]
    return f"{NOTHING} Nearest to it: {', '.join(near[:MOST_NEAR])}." if near else NOTHING


def split_parts(text: str) -> list[Part]:
    """The sentences and items of a section in order; a numbered list stays whole."""
    found: list[Part] = []
    steps: list[str] = []
    for line in text.split("\n"):
        if _STEP.match(line):
            steps.append(line.strip())
            continue
        if steps:
            found.append(Part("\n".join(steps[:MOST_STEPS]), is_steps=True))
            steps = []
        if _ITEM.match(line):
            found.append(Part(line.strip()))
        elif line.strip():
            found += [Part(sentence) for sentence in sentences(line)]
    return [*found, Part("\n".join(steps[:MOST_STEPS]), is_steps=True)] if steps else found


def choose_parts(text: str, question: str, concepts: Sequence[Concept], weights: Weights, most: int) -> list[Part]:
    """The parts that speak most of what is asked, in the order of the text."""
    every = split_parts(text)
    merits = {part: _fitness(part, question, concepts, weights) - 0.02 * at for at, part in enumerate(every)}
    chosen = sorted(every, key=lambda part: -merits[part])[:most]
    return [part for part in every if part in chosen]


def _fitness(part: Part, question: str, concepts: Sequence[Concept], weights: Weights) -> float:
    """Steps fit a question for how, figures one for how many."""
    fitting = 0.7 if part.is_steps and _HOW.search(question) else 0.0
    fitting += 1.2 if _MEANING.search(question) and _defines(part.text, concepts) else 0.0
    fitting += 0.35 if _FIGURES.search(question) and _FIGURE.search(part.text) else 0.0
    return coverage(concepts, plain_fields(part.text), weights) + fitting


def _defines(text: str, concepts: Sequence[Concept]) -> bool:
    """Whether the text opens with what is asked and says what that is."""
    opening = _OPENING.match(text)
    named = [stem for stem in stems(opening["name"]) if stem not in STOP_WORDS] if opening else []
    return bool(named) and set(named) <= {one.own for one in concepts}


def _merits(rows: Sequence[JSON], question: str, concepts: Sequence[Concept], weights: Weights) -> list[float]:
    """Of each section: what it speaks of, how well its best part fits, and what place the search gave it. The search's
    own scores, which know of nearness in meaning, count where all have one; what a model chose may have none."""
    scores = [row.get("score") for row in rows]
    if None in scores:
        scores = [score(concepts, fields_of(row), weights) for row in rows]
    parts = ([_fitness(part, question, concepts, weights) for part in split_parts(row["text"])] for row in rows)
    fits = [max(found, default=0.0) for found in parts]
    return [
        (said or 0.0) + PART_WEIGHT * fit - RANK_WEIGHT * min(at, 8)
        for at, (said, fit) in enumerate(zip(scores, fits, strict=True))
    ]


def _beyond(concepts: Sequence[Concept], title: str) -> list[Concept]:
    """What is asked beyond the title; all of it where the title says everything."""
    there = plain_fields(title)
    return [one for one in concepts if not strength(one, there)] or list(concepts)


def _quoted(row: JSON, question: str, concepts: Sequence[Concept], weights: Weights, most: int) -> str:
    """Sentences flow, lists stand on their own lines; the section is named once, behind the last part."""
    text = ""
    for part in choose_parts(row["text"], question, _beyond(concepts, row["title"]), weights, most):
        is_list = part.is_steps or bool(_ITEM.match(part.text))
        was_list = bool(_ITEM.match(text.rpartition("\n")[2]))
        joint = "" if not text else "\n" if is_list and was_list else "\n\n" if is_list or was_list else " "
        text = f"{text}{joint}{part.text}"
    return f"{text} [{row['id']}]"
