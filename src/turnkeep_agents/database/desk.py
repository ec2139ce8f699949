"""What the nodes work with: the database of a day, and what is built from its join graph, once for each graph."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from turnkeep_agents.database import prompts
from turnkeep_agents.database.guard.guard import Guard
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.manual.manual import Manual
from turnkeep_agents.database.planning.ranking import TableRanker
from turnkeep_agents.database.reading.reader import Reader, restate
from turnkeep_agents.database.vocabulary import Vocabulary, vocabulary_of
from turnkeep_agents.database.wall.database import Database
from turnkeep.blocks.words import singular, words
from turnkeep.records import Principal
from turnkeep_agents.database.settings import DatabaseSettings

MOST_NAMED = 15  # tables, and pages of the manual


class Schema:
    """A join graph and all that is derived from it, each when it is first asked for."""

    def __init__(self, database: Database, graph: JoinGraph, manual: Manual, tuning: DatabaseSettings):
        self.graph = graph
        self._database, self._manual, self._tuning = database, manual, tuning

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return vocabulary_of(self.graph, self._manual)

    @cached_property
    def called(self) -> frozenset[str]:
        """What tables go by that have one word for a name."""
        names = (
            words(said)
            for one in self.graph.tables.values()
            for said in (" ".join(name_words(one.name)), *one.synonyms)
        )
        return frozenset(singular(said[0]) for said in names if len(said) == 1)

    @cached_property
    def main_tables(self) -> tuple[str, ...]:
        """Those with the most relationships, which says what a database is about better than its first tables do."""
        return tuple(self.tables_by_weight(self.graph.tables)[:MOST_NAMED])

    def tables_by_weight(self, allowed: Collection[str]) -> list[str]:
        """Those of `allowed`, the ones with the most relationships first, then in the order of the schema."""
        ends = Counter(end for one in self.graph.relationships for end in {one.from_table, one.to_table})
        return sorted((name for name in self.graph.tables if name in allowed), key=lambda name: -ends[name])

    @cached_property
    def finder(self) -> PathFinder:
        tuning = self._tuning
        return PathFinder(self.graph, confidence_threshold=tuning.confidence_threshold, max_hops=tuning.max_hops)

    @cached_property
    def ranker(self) -> TableRanker:
        return TableRanker(self.graph)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.graph, self.finder)

    def restated(self, chain: Sequence[str], today: date) -> str | None:
        """The questions of `chain` as one that needs no other, where rules read them."""
        asked = self.reader.read(chain, today=today)
        return restate(asked, self.graph) if asked else None

    @cached_property
    def guard(self) -> Guard:
        database, tuning = self._database, self._tuning
        views, dialect = database.access.view_of, database.dialect
        return Guard(
            self.graph,
            dialect=dialect,
            views=views,
            max_rows=tuning.max_rows,
            checks_names=tuning.checks_names,
            max_columns=tuning.max_columns_in_problems,
        )


@dataclass(frozen=True)
class Day:
    """The database as it is on one day, for one caller."""

    database: Database
    schema: Schema
    allowed: Collection[str]


class Desk:
    """Opens the database of a day and keeps what was derived from its graph while that stays the same."""

    def __init__(self, open_database: Callable[[date], Database], manual: Manual, tuning: DatabaseSettings):
        self.manual, self.tuning = manual, tuning
        self._open = open_database
        self._lock = threading.Lock()
        self._schema: Schema | None = None

    def on(self, today: date, principal: Principal) -> Day:
        """Raises DatabaseError where the graph has to be read from a database that does not answer."""
        database = self._open(today)
        schema = self.schema(today)
        return Day(database, schema, database.access.allowed(principal, schema.graph.tables))

    def schema(self, today: date) -> Schema:
        """The same errors."""
        database = self._open(today)
        graph = database.graph()
        with self._lock:
            if self._schema is None or self._schema.graph is not graph:
                self._schema = Schema(database, graph, self.manual, self.tuning)
            return self._schema

    def about(self, day: Day | None) -> list[str]:
        """What the database holds for its caller, and the manual, as notes of a prompt."""
        tables = day.schema.tables_by_weight(day.allowed) if day else []
        names = ", ".join(" ".join(name_words(name)) or name for name in tables[:MOST_NAMED])
        more = f", and {len(tables) - MOST_NAMED} more tables" if len(tables) > MOST_NAMED else ""
        data = [f"{prompts.ABOUT_DATA}{names}{more}."] if names else [prompts.NO_DATA] if day else []
        titles = ", ".join(self.manual.titles[:MOST_NAMED])
        return [*data, f"{prompts.ABOUT_MANUAL}{titles}." if titles else prompts.NO_MANUAL]
