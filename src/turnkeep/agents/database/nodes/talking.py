"""Answers that need no database: out of the manual, and to everything else."""

import re
from dataclasses import asdict, replace

from langgraph.runtime import Runtime

from turnkeep.agents.database import prompts
from turnkeep.agents.database.manual.answers import answer_from, names_subject
from turnkeep.agents.database.nodes.replies import Update, reply, step
from turnkeep.agents.database.nodes.workplace import Workplace
from turnkeep.agents.database.state import DatabaseState, Last
from turnkeep.blocks.citations import IdForm, check_citations
from turnkeep.blocks.documents import Document
from turnkeep.records import JSON, RunContext

SECTIONS = 5  # of the manual that an answer is written from
SECTION_ID = IdForm(re.compile(r"[\w/-]+(?:#[\w-]+)?"))
CITATION_REMOVED = "citation_removed"
NO_MANUAL = "There is no manual for this database that I could look that up in; DATABASE__MANUAL names a folder of one."


class TalkingNodes(Workplace):
    async def search_manual(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        runtime.stream_writer({"event": "tool_start", "tool": "manual"})
        found, query = self._found(state)
        return {
            "pages": [asdict(section) for section in found],
            "standalone_query": query,
            **step(state, f"The manual has {len(found)} sections on it."),
        }

    def _found(self, state: DatabaseState) -> tuple[list[Document], str]:
        """The sections, and the question that they are for: a message that names its subject needs no other, though it
        sounds like one that goes on. What a model made of it stays as it is."""
        manual, message = self.desk.manual, str(state["messages"][-1].text)
        if self.model is None and state["understood"]["is_follow_up"]:
            found = manual.search(message, SECTIONS)
            if names_subject(message, [asdict(section) for section in found], manual.weights):
                return found, message
        return manual.search(state["understood"]["search"], SECTIONS), state["standalone_query"]

    async def answer_from_manual(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        if not self.desk.manual.documents:
            said = self.speaker.say(state["messages"], NO_MANUAL)
            last = Last(route="rag", sql="", page=0)
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
            "last": Last(route="rag", sql="", page=0),
            **step(state, f"Answered from {len(checked.cited)} sections."),
        }

    async def answer_generally(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        runtime.stream_writer({"event": "tool_start", "tool": "general"})
        schema = await self.schema(runtime)
        notes = [f"{prompts.TODAY}{runtime.context.now.date().isoformat()}.", *self.desk.about(schema)]
        prompt = self.prompts(state, runtime).general(state["standalone_query"], notes)
        said = await self.speaker.free(state["messages"], self.calls.general, prompt)
        last = Last(route="general", sql="", page=0)
        return {**reply(state, said), "last": last, **step(state, "Answered without database and manual.")}


def _source(section: Document, *, is_cited: bool) -> JSON:
    return {
        "id": section.id, "title": section.title, "url": section.url, "score": section.score, "cited": is_cited
    }  # fmt: skip
