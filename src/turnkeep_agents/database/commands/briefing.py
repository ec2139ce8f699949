"""What `turnkeep dev` says at its start of a database of one's own: what it answers from, or why it cannot, and what
the files of the settings name that is not there. It asks the database, so no function on AWS does the same."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from turnkeep.databases.errors import DatabaseError
from turnkeep.local.whereabouts import opened, place_of, trouble_of
from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.commands.wall import readable
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.links import sound_links
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.wall.database import DIALECTS, NO_DIALECT, sample_joins
from turnkeep_agents.database.wall.hidden import HIDDEN_TABLES

CONNECT_SECONDS = 2
READ_SECONDS = 20
MOST_NAMED = 5

OTHERS_WORK = "Until then the agent `database` cannot look anything up; the others work."
NEEDS_JOINS = (
    "DATABASE__ACCESS names secure views, whose tables a reader's login does not see: save the join graph with an "
    "administrator's login, by `turnkeep joins build`, and name it in DATABASE__JOINS."
)
_COLUMNS = {
    "sqlite": """SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
        WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'
        UNION ALL SELECT name, NULL FROM sqlite_master WHERE type = 'view'""",
    "mysql": "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()",
    "postgresql": """SELECT c.relname, a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_table_is_visible(c.oid)
        AND a.attnum > 0 AND NOT a.attisdropped""",
}
"""Tables and views with their columns, as far as the login may know of them, in one statement: the server may be far.
SQLite's views are told without columns, for one that is broken would spoil all."""

type Columns = Mapping[str, Collection[str]]


def brief(tuning: DatabaseSettings) -> list[str]:
    """The lines; none about the sample with nothing of one's own. The files of the settings have been checked."""
    return [f"database: {line}" for line in _lines(tuning)]


def _lines(tuning: DatabaseSettings) -> Iterator[str]:
    url = tuning.url.get_secret_value()
    saved = load_graph(Path(tuning.joins)) if tuning.joins else None
    access = load_access(Path(tuning.access)) if tuning.access else Access()
    if not url:
        yield from _about_sample(tuning, saved, access)
    elif _dialect_of(url) not in DIALECTS:
        yield f"{NO_DIALECT} {OTHERS_WORK}"
    else:
        try:
            found = _about_database(url, tuning, saved, access)
        except (DatabaseError, SQLAlchemyError, OSError, ValueError) as error:
            found = [f"{trouble_of(url, error)} {OTHERS_WORK}"]
        yield from found


def _about_sample(tuning: DatabaseSettings, saved: JoinGraph | None, access: Access) -> Iterator[str]:
    if saved or tuning.access:
        sample = load_graph(sample_joins())
        yield from _wrong_with_files(tuning, saved or sample, access, "the sample", _columns_of(sample))


def _about_database(url: str, tuning: DatabaseSettings, saved: JoinGraph | None, access: Access) -> list[str]:
    """Raises what SQLAlchemy and the driver raise. Who does not answer is found out soon."""
    place, left_out = place_of(url), list[str]()
    with opened(url, CONNECT_SECONDS) as engine:
        engine.connect().close()
    if saved is None and access.views and _dialect_of(url) != "sqlite":
        return [f"{NEEDS_JOINS} {OTHERS_WORK}"]
    with opened(url, READ_SECONDS) as engine:
        if saved is None:
            graph = introspect(engine, without={*HIDDEN_TABLES, *access.view_of.values()}, omit=left_out.append)
            there: Columns = _columns_of(graph)
        else:
            graph, there = saved, _columns_in(engine, access)
    if not there:
        return [f"{place} has no tables, or none that its login may read. {OTHERS_WORK}"]
    left = [f"left out: {each}." for each in left_out[:MOST_NAMED]]
    return [_counted(place, graph, tuning), *left, *_wrong_with_files(tuning, graph, access, place, there)]


def _columns_of(graph: JoinGraph) -> Columns:
    return {table.name: table.columns for table in graph.tables.values()}


def _columns_in(engine: Engine, access: Access) -> Columns:
    """By table, where a reader of a server sees secure views in the place of some."""
    tables = {view.view: view.table for view in access.views}
    dialect = "mysql" if engine.dialect.name == "mariadb" else engine.dialect.name
    found: dict[str, list[str]] = {}
    with engine.connect() as connection:
        for name, column in connection.execute(text(_COLUMNS[dialect])):
            found.setdefault(tables.get(name, name), []).extend([column] if column else [])
    return found


def _counted(place: str, graph: JoinGraph, tuning: DatabaseSettings) -> str:
    links = sum(link.confidence >= tuning.confidence_threshold for link in sound_links(graph))
    source = f", as {tuning.joins} has them" if tuning.joins else ""
    return f"{place}, {_count(len(graph.tables), 'table')}, {_count(links, 'link')}{source}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _wrong_with_files(
    tuning: DatabaseSettings, graph: JoinGraph, access: Access, place: str, there: Columns
) -> Iterator[str]:
    """What nobody may read need not be there."""
    if lacking := list(_lacking(graph, readable(access, graph.tables), there)):
        yield (
            f"{tuning.joins} has what {place} does not have, or not for this login: {_some(lacking)}. "
            f"Build it anew: turnkeep joins build --out {tuning.joins}"
        )
    yield from (f"{tuning.access}: {wrong}. Compare the spelling." for wrong in _wrong_with_access(graph, access))


def _lacking(graph: JoinGraph, names: Collection[str], there: Columns) -> Iterator[str]:
    """Tables, then columns of the others. Servers differ in whether they keep the case of a name."""
    folded = {name.casefold(): {column.casefold() for column in columns} for name, columns in there.items()}
    yield from (name for name in sorted(names) if name.casefold() not in folded)
    for name in sorted(names):
        if known := folded.get(name.casefold()):
            yield from (f"{name}.{each}" for each in graph.tables[name].columns if each.casefold() not in known)


def _wrong_with_access(graph: JoinGraph, access: Access) -> Iterator[str]:
    """Names and patterns that fit nothing: what they are to keep back is read as if they were not there."""
    for at, view in enumerate(access.views):
        table = graph.tables.get(view.table)
        columns = [view.company_column, *view.encrypted]
        unknown = [column for column in columns if column and table and column not in table.columns]
        if table is None:
            yield f"views[{at}] names {view.table}, which the database lacks"
        elif unknown:
            yield f"views[{at}] names columns that {view.table} does not have: {_some(unknown)}"
    for at, rule in enumerate(access.rules):
        idle = [each for each in (*rule.tables, *rule.without) if not any(fnmatchcase(n, each) for n in graph.tables)]
        if idle:
            yield f"rules[{at}] names what fits no table: {_some(idle)}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _dialect_of(url: str) -> str:
    return url.partition(":")[0].partition("+")[0]
