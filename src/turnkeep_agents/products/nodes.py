"""The nodes and routers of the agent. Rules decide where a keyword does and compute all that is said of products; a
model is asked where they are unsure, and for the words of an answer, whose figures are held against the sources."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.runtime import Runtime

from turnkeep_agents.products import facts, prompts
from turnkeep_agents.products.answers import write_answer, write_response
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.planning import lasting
from turnkeep_agents.products.planning.plans import Plan, ask, no_pending, no_search, respond
from turnkeep_agents.products.planning.routing import is_settled, plan_turn, standalone
from turnkeep_agents.products.planning.searches import by_words, search_for
from turnkeep_agents.products.planning.situation import Heard, Situation, hear, situate
from turnkeep_agents.products.prompts import Prompts, RouteResult
from turnkeep_agents.products.reading.wishes import read_wishes
from turnkeep_agents.products.search import Finder
from turnkeep_agents.products.state import ProductsState
from turnkeep_agents.products.telling import bounds_of
from turnkeep_agents.products.tools import run_tool
from turnkeep.blocks import memory
from turnkeep.blocks.documents import Document
from turnkeep.blocks.figures import foreign_figures
from turnkeep.blocks.referents import no_referents
from turnkeep.blocks.understanding import understand
from turnkeep.models.calls import DEMO_MODEL, MODEL_REFUSED, TextAnswer, TextCall, ask_text, try_typed
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.products.settings import ProductsSettings

type Update = dict[str, Any]

MOST_CHARACTERS = 1_000  # of a message that rules read; the answer reads all of it
UNFOLDED_TURNS = 10  # that no summary holds yet are shown whole with tiered memory, however small the window is
FIGURE_REMOVED, ROUTED_BY_RULES, MESSAGE_CUT = "figure_removed", "routed_by_rules", "message_cut"
WHICH_PRODUCT = "Which product, or which kind of product, do you mean?"


@dataclass(frozen=True)
class Nodes:
    """The nodes with what they work with."""

    models: Models
    catalogue: Catalogue
    finder: Finder
    tuning: ProductsSettings

    async def understand(self, state: ProductsState, runtime: Runtime[RunContext]) -> Update:
        """What the message says on its own: by rules, and by a model where rules can make no plan of that."""
        message, history = _question(state)[:MOST_CHARACTERS], state["messages"][:-1]
        referents, window = state.get("referents") or no_referents(), runtime.context.conversation_window
        folded = await self._fold(state)
        found = await understand(message, history, referents, window=window, model=None)
        heard = hear(message, found, referents)
        if self._model and history and not is_settled(plan_turn(self._situation(state, heard))):
            found = await understand(message, history, referents, window=window, model=self._model)
            heard = hear(message, found, referents)
            if self._is_said(found.standalone_query, state, folded.memory):
                heard["query"] = found.standalone_query
            else:
                found = replace(found, warnings=(*found.warnings, FIGURE_REMOVED))
        return {
            "memory": folded.memory,
            "understood": heard,
            "standalone_query": message,
            "context": self._prompts(state, runtime, folded.memory).context(),
            "warnings": [*folded.warnings, *found.warnings, *_cut_warning(state)],
            **_step(state, f"It {'goes on' if found.is_follow_up else 'stands alone'}: {found.reason}."),
        }

    async def choose_route(self, state: ProductsState, runtime: Runtime[RunContext]) -> Update:
        now, warnings = self._situation(state, state["understood"]), list[str]()
        plan = plan_turn(now)
        if not is_settled(plan):
            now, plan = self._reread(state, now, plan)
        if not plan["is_sure"]:
            plan, warnings = await self._ask_for_route(state, runtime, now, plan)
        told = {"route": plan["route"], **({"tool": plan["tool"]} if "tool" in plan else {})}
        runtime.stream_writer({"event": "route_decision", **told})
        return {
            "plan": plan,
            "understood": {**state["understood"], "said": now.said},
            "route": plan["route"],
            "standalone_query": standalone(plan, now) if plan["route"] == "tool" else state["standalone_query"],
            "warnings": [*state["warnings"], *warnings],
            **_step(state, f"Route {plan['route']}: {plan['reason']}."),
        }

    async def reformulate(self, state: ProductsState) -> Update:
        """Puts in what the message takes from the conversation."""
        query = standalone(_plan(state), self._situation(state, state["understood"]))
        return {"standalone_query": query, **_step(state, "Put in what the message takes from the conversation.")}

    async def retrieve(self, state: ProductsState, runtime: Runtime[RunContext]) -> Update:
        runtime.stream_writer({"event": "tool_start", "tool": "retrieve"})
        plan = _plan(state)
        found = self.finder.run(plan)
        products = self.catalogue.get(found.ids)
        said = [*found.said, *self._asked(plan, products, runtime.context.now.date())]
        return {
            "found": list(found.ids),
            "winners": list(found.winners),
            "notes": [_how(plan, said), *(f"{prompts.SAY}{sentence}" for sentence in said)],
            **_step(state, f"The search found {len(products)} products{' nearby' if found.is_nearest else ''}."),
        }

    async def use_tool(self, state: ProductsState, runtime: Runtime[RunContext]) -> Update:
        plan = _plan(state)
        runtime.stream_writer({"event": "tool_start", "tool": plan["tool"]})
        results = run_tool(plan["tool"], plan["ids"], self.catalogue, runtime.context.now.date())
        return {
            "found": [product.id for product in self.catalogue.get(plan["ids"])],
            "tool_results": results,
            **_step(state, f"Used {plan['tool']} on {len(plan['ids'])} products."),
        }

    async def answer(self, state: ProductsState, runtime: Runtime[RunContext]) -> Update:
        plan, products = _plan(state), self.catalogue.get(state["found"])
        documents = [product.document(runtime.context.now.date()) for product in products]
        asked = self._prompts(state, runtime, state["memory"])
        prompt = asked.answer(_question(state), documents, state["tool_results"], state["notes"])
        parts: JSON = prompt[-1].additional_kwargs["parts"]
        known = [state["standalone_query"], *state["notes"], *_texts(documents, state["tool_results"])]
        said = await self._worded(state, prompts.ANSWER_CALL, prompt, write_answer(parts), known)
        search = state.get("search") or no_search()
        referents = state.get("referents") or no_referents()
        return {
            **_reply(state, said),
            "sources": [_source(document, cited=document.title in said.text) for document in documents],
            "referents": lasting.spoken_of(referents, plan, products, state["winners"]),
            "search": lasting.searched(search, plan, state["found"]),
            **_step(state, f"Answered from {len(documents)} products."),
        }

    async def respond(self, state: ProductsState, runtime: Runtime[RunContext]) -> Update:
        question = _question(state)
        prompt = self._prompts(state, runtime, state["memory"]).respond(question)
        by_rules = write_response(question, self.catalogue.summary)
        said = await self._worded(state, prompts.RESPOND_CALL, prompt, by_rules, [self.catalogue.summary])
        return {**_reply(state, said), **_step(state, "Answered without the catalogue.")}

    async def clarify(self, state: ProductsState) -> Update:
        """Asks back in the words of the rules, so that the question is surely one that the next turn understands."""
        plan = _plan(state)
        search, referents = state.get("search") or no_search(), state.get("referents") or no_referents()
        options = self.catalogue.get(plan.get("options", []))
        warnings = (DEMO_MODEL,) if self.models.is_demo else ()
        return {
            **_reply(state, TextAnswer(plan["question"], str(_run_id(state)), warnings)),
            "found": [product.id for product in options],
            "referents": lasting.asked_about(referents, options),
            "search": lasting.asking(search, plan),
            **_step(state, "Asked back."),
        }

    def after_choose_route(
        self, state: ProductsState
    ) -> Literal["reformulate", "retrieve", "use_tool", "respond", "clarify"]:
        plan = _plan(state)
        match plan["route"]:
            case "retrieve":
                return "reformulate" if plan["uses_history"] else "retrieve"
            case "tool":
                return "use_tool"
        return plan["route"]

    @property
    def _model(self) -> BaseChatModel | None:
        return None if self.models.is_demo else self.models.small

    async def _fold(self, state: ProductsState) -> memory.Folded:
        kept = state.get("memory") or memory.no_memory()
        if self.tuning.memory == "window":
            return memory.Folded(kept)
        return await memory.fold(kept, state["messages"][:-1], model=self._model)

    def _situation(self, state: ProductsState, heard: Heard) -> Situation:
        referents, search = state.get("referents") or no_referents(), state.get("search") or no_search()
        return situate(_question(state)[:MOST_CHARACTERS], heard, referents, search, self.catalogue)

    def _reread(self, state: ProductsState, now: Situation, plan: Plan) -> tuple[Situation, Plan]:
        """The plan for what a model took out of the conversation, where rules made nothing of the message itself."""
        query = state["understood"]["query"]
        if query == now.said:
            return now, plan
        read = replace(now, said=query, wishes=read_wishes(query, self.catalogue), unclear=(), points=True)
        better = plan_turn(read)
        return (read, better) if is_settled(better) else (now, plan)

    async def _ask_for_route(
        self, state: ProductsState, runtime: Runtime[RunContext], now: Situation, plan: Plan
    ) -> tuple[Plan, list[str]]:
        """The route that a model names; that of the rules where its answer cannot be used."""
        prompt = self._prompts(state, runtime, state["memory"]).route(state["understood"]["query"])
        found = await try_typed(self.models.small, prompts.ROUTE_CALL, prompt)
        if found is None:
            return by_words(now, plan), [ROUTED_BY_RULES]
        bounds = bounds_of(read_wishes(found.text, self.catalogue).filters) if found.route == "retrieve" else ""
        if self._is_said(bounds, state, state["memory"]):
            return self._routed(found, now), []
        return self._routed(found.model_copy(update={"text": ""}), now), [FIGURE_REMOVED]

    def _is_said(self, text: str, state: ProductsState, kept: memory.ThreadMemory) -> bool:
        """Whether every number that a model read in a message stands in the conversation or in a product's name."""
        names = [product.name for product in self.catalogue.products]
        said = [message.text for message in state["messages"]]
        return not foreign_figures(text, [*said, *memory.notes(kept), *names])

    def _routed(self, found: RouteResult, now: Situation) -> Plan:
        if found.route == "respond":
            return respond("it is not about products")
        if found.route == "clarify":
            is_own = found.text.endswith("?") and not foreign_figures(found.text, [now.message])
            return ask(found.text if is_own else WHICH_PRODUCT, "it cannot be told what is meant", no_pending())
        wanted = read_wishes(found.text, self.catalogue) if found.text else now.wishes
        return search_for(replace(now, wishes=wanted), "its words may describe a product")

    def _asked(self, plan: Plan, products: Sequence[Product], today: date) -> list[str]:
        if plan["kind"] != "details":
            return []
        return facts.answers(products, plan["asked"], plan["filters"]["conditions"], today)

    def _prompts(self, state: ProductsState, runtime: Runtime[RunContext], kept: memory.ThreadMemory) -> Prompts:
        """The window that is asked for; with tiered memory the messages that no summary covers, and the summaries."""
        window, history = runtime.context.conversation_window, state["messages"][:-1]
        if self.tuning.memory == "window":
            return Prompts(self.catalogue.summary, window, history, [])
        return Prompts(self.catalogue.summary, UNFOLDED_TURNS, memory.unfolded(kept, history), memory.notes(kept))

    async def _worded(
        self,
        state: ProductsState,
        call: TextCall,
        prompt: Sequence[BaseMessage],
        by_rules: str,
        known: Sequence[str],
    ) -> TextAnswer:
        """The model's words, or those of the rules where it names a figure that nobody gave it."""
        said = await ask_text(self.models.main, call, prompt, run_id=_run_id(state))
        asked = _question(state)[:MOST_CHARACTERS]
        if MODEL_REFUSED in said.warnings or not foreign_figures(said.text, [asked, *known]):
            return said
        return replace(said, text=by_rules, warnings=(*said.warnings, FIGURE_REMOVED))


def _question(state: ProductsState) -> str:
    return str(state["messages"][-1].text)  # its own kind of str is no plain one


def _cut_warning(state: ProductsState) -> list[str]:
    return [MESSAGE_CUT] if len(_question(state)) > MOST_CHARACTERS else []


def _plan(state: ProductsState) -> Plan:
    plan = state["plan"]
    return plan if plan else respond("nothing was planned")


def _how(plan: Plan, said: Sequence[str]) -> str:
    """How the documents are to be told of."""
    if plan["kind"] == "details":
        return prompts.FACTS if said else prompts.DETAILS
    order = plan["filters"]["order"]
    names = [
        name for one in plan["filters"]["conditions"] for name in one["attributes"] if one["op"] not in ("is", "not")
    ]
    return f"{prompts.LIST}{', '.join(dict.fromkeys(['rating', *names, *(order['by'] if order else [])]))}"


def _texts(documents: Sequence[Document], results: Sequence[JSON]) -> list[str]:
    facts_of = [" ".join(f"{name} {value}" for name, value in document.metadata.items()) for document in documents]
    return [*facts_of, *(f"{one.title} {one.text}" for one in documents), *(result["output"] for result in results)]


def _reply(state: ProductsState, said: TextAnswer) -> Update:
    warnings = [*said.warnings, *state["warnings"]]
    return {"messages": [AIMessage(said.text, id=said.id)], "reply": said.text, "warnings": warnings}


def _source(document: Document, *, cited: bool) -> JSON:
    return {"id": document.id, "title": document.title, "url": document.url, "score": None, "cited": cited}


def _step(state: ProductsState, sentence: str) -> Update:
    return {"reasoning_steps": [*state["reasoning_steps"], sentence]}


def _run_id(state: ProductsState) -> UUID:
    """From the id of the question, so that a node that runs again replaces its message instead of adding one."""
    return uuid5(NAMESPACE_OID, f"products.reply:{state['messages'][-1].id}")
