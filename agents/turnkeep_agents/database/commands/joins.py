"""`turnkeep joins`: makes and checks the join graph of the agent `database`. No URL is ever printed,
for it may contain a password."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from turnkeep.agents import read_settings
from turnkeep.errors import ModelFault
from turnkeep.models.chat import chat_models
from turnkeep.settings import UNUSABLE, Settings, UnusableFile
from turnkeep.settings import explain as explain_settings
from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.joins.associations import with_associations
from turnkeep_agents.database.joins.files import load_graph, save_graph
from turnkeep_agents.database.joins.introspection import in_clear, introspect
from turnkeep_agents.database.joins.judging import judge
from turnkeep_agents.database.joins.overrides import with_overrides
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.joins.validation import SEVERITIES, LinkIssue, validate
from turnkeep_agents.database.security.database import catalogue_sessions, connect, sample_joins
from turnkeep_agents.database.security.hidden import HIDDEN_TABLES
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseError
from turnkeep_local import LocalError

SECONDS = 3600  # counting the values of large tables takes minutes each
TICK_SECONDS = 0.5


@dataclass(frozen=True)
class Wanted:
    """What `joins build` was told."""

    out: Path
    url: str = ""
    associations: Path | None = None
    overrides: Path | None = None
    with_values: bool = False
    with_model: bool = False


def build_joins(wanted: Wanted) -> str:
    """Introspects, merges, checks and saves; tells what came of it. Raises LocalError."""
    settings = _settings()
    if wanted.with_model and settings.main_model == "demo":
        raise LocalError("--model needs a model. Set OPENAI_API_KEY, or MODEL to bedrock:<model id>.")
    try:
        graph, told = _merged(wanted, settings)
        if not graph.tables:
            raise LocalError("The overrides hide all tables: nothing is left to be joined. Nothing was written.")
        remarks: list[LinkIssue] = []
        if wanted.with_model:
            graph, remarks = asyncio.run(judge(chat_models(settings, "database").small, graph, progress=_progress()))
        save_graph(graph, wanted.out)
    except (UnusableFile, DatabaseError) as error:
        raise LocalError(str(error)) from None
    except ModelFault as error:
        raise LocalError(f"The model could not be asked: {error.detail} Build without --model.") from None
    return "\n".join([*told, *map(_line, remarks), _summary(graph, wanted.out)])


def check_joins(file: Path) -> tuple[str, bool]:
    """The findings about a file, and whether it is free of errors. Raises LocalError."""
    graph = _load(file)
    found = validate(graph, confidence_threshold=_settings().of(DatabaseSettings).confidence_threshold)
    return "\n".join([*map(_line, found), f"{_shape(graph)}: {_severities(found)}."]), not _errors(found)


def _merged(wanted: Wanted, settings: Settings) -> tuple[JoinGraph, list[str]]:
    url, told = wanted.url or settings.of(DatabaseSettings).url.get_secret_value(), []
    if url:
        graph, omitted = _introspected(url, wanted.with_values, settings)
        told = [f"Left out: {each}." for each in omitted]
    else:
        graph = _load(sample_joins())
    if wanted.associations:
        graph, left_out = with_associations(graph, wanted.associations)
        told += [f"Left out, for the database does not have it: {each}" for each in left_out]
    if wanted.overrides:
        graph = with_overrides(graph, wanted.overrides)
    return graph, told


def _introspected(url: str, with_values: bool, settings: Settings) -> tuple[JoinGraph, list[str]]:
    """The graph, and what was left out of it. Without secure views: it is of the tables behind them. Of values only
    what no secret is."""
    file = settings.of(DatabaseSettings).access
    access = load_access(Path(file)) if file else Access()
    graph, omitted = _read(url, access, with_values)
    if not graph.tables:
        raise LocalError("The database has no tables that its login may read. Nothing was written.")
    return in_clear(graph, {view.table: view.encrypted for view in access.views}), omitted


def _read(url: str, access: Access, with_values: bool) -> tuple[JoinGraph, list[str]]:
    """Raise DatabaseError, early if the server does not answer."""
    omitted: list[str] = []
    connect(url)
    read = partial(
        introspect,
        with_values=with_values,
        hidden=[f"{view.table}.{column}" for view in access.views for column in view.encrypted],
        tenant_columns={view.table: view.company_column for view in access.views if view.company_column},
        without=[*HIDDEN_TABLES, *(view.view for view in access.views)],
        progress=_progress(),
        omit=omitted.append,
    )
    return catalogue_sessions(url, SECONDS).ask(lambda connection: read(connection.engine)), omitted


def _settings() -> Settings:
    try:
        return read_settings()
    except UNUSABLE as error:
        raise LocalError(explain_settings(error)) from None


def _load(file: Path) -> JoinGraph:
    try:
        return load_graph(file)
    except UnusableFile as error:
        raise LocalError(str(error)) from None


def _progress() -> Callable[[str], None]:
    """Says at the terminal what is being done, twice a second at most, and nothing where it is done at once."""
    last = time.monotonic()

    def tell(what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= TICK_SECONDS:
            last = time.monotonic()
            print(f"{what} ...", file=sys.stderr, flush=True)

    return tell


def _summary(graph: JoinGraph, out: Path) -> str:
    found = validate(graph)
    return (
        f"{_shape(graph)}, in {out}: {_severities(found)}.\n"
        f"`turnkeep joins check {out}` lists them; DATABASE__JOINS={out} makes the agent use the file."
    )


def _shape(graph: JoinGraph) -> str:
    origins = Counter(link.type for link in graph.relationships)
    told = ", ".join(f"{count} {origin.replace('_', ' ')}" for origin, count in origins.most_common())
    return f"{len(graph.tables)} tables, {len(graph.relationships)} relationships ({told or 'none'})"


def _severities(found: Collection[LinkIssue]) -> str:
    counts: Mapping[str, int] = Counter(finding.severity for finding in found)
    return ", ".join(f"{counts.get(each, 0)} {each}s" for each in SEVERITIES)


def _errors(found: Collection[LinkIssue]) -> bool:
    return any(finding.severity == "error" for finding in found)


def _line(finding: LinkIssue) -> str:
    return f"{finding.severity}: {finding.edge}: {finding.message}. {finding.remedy}"
