"""`turnkeep joins`: builds and checks the join graph. URLs are never printed, since they may contain a password."""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path

from turnkeep.errors import ModelFault
from turnkeep.graphs.building import read_settings
from turnkeep.models.chat import chat_models
from turnkeep.settings import Settings
from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.joins.associations import with_associations
from turnkeep_agents.database.joins.files import load_graph, save_graph
from turnkeep_agents.database.joins.introspection import in_clear, introspect
from turnkeep_agents.database.joins.judging import judge
from turnkeep_agents.database.joins.lint import SEVERITIES, LinkIssue, validate
from turnkeep_agents.database.joins.overrides import with_overrides
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.security.database import catalogue_sessions, connect, sample_joins
from turnkeep_agents.database.security.view_sql import HIDDEN_TABLES
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseError
from turnkeep_local import LocalError

SECONDS = 3600  # counting the values of large tables takes minutes each
TICK_SECONDS = 0.5


def build(options: argparse.Namespace) -> None:
    settings = read_settings()
    if options.model and settings.main_model == "demo":
        raise LocalError("--model needs a model. Set OPENAI_API_KEY, or MODEL to bedrock:<model id>.")
    try:
        graph, omitted = _merged(options, settings)
    except DatabaseError as error:
        raise LocalError(str(error)) from None
    if not graph.tables:
        raise LocalError("The overrides hide all tables. Nothing was written.")
    remarks: list[LinkIssue] = []
    if options.model:
        try:
            graph, remarks = asyncio.run(judge(chat_models(settings, "database").small, graph, progress=_progress()))
        except ModelFault as error:
            raise LocalError(f"The model could not be asked: {error.detail} Build without --model.") from None
    save_graph(graph, options.out)
    summary = f"{_shape(graph)}, in {options.out}: {_severities(validate(graph))}."
    advice = f"`turnkeep joins check {options.out}` lists them; DATABASE__JOINS={options.out} makes the agent use it."
    print("\n".join([*omitted, *map(_line, remarks), summary, advice]))


def check(options: argparse.Namespace) -> None:
    """Print the issues of a file. Raise LocalError if it has errors."""
    graph = load_graph(options.file)
    found = validate(graph, confidence_threshold=read_settings().of(DatabaseSettings).confidence_threshold)
    print("\n".join([*map(_line, found), f"{_shape(graph)}: {_severities(found)}."]))
    if any(issue.severity == "error" for issue in found):
        raise LocalError("The graph has errors.")


def _merged(options: argparse.Namespace, settings: Settings) -> tuple[JoinGraph, list[str]]:
    url, lines = options.url or settings.of(DatabaseSettings).url.get_secret_value(), []
    if url:
        graph, omitted = _introspected(url, options.values, settings)
        lines = [f"Left out: {each}." for each in omitted]
    else:
        graph = load_graph(sample_joins())
    if options.associations:
        graph, left_out = with_associations(graph, options.associations)
        lines += [f"Left out, because the database does not have it: {each}" for each in left_out]
    if options.overrides:
        graph = with_overrides(graph, options.overrides)
    return graph, lines


def _introspected(url: str, with_values: bool, settings: Settings) -> tuple[JoinGraph, list[str]]:
    """Return the graph of the tables behind the secure views, and what was left out. Values of secret columns are not
    read."""
    file = settings.of(DatabaseSettings).access
    access = load_access(Path(file)) if file else Access()
    omitted: list[str] = []
    connect(url)  # fail early if the server does not answer
    read = partial(
        introspect,
        with_values=with_values,
        hidden=[f"{view.table}.{column}" for view in access.views for column in view.encrypted],
        tenant_columns={view.table: view.company_column for view in access.views if view.company_column},
        without=[*HIDDEN_TABLES, *(view.view for view in access.views)],
        progress=_progress(),
        omit=omitted.append,
    )
    graph = catalogue_sessions(url, SECONDS).ask(lambda connection: read(connection.engine))
    if not graph.tables:
        raise LocalError("The database has no tables that its login may read. Nothing was written.")
    return in_clear(graph, {view.table: view.encrypted for view in access.views}), omitted


def _progress() -> Callable[[str], None]:
    """Print progress at most twice a second, and nothing for quick work."""
    last = time.monotonic()

    def show(what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= TICK_SECONDS:
            last = time.monotonic()
            print(f"{what} ...", file=sys.stderr, flush=True)

    return show


def _shape(graph: JoinGraph) -> str:
    origins = Counter(link.type for link in graph.relationships)
    counts = ", ".join(f"{count} {origin.replace('_', ' ')}" for origin, count in origins.most_common())
    return f"{len(graph.tables)} tables, {len(graph.relationships)} relationships ({counts or 'none'})"


def _severities(found: Collection[LinkIssue]) -> str:
    counts: Mapping[str, int] = Counter(issue.severity for issue in found)
    return ", ".join(f"{counts.get(each, 0)} {each}s" for each in SEVERITIES)


def _line(issue: LinkIssue) -> str:
    return f"{issue.severity}: {issue.edge}: {issue.message}. {issue.remedy}"
