"""Shared by all nodes: models, the workspace, the database of the turn, the beginning of a prompt and the end of an
ask."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from turnkeep.kit import nodes
from turnkeep.kit.nodes import step
from turnkeep.kit.prompting import ConversationFormatter
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.database.prompts import Calls
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.state import AskState, QueryResult, Shown, fresh_ask
from turnkeep_agents.database.workspace import Snapshot, Workspace
from turnkeep_agents.databases.errors import DatabaseBusy, DatabaseError, DatabaseSlow

LONGEST_MESSAGE = 4_000  # characters of a message that prompts show: its beginning and its end
MESSAGE_CUT, NOTHING_CHANGED = "message_cut", "nothing_changed"
DOWN, SLOW = "database_down", "database_slow"
NARROWER = "A question about fewer rows, such as those of one month, may take less."


@dataclass(frozen=True)
class TurnNodes:
    models: Models
    workspace: Workspace
    tuning: DatabaseSettings

    @property
    def calls(self) -> Calls:
        return Calls(self.tuning)

    async def snapshot(self, runtime: Runtime[RunContext]) -> Snapshot:
        context = runtime.context
        return await asyncio.to_thread(self.workspace.on, context.now.date(), context.principal)

    async def snapshot_or_none(self, runtime: Runtime[RunContext]) -> Snapshot | None:
        """Return None if the database does not answer; the SQL graph reports it if it is needed."""
        try:
            return await self.snapshot(runtime)
        except DatabaseError:
            return None

    def history(
        self, state: Mapping[str, Any], runtime: Runtime[RunContext], turns: int, tokens: int
    ) -> tuple[ConversationFormatter, list[AnyMessage], list[str]]:
        """Return the part of the conversation that prompts show, without tables of rows, and the summaries of the
        rest."""
        most = min(tokens, self.tuning.max_context_tokens // 4)
        kept = state.get("memory") if self.tuning.memory == "tiered" else None
        window, messages, summaries = nodes.history(state, min(turns, runtime.context.conversation_window), kept)
        return ConversationFormatter(window, most), [without_table(one) for one in messages], summaries


def today_note(runtime: Runtime[RunContext]) -> str:
    today = runtime.context.now.date()
    return f"Today is {today.isoformat()}, a {today:%A}."


def language_note(state: Mapping[str, Any]) -> str:
    return f"Language: {state['language']} (ISO 639-1)."


def message_of(state: Mapping[str, Any]) -> str:
    return nodes.message_of(state, LONGEST_MESSAGE)


def last_shown(state: Mapping[str, Any]) -> Shown | None:
    """Return the newest result if its statement is known."""
    shown = state.get("shown") or []
    return shown[-1] if shown and shown[-1]["sql"] else None


def ask_of(state: AskState) -> dict[str, Any]:
    return state["asks"][state["at"]]


def last_of_ask(state: AskState) -> Shown | None:
    """Return the result that the ask continues."""
    return last_shown(state) if ask_of(state)["goes_on"] else None


def found(state: AskState, finding: QueryResult, sentence: str) -> JSON:
    return {
        **fresh_ask(),
        "findings": [*state["findings"], finding],
        "all_attempts": [*state["all_attempts"], *state["attempts"]],
        "at": state["at"] + 1,
        **step(state, sentence),
    }


def failed(state: AskState, error: DatabaseError) -> JSON:
    """End the ask because the database failed: another statement would not help."""
    code = SLOW if isinstance(error, DatabaseSlow) else DOWN
    advice = f" {NARROWER}" if code == SLOW and not isinstance(error, DatabaseBusy) else ""
    return ended(state, f"{error}{advice}", code, "The database gave no answer.")


def ended(state: AskState, problem: str, code: str, sentence: str) -> JSON:
    finding = QueryResult(kind="sql", question=ask_of(state)["question"], problem=problem)
    return {**found(state, finding, sentence), "warnings": list(dict.fromkeys([*state["warnings"], code]))}


def without_table(message: AnyMessage) -> AnyMessage:
    """Keep the text of a message; rows are shown elsewhere or not at all."""
    lines = [line for line in message.text.splitlines() if not line.startswith("|")]
    return message.model_copy(update={"content": "\n".join(lines).strip() or "(rows)"})
