"""The nodes and routers of the agent. A node returns only what it changed; the model is asked through prompts.py."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from turnkeep_agents.papers import prompts
from turnkeep_agents.papers.corpus import Corpus
from turnkeep_agents.papers.prompts import Prompts
from turnkeep_agents.papers.state import PapersState
from turnkeep_agents.papers.topic import topic_of
from turnkeep.blocks.citations import ARXIV, check_citations, cited_ids
from turnkeep.blocks.documents import Document
from turnkeep.errors import ModelError
from turnkeep.models.calls import TextAnswer, ask_text, ask_typed
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.papers.settings import PapersSettings

type Update = dict[str, Any]

QUESTION_WEIGHT = 3  # times that a question comes before what it goes on from
MOST_CHARACTERS = 1_000  # of a question that is searched for; the answer reads all of it


@dataclass(frozen=True)
class Nodes:
    """The nodes with what they work with."""

    models: Models
    corpus: Corpus
    tuning: PapersSettings

    async def understand(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        """Makes a follow-up stand alone: by rules, so that it costs no model call and a replay searches the same."""
        question = _question(state)
        history = _window(state, runtime)
        asked = [message.text for message in history if message.type == "human"]
        cited = self._cited_titles(history)
        topic = [line[:MOST_CHARACTERS] for line in topic_of(question, asked, self._answered(history), cited)]
        return {
            "topic": topic,
            "standalone_query": " ".join([question[:MOST_CHARACTERS], *topic]),
            "search_query": "\n".join([question[:MOST_CHARACTERS]] * (QUESTION_WEIGHT if topic else 1) + topic),
            "reasoning_steps": ["The question goes on from what was said." if topic else "The question stands alone."],
        }

    async def check_scope(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        prompt = self._prompts(state, runtime).score_scope(_question(state), state["topic"])
        found = await ask_typed(self.models.small, prompts.SCORE_SCOPE_CALL, prompt)
        is_inside = found.score >= self.tuning.guardrail_threshold
        route = "retrieve" if is_inside else "refuse"
        runtime.stream_writer({"event": "route_decision", "route": route})
        return {
            "guardrail": {"score": found.score, "reason": found.reason},
            "route": route,
            **_step(state, f"The message is {'in' if is_inside else 'out of'} scope: {found.score} of 100."),
        }

    async def refuse(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        guardrail = state["guardrail"] or {"score": 0, "reason": ""}
        prompt = self._prompts(state, runtime).refuse(_question(state), guardrail["score"], guardrail["reason"])
        said = await ask_text(self.models.main, prompts.REFUSE_CALL, prompt, run_id=_run_id(state))
        return {**self._reply(said, said.text), **_step(state, "Said what can be asked instead.")}

    async def retrieve(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        query, attempt = state["search_query"], state["attempts"] + 1
        runtime.stream_writer({"event": "tool_start", "tool": "retrieve", "attempt": attempt})
        found = self.corpus.search(query, self.tuning.top_k)
        return {
            "documents": [asdict(document) for document in found],
            "attempts": attempt,
            **_step(state, f"Search {attempt} found {len(found)} papers."),
        }

    async def grade_documents(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        if not state["documents"]:
            return {"relevant": [], **_step(state, "There was nothing to grade.")}
        documents = _documents(state["documents"])
        query = state["search_query"] if state["attempts"] > 1 else state["standalone_query"]
        prompt = self._prompts(state, runtime).grade(state["standalone_query"], query, documents)
        grade = await ask_typed(self.models.small, prompts.GRADE_CALL, prompt)
        relevant = [document for document in state["documents"] if document["id"] in grade.relevant_ids]
        return {"relevant": relevant, **_step(state, f"{len(relevant)} of {len(documents)} papers are relevant.")}

    async def rewrite_query(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        tried = [state["standalone_query"], *state["rewritten_queries"]]
        documents = _documents(state["documents"])
        prompt = self._prompts(state, runtime).rewrite(state["standalone_query"], tried, documents)
        found = await ask_typed(self.models.small, prompts.REWRITE_CALL, prompt)
        return {
            "search_query": found.query,
            "rewritten_queries": [*state["rewritten_queries"], found.query],
            **_step(state, "Rewrote the query."),
        }

    async def answer(self, state: PapersState, runtime: Runtime[RunContext]) -> Update:
        sources = state["relevant"]
        is_limited = state["attempts"] >= self.tuning.max_attempts and len(sources) < self.tuning.top_k
        notes = [prompts.LIMITED_SOURCES.format(attempts=state["attempts"])] if is_limited else []
        now = runtime.context.now
        prompt = self._prompts(state, runtime).answer(_question(state), _documents(sources), notes, now)
        said = await ask_text(self.models.main, prompts.ANSWER_CALL, prompt, run_id=_run_id(state))
        checked = check_citations(said.text, {source["id"] for source in sources}, ARXIV)
        if not checked.text:
            raise ModelError("The model's answer held nothing but unknown citations.")
        found = ["citation_removed"] if checked.removed else []
        found += ["no_citation"] if sources and not checked.cited else []
        found += ["limited_sources"] if is_limited else []
        return {
            **self._reply(said, checked.text, found),
            "sources": [_source(source, cited=source["id"] in checked.cited) for source in sources],
            **_step(state, f"Answered from {len(sources)} papers, citing {len(checked.cited)}."),
        }

    def after_check_scope(self, state: PapersState) -> Literal["retrieve", "refuse"]:
        return "retrieve" if state["route"] == "retrieve" else "refuse"

    def after_grade_documents(self, state: PapersState) -> Literal["answer", "rewrite_query"]:
        has_more_attempts = state["attempts"] < self.tuning.max_attempts
        return "rewrite_query" if has_more_attempts and not state["relevant"] else "answer"

    def _prompts(self, state: PapersState, runtime: Runtime[RunContext]) -> Prompts:
        return Prompts(self.corpus.field, runtime.context.conversation_window, state["messages"][:-1])

    def _reply(self, said: TextAnswer, text: str, found: Sequence[str] = ()) -> Update:
        return {"messages": [AIMessage(text, id=said.id)], "reply": text, "warnings": [*said.warnings, *found]}

    def _answered(self, history: Sequence[AnyMessage]) -> list[str]:
        """The questions that were answered with citations."""
        return [
            question.text
            for question, reply in pairwise(history)
            if question.type == "human" and reply.type == "ai" and cited_ids(reply.text, self.corpus.by_id, ARXIV)
        ]

    def _cited_titles(self, history: Sequence[AnyMessage]) -> list[str]:
        """What the newest answer with citations was about."""
        for message in reversed(history):
            cited = cited_ids(message.text, self.corpus.by_id, ARXIV) if message.type == "ai" else []
            if cited:
                return [self.corpus.by_id[id_].title for id_ in cited]
        return []


def _question(state: PapersState) -> str:
    return state["messages"][-1].text


def _window(state: PapersState, runtime: Runtime[RunContext]) -> list[AnyMessage]:
    """The messages of the newest turns before the question, as many turns as a prompt shows."""
    earlier = state["messages"][:-1]
    starts = [at for at, message in enumerate(earlier) if message.type == "human"]
    newest = starts[-runtime.context.conversation_window :]
    return earlier[newest[0] :] if newest else []


def _documents(rows: Sequence[JSON]) -> list[Document]:
    return [Document(**row) for row in rows]


def _source(row: JSON, *, cited: bool) -> JSON:
    return {"id": row["id"], "title": row["title"], "url": row["url"], "score": row["score"], "cited": cited}


def _step(state: PapersState, sentence: str) -> Update:
    return {"reasoning_steps": [*state["reasoning_steps"], sentence]}


def _run_id(state: PapersState) -> UUID:
    """From the id of the question, so that a node that runs again replaces its message instead of adding one."""
    return uuid5(NAMESPACE_OID, f"papers.reply:{state['messages'][-1].id}")
