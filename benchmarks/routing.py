"""How often rules without a model send a question where people say that it belongs: to the database, the manual, or a
general answer. Two peers run beside them: keywords, and word counts learnt from the other texts. Last line: JSON.

    python benchmarks/routing.py --data ../shared/data
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from turnkeep_agents.database.routing import ROUTES, SURE, Routing, route_by_rules
from turnkeep.blocks.words import words

DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
SET = "routing"
FOLDS = 10

# What a seed of this kind looks for, as substrings and in this order.
KEYWORDS = (
    ("sql", ("how many", "count", "list", "show me", "total", "average", "sum of", "number of", "highest", "lowest")),
    ("rag", ("how do i", "how to", "how can i", "where can", "what is", "what are", "manual", "steps", "can i")),
)


@dataclass(frozen=True)
class Text:
    """A text and the route that people gave it."""

    text: str
    route: str


@dataclass(frozen=True)
class Row:
    """`by_route` holds precision, recall and F1; `confusion` counts, by the true route, what was answered."""

    system: str
    texts: int
    share: float
    accuracy: float
    by_route: dict[str, dict[str, float]]
    confusion: dict[str, dict[str, int]]


def main() -> None:
    texts = load(_data_option() / SET)
    if not texts:
        sys.exit(f"no *.jsonl in {SET}; name the folder of real data with --data")
    rows = measure(texts)
    _print(rows)


def load(folder: Path) -> list[Text]:
    """Every *.jsonl of the folder: one object a line, `text` and `route`."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines() if line.strip()]
    return [Text(row["text"], row["route"].lower()) for row in map(json.loads, lines)]


def measure(texts: Sequence[Text]) -> list[Row]:
    """One row for each system over all texts, and one over those of which the rules are sure."""
    by_rules = [_rules(one.text) for one in texts]
    sure = [at for at, found in enumerate(by_rules) if found.confidence >= SURE]
    return [
        _row("turnkeep", texts, [found.route for found in by_rules], len(texts)),
        _row("turnkeep, where sure", [texts[at] for at in sure], [by_rules[at].route for at in sure], len(texts)),
        _row("keywords", texts, [by_keywords(one.text) for one in texts], len(texts)),
        _row("word counts, learnt", texts, by_word_counts(texts), len(texts)),
    ]


def _rules(text: str) -> Routing:
    return route_by_rules(text, names=None, last_route=None, is_follow_up=False)


def by_keywords(text: str) -> str:
    said = text.lower()
    return next((route for route, keywords in KEYWORDS if any(word in said for word in keywords)), "general")


def by_word_counts(texts: Sequence[Text]) -> list[str]:
    """Naive Bayes over words and pairs of words; each tenth is judged by what the other nine taught. Equal texts stand
    in the same tenth, so that none is learnt by heart."""
    fold_of = {text: at % FOLDS for at, text in enumerate(dict.fromkeys(one.text for one in texts))}
    judges = [_learn([one for one in texts if fold_of[one.text] != fold]) for fold in range(FOLDS)]
    return [judges[fold_of[one.text]](one.text) for one in texts]


def _learn(texts: Sequence[Text]) -> Callable[[str], str]:
    counts = {route: Counter[str]() for route in ROUTES}
    for one in texts:
        counts[one.route].update(_features(one.text))  # type: ignore[index]
    vocabulary = len(set().union(*counts.values()))
    priors = Counter(one.route for one in texts)

    def judge(text: str) -> str:
        def chance(route: str) -> float:
            told = counts[route]  # type: ignore[index]
            size = told.total() + vocabulary
            return math.log(priors[route] + 1) + sum(math.log((told[word] + 1) / size) for word in _features(text))

        return max(ROUTES, key=chance)

    return judge


def _features(text: str) -> Iterator[str]:
    said = words(text)
    yield from said
    yield from (f"{one} {other}" for one, other in pairwise(said))


def _row(system: str, texts: Sequence[Text], answers: Sequence[str], of: int) -> Row:
    pairs = Counter(zip((one.route for one in texts), answers, strict=True))
    right = sum(pairs[route, route] for route in ROUTES)
    confusion: dict[str, dict[str, int]] = {true: {said: pairs[true, said] for said in ROUTES} for true in ROUTES}
    by_route: dict[str, dict[str, float]] = {route: _scores(route, pairs) for route in ROUTES}
    return Row(system, len(texts), _share(len(texts), of), _share(right, len(texts)), by_route, confusion)


def _scores(route: str, pairs: Counter[tuple[str, str]]) -> dict[str, float]:
    precision = _share(pairs[route, route], sum(count for (_, said), count in pairs.items() if said == route))
    recall = _share(pairs[route, route], sum(count for (true, _), count in pairs.items() if true == route))
    f1 = round(2 * precision * recall / (precision + recall), 4) if precision + recall else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _data_option() -> Path:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help=f"a folder with {SET}")
    data: Path = parser.parse_args().data
    return data


def _print(rows: Sequence[Row]) -> None:
    print(f"{'system':24}{'texts':>7}{'share':>8}{'accuracy':>10}  " + "".join(f"{f'{r} P / R':>18}" for r in ROUTES))
    for row in rows:
        scores = [f"{row.by_route[route]['precision']:.3f} / {row.by_route[route]['recall']:.3f}" for route in ROUTES]
        figures = "".join(f"{score:>18}" for score in scores)
        print(f"{row.system:24}{row.texts:>7}{row.share:>8.3f}{row.accuracy:>10.4f}  {figures}")
    print(f"\n{rows[0].system}, {'true':>8}  " + "".join(f"{route:>9}" for route in ROUTES))
    for true in ROUTES:
        print(f"{'':10}{true:>10}  " + "".join(f"{rows[0].confusion[true][said]:>9}" for said in ROUTES))
    print(json.dumps({"benchmark": SET, "rows": [asdict(row) for row in rows]}))


if __name__ == "__main__":
    main()
