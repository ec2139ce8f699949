"""`turnkeep joins`: makes, checks, explains and draws the join graph of the agent `database`. No URL is ever printed,
for it may hold a password."""

import asyncio
import difflib
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import get_args

from sqlalchemy.exc import SQLAlchemyError

from turnkeep.agents.database.access import Access, AccessError, load_access
from turnkeep.agents.database.joins.associations import with_associations
from turnkeep.agents.database.joins.drawing import Form, draw
from turnkeep.agents.database.joins.explaining import explain
from turnkeep.agents.database.joins.files import JoinGraphError, load_graph, save_graph
from turnkeep.agents.database.joins.introspection import in_clear, introspect
from turnkeep.agents.database.joins.judging import judge
from turnkeep.agents.database.joins.overrides import with_overrides
from turnkeep.agents.database.joins.paths import PathFinder
from turnkeep.agents.database.joins.records import JoinGraph
from turnkeep.agents.database.joins.validation import SEVERITIES, Finding, validate
from turnkeep.agents.database.sample.graph import sample_graph
from turnkeep.agents.database.wall.database import DIALECTS
from turnkeep.agents.database.wall.hidden import HIDDEN_TABLES
from turnkeep.databases.engines import Called, open_url
from turnkeep.databases.errors import DatabaseError
from turnkeep.errors import ModelFault
from turnkeep.local import LocalError
from turnkeep.models.chat import chat_models
from turnkeep.settings import UNUSABLE, Settings
from turnkeep.settings import explain as explain_settings

CALLED = Called("The database", "DATABASE__URL")
SECONDS = 600
"""Longest time of one statement: counting the values of a large table takes minutes, and nobody is kept waiting."""
TICK_SECONDS = 0.5
SAMPLE = "turnkeep.agents.database.sample"


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
        remarks: list[Finding] = []
        if wanted.with_model:
            graph, remarks = asyncio.run(judge(chat_models(settings, {}).small, graph, progress=_progress()))
        save_graph(graph, wanted.out)
    except (JoinGraphError, AccessError, DatabaseError) as error:
        raise LocalError(str(error)) from None
    except ModelFault as error:
        raise LocalError(f"The model could not be asked: {error.detail} Build without --model.") from None
    except SQLAlchemyError as error:
        raise LocalError(_unreadable(error)) from None
    return "\n".join([*told, *map(_line, remarks), _summary(graph, wanted.out)])


def check_joins(file: Path) -> tuple[str, bool]:
    """The findings about a file, and whether it is free of errors. Raises LocalError."""
    graph = _load(file)
    found = validate(graph, confidence_threshold=_settings().database.confidence_threshold)
    return "\n".join([*map(_line, found), f"{_shape(graph)}: {_severities(found)}."]), not _errors(found)


def show_joins(a: str, b: str, file: Path | None) -> str:
    """Why `a` and `b` are joined as they are. Raises LocalError."""
    tuning = _settings().database
    graph = _load(file or tuning.joins)
    finder = PathFinder(graph, confidence_threshold=tuning.confidence_threshold, max_hops=tuning.max_hops)
    return "\n".join(explain(finder, _table(graph, a), _table(graph, b)))


def draw_joins(tables: Collection[str], out: Path, file: Path | None) -> str:
    """Draws into `out`, in the form that its ending says. Raises LocalError."""
    form = next((form for form in get_args(Form.__value__) if out.suffix == f".{form}"), None)
    if form is None:
        raise LocalError(f"--out {out.name}: the name has to end in .html, .svg or .mmd.")
    graph = _load(file or _settings().database.joins)
    try:
        out.write_text(draw(graph, form, [_table(graph, table) for table in tables]), encoding="utf-8")
    except OSError as error:
        raise LocalError(f"{out} cannot be written: {error.strerror}. Name another file.") from None
    return f"Drawn in {out}."


def _merged(wanted: Wanted, settings: Settings) -> tuple[JoinGraph, list[str]]:
    url = wanted.url or settings.database.url.get_secret_value()
    graph = _introspected(url, wanted.with_values, settings) if url else sample_graph()
    told = []
    if wanted.associations:
        graph, left_out = with_associations(graph, wanted.associations)
        told = [f"Left out, for the database does not have it: {each}" for each in left_out]
    if wanted.overrides:
        graph = with_overrides(graph, wanted.overrides)
    return graph, told


def _introspected(url: str, with_values: bool, settings: Settings) -> JoinGraph:
    """Without secure views: the graph is of the tables behind them. Of values only what no secret is."""
    if url.partition(":")[0].partition("+")[0] not in DIALECTS:
        raise LocalError(f"The URL has to begin with one of {', '.join(DIALECTS)}, as in sqlite:////folder/file.")
    access = load_access(Path(settings.database.access)) if settings.database.access else Access()
    engine = open_url(CALLED, url, SECONDS)
    try:
        graph = introspect(
            engine,
            with_values=with_values,
            hidden=[f"{view.table}.{column}" for view in access.views for column in view.encrypted],
            tenant_columns={view.table: view.company_column for view in access.views if view.company_column},
            without=[*HIDDEN_TABLES, *(view.view for view in access.views)],
            progress=_progress(),
        )
        return in_clear(graph, {view.table: view.encrypted for view in access.views})
    finally:
        engine.dispose()


def _settings() -> Settings:
    try:
        return Settings()
    except UNUSABLE as error:
        raise LocalError(explain_settings(error)) from None


def _load(file: Path | str | None) -> JoinGraph:
    try:
        if file:
            return load_graph(Path(file))
        with as_file(files(SAMPLE) / "joins.json") as bundled:
            return load_graph(bundled)
    except JoinGraphError as error:
        raise LocalError(str(error)) from None


def _table(graph: JoinGraph, said: str) -> str:
    """The table's name as the graph has it, in whatever case it was said."""
    folded = {name.casefold(): name for name in graph.tables}
    if said in graph.tables or said.casefold() in folded:
        return said if said in graph.tables else folded[said.casefold()]
    near = [folded[name] for name in difflib.get_close_matches(said.casefold(), folded, 3)]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {len(graph.tables)} others."
    raise LocalError(f"The graph has no table {said}. {hint}")


def _progress() -> Callable[[str], None]:
    """Says at the terminal what is being done, twice a second at most, and nothing where it is done at once."""
    last = time.monotonic()

    def tell(what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= TICK_SECONDS:
            last = time.monotonic()
            print(f"{what} ...", file=sys.stderr, flush=True)

    return tell


_TOLD = {
    "SQLITE_CANTOPEN": "There is no file at the path of the URL, or it may not be read.",
    "SQLITE_NOTADB": "The file is no SQLite database.",
    1044: "The login may not read the database that the URL names.",
    1045: "The server refuses user and password of the URL.",
    1049: "The server has no database of the name in the URL.",
    2003: "No server answers at host and port of the URL.",
}
"""By the codes of SQLite and of MySQL's drivers."""


def _unreadable(error: SQLAlchemyError) -> str:
    """Without the driver's own words, which may quote the URL."""
    cause = getattr(error, "orig", None)
    code = getattr(cause, "sqlite_errorname", None) or next(iter(getattr(cause, "args", ())), None)
    return _TOLD.get(code, "") or (
        f"The database could not be read ({type(error).__name__}). Check that it runs, and that the login in the URL "
        "may read the catalogue."
    )


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


def _severities(found: Collection[Finding]) -> str:
    counts: Mapping[str, int] = Counter(finding.severity for finding in found)
    return ", ".join(f"{counts.get(each, 0)} {each}s" for each in SEVERITIES)


def _errors(found: Collection[Finding]) -> bool:
    return any(finding.severity == "error" for finding in found)


def _line(finding: Finding) -> str:
    return f"{finding.severity}: {finding.edge}: {finding.message}. {finding.remedy}"
