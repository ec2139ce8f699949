"""The join graph on real schemas: 463 tables of six databases whose questions have gold tables and gold join keys
(`beaver_sql`), OpenMRS with its 440 foreign keys (`big_schemas`), and a made graph of 122 tables with 1,801
relationships. Given the gold tables of a question, the tables of the join tree have to be these and no others. A gold
join key counts as found where the tree makes the two columns equal, directly or through a third one. Last line: JSON.

    python benchmarks/joins.py --data ../shared/data
"""

import argparse
import json
import random
import re
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

import sqlglot
from sqlalchemy import StaticPool, create_engine

from table_selection import selection
from turnkeep.records import JSON
from turnkeep_agents.database.joins.connecting import JoinTree
from turnkeep_agents.database.joins.inference import infer
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.link_costs import AUDIT, is_audit_link, is_sound
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, Column, JoinGraph, Relationship, Table, merged

DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
ASSOCIATION_CONFIDENCE = 0.95
MADE_TABLES, MADE_RELATIONSHIPS, SEED = 122, 1801, 7
CACHED_READS = 10_000
REPEATS = 3
"""Of what is timed once a table, the fastest counted: other work of the machine is no part of it."""
PEOPLE = "users"

Cell: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Measured:
    """`wanted` is what it has to come to, empty where nothing is asked."""

    what: str
    value: float
    wanted: str = ""
    note: str = ""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="holds beaver_sql and big_schemas")
    data = arguments.parse_args().data
    missing = [name for name in ("beaver_sql", "big_schemas") if not (data / name).is_dir()]
    if missing:
        sys.exit(f"{data} holds no {' and no '.join(missing)}; name the folder with --data")
    print(f"{'measure':74}{'value':>10}  wanted")
    parts = beaver(data / "beaver_sql"), selected(data), openmrs(data / "big_schemas"), made()
    rows = [_show(row) for part in parts for row in part]
    print(json.dumps({"benchmark": "joins", "rows": [asdict(row) for row in rows]}))


# beaver_sql


def beaver(folder: Path) -> Iterator[Measured]:
    """Six databases; the questions are about the warehouse `dw`, which declares no key at all."""
    published = json.loads((folder / "schemas.json").read_text())
    graphs = {name: of_script((folder / f"{name}.sqlite.sql").read_text()) for name in published}
    yield Measured("beaver_sql: tables loaded", sum(len(graph.tables) for graph in graphs.values()), "463")
    keys = [Relationship(*key) for name, schema in published.items() if name != "dw" for key in schema["foreign_keys"]]
    found = {link.ends for graph in graphs.values() for link in graph.relationships}
    yield Measured("beaver_sql: declared foreign keys found", _share(key.ends in found for key in keys), "1.0")
    yield from _hidden_keys({name: graph for name, graph in graphs.items() if name != "dw"})
    questions = [json.loads(line) for line in (folder / "dev_dw.jsonl").read_text().splitlines()]
    told = [
        Relationship(start, a, end, b, type="association", confidence=ASSOCIATION_CONFIDENCE)
        for start, a, end, b in published["dw"]["foreign_keys"]
    ]
    names = graphs["dw"]
    yield from answered("names and the published keys", _with(names, merged(names.relationships, told)), questions)
    yield from answered("the published keys alone", _with(names, told), questions, wanted="")
    yield from answered("names alone", names, questions, wanted="")


def _hidden_keys(graphs: Mapping[str, JoinGraph]) -> Iterator[Measured]:
    """What names alone say where the declared keys are hidden: how many of these they find, and how many of theirs that
    a join may use are declared. Of OpenStack's keys only some are, so the second is a lower bound."""
    declared = {link.ends for g in graphs.values() for link in g.relationships if link.type == "foreign_key"}
    named = [link for g in graphs.values() for link in infer(g.tables) if link.confidence >= CONFIDENCE_THRESHOLD]
    guessed = {link.ends for link in named}
    yield Measured("inference: hidden foreign keys found by name", len(declared & guessed) / len(declared))
    yield Measured("inference: links found by name that are declared", len(declared & guessed) / len(guessed))


def answered(how: str, graph: JoinGraph, questions: Iterable[JSON], wanted: str = "108") -> Iterator[Measured]:
    """The questions with more than one gold table."""
    finder = PathFinder(graph)
    spelt = {name.lower(): name for name in graph.tables}
    exact, keys, sound, count = 0, [], True, 0
    for question in questions:
        gold = list(dict.fromkeys(spelt[table.lower()] for table in question["gold_tables"]))
        if len(gold) == 1:
            continue
        count += 1
        tree = finder.connect(gold)
        exact += set(tree.tables) == set(gold)
        sound &= all(is_sound(graph, link) and link in graph.relationships for link in tree.joins)
        wanted_keys = [tuple(_cell(spelt, side) for side in key) for key in question["join_keys"]]
        keys += [_same(tree, key) for key in wanted_keys]
    yield Measured(f"dw, {how}: table set exact", exact, wanted, f"of {count}")
    yield Measured(f"dw, {how}: gold join keys found", _share(keys), "", f"of {len(keys)}")
    yield Measured(f"dw, {how}: every edge used exists", float(sound), "1.0")


def _cell(spelt: Mapping[str, str], side: str) -> Cell:
    table, _, column = side.partition(".")
    return spelt[table.lower()], column


def _same(tree: JoinTree, key: Sequence[Cell]) -> bool:
    """Whether the joins of the tree make both columns equal."""
    equal = {key[0]}
    pairs = [((link.from_table, a), (link.to_table, b)) for link in tree.joins for a, b in link.pairs]
    for _ in pairs:
        equal |= {other for pair in pairs if not equal.isdisjoint(pair) for other in pair}
    return key[1] in equal


def selected(data: Path) -> Iterator[Measured]:
    """Which tables a question needs, by words alone: see `table_selection.py`."""
    for row in selection(data):
        wanted = "0.75" if (row.set, row.ranker) == ("beaver dw", "turnkeep") else ""
        yield Measured(f"{row.set}, {row.ranker}: recall at {row.depth}", row.recall, wanted, f"of {row.questions}")


# OpenMRS


def openmrs(folder: Path) -> Iterator[Measured]:
    published = json.loads((folder / "openmrs.json").read_text())
    graph = of_script(_as_sqlite((folder / "openmrs.mysql.sql").read_text()))
    declared = {Relationship(*key).ends for key in published["foreign_keys"]}
    found = {link.ends for link in graph.relationships if link.type == "foreign_key"}
    yield Measured("OpenMRS: tables loaded from its DDL", len(graph.tables), str(len(published["tables"])))
    yield Measured("OpenMRS: foreign keys found", _share(key in found for key in declared), "1.0")
    tables = sorted(graph.tables)
    slowest = max(_cold_paths(graph, tables))
    yield Measured("OpenMRS: slowest cold path, ms", slowest * 1000, "< 5")
    finder = PathFinder(graph)
    yield Measured(
        "OpenMRS: all pairs, s", _seconds(lambda: [shortest(finder, a, b) for a in tables for b in tables]), "< 0.5"
    )
    business = PathFinder(replace(graph, relationships=tuple(x for x in graph.relationships if not is_audit_link(x))))
    pairs = [(a, b) for a in tables for b in tables if a < b and PEOPLE not in (a, b) and shortest(business, a, b)]
    for rule in (True, False):
        with patch("turnkeep_agents.database.joins.link_costs.AUDIT", AUDIT if rule else 0):
            finder = PathFinder(graph)
            paths = [shortest(finder, a, b) or () for a, b in pairs]
        told = f"OpenMRS, {'with' if rule else 'without'} the audit rule"
        note = f"of {len(pairs)} with a path of business keys"
        yield Measured(f"{told}: paths over audit columns", _share(any(map(is_audit_link, p)) for p in paths), "", note)
        yield Measured(f"{told}: paths through `{PEOPLE}`", _share(any(map(_meets_people, p)) for p in paths), "", note)


def shortest(finder: PathFinder, a: str, b: str) -> tuple[Relationship, ...] | None:
    return finder.paths_from(a).get(b)


def _meets_people(link: Relationship) -> bool:
    return PEOPLE in (link.from_table, link.to_table)


def _as_sqlite(script: str) -> str:
    plain = re.sub(r",\n  (?:UNIQUE )?KEY [^\n]*?(?=,?\n)", "", script.replace(" AUTO_INCREMENT", ""))
    return ";\n".join(sqlglot.transpile(plain, "mysql", "sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE))


def _cold_paths(graph: JoinGraph, tables: Sequence[str]) -> Iterator[float]:
    """Seconds of the first question about each table."""
    finders = [PathFinder(graph) for _ in range(REPEATS)]
    for table in tables[:-1]:
        yield min(_seconds(partial(shortest, finder, table, tables[-1])) for finder in finders)


# The made graph


def made() -> Iterator[Measured]:
    graph = made_graph(random.Random(SEED))
    tables = sorted(graph.tables)
    yield Measured("made: relationships", len(graph.relationships), str(MADE_RELATIONSHIPS))
    cold = statistics.median(_cold_paths(graph, tables))
    finder = PathFinder(graph)
    pairs = random.Random(SEED).choices([(a, b) for a in tables for b in tables], k=CACHED_READS)
    for a, b in pairs:
        shortest(finder, a, b)
    cached = _seconds(lambda: [shortest(finder, a, b) for a, b in pairs]) / CACHED_READS
    yield Measured("made: cold path, ms", cold * 1000)
    yield Measured("made: cached path, ms", cached * 1000)
    yield Measured("made: cold by cached", cold / cached, ">= 100")
    asked = [random.Random(place).sample(tables, 8) for place in range(20)]
    slowest = max(min(_seconds(partial(PathFinder(graph).connect, named)) for _ in range(REPEATS)) for named in asked)
    yield Measured("made: slowest cold tree over 8 tables, ms", slowest * 1000, "< 100")


def made_graph(dice: random.Random) -> JoinGraph:
    """Some tables are pointed at far more often than others, and some links have a twin, as in grown schemas."""
    names = [f"table{number}" for number in range(MADE_TABLES)]
    weights = [1 / (place + 1) for place in range(MADE_TABLES)]
    links: dict[tuple[str, str, str], Relationship] = {}
    while len(links) < MADE_RELATIONSHIPS:
        start, (end,) = dice.choice(names), dice.choices(names, weights)
        column = f"{end}Id{dice.choice(['', '', '', 'Second'])}"
        if start != end:
            confidence = dice.choice([1.0, 1.0, 0.9, 0.8, 0.6])
            links[start, column, end] = Relationship(start, column, end, "id", confidence=confidence)
    columns = {name: ["id", *(column for start, column, _ in links if start == name)] for name in names}
    tables = {name: Table(name, {each: Column(each) for each in columns[name]}, ("id",), ("id",)) for name in names}
    return JoinGraph(tables, tuple(links.values()))


# What all use


def of_script(script: str) -> JoinGraph:
    """Through a live SQLite database, as any other."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    return introspect(create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool))


def _with(graph: JoinGraph, links: Iterable[Relationship]) -> JoinGraph:
    return replace(graph, relationships=tuple(links))


def _seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _share(hits: Iterable[bool]) -> float:
    found = list(hits)
    return sum(found) / len(found) if found else 0.0


def _show(row: Measured) -> Measured:
    rounded = replace(row, value=round(row.value, 4))
    print(f"{row.what:74}{rounded.value:>10g}  {f'{row.wanted} ' if row.wanted else ''}{row.note}", flush=True)
    return rounded


if __name__ == "__main__":
    main()
