"""From the context to the reply: computed, with the chosen model, and verified while it is written."""

from collections.abc import Sequence
from dataclasses import asdict

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from turnkeep.kit.checked_replies import Linked, place, send
from turnkeep.kit.documents import Document
from turnkeep.kit.nodes import answer_from, replied, step
from turnkeep.kit.prompting import PromptBuilder
from turnkeep.kit.verification import Sources
from turnkeep.models.calls import TextCall, ask_text, ask_typed
from turnkeep.records import JSON, RunContext
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.answers import Grounded, cited_in
from turnkeep_agents.regulations.context import build_context
from turnkeep_agents.regulations.model_choice import Choice, choose
from turnkeep_agents.regulations.nodes.prompting import ANSWER_TOKENS, TALK_TOKENS, Prompting, asking, shown, texts_by
from turnkeep_agents.regulations.nodes.shortcuts import KEPT
from turnkeep_agents.regulations.reading import fact_note
from turnkeep_agents.regulations.reckoning import Known, Unreckonable, known_in, reckon
from turnkeep_agents.regulations.state import RegulationsState

PROFESSIONAL = "needs_professional"
REMEMBERED = frozenset((PROFESSIONAL,))
"""Warnings with which an answer may be cached: others mean that it could have been better."""


class Answering(Prompting):
    async def calculate(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        """Let the model plan and code compute; report a step that fails to the model once."""
        facts = [*map(fact_note, state["facts"])]
        prompt = PromptBuilder(prompts.CALCULATE).with_retrieval_context(shown(state))
        prompt.with_notes([f"{prompts.FACTS}{'; '.join(facts)}"] if facts else []).with_note(self.today(runtime))
        asked = prompt.with_query(state["standalone_query"]).messages()
        texts = [*(one.text for one in shown(state)), *facts, *texts_by(state, "human"), state["standalone_query"]]
        known = known_in(texts, runtime.context.now.date())
        plan = await ask_typed(self.models.main, prompts.CALCULATE_CALL, asked)
        lines, problem = _carried_out(plan, known)
        if problem:
            again = [*asked, HumanMessage(f"{problem}. Plan the steps again.")]
            plan = await ask_typed(self.models.main, prompts.CALCULATE_CALL, again)
            lines, _ = _carried_out(plan, known)
        return {"steps": lines, "missing": plan.missing, **step(state, f"Computed {len(lines)} steps.")}

    def choose_model(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        """Choose the model. Raises BudgetExceeded before a call that would cost too much."""
        reading, asked = state["reading"], self._asked(state, runtime)
        choice = self._choose(reading["domain"], reading["action"], prompts.ANSWER_CALL, asked)
        return {"choice": asdict(choice), **step(state, f"{choice.model} answers: {choice.reason}.")}

    async def answer(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        judge, choice = self._judge(shown(state), state, runtime), Choice(**state["choice"])
        model, to = choice.of(self.models), place("regulations", state["messages"], runtime)
        asked = self._asked(state, runtime)
        update = await answer_from(judge, model, prompts.ANSWER_CALL, asked, state=state, to=to)
        context = [one["id"] for one in state["context"]]
        update["warnings"] += ["no_citation"] if context and not judge.cited else []
        update["warnings"] += ["nothing_found"] if not context else []
        update["warnings"] += [PROFESSIONAL] if state["reading"][PROFESSIONAL] else []
        stepped = step(state, f"Answered from {len(context)} sources, citing {len(judge.cited)}.")
        answered = {**update, "sources": judge.sources(), **stepped}
        if state["cache_key"] and set(update["warnings"]) <= REMEMBERED:
            self.cache.put(state["cache_key"], {**{name: state.get(name) for name in KEPT}, **answered, "messages": []})
        return answered

    async def respond(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        """Reply from the conversation, which then is the context."""
        prompt = self.begin(prompts.RESPOND, state, runtime, TALK_TOKENS)
        prompt.with_notes([prompts.NOT_ATTACHED] if state["reading"]["lacks_document"] else [])
        conversation = "\n".join(one["content"] for one in prompt.trimmed.messages)
        built = build_context("chat", knowledge=[], documents=[], facts=[], conversation=conversation)
        ids = cited_in(prompt, self.knowledge.by_id)
        passages = [Document(id_, id_, "") for id_ in ids if id_ not in self.knowledge.by_id]
        known = [*self.knowledge.get(ids, state["language"]), *passages]
        judge, asked = self._judge(known, state, runtime), asking(prompt, state)
        choice = self._choose("none", "talk", prompts.RESPOND_CALL, asked)
        model, to = choice.of(self.models), place("regulations", state["messages"], runtime)
        update = await answer_from(judge, model, prompts.RESPOND_CALL, asked, state=state, to=to)
        cited = [source for source in judge.sources() if source["cited"]]
        metadata = built.metadata("chat", [], 0)
        update |= {"sources": cited, "context_metadata": metadata, "choice": asdict(choice)}
        return {**update, **step(state, "Answered from the conversation.")}

    async def refuse(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        prompt = self.begin(prompts.REFUSE, state, runtime, ANSWER_TOKENS)
        prompt.with_notes([f"{prompts.NOT_HELD}{'; '.join(state['unheld'])}"] if state["unheld"] else [])
        asked = asking(prompt, state)
        choice = self._choose("none", "talk", prompts.REFUSE_CALL, asked)
        answer = await ask_text(choice.of(self.models), prompts.REFUSE_CALL, asked)
        to = place("regulations", state["messages"], runtime)
        update = replied(state, send(answer.text, to=to, judge=Linked(None, state["messages"])))
        update["warnings"] += answer.warnings
        return {**update, "choice": asdict(choice), **step(state, "Said what can be asked instead.")}

    def _choose(self, domain: str, action: str, call: TextCall, asked: Sequence[BaseMessage]) -> Choice:
        written, limit = call.max_tokens, self.tuning.answer_usd
        return choose(self.models, domain=domain, action=action, prompt=asked, most_written=written, limit=limit)

    def _asked(self, state: RegulationsState, runtime: Runtime[RunContext]) -> list[BaseMessage]:
        reading = state["reading"]
        system = f"{prompts.ANSWER} {prompts.DOMAINS[reading['domain']]}"
        prompt = self.begin(system, state, runtime, ANSWER_TOKENS).with_retrieval_context(shown(state))
        prompt.with_notes(self._notes(state))
        return asking(prompt, state)

    def _notes(self, state: RegulationsState) -> list[str]:
        reading, metadata = state["reading"], state["context_metadata"]
        facts = [one for one in map(fact_note, state["facts"]) if one not in metadata["left_out"]]
        notes = {
            f"{prompts.FACTS}{'; '.join(facts)}": facts,
            f"{prompts.UNREAD}{'; '.join(state['unread'])}": state["unread"],
            f"{prompts.COMPUTED}{'; '.join(state['steps'])}": state["steps"],
            f"{prompts.MISSING}{state['missing']}": state["steps"] and state["missing"],
            f"{prompts.NOT_COMPUTED}{state['missing']}": reading["action"] == "calculate" and not state["steps"],
            prompts.NOT_ATTACHED: reading["lacks_document"],
            f"{prompts.NOT_HELD}{'; '.join(state['unheld'])}": state["unheld"],
            prompts.EMPTY: self.knowledge.is_empty,
            prompts.NOTHING: not state["context"] and not self.knowledge.is_empty,
            prompts.CUT: metadata["truncated"],
            prompts.PROFESSIONAL: reading[PROFESSIONAL],
        }
        return [note for note, is_due in notes.items() if is_due]

    def _judge(self, documents: Sequence[Document], state: RegulationsState, runtime: Runtime[RunContext]) -> Grounded:
        """The reply may repeat facts of the user's own case. Their other figures may appear only next to a found one:
        "35 days, isn't it?" does not make a law."""
        today, facts = runtime.context.now.date(), [*map(fact_note, state["facts"]), *state["steps"]]
        known = [*facts, *texts_by(state, "ai"), *map(str, self.knowledge.about.values())]
        sources = Sources(known, texts_by(state, "human"), days=[(today, today)], language=state["language"])
        return Grounded(documents, self.knowledge.by_id, sources, state["unheld"])


def _carried_out(plan: prompts.Steps, known: Known) -> tuple[list[str], str]:
    """Return the lines, or the problem of the plan."""
    try:
        return reckon(plan.steps, known), ""
    except Unreckonable as error:
        return [], str(error)
