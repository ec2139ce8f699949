"""The guard of the agent `database` on SQL that people and models wrote for real schemas: gold queries must pass, model
SQL that SQLite runs should (a refusal is a false alarm), model SQL that it does not run should not, unless what the
guard writes in its place does run. And what rules alone repair. Whether SQL runs is asked of SQLite, on empty tables.
In the same run: sqlglot's own qualifier, and a validator of regular expressions. Last line: JSON.

    python benchmarks/sql_validator.py --data ../shared/data
"""

import argparse
import json
import re
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, TypeAlias

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table

DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
BIRD, BEAVER = "bird_minidev_sql", "beaver_sql"
ALL_ROWS = 1_000_000
NAMES = ("no such column", "no such table")
KINDS: Mapping[str, Kind] = {"integer": "integer", "real": "number", "text": "text", "date": "date"}
REFERENCE = re.compile(r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)\b")
SOURCE = re.compile(r"(?i)\b(?:from|join)\s+([A-Za-z_]\w*)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?")
WORDS = {
    "on",
    "where",
    "join",
    "inner",
    "left",
    "right",
    "group",
    "order",
    "limit",
    "union",
    "having",
    "using",
    "cross",
}

Accepts: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True)
class Schema:
    graph: JoinGraph
    guard: Guard
    database: sqlite3.Connection

    def runs(self, sql: str) -> bool:
        """Whether SQLite can prepare it."""
        try:
            self.database.execute(f"EXPLAIN {sql}")
        except sqlite3.Error:
            return False
        return True


@dataclass(frozen=True)
class Row:
    system: str
    gold_accepted: int
    gold: int
    missing_names_caught: float
    all_broken_caught: float
    false_alarms: float
    median_ms: float
    p95_ms: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help=f"the folder with {BIRD} and {BEAVER}")
    arguments.add_argument("--quick", action="store_true", help="every twentieth statement")
    options = arguments.parse_args()
    folder, step = options.data, 20 if options.quick else 1
    try:
        gold = _lines(folder / BIRD / "gold_sqlite.jsonl")[::step]
        written = _lines(folder / BIRD / "llm_predictions_dev.jsonl")[::step]
        schemas = {
            name: _bird(found) for name, found in json.loads((folder / BIRD / "schemas.json").read_text()).items()
        }
        beaver = (
            json.loads((folder / BEAVER / "schemas.json").read_text())["dw"],
            _lines(folder / BEAVER / "dev_dw.jsonl")[::step],
        )
    except OSError as error:
        sys.exit(f"cannot measure: {error}; name the folder of the data with --data")
    rows = [_measure(name, accepts, gold, written, schemas) for name, accepts in _systems(schemas).items()]
    labels, repaired = _by_label(written, schemas), _repaired(written, schemas)
    result = {
        "benchmark": "sql_validator",
        "rows": [asdict(row) for row in rows],
        "labels": labels,
        "repaired": repaired,
        "beaver_dw": _beaver(*beaver),
    }
    print(json.dumps(result))


def _systems(schemas: Mapping[str, Schema]) -> dict[str, Accepts]:
    """How each one accepts SQL. Ours also answers for what it writes in its place: a pass must run, or it is a miss."""
    nested = {name: _nested(schema.graph) for name, schema in schemas.items()}
    return {
        "guard": lambda db, sql: isinstance(schemas[db].guard.check(sql), Checked),
        "sqlglot qualify": lambda db, sql: _qualifies(sql, nested[db]),
        "regular expressions": lambda db, sql: _matches(sql, nested[db]),
    }


def _measure(
    system: str, accepts: Accepts, gold: Sequence[Any], written: Sequence[Any], schemas: Mapping[str, Schema]
) -> Row:
    times: list[float] = []

    def is_accepted(one: Any) -> bool:
        start = time.perf_counter()
        found = accepts(one["db_id"], one["sql"])
        times.append((time.perf_counter() - start) * 1000)
        return found

    right = sum(map(is_accepted, gold))
    judged = [(one["label"], one, is_accepted(one)) for one in written]
    is_guard = system == "guard"
    caught = [(label, not passed or (is_guard and _runs_as_written(one, schemas))) for label, one, passed in judged]
    broken, good = [pair for pair in caught if pair[0] != "ok"], [each for each in judged if each[0] == "ok"]
    row = Row(
        system, right, len(gold), _share(found for label, found in broken if label in NAMES),
        _share(found for _, found in broken), _share(not passed for _, _, passed in good),
        round(median(times), 2), round(quantiles(times, n=20)[-1], 2),
    )  # fmt: skip
    print(
        f"{row.system:22} gold {row.gold_accepted}/{row.gold}  missing names caught {row.missing_names_caught:.1%}"
        f"  all broken caught {row.all_broken_caught:.1%}  false alarms {row.false_alarms:.2%}"
        f"  median {row.median_ms} ms  p95 {row.p95_ms} ms"
    )
    return row


def _runs_as_written(one: Any, schemas: Mapping[str, Schema]) -> bool:
    schema = schemas[one["db_id"]]
    found = schema.guard.check(one["sql"])
    return isinstance(found, Checked) and schema.runs(found.sql)


def _by_label(written: Iterable[Any], schemas: Mapping[str, Schema]) -> dict[str, dict[str, int]]:
    """Of each label of SQLite's, how many the guard refused, wrote so that they run, and let through broken."""
    counts: dict[str, Counter[str]] = {}
    for one in written:
        schema = schemas[one["db_id"]]
        found = schema.guard.check(one["sql"])
        outcome = "refused" if isinstance(found, Refused) else "runs" if schema.runs(found.sql) else "missed"
        counts.setdefault(one["label"], Counter())[outcome] += 1
    for label, count in sorted(counts.items()):
        print(f"  {label:22} {dict(count)}")
    return {label: dict(count) for label, count in counts.items()}


def _repaired(written: Iterable[Any], schemas: Mapping[str, Schema]) -> dict[str, float]:
    """Of the SQL that does not run, what rules alone make run, checked again by the guard."""
    broken = mended = 0
    times: list[float] = []
    for one in written:
        schema = schemas[one["db_id"]]
        found = schema.guard.check(one["sql"])
        broken += one["label"] != "ok"
        if one["label"] == "ok" or isinstance(found, Checked):
            continue
        start = time.perf_counter()
        again = repair(one["sql"], found, schema.graph, "sqlite")
        times.append((time.perf_counter() - start) * 1000)
        checked = schema.guard.check(again) if again else found
        mended += isinstance(checked, Checked) and schema.runs(checked.sql)
    print(f"  repaired by rules alone, and runs: {mended} of {broken} ({mended / broken:.1%})")
    return {
        "mended": mended,
        "broken": broken,
        "share": round(mended / broken, 3),
        "median_ms": round(median(times), 2),
    }


def _beaver(schema: Any, gold: Sequence[Any]) -> dict[str, int]:
    """The gold SQL of a data warehouse, written for MySQL."""
    tables = {name: _table(name, found["columns"]) for name, found in schema["tables"].items()}
    guard = Guard(JoinGraph(tables), dialect="mysql", max_rows=ALL_ROWS)
    refused = [found for one in gold if isinstance(found := guard.check(one["sql"]), Refused)]
    reasons = Counter(found.problems[0].message[:90] for found in refused)
    print(f"  beaver dw: {len(gold) - len(refused)} of {len(gold)} accepted; {dict(reasons)}")
    return {"accepted": len(gold) - len(refused), "gold": len(gold)}


# Peers


def _qualifies(sql: str, schema: Mapping[str, Any]) -> bool:
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
        qualify(tree, schema=dict(schema), dialect="sqlite", validate_qualify_columns=True)
    except (SqlglotError, RecursionError):
        return False
    return True


def _matches(sql: str, schema: Mapping[str, Mapping[str, str]]) -> bool:
    """Every `name.column` is looked up in the tables named after FROM and JOIN; nothing else is."""
    tables = {table.lower(): {column.lower() for column in columns} for table, columns in schema.items()}
    aliases = {}
    for table, alias in SOURCE.findall(sql):
        if table.lower() not in tables:
            return False
        aliases[(alias if alias and alias.lower() not in WORDS else table).lower()] = table.lower()
    pairs = ((one.lower(), other.lower()) for one, other in REFERENCE.findall(sql))
    return all(other in tables[aliases[one]] for one, other in pairs if one in aliases)


# Data


def _bird(schema: Any) -> Schema:
    tables = {name: _table(name, columns) for name, columns in schema["tables"].items()}
    links = tuple(Relationship(*link) for link in schema["foreign_keys"])
    graph = JoinGraph(tables, links)
    database = sqlite3.connect(":memory:")
    for name, columns in schema["tables"].items():
        written = ", ".join(f'"{column}" {kind}' for column, kind in columns)
        database.execute(f'CREATE TABLE "{name}" ({written})')
    return Schema(graph, Guard(graph, dialect="sqlite", max_rows=ALL_ROWS), database)


def _table(name: str, columns: Iterable[tuple[str, str]]) -> Table:
    return Table(name, {column: Column(column, KINDS.get(kind, "other"), kind) for column, kind in columns})


def _nested(graph: JoinGraph) -> dict[str, dict[str, str]]:
    return {name: dict.fromkeys(table.columns, "text") for name, table in graph.tables.items()}


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def _share(found: Iterable[bool]) -> float:
    kept = list(found)
    return round(sum(kept) / len(kept), 4) if kept else 0.0


if __name__ == "__main__":
    main()
