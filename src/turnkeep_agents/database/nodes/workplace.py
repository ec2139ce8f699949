"""What all nodes share: models, the desk, and how prompts are begun."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from turnkeep_agents.database import prompts
from turnkeep_agents.database.desk import Day, Desk
from turnkeep_agents.database.nodes.replies import Speaker, Update, step
from turnkeep_agents.database.planning.shortlist import documents_of
from turnkeep_agents.database.prompts import Calls, Prompts
from turnkeep_agents.database.state import QueryState
from turnkeep_agents.database.wall.database import DatabaseError
from turnkeep.blocks import memory
from turnkeep.blocks.documents import Document
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep_agents.database.settings import DatabaseSettings

UNFOLDED_TURNS = 10  # that no summary holds yet are shown whole with tiered memory, however small the window is


@dataclass(frozen=True)
class Workplace:
    models: Models
    desk: Desk
    tuning: DatabaseSettings

    @property
    def calls(self) -> Calls:
        return Calls(self.tuning)

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.models)

    @property
    def model(self) -> BaseChatModel | None:
        """None where rules do what a model would."""
        return None if self.models.is_demo else self.models.small

    async def day(self, runtime: Runtime[RunContext]) -> Day:
        """Raises DatabaseError."""
        context = runtime.context
        return await asyncio.to_thread(self.desk.on, context.now.date(), context.principal)

    async def day_or_none(self, runtime: Runtime[RunContext]) -> Day | None:
        """None where the database does not answer: the SQL graph says so if it is needed."""
        try:
            return await self.day(runtime)
        except DatabaseError:
            return None

    def prompts(self, state: Mapping[str, Any], runtime: Runtime[RunContext]) -> Prompts:
        """The window that is asked for; with tiered memory the messages that no summary covers, and the summaries."""
        window, history = runtime.context.conversation_window, state["messages"][:-1]
        most, kept = self.tuning.max_context_tokens, state["memory"]
        if self.tuning.memory == "window":
            return Prompts(window, history, [], most)
        return Prompts(UNFOLDED_TURNS, memory.unfolded(kept, history), memory.notes(kept), most)

    def documents(self, day: Day, tables: Sequence[str], question: str, *, most_columns: int) -> list[Document]:
        """The tables as a model sees them."""
        has_values = self.tuning.sample_rows > 0
        return documents_of(
            day.schema.graph,
            tables,
            question=question,
            max_columns=most_columns,
            has_values=has_values,
            allowed=day.allowed,
        )

    def facts(self, day: Day, runtime: Runtime[RunContext]) -> list[str]:
        """What every prompt for SQL says."""
        today = runtime.context.now.date()
        return [f"{prompts.TODAY}{today.isoformat()}, a {today:%A}.", f"{prompts.DIALECT}{day.database.dialect}."]


def question_of(state: QueryState) -> str:
    """The questions that belong together, one a line."""
    return "\n".join(state["chain"])


def query_step(state: QueryState, sentence: str) -> Update:
    """A step of the SQL graph, which has only so many."""
    return {**step(state, sentence), "steps": state["steps"] + 1}
