"""What the demo model answers from the manual: the sentences and steps that speak of the question, word for word, each
with the section it is from. Whatever a page says is only ever quoted."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from turnkeep.agents.database.manual.wording import alike
from turnkeep.blocks.rarity import Weights, sentences, stem_of, stems
from turnkeep.blocks.words import STOP_WORDS, singular, words
from turnkeep.records import JSON

NOTHING = (
    "The manual has nothing on this. Other words for it, or the name of the page or menu it is about, "
    "would help me to look again."
)
MOST_CHARACTERS = 1_000  # of a question that are read
LEAST_COVERAGE = 0.5  # of what is asked, by weight, that a section has to speak of
TITLE_WEIGHT = 0.5
PART_WEIGHT = 0.6
OTHER_WORD_WEIGHT = 0.6
RANK_WEIGHT = 0.12  # how much each place further down a section's search result counts against it
MOST_PARTS = (3, 2)  # of the best section, and of the next where it is nearly as good
NEAR = 0.75
MOST_STEPS = 12

# Words of asking, which say what kind of answer is wanted.
_ASKING = frozenset(
    """want need like know tell explain show give help please use used using get make made go let happen happens mean
    able possible allowed way steps step instruction guide kind type thing something someone anybody somebody many much
    long often big large work works find see look exactly really still now
    same two difference different differ between compare application system software product available exist""".split()  # noqa: SIM905
)
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
    asked = asked_stems(question)
    weights = weights or Weights(f"{row['title']} {row['text']}" for row in rows)
    if max((_coverage(row, asked, weights) for row in rows), default=0.0) < LEAST_COVERAGE:
        return NOTHING
    merits = [_merit(row, question, asked, weights, at) for at, row in enumerate(rows)]
    ranked = sorted(range(len(rows)), key=lambda at: -merits[at])
    near = [at for at in ranked[1:2] if merits[at] >= NEAR * merits[ranked[0]]]
    chosen = zip([ranked[0], *near], MOST_PARTS, strict=False)
    return "\n\n".join(_quoted(rows[at], question, asked, weights, most) for at, most in chosen)


def asked_stems(question: str) -> list[str]:
    """What a question is about, each word once, in order."""
    said = [word for word in words(question) if word not in STOP_WORDS and len(word) > 1]
    kept = [word for word in said if singular(word) not in _ASKING and word not in _ASKING] or said
    return list(dict.fromkeys(stem_of(word) for word in kept))


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


def choose_parts(text: str, question: str, asked: Sequence[str], weights: Weights, most: int) -> list[Part]:
    """The parts that speak most of what is asked, in the order of the text."""
    every = split_parts(text)
    merits = {part: _fitness(part, question, asked, weights) - 0.02 * at for at, part in enumerate(every)}
    chosen = sorted(every, key=lambda part: -merits[part])[:most]
    return [part for part in every if part in chosen]


def _fitness(part: Part, question: str, asked: Sequence[str], weights: Weights) -> float:
    """Steps fit a question for how, figures one for how many."""
    fitting = 0.7 if part.is_steps and _HOW.search(question) else 0.0
    fitting += 1.2 if _MEANING.search(question) and _defines(part.text, asked) else 0.0
    fitting += 0.35 if _FIGURES.search(question) and _FIGURE.search(part.text) else 0.0
    return _covered(asked, part.text, weights) + fitting


def _defines(text: str, asked: Collection[str]) -> bool:
    """Whether the text opens with what is asked and says what that is."""
    opening = _OPENING.match(text)
    named = [stem for stem in stems(opening["name"]) if stem not in STOP_WORDS] if opening else []
    return bool(named) and set(named) <= set(asked)


def _merit(row: JSON, question: str, asked: Sequence[str], weights: Weights, at: int) -> float:
    """Of a section: what it and its title speak of, how well its best part fits, and what place the search gave it."""
    best = max((_fitness(part, question, asked, weights) for part in split_parts(row["text"])), default=0.0)
    title = TITLE_WEIGHT * _covered(asked, row["title"], weights)
    return _coverage(row, asked, weights) + title + PART_WEIGHT * best - RANK_WEIGHT * min(at, 8)


def _coverage(row: JSON, asked: Collection[str], weights: Weights) -> float:
    return _covered(asked, f"{row['title']} {row['text']}", weights)


def _covered(asked: Collection[str], text: str, weights: Weights) -> float:
    """The share of what is asked, by weight, that `text` speaks of; in other words it counts for half."""
    there = set(stems(text))
    total = sum(map(weights.of, asked))
    said = sum(weights.of(stem) * _presence(stem, there) for stem in asked)
    return said / total if total else 0.0


def _presence(stem: str, there: set[str]) -> float:
    return 1.0 if stem in there else OTHER_WORD_WEIGHT if alike(stem) & there else 0.0


def _own(asked: Sequence[str], title: str) -> list[str]:
    """What is asked beyond the title; all of it where the title says everything."""
    there = set(stems(title))
    return [stem for stem in asked if stem not in there] or list(asked)


def _quoted(row: JSON, question: str, asked: Sequence[str], weights: Weights, most: int) -> str:
    """Sentences flow, lists stand on their own lines; the section is named once, behind the last part."""
    text = ""
    for part in choose_parts(row["text"], question, _own(asked, row["title"]), weights, most):
        is_list = part.is_steps or bool(_ITEM.match(part.text))
        was_list = bool(_ITEM.match(text.rpartition("\n")[2]))
        joint = "" if not text else "\n" if is_list and was_list else "\n\n" if is_list or was_list else " "
        text = f"{text}{joint}{part.text}"
    return f"{text} [{row['id']}]"
