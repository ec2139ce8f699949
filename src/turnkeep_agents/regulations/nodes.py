"""The nodes and routers of the agent. A node returns only what it changed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from turnkeep.blocks.documents import Document
from turnkeep.blocks.prompting import ConversationFormatter, PromptBuilder
from turnkeep.blocks.verification import Sources
from turnkeep.blocks.wording import say, word
from turnkeep.errors import ModelError
from turnkeep.models.calls import TextCall, ask_text, ask_typed
from turnkeep.models.chat import Models
from turnkeep.placeholders import PLACEHOLDER
from turnkeep.records import JSON, RunContext
from turnkeep_agents.regulations import passages, prompts
from turnkeep_agents.regulations.answers import Grounded, cited_in
from turnkeep_agents.regulations.cache import AnswerCache, key_of
from turnkeep_agents.regulations.choosing import Choice, choose
from turnkeep_agents.regulations.context import build_context
from turnkeep_agents.regulations.knowledge.articles import Knowledge
from turnkeep_agents.regulations.reading import READ_CALL, Reading, Span, checked, facts_in, told
from turnkeep_agents.regulations.reckoning import Unreckonable, known_in, reckon
from turnkeep_agents.regulations.settings import RegulationsSettings
from turnkeep_agents.regulations.state import RegulationsState

type Update = dict[str, Any]

READ_TOKENS, ANSWER_TOKENS, TALK_TOKENS = 1_000, 400, 2_000  # of history; an answer has sources as well
MOST_CITED = 6  # articles of earlier replies that the reading is told
KEPT = ("route", "standalone_query", "language", "reading", "facts", "context_metadata", "choice", "steps", "sources")
"""What of an answer is given again when it is."""


@dataclass(frozen=True)
class Nodes:
    """The nodes with what they work with."""

    models: Models
    knowledge: Knowledge
    tuning: RegulationsSettings
    cache: AnswerCache

    def match_faq(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        """A question of the FAQ is answered from it, as long as no document of the user may say something else."""
        active = passages.listed(runtime.context.documents)
        hit = None if active else self.knowledge.faq.match(_message(state), threshold=self.tuning.faq_threshold)
        found: Update = {"active": active, "warnings": passages.warnings(runtime.context.documents)}
        if hit is None:
            return found
        runtime.stream_writer({"event": "route_decision", "route": "faq"})
        said = say(hit.answer, tell=runtime.stream_writer, run_id=_run_id(state))
        cited = self.knowledge.get(hit.articles, hit.language)
        return {
            **found,
            "route": "faq",
            "reading": {
                "domain": hit.domain,
                "action": "explain",
                "composition": "pure_kb",
                "confidences": {},
            },
            "language": hit.language,
            "messages": [said.message],
            "reply": said.text,
            "sources": [{**_source(one), "cited": True} for one in cited],
            **_step(state, f"The message is a question of the FAQ ({hit.id}, {hit.score:.2f})."),
        }

    def recall(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        """An answer that was given before to the same question, where all that it depends on is the same."""
        key = self._cache_key(state, runtime)
        known = self.cache.get(key) if key else None
        if known is None:
            return {"cache_key": key}
        runtime.stream_writer({"event": "route_decision", "route": known["route"]})
        said = say(known["reply"], tell=runtime.stream_writer, run_id=_run_id(state))
        kept = {name: known[name] for name in KEPT}
        step = _step(state, "The same was answered before, from the same sources and on the same day.")
        return {**kept, "messages": [said.message], "reply": said.text, "warnings": [*known["warnings"]], **step}

    async def read(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        message, prompt = _message(state), self._begin(prompts.READ, state, runtime, READ_TOKENS)
        cited = cited_in(prompt, self.knowledge.by_id)[:MOST_CITED]
        prompt.with_note(
            f"{prompts.ACTIVE}{passages.named(state['active'])}" if state["active"] else prompts.NO_DOCUMENTS
        )
        prompt.with_notes([f"{prompts.CITED}{self.knowledge.named(cited)}"] if cited else [])
        asked = prompt.with_query(message, label="Message").messages()
        said = await ask_typed(self.models.small, READ_CALL, asked)
        found = checked(said, message, has_documents=bool(state["active"]))
        route = _route(found)
        runtime.stream_writer({"event": "route_decision", "route": route})
        return {
            "route": route,
            "standalone_query": found.question,
            "language": found.language,
            "reading": {**_kept(found), "lacks_document": said.composition != found.composition},
            **_step(state, f"Read as {found.domain}, {found.action}, {found.composition}."),
        }

    def check_facts(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        """The spans become values, or are asked about."""
        spans, today = [Span(**span) for span in state["reading"]["spans"]], runtime.context.now.date()
        facts, unread = facts_in(_message(state), spans, state["language"], today)
        return {"facts": facts, "unread": unread, **_step(state, f"{len(facts)} of {len(spans)} facts have a value.")}

    def retrieve(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        runtime.stream_writer({"event": "tool_start", "tool": "retrieve"})
        reading, most = state["reading"], self.tuning.top_k
        knowledge = self.knowledge.search(
            reading["searches"], most, domain=reading["domain"], language=state["language"]
        )
        own = passages.search(runtime.context.documents, state["active"], reading["searches"], most)
        found = {"knowledge": [*map(asdict, knowledge)], "documents": [*map(asdict, own)]}
        return {"found": found, **_step(state, f"Found {len(knowledge)} articles and {len(own)} passages.")}

    def build_context(self, state: RegulationsState) -> Update:
        found, reading = state["found"], state["reading"]
        knowledge, documents = ([Document(**row) for row in found[name]] for name in ("knowledge", "documents"))
        facts = [*map(told, state["facts"])]
        built = build_context(reading["composition"], knowledge=knowledge, documents=documents, facts=facts)
        metadata = built.metadata(reading["composition"], reading["searches"], len(knowledge) + len(documents))
        context = [*map(asdict, built.documents)]
        step = f"Shows {len(context)} sources in {metadata['token_count']} of {metadata['budget_tokens']} tokens."
        return {"context": context, "context_metadata": metadata, **_step(state, step)}

    async def calculate(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        """The model plans, code computes; what cannot be carried out is named to the model once."""
        prompt = PromptBuilder(prompts.CALCULATE).with_retrieval_context(_context(state))
        prompt.with_notes([f"{prompts.FACTS}{'; '.join(map(told, state['facts']))}"] if state["facts"] else [])
        asked = prompt.with_note(_today(runtime)).with_query(state["standalone_query"]).messages()
        shown = [*(one.text for one in _context(state)), *map(told, state["facts"]), *_said(state, "human")]
        known = known_in(shown, runtime.context.now.date())
        plan = await ask_typed(self.models.main, prompts.CALCULATE_CALL, asked)
        try:
            lines = reckon(plan.steps, known)
        except Unreckonable as error:
            again = [*asked, HumanMessage(f"{error}. Plan the steps again.")]
            plan = await ask_typed(self.models.main, prompts.CALCULATE_CALL, again)
            try:
                lines = reckon(plan.steps, known)
            except Unreckonable:
                lines = []
        return {"steps": lines, **_step(state, f"Computed {len(lines)} steps.")}

    def choose_model(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        """Raises BudgetExceeded before a call that would cost too much."""
        choice = choose(
            self.models,
            domain=state["reading"]["domain"],
            action=state["reading"]["action"],
            prompt=self._asked(state, runtime),
            most_written=prompts.ANSWER_CALL.max_tokens,
            limit=self.tuning.answer_usd,
        )
        return {"choice": asdict(choice), **_step(state, f"{choice.model} answers: {choice.reason}.")}

    async def answer(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        judge, choice = self._judge(_context(state), state, runtime), Choice(**state["choice"])
        update = await self._word(
            prompts.ANSWER_CALL, choice, self._asked(state, runtime), judge, state=state, runtime=runtime
        )
        context = [one["id"] for one in state["context"]]
        update["warnings"] += ["no_citation"] if context and not judge.cited else []
        update["warnings"] += ["nothing_found"] if not context else []
        update["warnings"] += ["needs_professional"] if state["reading"]["needs_professional"] else []
        step = _step(state, f"Answered from {len(context)} sources, citing {len(judge.cited)}.")
        answered = {**update, "sources": judge.sources(), **step}
        self.cache.put(state["cache_key"], {**{name: state.get(name) for name in KEPT}, **answered, "messages": []})
        return answered

    async def respond(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        """From the conversation, which is the context then."""
        prompt = self._begin(prompts.RESPOND, state, runtime, TALK_TOKENS)
        prompt.with_notes([prompts.NOT_ATTACHED] if state["reading"]["lacks_document"] else [])
        said = prompt.trimmed.messages if prompt.trimmed else []
        built = build_context(
            "chat", knowledge=[], documents=[], facts=[], conversation="\n".join(one["content"] for one in said)
        )
        known = self.knowledge.get(cited_in(prompt, self.knowledge.by_id), state["language"])
        judge, asked = self._judge(known, state, runtime), _asking(prompt, state)
        choice = choose(
            self.models,
            domain="none",
            action="talk",
            prompt=asked,
            most_written=prompts.RESPOND_CALL.max_tokens,
            limit=self.tuning.answer_usd,
        )
        update = await self._word(prompts.RESPOND_CALL, choice, asked, judge, state=state, runtime=runtime)
        cited = [source for source in judge.sources() if source["cited"]]
        metadata = built.metadata("chat", [], 0)
        update |= {"sources": cited, "context_metadata": metadata, "choice": asdict(choice)}
        return {**update, **_step(state, "Answered from the conversation.")}

    async def refuse(self, state: RegulationsState, runtime: Runtime[RunContext]) -> Update:
        prompt = self._begin(prompts.REFUSE, state, runtime, ANSWER_TOKENS)
        answer = await ask_text(self.models.small, prompts.REFUSE_CALL, _asking(prompt, state))
        said = say(answer.text, tell=runtime.stream_writer, run_id=_run_id(state))
        update = {"messages": [said.message], "reply": said.text, "warnings": [*state["warnings"], *answer.warnings]}
        return {**update, **_step(state, "Said what can be asked instead.")}

    def after_match_faq(self, state: RegulationsState) -> Literal["recall", "__end__"]:
        return "__end__" if state["reply"] else "recall"

    def after_recall(self, state: RegulationsState) -> Literal["read", "__end__"]:
        return "__end__" if state["reply"] else "read"

    def after_read(self, state: RegulationsState) -> Literal["check_facts", "respond", "refuse"]:
        return "check_facts" if state["route"] == "retrieve" else "respond" if state["route"] == "respond" else "refuse"

    def after_build_context(self, state: RegulationsState) -> Literal["calculate", "choose_model"]:
        return "calculate" if state["reading"]["action"] == "calculate" and state["context"] else "choose_model"

    def _asked(self, state: RegulationsState, runtime: Runtime[RunContext]) -> list[BaseMessage]:
        """The prompt of the answer, by domain."""
        reading = state["reading"]
        system = f"{prompts.ANSWER} {prompts.DOMAINS[reading['domain']]}"
        prompt = self._begin(system, state, runtime, ANSWER_TOKENS).with_retrieval_context(_context(state))
        prompt.with_notes(self._notes(state))
        return _asking(prompt, state)

    def _notes(self, state: RegulationsState) -> list[str]:
        reading, metadata = state["reading"], state["context_metadata"]
        facts = [one for one in map(told, state["facts"]) if one not in metadata["left_out"]]
        notes = {
            f"{prompts.FACTS}{'; '.join(facts)}": facts,
            f"{prompts.UNREAD}{'; '.join(state['unread'])}": state["unread"],
            f"{prompts.COMPUTED}{'; '.join(state['steps'])}": state["steps"],
            prompts.NOT_COMPUTED: reading["action"] == "calculate" and not state["steps"],
            prompts.NOT_ATTACHED: reading["lacks_document"],
            prompts.EMPTY: self.knowledge.is_empty,
            prompts.NOTHING: not state["context"] and not self.knowledge.is_empty,
            prompts.CUT: metadata["truncated"],
            prompts.PROFESSIONAL: reading["needs_professional"],
        }
        return [note for note, is_due in notes.items() if is_due]

    async def _word(
        self,
        call: TextCall,
        choice: Choice,
        asked: Sequence[BaseMessage],
        judge: Grounded,
        *,
        state: RegulationsState,
        runtime: Runtime[RunContext],
    ) -> Update:
        said = await word(
            choice.of(self.models),
            call,
            asked,
            judge,
            tell=runtime.stream_writer,
            run_id=_run_id(state),
            fallback=judge.listed(),
        )
        if not said.text:
            raise ModelError("The model's answer held nothing that can be shown.")
        return {"messages": [said.message], "reply": said.text, "warnings": [*state["warnings"], *said.warnings]}

    def _judge(self, documents: Sequence[Document], state: RegulationsState, runtime: Runtime[RunContext]) -> Grounded:
        """What the user says of their own case may be said back; what it follows from has to be in the sources."""
        today = runtime.context.now.date()
        facts = [*map(told, state["facts"]), *state["steps"]]
        known = [
            *facts,
            *_said(state, "ai"),
            *_said(state, "human"),
            str(self.knowledge.told["laws"]),
            str(self.knowledge.told["count"]),
        ]
        said = Sources(known, days=[(today, today)], language=state["language"])
        return Grounded(documents, self.knowledge.by_id, said)

    def _begin(self, system: str, state: RegulationsState, runtime: Runtime[RunContext], tokens: int) -> PromptBuilder:
        formatter = ConversationFormatter(runtime.context.conversation_window, tokens)
        prompt = PromptBuilder(system.format(**self.knowledge.told)).with_conversation(
            formatter, state["messages"][:-1]
        )
        return prompt.with_note(_today(runtime))

    def _cache_key(self, state: RegulationsState, runtime: Runtime[RunContext]) -> str:
        """Of all that an answer depends on; empty where it rests on documents or personal data, which is never given
        again. Where nothing looks for personal data, an answer is given again to the same user only."""
        prompt = self._begin("", state, runtime, READ_TOKENS)
        conversation, context = (prompt.trimmed.messages if prompt.trimmed else []), runtime.context
        said = [_message(state), *(one["content"] for one in conversation)]
        if state["active"] or any(PLACEHOLDER.search(text) for text in said):
            return ""
        return key_of(
            {
                "tenant": context.principal.tenant,
                "user": "" if self.tuning.pii else context.principal.user,
                "said": said,
                "window": context.conversation_window,
                "today": f"{context.now:%Y-%m-%d}",
                "knowledge": self.knowledge.digest,
                "models": [self.models.name, self.models.small_name],
                "prompts": prompts.VERSION,
                "tuning": self.tuning.model_dump(),
            }
        )


def _route(found: Reading) -> Literal["retrieve", "respond", "refuse"]:
    if found.composition == "chat":
        return "respond"
    return "refuse" if found.domain == "none" and found.composition == "pure_kb" else "retrieve"


def _kept(found: Reading) -> JSON:
    confidences = {"domain": found.domain_confidence, "composition": found.composition_confidence}
    kept = found.model_dump(include={"domain", "action", "composition", "searches", "needs_professional"})
    return {**kept, "confidences": confidences, "spans": [span.model_dump() for span in found.facts]}


def _message(state: RegulationsState) -> str:
    return str(state["messages"][-1].text)


def _said(state: RegulationsState, kind: str) -> list[str]:
    return [str(each.text) for each in state["messages"] if each.type == kind]


def _context(state: RegulationsState) -> list[Document]:
    return [Document(**row) for row in state["context"]]


def _source(document: Document) -> JSON:
    return {"id": document.id, "title": document.title, "url": document.url, "score": document.score}


def _today(runtime: Runtime[RunContext]) -> str:
    return prompts.TODAY.format(date=f"{runtime.context.now:%A, %Y-%m-%d}")


def _asking(prompt: PromptBuilder, state: RegulationsState) -> list[BaseMessage]:
    """The message, and what it means where that is more."""
    message, question = _message(state), state["standalone_query"]
    if question != message:
        prompt.with_note(f"{prompts.MEANING}{question}")
    return prompt.with_query(message, label="Message").messages()


def _step(state: RegulationsState, sentence: str) -> Update:
    return {"reasoning_steps": [*state["reasoning_steps"], sentence]}


def _run_id(state: RegulationsState) -> UUID:
    """From the id of the message, so that a node that runs again replaces its reply instead of adding one."""
    return uuid5(NAMESPACE_OID, f"regulations.reply:{state['messages'][-1].id}")
