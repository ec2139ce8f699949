"""Answers that need no database: out of the manual, and to everything else."""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace

from langgraph.runtime import Runtime

from turnkeep_agents.database import prompts
from turnkeep_agents.database.manual.answers import answer_from, names_subject
from turnkeep_agents.database.manual.outline import beginnings_of
from turnkeep_agents.database.nodes.replies import Update, reply, step
from turnkeep_agents.database.nodes.workplace import Workplace
from turnkeep_agents.database.signs.smalltalk import small_talk
from turnkeep_agents.database.state import DatabaseState, without_rows
from turnkeep.blocks.citations import IdForm, check_citations
from turnkeep.blocks.documents import Document
from turnkeep.models.calls import try_typed
from turnkeep.records import JSON, RunContext

SECTIONS = 5  # of the manual that an answer is written from
RANKED = 20  # that a model is shown with how they begin
SECTION_ID = IdForm(re.compile(r"[\w/-]+(?:#[\w-]+)?"))
CITATION_REMOVED, SECTIONS_BY_RULES = "citation_removed", "sections_by_rules"
NO_MANUAL = "There is no manual for this database that I could look that up in; DATABASE__MANUAL names a folder of one."


class TalkingNodes(Workplace):
    async def search_manual(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        """The sections that a model picks, among those that rules rank and by the names of all; then the best ranked,
        as many as fit beside them."""
        runtime.stream_writer({"event": "tool_start", "tool": "manual"})
        ranked, query = self._ranked(state)
        chosen, warnings = await self._choose(query, ranked)
        found = list({section.id: section for section in (*chosen, *ranked)}.values())[:SECTIONS]
        return {
            "pages": [asdict(section) for section in found],
            "standalone_query": query,
            "warnings": [*state["warnings"], *warnings],
            **step(state, f"The manual has {len(found)} sections on it."),
        }

    def _ranked(self, state: DatabaseState) -> tuple[list[Document], str]:
        """By rules, and the question that they are for: a message that names its subject needs no other, though it
        sounds like one that goes on. What a model made of it stays as it is."""
        manual, message = self.desk.manual, str(state["messages"][-1].text)
        if self.model is None and state["understood"]["is_follow_up"]:
            found = manual.search(message, SECTIONS)
            if names_subject(message, [asdict(section) for section in found], manual.weights):
                return found, message
        return manual.search(state["understood"]["search"], RANKED), state["standalone_query"]

    async def _choose(self, query: str, ranked: Sequence[Document]) -> tuple[list[Document], list[str]]:
        """The model's choice, without what it made up; a manual that fits into the answer's prompt needs none."""
        manual = self.desk.manual
        if self.model is None:
            return [], []
        if len(manual.documents) <= SECTIONS:
            return [*ranked, *manual.documents], []
        prompt = prompts.choose_sections(query, beginnings_of(ranked), manual.outline, SECTIONS)
        found = await try_typed(self.model, prompts.SECTIONS_CALL, prompt)
        chosen = [section for name in (found.sections if found else ()) for section in manual.named(name, ranked)]
        is_unusable = found is None or (found.sections and not chosen)
        return chosen, [SECTIONS_BY_RULES] if is_unusable else []

    async def answer_from_manual(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        if not self.desk.manual.documents:
            said = self.speaker.say(state["messages"], NO_MANUAL)
            last = without_rows("rag")
            return {**reply(state, said), "last": last, **step(state, "There is no manual.")}
        sections = [Document(**section) for section in state["pages"]]
        prompt = self.prompts(state, runtime).manual(state["standalone_query"], sections)
        shown = [f"{section.title} {section.text}" for section in sections]
        known = [state["standalone_query"], *shown]
        by_rules = answer_from(prompt[-1].additional_kwargs["parts"], self.desk.manual.weights)
        said = await self.speaker.word(state["messages"], self.calls.manual, prompt, known, by_rules, addresses=shown)
        checked = check_citations(said.text, {section.id for section in sections}, SECTION_ID)
        warnings = (*said.warnings, *([CITATION_REMOVED] if checked.removed else []))
        return {
            **reply(state, replace(said, text=checked.text or by_rules, warnings=warnings)),
            "sources": [_source(section, is_cited=section.id in checked.cited) for section in sections],
            "last": without_rows("rag"),
            **step(state, f"Answered from {len(checked.cited)} sections."),
        }

    async def answer_generally(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        runtime.stream_writer({"event": "tool_start", "tool": "general"})
        if state["told"]:
            noticed = self.speaker.say(state["messages"], state["told"])
            return {**reply(state, noticed), **step(state, "Told without asking anybody.")}
        day = await self.day_or_none(runtime)
        notes = [f"{prompts.TODAY}{runtime.context.now.date().isoformat()}.", *self.desk.about(day)]
        prompt = self.prompts(state, runtime).general(state["standalone_query"], notes)
        said = await self.speaker.free(state["messages"], self.calls.general, prompt)
        stays = state.get("last") if small_talk(str(state["messages"][-1].text)) else None
        last = stays or without_rows("general")
        return {**reply(state, said), "last": last, **step(state, "Answered without database and manual.")}


def _source(section: Document, *, is_cited: bool) -> JSON:
    return {
        "id": section.id, "title": section.title, "url": section.url, "score": section.score, "cited": is_cited
    }  # fmt: skip
