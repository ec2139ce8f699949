"""SQL of what was asked, built as a tree of sqlglot: values are literals of the tree, never text between our quotes.
`Asked.page` is not in it: the guard turns pages, and every order is total, so that pages do not overlap."""

from collections.abc import Collection

from sqlglot import exp

from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.joins.trees import JoinTree
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.writing.columns import Columns
from turnkeep_agents.database.writing.dialects import Dialect
from turnkeep_agents.database.writing.listings import listing
from turnkeep_agents.database.writing.measures import Measured
from turnkeep_agents.database.writing.sources import Source
from turnkeep_agents.database.writing.steps import CannotWrite, Ways
from turnkeep_agents.database.writing.tallies import tallied


def write_sql(
    asked: Asked, tree: JoinTree, graph: JoinGraph, dialect: Dialect, *, allowed: Collection[str] | None = None
) -> str:
    """One SELECT over logical table names. `allowed` are the tables that may be shown beyond those asked for, None for
    all. Raises CannotWrite where a table cannot be reached or a column is unknown."""
    if asked.subject not in graph.tables:
        raise CannotWrite(f"there is no table {asked.subject}")
    ways = Ways(asked.subject, tree, graph)
    source, columns = Source(asked, ways, graph, dialect), Columns(ways, graph, allowed)
    select = _select(asked, source, columns)
    if asked.limit is not None:
        select = select.limit(asked.limit, copy=False)
    return _plain(select).sql(dialect)


def _select(asked: Asked, source: Source, columns: Columns) -> exp.Select:
    if asked.measure == "rows":
        return listing(source, columns)
    return tallied(source) if asked.tallies else Measured(source, columns).select()


def _plain(select: exp.Select) -> exp.Select:
    """Without the name of the table before each column where there is but one table."""
    if len(list(select.find_all(exp.Table))) == 1 and not select.find(exp.Subquery):
        for column in select.find_all(exp.Column):
            column.set("table", None)
    return select
