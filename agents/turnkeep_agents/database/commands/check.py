"""`turnkeep database check`: reports what the agent `database` answers from, or why it cannot."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from turnkeep.graphs.building import read_settings
from turnkeep_agents.database.access import Access
from turnkeep_agents.database.joins.link_costs import sound_links
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.security.database import connect, open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseError
from turnkeep_local import LocalError


def check(_: argparse.Namespace) -> None:
    tuning = read_settings().of(DatabaseSettings)
    url = tuning.url.get_secret_value()
    try:
        database = open_databases(tuning)(datetime.now(UTC).date())
        if url:
            connect(url)
        graph = database.graph()
    except DatabaseError as error:
        raise LocalError(str(error)) from None
    if not graph.tables:
        raise LocalError("The database has no tables that its login may read.")
    links = sum(link.confidence >= tuning.confidence_threshold for link in sound_links(graph))
    print(f"{'DATABASE__URL' if url else 'The sample'} answers. Tables: {len(graph.tables)}. Links: {links}.")
    idle = list(_idle_rules(graph, database.access)) if tuning.access else []
    for each in idle:
        print(f"{tuning.access}: {each}. Compare the spelling.")
    if idle:
        raise LocalError("Some rules of DATABASE__ACCESS match nothing, so they protect nothing.")


def _idle_rules(graph: JoinGraph, access: Access) -> Iterator[str]:
    """Yield rules that match nothing: they protect nothing."""
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
            yield f"rules[{at}] names what matches no table: {', '.join(idle)}"
