"""Whether the tables that a question needs are among the first that words alone rank, without a model, beside plain
lexical retrieval over the same names and columns. Gold tables: those of beaver_sql are given, those of bird_minidev_sql
are read out of its SQL. Last line: JSON.

    python benchmarks/table_selection.py --data ../shared/data
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp

from turnkeep.kit.documents import Document
from turnkeep.kit.lexical import LexicalRetriever
from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.planning.ranking import TableRanker

BEAVER, BIRD = Path("beaver_sql"), Path("bird_minidev_sql")
DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
DEPTHS = {BEAVER: (8,), BIRD: (3, 5)}

Rank: TypeAlias = Callable[[str, int], list[str]]
Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    question: str
    tables: frozenset[str]


@dataclass(frozen=True)
class Selected:
    """`recall` is the mean share of the tables of a question among the first `depth`, `whole` the share of questions
    with all of them; `milliseconds` are for one question."""

    set: str
    ranker: str
    tables: int
    questions: int
    depth: int
    recall: float
    whole: float
    milliseconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help=f"a folder with {BEAVER} or {BIRD}")
    rows = selection(parser.parse_args().data)
    if not rows:
        sys.exit(f"neither {BEAVER} nor {BIRD} is there; name a folder with --data")
    print(f"{'set':34}{'ranker':12}{'tables':>7}{'questions':>10}{'at':>4}{'recall':>8}{'all found':>10}{'ms':>7}")
    for row in rows:
        print(
            f"{row.set:34}{row.ranker:12}{row.tables:>7}{row.questions:>10}{row.depth:>4}{row.recall:>8.3f}"
            f"{row.whole:>10.3f}{row.milliseconds:>7.2f}"
        )
    print(json.dumps({"benchmark": "table_selection", "rows": [asdict(row) for row in rows]}))


def selection(data: Path) -> list[Selected]:
    """One row for each set, ranker and depth; none for a set that `data` does not hold."""
    rows: list[Selected] = []
    if (data / BEAVER / "schemas.json").is_file():
        schemas = json.loads((data / BEAVER / "schemas.json").read_text())
        asked = list(_beaver_questions(data / BEAVER))
        rows += _rows("beaver dw", [(_beaver_graph(schemas, ["dw"]), asked)], DEPTHS[BEAVER])
        rows += _rows("beaver dw among all databases", [(_beaver_graph(schemas), asked)], DEPTHS[BEAVER])
    if (data / BIRD / "schemas.json").is_file():
        schemas = json.loads((data / BIRD / "schemas.json").read_text())
        questions = _bird_questions(data / BIRD, schemas)
        parts = [(_bird_graph(schemas[name]), questions[name]) for name in sorted(schemas)]
        rows += _rows("bird, each database", parts, DEPTHS[BIRD])
    return rows


def _rows(name: str, parts: Sequence[tuple[JoinGraph, Sequence[Asked]]], depths: Sequence[int]) -> Iterator[Selected]:
    makers: Mapping[str, Callable[[JoinGraph], Rank]] = {"turnkeep": _ours, "BM25F": _lexical}
    for ranker, make in makers.items():
        ranks = [(make(graph), asked) for graph, asked in parts]
        tables = sum(len(graph.tables) for graph, _ in parts)
        for depth in depths:
            started = perf_counter()
            shares = [_share(rank(one.question, depth), one) for rank, asked in ranks for one in asked]
            each = (perf_counter() - started) / len(shares) * 1000
            whole = fmean(share == 1 for share in shares)
            yield Selected(
                name, ranker, tables, len(shares), depth, round(fmean(shares), 4), round(whole, 4), round(each, 2)
            )


def _share(found: Sequence[str], asked: Asked) -> float:
    return len(asked.tables.intersection(found)) / len(asked.tables)


def _ours(graph: JoinGraph) -> Rank:
    ranker = TableRanker(graph)
    return lambda question, depth: ranker.rank(question, limit=depth)


def _lexical(graph: JoinGraph) -> Rank:
    """Names with their words apart, which is more than the names alone give it."""
    documents = [
        Document(name, name.replace("_", " "), " ".join(table.columns).replace("_", " "))
        for name, table in graph.tables.items()
    ]
    retriever = LexicalRetriever(documents)
    return lambda question, depth: [one.id for one in retriever.search(question, depth)]


def _beaver_questions(folder: Path) -> Iterator[Asked]:
    for line in (folder / "dev_dw.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield Asked(row["question"], frozenset(row["gold_tables"]))


def _beaver_graph(schemas: Schema, names: Sequence[str] | None = None) -> JoinGraph:
    """The tables of some databases, or of all as one: what another one also calls so gets the name of its database."""
    tables: dict[str, Table] = {}
    links: list[Relationship] = []
    for database in names or sorted(schemas, key=lambda name: name != "dw"):
        called = {name: f"{name}_{database}" if name in tables else name for name in schemas[database]["tables"]}
        for name, table in schemas[database]["tables"].items():
            tables[called[name]] = _table(called[name], table["columns"])
        links += [
            Relationship(called[one], a, called[other], b)
            for one, a, other, b in schemas[database]["foreign_keys"]
            if {one, other} <= called.keys()
        ]
    return JoinGraph(tables, tuple(links))


def _bird_graph(schema: Schema) -> JoinGraph:
    tables = {name: _table(name, columns) for name, columns in schema["tables"].items()}
    return JoinGraph(tables, tuple(Relationship(*link) for link in schema["foreign_keys"]))


def _table(name: str, columns: Sequence[Sequence[str]]) -> Table:
    return Table(name, {column: Column(column, type=type_) for column, type_ in columns})


def _bird_questions(folder: Path, schemas: Schema) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {name: [] for name in schemas}
    for line in (folder / "gold_sqlite.jsonl").read_text().splitlines():
        row = json.loads(line)
        spelt = {name.lower(): name for name in schemas[row["db_id"]]["tables"]}
        named = {table.name.lower() for table in sqlglot.parse_one(row["sql"], dialect="sqlite").find_all(exp.Table)}
        found[row["db_id"]].append(Asked(row["question"], frozenset(spelt[name] for name in named & spelt.keys())))
    return found


if __name__ == "__main__":
    main()
