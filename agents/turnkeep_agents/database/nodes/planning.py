"""Which tables a question needs and how they are connected, or which page of the last rows. Tables that the caller may
not read do not exist here."""

from typing import Literal

from langgraph.runtime import Runtime

from turnkeep.kit.nodes import step
from turnkeep.records import JSON, RunContext
from turnkeep_agents.database.answers.tables import PAGE
from turnkeep_agents.database.nodes.turn import TurnNodes, ask_of, failed, found, last_of_ask, last_shown
from turnkeep_agents.database.planning.choosing import choose, ways_between
from turnkeep_agents.database.state import AskState, QueryResult
from turnkeep_agents.databases.errors import DatabaseError

NOTHING_HELD = "The database has no tables that the user may read; whoever runs the server can tell why."


class PlanningNodes(TurnNodes):
    def after_start(self, state: AskState) -> Literal["select_tables", "turn_page"]:
        return "turn_page" if ask_of(state)["kind"] == "more_rows" else "select_tables"

    async def select_tables(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        """Select the tables that the reading named, that the model missed, that the last statement used, and a few by
        words."""
        if not state["wanted"]:
            runtime.stream_writer({"event": "tool_start", "tool": "sql"})
        try:
            snapshot = await self.snapshot(runtime)
        except DatabaseError as error:
            return failed(state, error)
        if not snapshot.allowed:
            finding = QueryResult(kind="sql", question=ask_of(state)["question"], problem=NOTHING_HELD)
            return found(state, finding, "There is no table to ask.")
        ask, last, tuning = ask_of(state), last_of_ask(state), self.tuning
        named = [*state["wanted"], *ask["tables"], *(last["tables"] if last else ())]
        named = [name for name in dict.fromkeys(named) if name in snapshot.allowed]
        most = tuning.max_tables if named else tuning.max_fallback_tables
        schema, words = snapshot.schema, " ".join(ask["words"]) or ask["question"]
        tables = choose(schema.ranker, schema.finder, named, words, snapshot.allowed, most=most)
        tables = tables or schema.tables_by_weight(snapshot.allowed)[:most]
        return {"tables": tables, **step(state, f"Tables: {', '.join(tables)}.")}

    def after_select_tables(self, state: AskState) -> Literal["plan_joins", "__end__"]:
        return "plan_joins" if state["tables"] else "__end__"

    async def plan_joins(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        """Add the tables in between. The model sees all links among the tables and picks one."""
        snapshot, last = await self.snapshot(runtime), last_of_ask(state)
        meant = {*state["wanted"], *ask_of(state)["tables"], *(last["tables"] if last else ())}
        asked = [name for name in state["tables"] if name in meant]
        between, notes = ways_between(snapshot.schema.finder, asked, snapshot.allowed)
        added = [name for name in between if name not in state["tables"]]
        sentence = f"Added {', '.join(added)} between them." if added else "No table lies between them."
        return {"tables": [*state["tables"], *added], "join_notes": notes, **step(state, sentence)}

    def turn_page(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        """Repeat the last statement from another row on."""
        runtime.stream_writer({"event": "tool_start", "tool": "sql"})
        last, rows = last_shown(state), ask_of(state)["rows"]
        if last is None:  # the reading is checked for it
            return found(state, QueryResult(kind="sql", question=ask_of(state)["question"]), "There is no last result.")
        starts = {"previous": max(last["start"] - PAGE, 0), "first": 0, "all": 0}
        written = {"kind": "sql", "sql": last["sql"], "understood_as": last["understood_as"], "left_out": []}
        return {"written": written, "start": starts.get(rows, last["end"]), **step(state, "Turned the page.")}
