"""How-to questions in everyday words, put to the bundled manual: whether search finds a section that answers, and
whether the demo model cites one, or refuses what no page answers. manual_questions.jsonl holds 244 of them in six
voices, written without a look at the index words of the pages. Rules were tuned on `development`. `held_out` is its
other half, drawn at random and only ever counted: before the tuning, after it, and once more after the rule of refusal
had been changed on `development`. `later` was written after all that. "dense" is the extra of that name. `to_manual` is
how many of those with an answer the rules of routing send to the manual over the sample's schema, `not_lost` these and
the ones of which a model would be asked. Last line: JSON.

    python benchmarks/manual_questions.py --half development --verbose
"""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.manual.answers import NOTHING, answer_from
from turnkeep_agents.database.manual.manual import Manual, open_manual
from turnkeep_agents.database.routing import SURE, Routing, route_by_rules
from turnkeep_agents.database.vocabulary import Vocabulary, vocabulary_of
from turnkeep_agents.database.wall.database import SAMPLE_JOINS
from turnkeep.blocks.retrieval import MissingExtra
from turnkeep.records import JSON

QUESTIONS = Path(__file__).with_suffix(".jsonl")
HALVES = ("development", "held_out", "later")
SEARCHES = ("lexical", "dense")
SHOWN = 5  # sections that an answer is written from
_CITED = re.compile(r"\[([\w/-]+#[\w-]+)\]")


@dataclass(frozen=True)
class Result:
    """`rank` of the first section found that answers, from 1; 0 where none of the first is. `is_right` is a reply that
    cites one of them, or a refusal where there is none; `is_named` is one that cites it or names it as the nearest."""

    question: str
    is_answerable: bool
    rank: int
    is_refused: bool
    is_right: bool
    is_named: bool
    cited: tuple[str, ...]
    routing: Routing


@dataclass(frozen=True)
class Row:
    """Shares; hits are of answerable questions, `refused_beyond` of the others."""

    search: str
    half: str
    answerable: int
    beyond: int
    hit_at_1: float
    hit_at_3: float
    hit_at_5: float
    right: float
    named: float
    wrong: float
    refused: float
    refused_beyond: float
    to_manual: float
    not_lost: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, help="taken as by the other benchmarks, and not needed")
    arguments.add_argument("--half", choices=HALVES, help="one of them; all without it")
    arguments.add_argument("--verbose", action="store_true", help="show what goes wrong in the development half")
    options = arguments.parse_args()
    halves = (options.half,) if options.half else HALVES
    graph, rows = load_graph(SAMPLE_JOINS), []
    for search in SEARCHES:
        manual = _open(search)
        if manual is None:
            print(f"{search}: not installed (uv sync --extra dense)")
            continue
        names = vocabulary_of(graph, manual)
        for half in halves:
            results = [_ask(manual, names, row) for row in read_questions(half)]
            rows.append(_row(search, half, results))
            if options.verbose and half == HALVES[0]:
                _show(search, results)
    _print(rows)


def read_questions(half: str) -> list[JSON]:
    every = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    return [row for row in every if row["half"] == half]


def _open(search: str) -> Manual | None:
    try:
        return open_manual(None, dense=search == "dense")
    except MissingExtra:
        return None


def _ask(manual: Manual, names: Vocabulary, row: JSON) -> Result:
    question, gold = row["question"], set(row["sections"])
    found = manual.search(question, SHOWN)
    rank = next((at for at, one in enumerate(found, 1) if one.id in gold), 0)
    said = answer_from({"query": question, "documents": [asdict(one) for one in found]}, manual.weights)
    cited, is_refused = tuple(_CITED.findall(said)), said.startswith(NOTHING)
    is_right = bool(gold & set(cited)) if gold else is_refused
    is_named = is_right or any(manual.by_id[id_].title in said for id_ in gold)
    routing = route_by_rules(question, names=names)
    return Result(question, bool(gold), rank, is_refused, is_right, is_named, cited, routing)


def _row(search: str, half: str, results: Sequence[Result]) -> Row:
    asked = [one for one in results if one.is_answerable]
    beyond = [one for one in results if not one.is_answerable]
    right, refused = sum(one.is_right for one in asked), sum(one.is_refused for one in asked)
    to_manual = [one for one in asked if one.routing.route == "rag"]
    not_lost = [one for one in asked if one.routing.route == "rag" or one.routing.confidence < SURE]
    at_1, at_3, at_5 = (_share(sum(0 < one.rank <= depth for one in asked), asked) for depth in (1, 3, SHOWN))
    return Row(
        search=search,
        half=half,
        answerable=len(asked),
        beyond=len(beyond),
        hit_at_1=at_1,
        hit_at_3=at_3,
        hit_at_5=at_5,
        right=_share(right, asked),
        named=_share(sum(one.is_named for one in asked), asked),
        wrong=_share(len(asked) - right - refused, asked),
        refused=_share(refused, asked),
        refused_beyond=_share(sum(one.is_refused for one in beyond), beyond),
        to_manual=_share(len(to_manual), asked),
        not_lost=_share(len(not_lost), asked),
    )


def _share(part: int, of: Sequence[Result]) -> float:
    return round(part / len(of), 4) if of else 0.0


def _show(search: str, results: Sequence[Result]) -> None:
    for one in results:
        if not one.is_right:
            verdict = "refused" if one.is_refused else f"said {', '.join(one.cited)}"
            print(f"{search:8} rank {one.rank}  {one.question}\n{'':16}{verdict}")


def _print(rows: Sequence[Row]) -> None:
    shares = [name for name, value in asdict(rows[0]).items() if isinstance(value, float)] if rows else []
    print(f"{'search':9}{'half':13}{'questions':>12}" + "".join(f"{name:>15}" for name in shares))
    for row in rows:
        figures = "".join(f"{getattr(row, name):>15.3f}" for name in shares)
        print(f"{row.search:9}{row.half:13}{f'{row.answerable} + {row.beyond}':>12}{figures}")
    print(json.dumps({"benchmark": QUESTIONS.stem, "rows": [asdict(row) for row in rows]}))


if __name__ == "__main__":
    main()
