"""Write, check, correct and run SQL. Every statement passes the guard before it reaches the database. Rules repair the
spelling of a dialect, never a name: the nearest name is another fact. Other problems go back to the model by name."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from langgraph.runtime import Runtime

from turnkeep.kit.nodes import step
from turnkeep.models.calls import TypedCall, try_typed
from turnkeep.observability import logger
from turnkeep.records import JSON, RunContext
from turnkeep_agents.database import prompts
from turnkeep_agents.database.answers.result_texts import last_question
from turnkeep_agents.database.answers.tables import size_of
from turnkeep_agents.database.checks.near_misses import is_nothing, near_misses
from turnkeep_agents.database.checks.repeated_rows import repeated_rows
from turnkeep_agents.database.checks.suspicious_sql import doubts
from turnkeep_agents.database.guard.guard import Checked, Refused
from turnkeep_agents.database.nodes.turn import (
    NOTHING_CHANGED,
    TurnNodes,
    ask_of,
    ended,
    failed,
    found,
    language_note,
    last_of_ask,
    last_shown,
    today_note,
)
from turnkeep_agents.database.planning.choosing import described
from turnkeep_agents.database.planning.schema_text import book_keeping, neighbours, schema_text
from turnkeep_agents.database.prompts import Written
from turnkeep_agents.database.results import Result
from turnkeep_agents.database.state import AskState, Attempt, QueryResult, Ran
from turnkeep_agents.database.workspace import Snapshot
from turnkeep_agents.databases.errors import DatabaseError, QueryFailed, SchemaChanged

CHANGED, TEXT_CUT = "schema_changed", "text_cut"
REFUSED, NOTHING, REPEATED = "sql_refused", "nothing_found", "rows_repeated"
NO_STATEMENT = "The question could not be put to the database."
NOT_HELD = "The database holds nothing of this."
CHANGED_SINCE = (
    "Its tables, or what may be read of them, have changed since this server looked at them; whoever runs it can renew "
    "what it knows."
)
RENEW_GRAPH = "run turnkeep joins build and, where there are secure views, turnkeep database secure --again; "
WRITES = frozenset({"not_select", "into", "statements"})


class StatementNodes(TurnNodes):
    async def write_sql(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        return await self._write(state, runtime, self.calls.write, "Wrote a statement.")

    async def correct_sql(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        number = len(state["attempts"])
        return await self._write(state, runtime, self.calls.correct, f"Correction {number}.")

    async def _write(self, state: AskState, runtime: Runtime[RunContext], call: TypedCall[Written], how: str) -> JSON:
        snapshot, ask, last = await self.snapshot(runtime), ask_of(state), last_of_ask(state)
        words = " ".join([ask["question"], *ask["words"]])

        def spelt(sql: str) -> str:
            sql, checked = snapshot.check(sql)
            return sql if isinstance(checked, Checked) else ""

        prompt = prompts.write(
            ask["question"],
            await asyncio.to_thread(self._schema, state, snapshot),
            examples=self.workspace.verified.nearest(words, snapshot.today, spelt),
            last=last_question(last) if last else "",
            tried=self._shortened(state["attempts"]),
            notes=[*state["join_notes"], today_note(runtime), language_note(state)],
            dialect=snapshot.database.dialect,
        )
        written = await try_typed(self.models.main, call, prompt)
        if written is None:
            return ended(state, NO_STATEMENT, REFUSED, "The model gave no statement.")
        return self._after_writing(state, written, snapshot, how)

    def _schema(self, state: AskState, snapshot: Snapshot) -> str:
        graph, tuning = snapshot.schema.graph, self.tuning
        shown = [graph.tables[name] for name in state["tables"]]
        has_values, owner = tuning.sample_rows > 0, (snapshot.today, snapshot.principal.tenant, snapshot.principal.user)
        dialect = snapshot.database.dialect
        text = schema_text(
            graph,
            state["tables"],
            allowed=snapshot.allowed,
            hidden={view.table: view.company_column for view in snapshot.database.access.views},
            spans=snapshot.schema.spans.of(shown, dialect, owner, snapshot.run) if has_values else {},
            asked=" ".join([ask_of(state)["question"], *ask_of(state)["words"]]),
            has_values=has_values,
            max_columns=tuning.max_columns,
        )
        near = neighbours(graph, state["tables"], ask_of(state)["tables"][:2], snapshot.allowed)
        lines = [text, prompts.NOT_SHOWN.format(tables=", ".join(near))] if near else [text]
        kept = book_keeping(graph, state["tables"])
        return "\n".join([*lines, prompts.BOOK_KEEPING.format(columns=", ".join(kept))] if kept else lines)

    def _shortened(self, attempts: Sequence[Attempt]) -> list[Attempt]:
        most = self.tuning.max_history_characters
        older = [Attempt(sql=one["sql"][:most], problem=one["problem"][:most]) for one in attempts[:-1]]
        return [*older, *attempts[-1:]]

    def _after_writing(self, state: AskState, written: Written, snapshot: Snapshot, how: str) -> JSON:
        missed = described(snapshot.schema.ranker, written.need_tables, snapshot.allowed)
        missed = [name for name in missed if name not in state["tables"]]
        if written.kind == "need_tables" and missed and not state["wanted"]:
            return {"wanted": missed, "written": {}, **step(state, f"It needs {', '.join(missed)} too.")}
        if written.sql.strip() and written.kind in ("sql", "need_tables"):
            return {"written": written.model_dump(), "ran": None, **step(state, how)}
        question = ask_of(state)["question"]
        if written.kind == "ask_back" and written.ask_back.strip():
            return found(state, QueryResult(kind="sql", question=question, asked_back=written.ask_back), "Asked back.")
        finding = QueryResult(kind="sql", question=question, left_out=written.left_out, problem=NOT_HELD)
        warnings = [*state["warnings"], NOTHING]
        return {**found(state, finding, "The database holds nothing of it."), "warnings": warnings}

    def after_write_sql(self, state: AskState) -> Literal["check_sql", "select_tables", "__end__"]:
        if state["written"]:
            return "check_sql"
        return "select_tables" if state["wanted"] else "__end__"

    async def check_sql(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        """Accept the statement as the guard wrote it."""
        snapshot = await self.snapshot(runtime)
        sql, checked = snapshot.check(state["written"]["sql"], state["start"])
        if isinstance(checked, Refused):
            noted = [NOTHING_CHANGED] if any(one.code in WRITES for one in checked.problems) else []
            return self._refused(state, " ".join(problem.message for problem in checked.problems), noted)
        schema, dialect = snapshot.schema, snapshot.database.dialect
        if doubt := doubts(sql, checked, schema.graph, schema.targets, dialect):
            return self._refused(state, doubt)
        repeated = await asyncio.to_thread(repeated_rows, sql, schema.graph, dialect, snapshot.run)
        was_reported = any(one.problem in attempt["problem"] for one in repeated for attempt in state["attempts"])
        if (
            repeated
            and not was_reported
            and state["start"] == 0
            and len(state["attempts"]) < self.tuning.max_corrections
        ):
            return self._refused(state, " ".join(one.problem for one in repeated))
        cautions = [one.caution for one in repeated if one.is_shown]
        tables, columns, joins = list(checked.tables), list(checked.columns), list(checked.joins)
        return {
            "written": {**state["written"], "sql": sql},
            "ran": Ran(sql=checked.sql, tables=tables, columns=columns, joins=joins),
            "cautions": cautions,
            "warnings": [*state["warnings"], *([REPEATED] if cautions else [])],
            **step(state, "Checked the statement."),
        }

    def after_check_sql(self, state: AskState) -> Literal["run_sql", "correct_sql", "__end__"]:
        if state["ran"]:
            return "run_sql"
        return "correct_sql" if state["attempts"] else "__end__"

    async def run_sql(self, state: AskState, runtime: Runtime[RunContext]) -> JSON:
        snapshot, ran = await self.snapshot(runtime), state["ran"]
        if ran is None:
            return self._refused(state, NO_STATEMENT)
        try:
            result = await asyncio.to_thread(snapshot.database.run, ran["sql"], runtime.context.principal)
        except SchemaChanged as error:
            if CHANGED not in state["warnings"]:
                remedy = f"{RENEW_GRAPH if self.tuning.joins else ''}restart the server"
                logger.warning("database has changed since its tables were read", tables=ran["tables"], remedy=remedy)
            return self._refused(state, str(error), [CHANGED])
        except QueryFailed as error:
            return self._refused(state, str(error))
        except DatabaseError as error:
            return failed(state, error)
        sql, dialect = state["written"]["sql"], snapshot.database.dialect
        is_empty = is_nothing(result) and state["start"] == 0
        near = await asyncio.to_thread(near_misses, sql, dialect, snapshot.run) if is_empty else []
        finding = self._finding(state, result, near)
        rows = f"The database gave {len(result.rows)} {'row' if len(result.rows) == 1 else 'rows'}."
        warnings = [*state["warnings"], *([TEXT_CUT] if result.has_cut_texts else [])]
        return {**found(state, finding, rows), "warnings": warnings}

    def _finding(self, state: AskState, result: Result, near: list[str]) -> QueryResult:
        ask, written, last = ask_of(state), state["written"], last_shown(state)
        is_page = ask["kind"] == "more_rows" and last is not None
        size = size_of(result.rows, has_more=result.is_cut, is_all=ask["rows"] == "all")
        finding = QueryResult(
            kind=ask["kind"],
            question=last["question"] if is_page and last else ask["question"],
            sql=written["sql"],
            understood_as=written["understood_as"],
            left_out=written["left_out"],
            columns=list(result.columns),
            rows=[list(row) for row in result.rows],
            start=state["start"],
            size=size,
            has_more=result.is_cut,
            near=near,
            cautions=state["cautions"],
        )
        return QueryResult({**finding, "ran": state["ran"]}) if state["ran"] else finding

    def after_run_sql(self, state: AskState) -> Literal["correct_sql", "__end__"]:
        return "correct_sql" if state["attempts"] else "__end__"

    def _refused(self, state: AskState, problem: str, noted: Sequence[str] = ()) -> JSON:
        attempts = [*state["attempts"], Attempt(sql=state["written"]["sql"], problem=problem)]
        warnings = list(dict.fromkeys([*state["warnings"], *noted]))
        if len(attempts) > self.tuning.max_corrections or ask_of(state)["kind"] == "more_rows":
            reason = CHANGED_SINCE if CHANGED in warnings else f"{NO_STATEMENT} {problem}"
            tried: AskState = {**state, "attempts": attempts, "warnings": warnings}
            return ended(tried, reason, REFUSED, "The statement was refused for good.")
        refused = {"attempts": attempts, "ran": None, "warnings": warnings}
        return {**refused, **step(state, f"Refused the statement: {problem}")}
