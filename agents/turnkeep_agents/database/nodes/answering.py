"""The answer: one call over all findings, checked sentence by sentence; then the rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from turnkeep.kit.checked_replies import Linked, place, send, word
from turnkeep.kit.documents import Document
from turnkeep.kit.links import addresses
from turnkeep.kit.nodes import step
from turnkeep.models.calls import TextAnswer
from turnkeep.records import JSON, RunContext
from turnkeep_agents.database import prompts
from turnkeep_agents.database.answers.judge import ReplyJudge, source_of, verifier_of
from turnkeep_agents.database.answers.result_texts import (
    MOST_SHOWN,
    facts,
    finding_text,
    remembered,
    shown_facts,
    shown_text,
    table,
    table_below,
)
from turnkeep_agents.database.nodes.turn import TurnNodes, language_note, last_shown, message_of, today_note
from turnkeep_agents.database.planning.choosing import choose
from turnkeep_agents.database.state import DatabaseState, QueryResult, Shown
from turnkeep_agents.database.workspace import Snapshot

TALK_TURNS, TALK_TOKENS = 10, 2_000
ASKED_BEFORE = 3  # messages of the user whose numbers may be quoted
MOST_TABLES, MOST_TITLES = 20, 20


class AnsweringNodes(TurnNodes):
    async def answer(self, state: DatabaseState, runtime: Runtime[RunContext]) -> JSON:
        findings, to = state["findings"], place("database", state["messages"], runtime)
        asked_back = next((one["asked_back"] for one in findings if one.get("asked_back")), "")
        if not findings:
            return await self._talked(state, runtime)
        if asked_back and len(findings) == 1:
            judge = Linked(None, state["messages"])
            worded = send(asked_back, to=to, judge=judge)
            return {**self._replied(state, worded, ReplyJudge(None)), "route": "clarify"}
        tables = [below for one in findings if (below := table_below(one, state["language"]))]
        if all(one["kind"] == "more_rows" and one.get("rows") for one in findings):
            worded = send("\n\n".join(tables), to=to)
            return self._replied(state, worded, ReplyJudge(None))
        return await self._answered(state, runtime, "\n\n".join([*filter(None, [asked_back]), *tables]))

    async def _answered(self, state: DatabaseState, runtime: Runtime[RunContext], end: str) -> JSON:
        findings, last = state["findings"], last_shown(state)
        compared = last if last and state["asks"][0]["goes_on"] else None
        sections = [Document(**section) for one in findings for section in one.get("sections", ())]
        notes = [f"{prompts.COMPARED}{shown_text(compared)}"] if compared else []
        notes += [today_note(runtime), language_note(state)]
        prompt = prompts.answer(
            message_of(state), [(one["kind"], finding_text(one)) for one in findings], sections, notes
        )
        texts = [text for one in findings for text in facts(one)]
        texts += shown_facts(compared) if compared else []
        texts += [f"{section.title}\n{section.text}" for section in sections]
        asked = [str(one.text) for one in state["messages"] if one.type == "human"][-ASKED_BEFORE:]
        judge = ReplyJudge(
            verifier_of(
                texts,
                asked,
                runtime.context.now.date(),
                state["language"],
                statements=[one["ran"]["sql"] for one in findings if "ran" in one],
                has_counts=not any("rows" in one for one in findings),
            ),
            {section.id for section in sections},
        )
        given = [*_cells(findings), *(f"{section.text}\n{section.url}" for section in sections)]
        worded = await word(
            self.models.main,
            self.calls.answer,
            prompt,
            Linked(judge, state["messages"], given),
            to=place("database", state["messages"], runtime),
            fallback=_fallback(findings, state["language"]),
            end=f"\n\n{end}" if end else "",
        )
        return self._replied(state, worded, judge)

    async def _talked(self, state: DatabaseState, runtime: Runtime[RunContext]) -> JSON:
        runtime.stream_writer({"event": "tool_start", "tool": "general"})
        shown, is_about = state.get("shown") or [], state["asks"][0]["kind"] == "about_conversation"
        history = self.history(state, runtime, TALK_TURNS, TALK_TOKENS)
        holdings = [] if is_about else self._holdings(state, await self.snapshot_or_none(runtime))
        results = [f"{prompts.SHOWN_RESULT}{shown_text(one)}" for one in shown]
        notes = [*results, *holdings, today_note(runtime), language_note(state)]
        prompt = prompts.talk(message_of(state), *history, notes)
        replies = [str(one.text) for one in state["messages"][:-1] if one.type == "ai"]
        texts = [*replies, *(text for one in shown for text in shown_facts(one)), *history[2]]
        asked = [str(one.text) for one in state["messages"] if one.type == "human"]
        today, language = runtime.context.now.date(), state["language"]
        verifier = (
            verifier_of(texts, asked, today, language, statements=[one["sql"] for one in shown]) if is_about else None
        )
        judge = ReplyJudge(verifier)
        worded = await word(
            self.models.main,
            self.calls.talk,
            prompt,
            Linked(judge, state["messages"], [*holdings, *_cells(shown)]),
            to=place("database", state["messages"], runtime),
            fallback="\u2026",
        )
        return self._replied(state, worded, judge)

    def _holdings(self, state: DatabaseState, snapshot: Snapshot | None) -> list[str]:
        titles = ", ".join(self.workspace.manual.titles[:MOST_TITLES])
        notes = [prompts.MANUAL.format(titles=titles or "there is none")]
        if snapshot is None:
            return notes
        ask, schema, allowed = state["asks"][0], snapshot.schema, snapshot.allowed
        words = " ".join(ask["words"])
        near = choose(schema.ranker, schema.finder, ask["tables"], words, allowed, most=MOST_TABLES) if words else []
        comments = {name: schema.graph.tables[name].comment for name in near}
        names = [f"{name} ({comment})" if comment else name for name, comment in comments.items()]
        names = names or schema.tables_by_weight(allowed)[:MOST_TABLES]
        return [prompts.HELD.format(count=len(allowed), tables="; ".join(names)), *notes]

    def _replied(self, state: DatabaseState, worded: TextAnswer, judge: ReplyJudge) -> JSON:
        results = [remembered(one) for one in state["findings"] if "rows" in one]
        shown: list[Shown] = [*(state.get("shown") or []), *results]
        sections = [section for one in state["findings"] for section in one.get("sections", ())]
        warnings = [*state["warnings"], *worded.warnings, *judge.warnings]
        return {
            "messages": [worded.message],
            "reply": worded.text,
            "sources": [source_of(section, judge.cited) for section in sections],
            "warnings": list(dict.fromkeys(warnings)),
            "shown": shown[-MOST_SHOWN:],
            **step(state, "Answered."),
        }


def _cells(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the texts in rows, except those of a statement with an address: the model may have built it."""
    read = [one for one in results if not any(addresses(one.get("sql", "")))]
    rows = [row for one in read for row in one.get("rows", one.get("head", ()))]
    return [cell for row in rows for cell in row if isinstance(cell, str)]


def _fallback(findings: Sequence[QueryResult], language: str) -> str:
    """Return the answer if no sentence of the model could stand: the question as understood, the problem or the only
    value."""
    texts = []
    for one in findings:
        value = table(one, language) if one.get("rows") and not table_below(one, language) else ""
        texts += [one.get("understood_as") or one.get("problem") or one["question"], value]
    return "\n\n".join(filter(None, texts))
