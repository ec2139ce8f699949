"""What `turnkeep dev` says at its start of a database of one's own: what it answers from, or why it cannot. It asks the
database, so no function on AWS does the same."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from turnkeep.databases.errors import DatabaseError
from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.commands.whereabouts import opened, place_of, trouble_of
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.links import sound_links
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.security.database import NEEDS_JOINS, NO_DIALECT, dialect_of
from turnkeep_agents.database.security.hidden import HIDDEN_TABLES
from turnkeep_agents.database.settings import DatabaseSettings

CONNECT_SECONDS = 2
READ_SECONDS = 20
MOST_NAMED = 5

OTHERS_WORK = "Until then the agent `database` cannot look anything up; the others work."


def brief(tuning: DatabaseSettings) -> list[str]:
    """The lines; none about the sample. The files of the settings have been checked."""
    return [f"database: {line}" for line in _lines(tuning)]


def _lines(tuning: DatabaseSettings) -> Iterator[str]:
    url = tuning.url.get_secret_value()
    if not url:
        return
    if dialect_of(url) is None:
        yield f"{NO_DIALECT} {OTHERS_WORK}"
        return
    try:
        found = _about(url, tuning, load_access(Path(tuning.access)) if tuning.access else Access())
    except (DatabaseError, SQLAlchemyError, OSError, ValueError) as error:
        found = [f"{trouble_of(url, error)} {OTHERS_WORK}"]
    yield from found


def _about(url: str, tuning: DatabaseSettings, access: Access) -> list[str]:
    """Raises what SQLAlchemy and the driver raise. Who does not answer is found out soon."""
    left_out: list[str] = []
    with opened(url, CONNECT_SECONDS) as engine:
        engine.connect().close()
    if tuning.joins:
        graph = load_graph(Path(tuning.joins))
    elif access.views and not url.startswith("sqlite"):
        return [f"{NEEDS_JOINS} {OTHERS_WORK}"]
    else:
        with opened(url, READ_SECONDS) as engine:
            graph = introspect(engine, without={*HIDDEN_TABLES, *access.view_of.values()}, omit=left_out.append)
    if not graph.tables:
        return [f"{place_of(url)} has no tables, or none that its login may read. {OTHERS_WORK}"]
    links = sum(link.confidence >= tuning.confidence_threshold for link in sound_links(graph))
    source = f", as {tuning.joins} has them" if tuning.joins else ""
    counted = f"{place_of(url)}, {_count(len(graph.tables), 'table')}, {_count(links, 'link')}{source}"
    left = [f"left out: {each}." for each in left_out[:MOST_NAMED]]
    idle = [f"{tuning.access}: {wrong}. Compare the spelling." for wrong in _idle_rules(graph, access)]
    return [counted, *left, *idle]


def _idle_rules(graph: JoinGraph, access: Access) -> Iterator[str]:
    """Names and patterns that fit nothing: what they are to keep back is read as if they were not there."""
    for at, view in enumerate(access.views):
        table = graph.tables.get(view.table)
        columns = [column for column in (view.company_column, *view.encrypted) if column]
        unknown = [column for column in columns if table and column not in table.columns]
        if table is None:
            yield f"views[{at}] names {view.table}, which the database lacks"
        elif unknown:
            yield f"views[{at}] names columns that {view.table} does not have: {', '.join(unknown)}"
    for at, rule in enumerate(access.rules):
        idle = [each for each in (*rule.tables, *rule.without) if not any(fnmatchcase(n, each) for n in graph.tables)]
        if idle:
            yield f"rules[{at}] names what fits no table: {', '.join(idle)}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
