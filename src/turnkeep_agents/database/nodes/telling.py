"""What the user is told of rows, and of what went wrong. Sentences and table are computed from the rows; a model may
word the sentences."""

from dataclasses import replace

from langgraph.runtime import Runtime

from turnkeep_agents.database import prompts
from turnkeep_agents.database.desk import Day
from turnkeep_agents.database.nodes.outcomes import REFUSED, in_words
from turnkeep_agents.database.nodes.pages import with_page
from turnkeep_agents.database.nodes.replies import Update, reply
from turnkeep_agents.database.nodes.workplace import Workplace, query_step
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.restating import tables_of
from turnkeep_agents.database.state import Last, QueryState, Rows
from turnkeep_agents.database.writing.telling import known_texts, preview, sentences, table_of
from turnkeep.databases.results import Result
from turnkeep.models.calls import TextAnswer
from turnkeep.records import RunContext

MOST_KEPT = 3_000  # characters
TEXT_CUT = "text_cut"


class TellingNodes(Workplace):
    async def tell_result(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        day = await self.day(runtime)
        question, result = state["standalone_query"], _result(state)
        asked = self._asked(state, day, runtime)
        say, table = sentences(asked, result, question, page=state["page"]), table_of(result, asked)
        notes = [*(f"{prompts.SAY}{sentence}" for sentence in say), *([f"{prompts.TABLE}{table}"] if table else [])]
        rows = {"tool": "sql", "output": preview(result)}
        prompt = self.prompts(state, runtime).answer(question, rows, notes)
        by_rules = "\n\n".join(filter(None, [" ".join(say), table]))
        known = [*say, *known_texts(result, question)]
        said = await self.speaker.word(state["messages"], self.calls.answer, prompt, known, by_rules)
        told = reply(state, _with(table, said))
        warnings = [*told["warnings"], *([TEXT_CUT] if result.has_cut_texts else [])]
        last = self._last(state, len(result.rows))
        return {**told, "warnings": warnings, "last": last, **query_step(state, "Told the rows.")}

    def _last(self, state: QueryState, count: int) -> Last:
        """The statement, and where its pages begin as far as is known by now."""
        page, before = state["page"], state.get("last")
        start, is_turned = state["start"] or 0, state["start"] is not None
        starts = before["starts"] if is_turned and before else [0]
        starts = with_page(starts, page, start, start + count, self.tuning.max_rows)
        return Last(route="sql", sql=_kept(state["sql"]), page=page, starts=starts, end=start + count)

    def _asked(self, state: QueryState, day: Day, runtime: Runtime[RunContext]) -> Asked | None:
        """What the rules read, where they wrote the statement too; of a model's the rows alone are known. What they
        could not place was told with the first page."""
        if not self.models.is_demo:
            return None
        today, reader, chain = runtime.context.now.date(), day.schema.reader, state["chain"]
        asked = reader.read(chain, today=today, allowed=day.allowed)
        if state["is_second_look"] or state["start"] is not None:
            again = reader.again.read(chain, today=today, allowed=day.allowed)
            asked = again if again and _is_of(state["result"], again) else asked
        return replace(asked, unread=()) if asked and state["start"] is not None else asked

    async def tell_failure(self, state: QueryState) -> Update:
        told = reply(state, self.speaker.say(state["messages"], in_words(state)))
        warnings = [*told["warnings"], state["failure"] or REFUSED]
        return {**told, "warnings": warnings, **query_step(state, "Told what went wrong.")}


def _is_of(result: Rows | None, asked: Asked) -> bool:
    """Whether the rows are those of a statement over all tables of the question, as it was read."""
    ran = result["ran"] if result else None
    return ran is not None and set(tables_of(asked)) <= set(ran["tables"])


def _kept(sql: str) -> str:
    """What the next turn may turn the pages of: the state of a thread has to stay small."""
    return sql if len(sql) <= MOST_KEPT else ""


def _with(table: str, said: TextAnswer) -> TextAnswer:
    """The answer with the rows below it, where they are not in it."""
    return replace(said, text=f"{said.text}\n\n{table}") if table and table not in said.text else said


def _result(state: QueryState) -> Result:
    found = state["result"]
    if found is None:
        return Result((), ())
    rows = tuple(tuple(row) for row in found["rows"])
    return Result(tuple(found["columns"]), rows, found["is_cut"], found["has_cut_texts"])
