"""The orchestrator: reads what a message asks, handles ask after ask, and searches the manual."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Literal

from langgraph.runtime import Runtime

from turnkeep.kit.documents import Document
from turnkeep.kit.nodes import fold, step
from turnkeep.models.calls import ask_typed
from turnkeep.records import JSON, RunContext
from turnkeep_agents.database import prompts
from turnkeep_agents.database.answers.result_texts import shown_text
from turnkeep_agents.database.manual import page_of
from turnkeep_agents.database.nodes.turn import (
    LONGEST_MESSAGE,
    MESSAGE_CUT,
    NOTHING_CHANGED,
    TurnNodes,
    ask_of,
    found,
    last_shown,
    message_of,
    today_note,
)
from turnkeep_agents.database.reading import READ_CALL, ROUTES, TALK, check
from turnkeep_agents.database.state import DatabaseState, QueryResult
from turnkeep_agents.database.workspace import Snapshot

READ_TURNS, READ_TOKENS = 4, 500
MOST_NAMED_RANKED = 20  # of a very large schema, next to the names that every message sees
SECTIONS, RANKED = 4, 20
NO_MANUAL = "There is no manual for this database; DATABASE__MANUAL names a folder of one."


class OrchestratorNodes(TurnNodes):
    async def read(self, state: DatabaseState, runtime: Runtime[RunContext]) -> JSON:
        folded = await fold(state, self.tuning.memory, self.models.small)
        snapshot, last = await self.snapshot_or_none(runtime), last_shown(state)
        history = self.history({**state, "memory": folded.memory}, runtime, READ_TURNS, READ_TOKENS)
        notes = [f"{prompts.LAST_RESULT}{shown_text(last, has_statement=False)}"] if last else []
        tables, ranked = self._names(snapshot, message_of(state))
        pages = sorted({page_of(document.id) for document in self.workspace.manual.documents})
        prompt = prompts.read(
            message_of(state),
            *history,
            [*notes, *ranked, today_note(runtime)],
            tables=", ".join(tables) or "none",
            pages=", ".join(pages) or "none",
        )
        answer = await ask_typed(self.models.small, READ_CALL, prompt.messages())
        allowed = snapshot.allowed if snapshot else ()
        reading = check(answer, tables=allowed, pages=pages, has_shown=last is not None)
        route = ROUTES.get(reading.asks[0].kind, "general")
        runtime.stream_writer({"event": "route_decision", "route": route})
        noted = [MESSAGE_CUT] if len(state["messages"][-1].text) > LONGEST_MESSAGE else []
        noted += [NOTHING_CHANGED] if any(ask.kind == "change" for ask in reading.asks) else []
        return {
            "memory": folded.memory,
            "context": prompt.trimmed.counts,
            "language": reading.language,
            "asks": [ask.model_dump() for ask in reading.asks],
            "route": route,
            "warnings": [*folded.warnings, *noted],
            **step(state, f"Read: {', '.join(ask.kind for ask in reading.asks)}."),
        }

    def _names(self, snapshot: Snapshot | None, message: str) -> tuple[list[str], list[str]]:
        """Return the tables that every message sees by name, and a note of others whose words this one contains."""
        if snapshot is None:
            return [], []
        most, schema, allowed = self.tuning.max_named_tables, snapshot.schema, snapshot.allowed
        if len(allowed) <= most:
            return sorted(allowed), []
        named = sorted(schema.tables_by_weight(allowed)[:most])
        ranked = schema.ranker.rank(message, allowed=set(allowed) - set(named), limit=MOST_NAMED_RANKED)
        further = ", ".join(ranked)
        return [*named, f"and {len(allowed) - most} more"], [f"Further tables: {further}"] if further else []

    def next_ask(self, state: DatabaseState) -> Literal["query_database", "search_manual", "pass_on", "answer"]:
        """Return the node for the next ask, `answer` after the last one or if there is only talk."""
        left = state["asks"][state["at"] :]
        if not left or all(ask["kind"] in TALK for ask in state["asks"]):
            return "answer"
        kind = left[0]["kind"]
        if kind in TALK:
            return "pass_on"
        return "search_manual" if kind == "manual" else "query_database"

    def pass_on(self, state: DatabaseState) -> JSON:
        ask = ask_of(state)
        return found(state, QueryResult(kind=ask["kind"], question=ask["question"]), f"Passed on: {ask['kind']}.")

    def search_manual(self, state: DatabaseState, runtime: Runtime[RunContext]) -> JSON:
        """Find sections of the pages that the model named, best ranked first, then by words."""
        runtime.stream_writer({"event": "tool_start", "tool": "manual"})
        ask, manual = ask_of(state), self.workspace.manual
        if not manual.documents:
            finding = QueryResult(kind="manual", question=ask["question"], problem=NO_MANUAL)
            return found(state, finding, "There is no manual.")
        ranked = manual.search(" ".join([ask["question"], *ask["words"]]), RANKED)
        sections = _chosen(ranked, [manual.named(page, ranked) for page in ask["pages"]])
        kept = [asdict(replace(one, metadata={})) for one in sections]
        finding = QueryResult(kind="manual", question=ask["question"], sections=kept)
        return found(state, finding, f"The manual has {len(kept)} sections on it.")


def _chosen(ranked: Sequence[Document], pages: Sequence[Sequence[Document]]) -> list[Document]:
    """Take ranked sections of the named pages, the best of each page, then other ranked ones."""
    of_pages = {section.id for page in pages for section in page}
    first = [section for section in ranked if section.id in of_pages]
    best = [page[0] for page in pages if page]
    return list({section.id: section for section in (*first, *best, *ranked)}.values())[:SECTIONS]
