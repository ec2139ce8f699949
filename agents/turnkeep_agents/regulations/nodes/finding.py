"""From the message to the context of the answer."""

from dataclasses import asdict
from typing import Literal

from langgraph.runtime import Runtime

from turnkeep.kit.documents import Document
from turnkeep.kit.nodes import message_of, step
from turnkeep.models.calls import ask_typed
from turnkeep.records import JSON, RunContext
from turnkeep_agents.regulations import passages, prompts
from turnkeep_agents.regulations.answers import cited_in
from turnkeep_agents.regulations.context import build_context
from turnkeep_agents.regulations.knowledge.references import references
from turnkeep_agents.regulations.nodes.prompting import READ_TOKENS, Prompting, texts_by
from turnkeep_agents.regulations.reading import READ_CALL, Span, checked, fact_note, facts_in
from turnkeep_agents.regulations.state import RegulationsState

LAW_NOT_HELD = "law_not_held"
MOST_PASSAGES = 24  # of the user's documents: about as many as fit into the context
MOST_CLAUSES = 12  # of documents, used as searches of the law
MOST_CITED = 6  # articles of earlier replies that the reading is given


class Searching(Prompting):
    async def read(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        message, prompt = message_of(state), self.begin(prompts.READ, state, runtime, READ_TOKENS)
        cited = self.knowledge.get(cited_in(prompt, self.knowledge.by_id)[:MOST_CITED])
        active = f"{prompts.ACTIVE}{passages.named(state['active'])}"
        prompt.with_note(active if state["active"] else prompts.NO_DOCUMENTS)
        prompt.with_notes([f"{prompts.CITED}{'; '.join(f'[{one.id}] {one.title}' for one in cited)}"] if cited else [])
        asked = prompt.with_query(message, label="Message").messages()
        reading = await ask_typed(self.models.small, READ_CALL, asked)
        found = checked(reading, message, has_documents=bool(state["active"]))
        is_outside = found.domain == "none" and found.composition == "pure_kb"
        route = "respond" if found.composition == "chat" else "refuse" if is_outside else "retrieve"
        runtime.stream_writer({"event": "route_decision", "route": route})
        unheld = [message[one.start : one.end] for one in references(message) if not self.knowledge.holds(one)]
        confidences = {"domain": found.domain_confidence, "composition": found.composition_confidence}
        kept = found.model_dump(include={"domain", "action", "composition", "searches", "needs_professional"})
        kept |= {"confidences": confidences, "spans": [span.model_dump() for span in found.facts]}
        return {
            "route": route,
            "unheld": [] if self.knowledge.is_empty else unheld,
            "warnings": [*state["warnings"], *([LAW_NOT_HELD] if unheld else [])],
            "standalone_query": found.question,
            "language": found.language,
            "reading": {**kept, "lacks_document": reading.composition != found.composition},
            **step(state, f"Read as {found.domain}, {found.action}, {found.composition}."),
        }

    def check_facts(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        """Parse the spans into values; spans without a value are asked about."""
        spans, today = [Span(**span) for span in state["reading"]["spans"]], runtime.context.now.date()
        facts, unread = facts_in(texts_by(state, "human"), spans, state["language"], today)
        return {"facts": facts, "unread": unread, **step(state, f"{len(facts)} of {len(spans)} facts have a value.")}

    def retrieve(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        runtime.stream_writer({"event": "tool_start", "tool": "retrieve"})
        reading, most, documents = state["reading"], self.tuning.top_k, runtime.context.documents
        is_about_them = reading["composition"] in ("pure_doc", "hybrid")
        most_passages = MOST_PASSAGES if is_about_them else most
        own = passages.search(documents, state["active"], reading["searches"], most_passages)
        # The reading has not seen the document's text, so the law is searched for its clauses as well.
        clauses = passages.clauses(own, MOST_CLAUSES) if reading["composition"] == "hybrid" else []
        knowledge = self.knowledge.search(
            [*reading["searches"], *clauses], most + len(clauses), domain=reading["domain"], language=state["language"]
        )
        found = {"knowledge": [*map(asdict, knowledge)], "documents": [*map(asdict, own)]}
        return {"found": found, **step(state, f"Found {len(knowledge)} articles and {len(own)} passages.")}

    def build_context(self, state: RegulationsState) -> JSON:
        found, reading = state["found"], state["reading"]
        knowledge, documents = ([Document(**row) for row in found[name]] for name in ("knowledge", "documents"))
        facts = [*map(fact_note, state["facts"])]
        built = build_context(reading["composition"], knowledge=knowledge, documents=documents, facts=facts)
        metadata = built.metadata(reading["composition"], reading["searches"], len(knowledge) + len(documents))
        context = [*map(asdict, built.documents)]
        shown = f"Shows {len(context)} sources in {metadata['token_count']} of {metadata['budget_tokens']} tokens."
        return {"context": context, "context_metadata": metadata, **step(state, shown)}

    def after_read(self, state: RegulationsState) -> Literal["check_facts", "respond", "refuse"]:
        return "check_facts" if state["route"] == "retrieve" else "respond" if state["route"] == "respond" else "refuse"

    def after_build_context(self, state: RegulationsState) -> Literal["calculate", "choose_model"]:
        return "calculate" if state["reading"]["action"] == "calculate" and state["context"] else "choose_model"
