"""SQL is written, checked, corrected and run. No statement reaches the database but through the guard, however it came
about; what the guard refuses or the database cannot run is mended by rules first, then by the model."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from turnkeep_agents.database import prompts
from turnkeep_agents.database.desk import Day
from turnkeep_agents.database.guard.guard import Checked, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.nodes.outcomes import CHANGED, failed, log_change, nothing_fits
from turnkeep_agents.database.nodes.replies import NOTHING_CHANGED, Update
from turnkeep_agents.database.nodes.workplace import Workplace, query_step, question_of
from turnkeep_agents.database.planning.nearby import nearby
from turnkeep_agents.database.prompts import Statement
from turnkeep_agents.database.signs.wishes import is_change
from turnkeep_agents.database.state import Attempt, QueryState, Ran, Rows
from turnkeep_agents.database.wall.database import DatabaseError, QueryFailed, SchemaChanged
from turnkeep.databases.results import Result
from turnkeep.models.calls import TypedCall, try_typed
from turnkeep.records import RunContext

NEVER_MENDED = frozenset(
    {"secure_view", "qualified", "catalog", "forbidden", "into", "lock", "not_select", "statements", "variable", "hint"}
)
ROUND = 4  # steps from a correction to an answer


class StatementNodes(Workplace):
    async def write_sql(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        """The first time, and once more where what was written gave no rows."""
        day, question = await self.day(runtime), question_of(state)
        is_second_look = state["result"] is not None
        further = _further(day, state["tables"], is_all=is_second_look and self.models.is_demo)
        notes = [*self.facts(day, runtime), *state["plan"], *_earlier(state, is_second_look=is_second_look), *further]
        documents = self.documents(day, state["tables"], question, most_columns=self.tuning.max_columns)
        prompt = prompts.write(question, documents, notes, day.database.dialect)
        how = "Wrote the statement once more, because it gave no rows." if is_second_look else "Wrote a statement."
        written = await self._statement(self.calls.write, prompt)
        if _lacks(written):
            return self._nothing(state, written, day)
        return {"sql": written.sql, "is_second_look": is_second_look, **query_step(state, how)}

    async def check_sql(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        """Lets through what may run, as the guard wrote it anew; nothing where there is no statement to be had."""
        if state["failure"]:
            return query_step(state, "There is no statement to check.")
        day = await self.day(runtime)
        sql, attempts = state["sql"], list(state["attempts"])
        found = self._checked(day, sql, state["start"])
        if isinstance(found, Refused) and (mended := self._mended(day, sql, found)):
            attempts.append(Attempt(sql=sql, problem=_told(found)))
            sql, found = mended, self._checked(day, mended, state["start"])
        if isinstance(found, Checked):
            checked = {"sql": sql, "ran": _ran(found), "problem": "", "attempts": attempts}
            return {**checked, **query_step(state, "Checked the statement.")}
        attempts.append(Attempt(sql=sql, problem=_told(found)))
        refused = {"sql": sql, "ran": None, "problem": _told(found), "attempts": attempts}
        warnings = [*state["warnings"], *([NOTHING_CHANGED] if is_change(sql) else [])]
        return {**refused, "warnings": warnings, **query_step(state, "Refused the statement.")}

    async def correct_sql(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        day, question = await self.day(runtime), question_of(state)
        most, cut = self.tuning.max_columns_in_correction, self.tuning.max_history_characters
        *earlier, newest = state["attempts"]
        tried = [f"{prompts.EARLIER}{one['sql'][:cut]} ({one['problem'][:cut]})" for one in earlier]
        wrong = [f"{prompts.STATEMENT}{newest['sql']}", f"{prompts.PROBLEM}{newest['problem']}"]
        documents = self.documents(day, state["tables"], question, most_columns=most)
        notes = [*self.facts(day, runtime), *state["plan"], *tried, *wrong]
        prompt = prompts.correct(question, documents, notes, day.database.dialect)
        written = await self._statement(self.calls.correct, prompt)
        if _lacks(written):
            return self._nothing(state, written, day)
        corrections = state["corrections"] + 1
        return {"sql": written.sql, "corrections": corrections, **query_step(state, f"Correction {corrections}.")}

    async def run_sql(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        day = await self.day(runtime)
        sql = state["ran"]["sql"] if state["ran"] else ""
        try:
            result = await asyncio.to_thread(day.database.run, sql, runtime.context.principal)
        except QueryFailed as error:
            if isinstance(error, SchemaChanged) and CHANGED not in state["warnings"]:
                log_change(state["ran"]["tables"] if state["ran"] else (), has_joins=bool(self.tuning.joins))
            return _complained(state, error)
        except DatabaseError as error:
            return failed(state, error)
        told = f"The database gave {len(result.rows)} {'row' if len(result.rows) == 1 else 'rows'}."
        rows = _rows(result, state["ran"])
        is_vain = self.models.is_demo and state["is_second_look"] and self._is_nothing(rows)
        rows = (state["result"] or rows) if is_vain else rows  # what was meant first is told
        return {"result": rows, "problem": "", **query_step(state, told)}

    def after_check_sql(self, state: QueryState) -> Literal["run_sql", "correct_sql", "tell_result", "tell_failure"]:
        if state["failure"]:
            return "tell_failure"
        if self.models.is_demo and state["ran"] and state["result"] and state["ran"] == state["result"]["ran"]:
            return "tell_result"  # the same statement would give the same rows
        return "run_sql" if state["ran"] else self._after_problem(state)

    def after_run_sql(self, state: QueryState) -> Literal["tell_result", "correct_sql", "write_sql", "tell_failure"]:
        if state["failure"]:
            return "tell_failure"
        if state["problem"]:
            return self._after_problem(state)
        is_empty = state["result"] is not None and self._is_nothing(state["result"])
        may_look_again = is_empty and not state["is_second_look"] and state["start"] is None
        return "write_sql" if may_look_again and self._has_steps(state) else "tell_result"

    def _is_nothing(self, found: Rows) -> bool:
        """Whether there are no rows; where rules wrote the statement, and no model, also where none was counted."""
        is_figure = self.models.is_demo and len(found["rows"]) == len(found["columns"]) == 1
        return not found["rows"] or (is_figure and found["rows"][0][0] in (0, None))

    def _after_problem(self, state: QueryState) -> Literal["correct_sql", "tell_result", "tell_failure"]:
        """No rows at all are still an answer where looking once more came to nothing."""
        if state["corrections"] < self.tuning.max_corrections and self._has_steps(state):
            return "correct_sql"
        return "tell_result" if state["result"] is not None else "tell_failure"

    def _has_steps(self, state: QueryState) -> bool:
        return state["steps"] + ROUND <= self.tuning.max_steps

    async def _statement(self, call: TypedCall[Statement], prompt: Sequence[BaseMessage]) -> Statement:
        """Empty where the model gave none that can be used: the guard says so."""
        return await try_typed(self.models.main, call, prompt) or Statement()

    def _nothing(self, state: QueryState, written: Statement, day: Day) -> Update:
        near = nearby(day.schema.graph, state["tables"], day.allowed)
        return {"ran": None, "sql": "", **nothing_fits(state, written.missing, near)}

    def _checked(self, day: Day, sql: str, start: int | None) -> Checked | Refused:
        return day.schema.guard.check(sql, allowed=day.allowed, offset=start or 0)

    def _mended(self, day: Day, sql: str, refused: Refused) -> str | None:
        """What rules make of a slip. What reaches for more than it may is left to whoever wrote it."""
        if any(problem.code in NEVER_MENDED for problem in refused.problems):
            return None
        return repair(sql, refused, day.schema.graph, day.database.dialect)


def _lacks(written: Statement) -> bool:
    """Whether there is no statement because the tables hold nothing of what is asked for."""
    return not written.sql.strip() and bool(written.missing)


def _further(day: Day, tables: Sequence[str], *, is_all: bool) -> list[str]:
    """A note of the tables whose names may stand in place of ids: a list shows a customer, not a number. `is_all` for
    rules, which look for a name that they did not find in any other table."""
    links = [link for link in day.schema.graph.relationships if link.from_table in tables]
    names = ({link.to_table for link in links} if not is_all else set(day.allowed)) & set(day.allowed) - set(tables)
    return [f"{prompts.FURTHER}{', '.join(sorted(names))}"] if names else []


def _complained(state: QueryState, error: QueryFailed) -> Update:
    changed = [CHANGED] if isinstance(error, SchemaChanged) else []
    return {
        "problem": str(error),
        "attempts": [*state["attempts"], Attempt(sql=state["sql"], problem=str(error))],
        "warnings": [*state["warnings"], *changed],
        **query_step(state, "The database refused the statement."),
    }


def _told(refused: Refused) -> str:
    return " ".join(problem.message for problem in refused.problems)


def _ran(found: Checked) -> Ran:
    return Ran(sql=found.sql, tables=list(found.tables), columns=list(found.columns), joins=list(found.joins))


def _rows(result: Result, ran: Ran | None) -> Rows:
    return Rows(
        columns=list(result.columns),
        rows=[list(row) for row in result.rows],
        is_cut=result.is_cut,
        has_cut_texts=result.has_cut_texts,
        ran=ran,
    )


def _earlier(state: QueryState, *, is_second_look: bool) -> list[str]:
    if is_second_look:
        return [f"{prompts.NO_ROWS}{state['sql']}"]
    last = state.get("last")
    return [f"{prompts.BEFORE}{last['sql']}"] if last and last["sql"] and len(state["chain"]) > 1 else []
