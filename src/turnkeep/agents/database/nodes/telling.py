"""What the user is told of rows, and of what went wrong. Sentences and table are computed from the rows; a model may
word the sentences."""

from dataclasses import replace

from langgraph.runtime import Runtime

from turnkeep.agents.database import prompts
from turnkeep.agents.database.desk import Day
from turnkeep.agents.database.nodes.outcomes import REFUSED, in_words
from turnkeep.agents.database.nodes.replies import Update, reply
from turnkeep.agents.database.nodes.workplace import Workplace, query_step
from turnkeep.agents.database.reading.asked import Asked
from turnkeep.agents.database.state import Last, QueryState
from turnkeep.agents.database.writing.telling import known_texts, preview, sentences, table_of
from turnkeep.databases.results import Result
from turnkeep.models.calls import TextAnswer
from turnkeep.records import RunContext

MOST_KEPT = 3_000  # characters


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
        last = Last(route="sql", sql=_kept(state["sql"]), page=state["page"])
        return {**reply(state, _with(table, said)), "last": last, **query_step(state, "Told the rows.")}

    def _asked(self, state: QueryState, day: Day, runtime: Runtime[RunContext]) -> Asked | None:
        """What the rules read, where they wrote the statement too; of a model's the rows alone are known."""
        if not self.models.is_demo:
            return None
        return day.schema.reader.read(state["chain"], today=runtime.context.now.date(), allowed=day.allowed)

    async def tell_failure(self, state: QueryState) -> Update:
        told = reply(state, self.speaker.say(state["messages"], in_words(state)))
        warnings = [*told["warnings"], state["failure"] or REFUSED]
        return {**told, "warnings": warnings, **query_step(state, "Told what went wrong.")}


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
    return Result(tuple(found["columns"]), tuple(tuple(row) for row in found["rows"]), found["is_cut"])
