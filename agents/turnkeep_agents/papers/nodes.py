"""The nodes and routers of the agent. A node returns only what it changed."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from turnkeep.kit.checked_replies import Linked, place, send
from turnkeep.kit.citations import Citing
from turnkeep.kit.documents import Document
from turnkeep.kit.nodes import answer_from, message_of, replied, step
from turnkeep.kit.prompting import ConversationFormatter, PromptBuilder
from turnkeep.kit.verification import Sources
from turnkeep.models.calls import TextCall, ask_text, ask_typed
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.papers import prompts
from turnkeep_agents.papers.answers import cited_in, citing
from turnkeep_agents.papers.corpus import Corpus, titled
from turnkeep_agents.papers.reading import READ_CALL, checked
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_agents.papers.state import PapersState

MOST_LISTED, BRIEF, GRADED = 20, 240, 480  # papers of a list; characters of each, and of a paper that is graded
MOST_CITED = 6  # papers of earlier replies whose titles the reading gets
READ_TOKENS, ANSWER_TOKENS, RESPOND_TOKENS = 1_000, 400, 2_000  # of history; an answer has documents as well


@dataclass(frozen=True)
class Nodes:
    models: Models
    corpus: Corpus
    tuning: PapersSettings

    async def read(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        """Read the message and decide the route; the model knows the guardrail's threshold when it scores."""
        message, prompt = message_of(state), self._begin(prompts.READ, state, runtime, READ_TOKENS)
        cited = [f"[{one.id}] {one.title}" for one in cited_in(prompt, self.corpus.by_id)][:MOST_CITED]
        prompt.with_notes([f"{prompts.CITED}{'; '.join(cited)}."] if cited else [])
        asked = prompt.with_query(message, label="Message").messages()
        found = checked(await ask_typed(self.models.small, READ_CALL, asked), message)
        is_inside = found.score >= self.tuning.guardrail_threshold
        route = "respond" if found.kind == "conversation" else "retrieve" if is_inside else "refuse"
        runtime.stream_writer({"event": "route_decision", "route": route})
        where = "out of" if route == "refuse" else "in"
        verdict = f"The message is {where} scope: {found.score} of 100. {found.reason}"
        return {
            "route": route,
            "guardrail_score": found.score,
            "standalone_query": found.question,
            "language": found.language,
            "searches": found.searches,
            "scope": {"limit": MOST_LISTED if found.breadth == "many" else self.tuning.top_k, "years": found.years[:2]},
            **step(state, verdict.strip()),
        }

    async def refuse(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        prompt = self._begin(prompts.REFUSE, state, runtime, ANSWER_TOKENS)
        prompt.with_note(f"{prompts.SCOPE}{state['reasoning_steps'][0]}")
        answer = await ask_text(self.models.main, prompts.REFUSE_CALL, _asking(prompt, state))
        to = place("papers", state["messages"], runtime)
        reply = send(answer.text, to=to, judge=Linked(None, state["messages"]))
        update = replied(state, reply)
        update["warnings"] += answer.warnings
        return {**update, **step(state, "Said what can be asked instead.")}

    async def respond(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        prompt = self._begin(prompts.RESPOND, state, runtime, RESPOND_TOKENS)
        papers = {one.id: one for one in [*cited_in(prompt, self.corpus.by_id), *self.corpus.newest]}
        judge = self._judge([*papers.values()], ("ai", "human"), state, runtime)
        update = await self._word(prompts.RESPOND_CALL, prompt, judge, state, runtime)
        cited = [source for source in judge.sources() if source["cited"]]
        return {**update, "sources": cited, **step(state, "Answered from the conversation.")}

    async def retrieve(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        attempt = state["attempts"] + 1
        runtime.stream_writer({"event": "tool_start", "tool": "retrieve", "attempt": attempt})
        found = self.corpus.search(state["searches"], **state["scope"])
        new = [document for document in found if document.id not in state["seen"]]
        shown = BRIEF if state["scope"]["limit"] == MOST_LISTED else None
        return {
            "documents": [asdict(replace(document, text=document.text[:shown])) for document in new],
            "seen": [*state["seen"], *(document.id for document in new)],
            "attempts": attempt,
            "is_exhausted": bool(found) and not new,
            **step(state, f"Search {attempt} found {len(new)} {'new ' if attempt > 1 else ''}papers."),
        }

    async def grade_documents(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        documents = [Document(**{**row, "text": row["text"][:GRADED]}) for row in state["documents"]]
        prompt = PromptBuilder(self._filled(prompts.GRADE)).with_retrieval_context(documents)
        asked = prompt.with_query(state["standalone_query"]).messages()
        grade = await ask_typed(self.models.small, prompts.GRADE_CALL, asked)
        relevant = [document for document in state["documents"] if document["id"] in grade.relevant_ids]
        return {"relevant": relevant, **step(state, f"{len(relevant)} of {len(documents)} papers are relevant.")}

    async def rewrite_query(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        tried = [*state["searches"]] if state["attempts"] == 1 else [*state["rewritten_queries"]]
        titles = [self.corpus.by_id[id_].title for id_ in state["seen"]] or self.corpus.titles
        prompt = PromptBuilder(self._filled(prompts.REWRITE)).with_notes(f"{prompts.SEARCHED}{each}" for each in tried)
        prompt.with_note(f"{prompts.FOUND}{titled(titles)}").with_query(state["standalone_query"])
        query = (await ask_typed(self.models.small, prompts.REWRITE_CALL, prompt.messages())).query.strip()
        if not query:
            return {"is_exhausted": True, **step(state, "Saw no other way to search.")}
        rewritten = [*state["rewritten_queries"], query]
        return {"searches": [query], "rewritten_queries": rewritten, **step(state, "Rewrote the query.")}

    async def answer(self, state: PapersState, runtime: Runtime[RunContext]) -> JSON:
        papers, attempts, note = [Document(**row) for row in state["relevant"]], state["attempts"], ""
        if not papers:
            note = prompts.NOTHING.format(attempts=attempts)
        elif attempts >= self.tuning.max_attempts and len(papers) < self.tuning.top_k:
            note = prompts.LIMITED.format(attempts=attempts)
        prompt = self._begin(prompts.ANSWER, state, runtime, ANSWER_TOKENS).with_retrieval_context(papers)
        prompt.with_notes([note] if note else [])
        judge = self._judge(papers, ("ai",), state, runtime)
        update = await self._word(prompts.ANSWER_CALL, prompt, judge, state, runtime)
        update["warnings"] += ["no_citation"] if papers and not judge.cited else []
        update["warnings"] += ["limited_sources"] if note else []
        done = f"Answered from {len(papers)} papers, citing {len(judge.cited)}."
        return {**update, "sources": judge.sources(), **step(state, done)}

    def after_read(self, state: PapersState) -> Literal["retrieve", "respond", "refuse"]:
        return state["route"] or "refuse"

    def after_retrieve(self, state: PapersState) -> Literal["grade_documents", "rewrite_query", "answer"]:
        return "grade_documents" if state["documents"] else self._next(state)

    def after_grade_documents(self, state: PapersState) -> Literal["rewrite_query", "answer"]:
        return "answer" if state["relevant"] else self._next(state)

    def after_rewrite_query(self, state: PapersState) -> Literal["retrieve", "answer"]:
        return "answer" if state["is_exhausted"] else "retrieve"

    def _next(self, state: PapersState) -> Literal["rewrite_query", "answer"]:
        has_more = state["attempts"] < self.tuning.max_attempts and not state["is_exhausted"]
        return "rewrite_query" if has_more else "answer"

    def _judge(
        self, papers: Sequence[Document], of: Collection[str], state: PapersState, runtime: Runtime[RunContext]
    ) -> Citing:
        """`of` are the kinds of messages that count as facts: a user's claim proves nothing about a paper."""
        texts, today = [each.text for each in state["messages"] if each.type in of], runtime.context.now.date()
        sources = Sources(
            [*texts, self._filled("{count} {titles} {by_year} {newest}")],
            days=[(today, today)],
            language=state["language"],
        )
        return citing(papers, self.corpus.by_id, sources)

    async def _word(
        self, call: TextCall, prompt: PromptBuilder, judge: Citing, state: PapersState, runtime: Runtime[RunContext]
    ) -> JSON:
        to = place("papers", state["messages"], runtime)
        return await answer_from(judge, self.models.main, call, _asking(prompt, state), state=state, to=to)

    def _begin(self, system: str, state: PapersState, runtime: Runtime[RunContext], tokens: int) -> PromptBuilder:
        formatter = ConversationFormatter(runtime.context.conversation_window, tokens)
        prompt = PromptBuilder(self._filled(system)).with_conversation(formatter, state["messages"][:-1])
        return prompt.with_note(prompts.TODAY.format(date=f"{runtime.context.now:%Y-%m-%d}"))

    def _filled(self, system: str) -> str:
        return system.format(**self.corpus.about, threshold=self.tuning.guardrail_threshold)


def _asking(prompt: PromptBuilder, state: PapersState) -> list[BaseMessage]:
    return prompt.with_message(message_of(state), state["standalone_query"]).messages()
