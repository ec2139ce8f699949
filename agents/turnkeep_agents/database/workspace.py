"""Workspace of the nodes: the database on one day for one caller, and what is derived from its join graph."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from turnkeep.records import Principal
from turnkeep_agents.database.checks.date_spans import DateSpans
from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.manual import Manual
from turnkeep_agents.database.planning.ranking import TableRanker
from turnkeep_agents.database.results import Result
from turnkeep_agents.database.security.database import Database
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.verified import Verified
from turnkeep_agents.databases.errors import DatabaseError

REPAIRABLE = frozenset({"syntax", "function", "types", "limit", "foreign", "forbidden"})


class Schema:
    """A join graph and what is derived from it on first use."""

    def __init__(self, database: Database, graph: JoinGraph, tuning: DatabaseSettings):
        self.graph, self.spans = graph, DateSpans()
        self._database, self._tuning = database, tuning

    def tables_by_weight(self, allowed: Collection[str]) -> list[str]:
        """Return the allowed tables, those with the most relationships first: they describe a database better than its
        first tables."""
        ends = Counter(end for one in self.graph.relationships for end in {one.from_table, one.to_table})
        return sorted((name for name in self.graph.tables if name in allowed), key=lambda name: -ends[name])

    @cached_property
    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """By "table.column": the targets of its foreign keys with enough confidence."""
        found: dict[str, dict[str, None]] = {}
        for link in self.graph.relationships:
            if link.confidence >= self._tuning.confidence_threshold:
                for here, there in link.pairs:
                    found.setdefault(f"{link.from_table}.{here}", {})[f"{link.to_table}.{there}"] = None
        return {key: tuple(targets) for key, targets in found.items()}

    @cached_property
    def finder(self) -> PathFinder:
        tuning = self._tuning
        return PathFinder(self.graph, confidence_threshold=tuning.confidence_threshold, max_hops=tuning.max_hops)

    @cached_property
    def ranker(self) -> TableRanker:
        return TableRanker(self.graph)

    @cached_property
    def guard(self) -> Guard:
        database, tuning = self._database, self._tuning
        return Guard(
            self.graph,
            dialect=database.dialect,
            views=database.access.view_of,
            max_rows=tuning.max_rows,
            checks_names=tuning.checks_names,
            max_columns=tuning.max_columns_in_problems,
        )


@dataclass(frozen=True)
class Snapshot:
    database: Database
    schema: Schema
    allowed: Collection[str]
    principal: Principal
    today: date

    def check(self, sql: str, offset: int = 0) -> tuple[str, Checked | Refused]:
        """Return the statement, which rules may have respelt for this dialect, and the guard's verdict."""
        dialect = self.database.dialect
        found = self.schema.guard.check(sql, allowed=self.allowed, offset=offset)
        if isinstance(found, Refused) and all(one.code in REPAIRABLE for one in found.problems):
            sql = repair(sql, found, self.schema.graph, dialect) or sql
            found = self.schema.guard.check(sql, allowed=self.allowed, offset=offset)
        return sql, found

    def run(self, sql: str) -> Result | None:
        """Run a statement of our own; None if it may not run, or fails."""
        _, checked = self.check(sql)
        with suppress(DatabaseError):
            return self.database.run(checked.sql, self.principal) if isinstance(checked, Checked) else None
        return None


class Workspace:
    """Opens the day's database. Caches what it derives from the join graph until the graph changes."""

    def __init__(
        self, open_database: Callable[[date], Database], manual: Manual, verified: Verified, tuning: DatabaseSettings
    ):
        self.manual, self.verified, self.tuning = manual, verified, tuning
        self._open = open_database
        self._lock = threading.Lock()
        self._schema: Schema | None = None

    def on(self, today: date, principal: Principal) -> Snapshot:
        database = self._open(today)
        graph = database.graph()
        with self._lock:
            if self._schema is None or self._schema.graph is not graph:
                self._schema = Schema(database, graph, self.tuning)
            schema = self._schema
        return Snapshot(database, schema, database.access.allowed(principal, graph.tables), principal, today)
