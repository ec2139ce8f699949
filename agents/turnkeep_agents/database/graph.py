"""Two graphs. The orchestrator: read, then for each ask query_database | search_manual | pass_on, then answer. Inside
query_database: select_tables -> plan_joins -> write_sql -> check_sql -> run_sql, with correct_sql after a refusal and
select_tables once more for missing tables; or turn_page -> check_sql."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.demo import sample
from turnkeep.graphs.agent import Agent
from turnkeep.kit.memory import WINDOW_TURNS
from turnkeep.models.chat import Models, chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings
from turnkeep_agents.database.manual import Manual, open_manual
from turnkeep_agents.database.nodes.answering import AnsweringNodes
from turnkeep_agents.database.nodes.orchestration import OrchestratorNodes
from turnkeep_agents.database.nodes.planning import PlanningNodes
from turnkeep_agents.database.nodes.statements import StatementNodes
from turnkeep_agents.database.security.database import open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.state import AskState, DatabaseState, new_turn
from turnkeep_agents.database.verified import Verified, load_verified
from turnkeep_agents.database.workspace import Workspace

SAMPLE_MANUAL, SAMPLE_VERIFIED = "manual", "field_service/verified.jsonl"

DatabaseGraph: TypeAlias = CompiledStateGraph[DatabaseState, RunContext, DatabaseState, DatabaseState]
QueryGraph: TypeAlias = CompiledStateGraph[AskState, RunContext, AskState, AskState]


def build(settings: Settings) -> Agent:
    """Build the agent. Reads the manual once and no database. Raises UnusableFile for an unusable file of the
    settings."""
    tuning, models = settings.of(DatabaseSettings), chat_models(settings, "database")
    databases, manual, verified = open_databases(tuning), Manual(()), Verified()
    if tuning.manual or not tuning.is_own:  # the bundled manual describes the software of the sample
        folder = Path(tuning.manual) if tuning.manual else sample(SAMPLE_MANUAL, "DATABASE__MANUAL")
        manual = open_manual(folder, dense=tuning.retrieval == "hybrid")
    if tuning.verified or not tuning.is_own:
        file = Path(tuning.verified) if tuning.verified else sample(SAMPLE_VERIFIED, "DATABASE__VERIFIED")
        verified = load_verified(file)
    workspace = Workspace(databases, manual, verified, tuning)
    graph = compile_graph(models, workspace, tuning)
    return Agent("database", graph, read_reply, new_turn, WINDOW_TURNS, tuning.window, models.provider, models.name)


def compile_graph(models: Models, workspace: Workspace, tuning: DatabaseSettings) -> DatabaseGraph:
    orchestrator = OrchestratorNodes(models, workspace, tuning)
    builder = StateGraph(DatabaseState, context_schema=RunContext)
    builder.add_node("read", orchestrator.read)
    builder.add_node("query_database", compile_query_graph(models, workspace, tuning))
    builder.add_node("search_manual", orchestrator.search_manual)
    builder.add_node("pass_on", orchestrator.pass_on)
    builder.add_node("answer", AnsweringNodes(models, workspace, tuning).answer)
    builder.add_edge(START, "read")
    for before in ("read", "query_database", "search_manual", "pass_on"):
        builder.add_conditional_edges(before, orchestrator.next_ask)
    builder.add_edge("answer", END)
    return builder.compile(name="database")


def compile_query_graph(models: Models, workspace: Workspace, tuning: DatabaseSettings) -> QueryGraph:
    """Compile the inner graph without checkpoints: a turn is stored when the orchestrator ends."""
    planning, statements = PlanningNodes(models, workspace, tuning), StatementNodes(models, workspace, tuning)
    builder = StateGraph(AskState, context_schema=RunContext)
    for node in (planning.select_tables, planning.plan_joins, planning.turn_page):
        builder.add_node(node.__name__, node)
    for node in (statements.write_sql, statements.check_sql, statements.correct_sql, statements.run_sql):
        builder.add_node(node.__name__, node)
    builder.add_conditional_edges(START, planning.after_start)
    builder.add_conditional_edges("select_tables", planning.after_select_tables)
    builder.add_edge("plan_joins", "write_sql")
    builder.add_edge("turn_page", "check_sql")
    builder.add_conditional_edges("write_sql", statements.after_write_sql)
    builder.add_conditional_edges("correct_sql", statements.after_write_sql)
    builder.add_conditional_edges("check_sql", statements.after_check_sql)
    builder.add_conditional_edges("run_sql", statements.after_run_sql)
    return builder.compile(name="query_database", checkpointer=False)


def read_reply(values: Mapping[str, Any]) -> Reply:
    """Return the client's view of the final state."""
    results = [_result(finding) for finding in values["findings"] if "rows" in finding]
    nothing: dict[str, Any] = {"sql": None, "tables": [], "joins": [], "columns": [], "rows": []}
    first = results[0] if results else {**nothing, "page": {"offset": 0, "size": 0, "has_more": False}}
    return Reply(
        text=values["reply"],
        route=values["route"],
        standalone_query=" ".join(ask["question"] for ask in values["asks"]),
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(dict.fromkeys(values["warnings"])),
        details={
            **first,
            "further_results": results[1:],
            "attempts": values["all_attempts"],
            "context": values["context"],
            "reasoning_steps": values["reasoning_steps"],
        },
    )


def _result(finding: Mapping[str, Any]) -> dict[str, Any]:
    """`rows` are all rows of the statement from the page's first on; `page` describes those that the reply shows."""
    ran, is_cut = finding["ran"], finding["has_more"] or len(finding["rows"]) > finding["size"]
    return {
        "sql": ran["sql"],
        "tables": ran["tables"],
        "joins": ran["joins"],
        "columns": finding["columns"],
        "rows": finding["rows"],
        "page": {"offset": finding["start"], "size": finding["size"], "has_more": is_cut},
    }
