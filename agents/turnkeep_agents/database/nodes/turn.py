"""What all nodes share: models, the workspace, the database of the turn, how a prompt begins and how an ask ends."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from turnkeep.blocks import nodes
from turnkeep.blocks.nodes import step
from turnkeep.blocks.prompting import ConversationFormatter
from turnkeep.models.chat import Models
from turnkeep.observability import logger
from turnkeep.records import JSON, RunContext
from turnkeep_agents.database.prompts import Calls
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.state import AskState, Attempt, QueryResult, Shown, fresh_ask
from turnkeep_agents.database.workspace import Snapshot, Workspace
from turnkeep_agents.databases.errors import DatabaseBusy, DatabaseError, DatabaseSlow

LONGEST_MESSAGE = 4_000  # characters of a message that prompts show: its beginning and its end
MESSAGE_CUT, NOTHING_CHANGED = "message_cut", "nothing_changed"
DOWN, SLOW, CHANGED = "database_down", "database_slow", "schema_changed"
REFUSED, NOTHING, REPEATED = "sql_refused", "nothing_found", "rows_repeated"

NO_STATEMENT = "The question could not be put to the database."
NOT_HELD = "The database holds nothing of this."
NARROWER = "A question about fewer rows, such as those of one month, may take less."
CHANGED_SINCE = (
    "Its tables, or what may be read of them, have changed since this server looked at them; whoever runs it can renew "
    "what it knows."
)
RENEW_GRAPH = "run turnkeep joins build and, where there are secure views, turnkeep database secure --again; "
RESTART = "start the server anew"


@dataclass(frozen=True)
class TurnNodes:
    models: Models
    workspace: Workspace
    tuning: DatabaseSettings

    @property
    def calls(self) -> Calls:
        return Calls(self.tuning)

    async def snapshot(self, runtime: Runtime[RunContext]) -> Snapshot:
        """Raises DatabaseError."""
        context = runtime.context
        return await asyncio.to_thread(self.workspace.on, context.now.date(), context.principal)

    async def snapshot_or_none(self, runtime: Runtime[RunContext]) -> Snapshot | None:
        """None where the database does not answer: the SQL graph says so if it is needed."""
        try:
            return await self.snapshot(runtime)
        except DatabaseError:
            return None

    def history(
        self, state: Mapping[str, Any], runtime: Runtime[RunContext], turns: int, tokens: int
    ) -> tuple[ConversationFormatter, list[AnyMessage], list[str]]:
        """The part of the conversation that prompts show, without tables of rows, and the summaries of the rest."""
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
    """The newest result, whose statement is known."""
    shown = state.get("shown") or []
    return shown[-1] if shown and shown[-1]["sql"] else None


def ask_of(state: AskState) -> dict[str, Any]:
    return state["asks"][state["at"]]


def last_of_ask(state: AskState) -> Shown | None:
    """The result that the ask goes on from."""
    return last_shown(state) if ask_of(state)["goes_on"] else None


def found(state: AskState, finding: QueryResult, sentence: str, *, attempts: Sequence[Attempt] | None = None) -> JSON:
    """The ask is done; the next one begins."""
    tried = state["attempts"] if attempts is None else list(attempts)
    return {
        **fresh_ask(),
        "findings": [*state["findings"], finding],
        "all_attempts": [*state["all_attempts"], *tried],
        "at": state["at"] + 1,
        **step(state, sentence),
    }


def failed(state: AskState, error: DatabaseError) -> JSON:
    """The database gave nothing: nobody writes the statement anew."""
    code = SLOW if isinstance(error, DatabaseSlow) else DOWN
    told = f"{error} {NARROWER}" if code == SLOW and not isinstance(error, DatabaseBusy) else str(error)
    return ended(state, told, code, "The database gave no answer.")


def ended(
    state: AskState, problem: str, code: str, sentence: str, *, attempts: Sequence[Attempt] | None = None
) -> JSON:
    finding = QueryResult(kind="sql", question=ask_of(state)["question"], problem=problem)
    return {
        **found(state, finding, sentence, attempts=attempts),
        "warnings": list(dict.fromkeys([*state["warnings"], code])),
    }


def log_change(tables: Sequence[str], *, has_joins: bool) -> None:
    """For whoever runs the server: a user can mend nothing of it. `has_joins`: a file of the settings is the graph."""
    remedy = f"{RENEW_GRAPH if has_joins else ''}{RESTART}"
    logger.warning("database has changed since its tables were read", tables=list(tables), remedy=remedy)


def without_table(message: AnyMessage) -> AnyMessage:
    """What was said; the rows are shown elsewhere or not at all."""
    lines = [line for line in message.text.splitlines() if not line.startswith("|")]
    return message.model_copy(update={"content": "\n".join(lines).strip() or "(rows)"})
