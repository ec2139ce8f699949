"""Two graphs. The orchestrator: understand -> choose_route -> query_database | search_manual -> answer_from_manual |
answer_generally. Inside query_database: select_tables -> plan_joins -> write_sql -> check_sql -> run_sql ->
tell_result, with correct_sql on what is refused, write_sql once more on no rows, clarify and tell_failure."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.agents import Agent
from turnkeep_agents.database.demo import demo_rules
from turnkeep_agents.database.desk import Desk
from turnkeep_agents.database.manual.manual import Manual, open_manual
from turnkeep_agents.database.nodes.orchestration import OrchestratorNodes
from turnkeep_agents.database.nodes.selection import SelectionNodes
from turnkeep_agents.database.nodes.statements import StatementNodes
from turnkeep_agents.database.nodes.talking import TalkingNodes
from turnkeep_agents.database.nodes.telling import TellingNodes
from turnkeep_agents.database.state import DatabaseState, QueryState, new_turn
from turnkeep_agents.database.wall.database import open_databases
from turnkeep.models.chat import Models, chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings
from turnkeep_agents.database.settings import DatabaseSettings

WINDOW_TURNS = 12  # ten that a prompt may show, and two for summaries that have to be tried again

type DatabaseGraph = CompiledStateGraph[DatabaseState, RunContext, DatabaseState, DatabaseState]
type QueryGraph = CompiledStateGraph[QueryState, RunContext, QueryState, QueryState]


def build(settings: Settings) -> Agent:
    """Reads the manual once, and no database; raises CorpusError, JoinGraphError or AccessError where a file of the
    settings cannot be used, and MissingExtra."""
    tuning = settings.database
    manual = _manual(tuning)
    desk = Desk(open_databases(tuning), manual, tuning)
    models = chat_models(settings, demo_rules(desk))
    return Agent(
        name="database",
        graph=compile_graph(models, desk, tuning),
        read_reply=read_reply,
        new_turn=new_turn,
        window=WINDOW_TURNS,
        prompt_window=tuning.window,
        provider=models.provider,
        model=models.name,
    )


def _manual(tuning: DatabaseSettings) -> Manual:
    """The bundled one tells of the software around the sample, so a database of one's own goes without it."""
    if tuning.url.get_secret_value() and not tuning.manual:
        return Manual(())
    return open_manual(tuning.manual, dense=tuning.retrieval == "hybrid")


def compile_graph(models: Models, desk: Desk, tuning: DatabaseSettings) -> DatabaseGraph:
    work = (models, desk, tuning)
    orchestrator, talking = OrchestratorNodes(*work), TalkingNodes(*work)
    builder = StateGraph(DatabaseState, context_schema=RunContext)
    builder.add_node("understand", orchestrator.understand)
    builder.add_node("choose_route", orchestrator.choose_route)
    builder.add_node("query_database", compile_query_graph(models, desk, tuning))
    builder.add_node("search_manual", talking.search_manual)
    builder.add_node("answer_from_manual", talking.answer_from_manual)
    builder.add_node("answer_generally", talking.answer_generally)
    builder.add_edge(START, "understand")
    builder.add_edge("understand", "choose_route")
    builder.add_conditional_edges("choose_route", orchestrator.after_choose_route)
    builder.add_edge("search_manual", "answer_from_manual")
    for last in ("query_database", "answer_from_manual", "answer_generally"):
        builder.add_edge(last, END)
    return builder.compile(name="database")


def compile_query_graph(models: Models, desk: Desk, tuning: DatabaseSettings) -> QueryGraph:
    """It keeps no checkpoints of its own: a turn is stored when the orchestrator has ended."""
    work = (models, desk, tuning)
    selection, statements, telling = SelectionNodes(*work), StatementNodes(*work), TellingNodes(*work)
    builder = StateGraph(QueryState, context_schema=RunContext)
    builder.add_node("select_tables", selection.select_tables)
    builder.add_node("plan_joins", selection.plan_joins)
    builder.add_node("clarify", selection.clarify)
    builder.add_node("write_sql", statements.write_sql)
    builder.add_node("check_sql", statements.check_sql)
    builder.add_node("correct_sql", statements.correct_sql)
    builder.add_node("run_sql", statements.run_sql)
    builder.add_node("tell_result", telling.tell_result)
    builder.add_node("tell_failure", telling.tell_failure)
    builder.add_conditional_edges(START, selection.after_start)
    builder.add_conditional_edges("select_tables", selection.after_select_tables)
    builder.add_conditional_edges("plan_joins", selection.after_plan_joins)
    builder.add_edge("write_sql", "check_sql")
    builder.add_conditional_edges("check_sql", statements.after_check_sql)
    builder.add_edge("correct_sql", "check_sql")
    builder.add_conditional_edges("run_sql", statements.after_run_sql)
    for last in ("clarify", "tell_result", "tell_failure"):
        builder.add_edge(last, END)
    return builder.compile(name="query_database", checkpointer=False)


def read_reply(values: Mapping[str, Any]) -> Reply:
    """What the client sees of the final state."""
    return Reply(
        text=values["reply"],
        route=values["route"],
        standalone_query=values["standalone_query"],
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(dict.fromkeys(values["warnings"])),
        details={
            **_query_details(values),
            "attempts": values["attempts"],
            "context": values["context"],
            "reasoning_steps": values["reasoning_steps"],
        },
    )


def _query_details(values: Mapping[str, Any]) -> dict[str, Any]:
    """The statement that gave the rows, or the last that was to."""
    rows = values["result"] or {"columns": [], "rows": [], "is_cut": False, "ran": values["ran"]}
    page = {"number": values["page"] + 1, "size": len(rows["rows"]), "has_more": rows["is_cut"]}
    ran = rows["ran"] or {"sql": None, "tables": values["tables"], "columns": [], "joins": []}
    return {
        "sql": ran["sql"],
        "tables": ran["tables"],
        "joins": ran["joins"],
        "columns": rows["columns"],
        "rows": rows["rows"],
        "page": {**page, "offset": values["start"] or 0},
    }
