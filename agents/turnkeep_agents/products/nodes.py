"""The nodes and routers of the agent. A model reads the message and words the answer. Facts about products come from
the catalogue, and each sentence is checked against it before it is shown."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from langgraph.runtime import Runtime

from turnkeep.kit import memory
from turnkeep.kit.checked_replies import Linked, place, send, units, word
from turnkeep.kit.nodes import fold, history, message_of
from turnkeep.kit.verification import Verifier
from turnkeep.models.calls import TextAnswer, ToolsCall, ask_tools
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.products.answers import sources, thread_notes
from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.products import Catalogue, shown_in
from turnkeep_agents.products.prompts import ANSWER_CALL, Prompts
from turnkeep_agents.products.reading import Search, call_of, filters_of, read
from turnkeep_agents.products.settings import ProductsSettings
from turnkeep_agents.products.state import ProductsState
from turnkeep_agents.products.tools import Tools

MOST_CHARACTERS = 4_000  # of a message; its end counts as much as its beginning
MOST_LIMITS, MOST_SEARCHES = 10, 3
MESSAGE_CUT = "message_cut"
SEARCH = "search"


@dataclass(frozen=True)
class Nodes:
    models: Models
    catalogue: Catalogue
    reading: ToolsCall
    tuning: ProductsSettings

    async def read(self, state: ProductsState, runtime: Runtime[RunContext]) -> JSON:
        """Decide what to look up, or write the reply if no lookup is needed."""
        folded = await fold(state, self.tuning.memory, self.models.small)
        asked = self._prompts(state, runtime, folded.memory)
        notes, searched = thread_notes(state, self.catalogue), (state.get("searched") or [])[:MOST_SEARCHES]
        last = json.dumps([filters_of(call) for call in searched], ensure_ascii=False)
        notes += [f"Last searches: {last}"] if searched else []
        found = await ask_tools(self.models.small, self.reading, asked.read(message_of(state, MOST_CHARACTERS), notes))
        route, calls, text = read(found)
        tools = [call["tool"] for call in calls if call["tool"] != SEARCH]
        tool = {"tool": tools[0]} if tools else {}
        runtime.stream_writer({"event": "route_decision", "route": route, **tool})
        return {
            "memory": folded.memory,
            "route": route,
            "calls": calls,
            "draft": text,
            "context": asked.context(),
            "warnings": [*folded.warnings, *([MESSAGE_CUT] if len(message_of(state)) > MOST_CHARACTERS else [])],
        }

    def after_read(self, state: ProductsState) -> Literal["use_tool", "retrieve", "respond", "clarify"]:
        return "use_tool" if state["route"] == "tool" else state["route"] or "respond"

    def use_tool(self, state: ProductsState, runtime: Runtime[RunContext]) -> JSON:
        return self._run(state, runtime, lambda call: call["tool"] != SEARCH)

    def after_use_tool(self, state: ProductsState) -> Literal["retrieve", "answer"]:
        return "retrieve" if any(call["tool"] == SEARCH for call in state["calls"]) else "answer"

    def retrieve(self, state: ProductsState, runtime: Runtime[RunContext]) -> JSON:
        return self._run(state, runtime, lambda call: call["tool"] == SEARCH)

    async def answer(self, state: ProductsState, runtime: Runtime[RunContext]) -> JSON:
        searches = [call for call in state["calls"] if call["tool"] == SEARCH and not call.get("names")]
        limits = [amount for call in map(call_of, searches) if isinstance(call, Search) for amount in call.limits]
        now: ProductsState = {**state, "limits": [*(state.get("limits") or []), *limits][-MOST_LIMITS:]}
        worded = await self._worded(now, runtime)
        listed = [id_ for each in state["results"] if each["is_list"] for id_ in each["ids"]]
        reply, products = self._reply(state, worded), self.catalogue.get(_found(state))
        shown = [id_ for id_ in reply.get("spoken", []) if id_ in listed]
        return {
            **reply,
            "limits": now["limits"],
            "sources": [{"id": each.id, "title": each.name, "cited": each.name in worded.text} for each in products],
            **({"listed": shown} if len(shown) > 1 else {}),
            **({"searched": searches} if searches else {}),
        }

    async def respond(self, state: ProductsState, runtime: Runtime[RunContext]) -> JSON:
        """Send the reading's reply or question; reword it if it contains an unfounded figure."""
        judge, parts = self._judge(state, runtime), units(state["draft"])
        if any(judge.problems(part) or judge.accept(part) != part for part in parts):
            return self._reply(state, await self._worded(state, runtime))
        return self._reply(state, send(state["draft"], to=place("products", state["messages"], runtime)))

    clarify = respond

    def _run(self, state: ProductsState, runtime: Runtime[RunContext], is_ours: Callable[[JSON], bool]) -> JSON:
        searches = sum(call["tool"] == SEARCH for call in state["calls"])
        most = min(self.tuning.top_k, max(2, (self.tuning.top_k + 2) // max(1, searches)))
        tools = Tools(self.catalogue, runtime.context.now.date(), most, is_among_others=searches > 1)
        results: list[JSON] = []
        for call in filter(is_ours, state["calls"]):
            runtime.stream_writer({"event": "tool_start", "tool": call["tool"]})
            texts, products = tools.run(call_of(call))
            is_list = call["tool"] == SEARCH and not call.get("names") and len(products) > 1
            kept = {"tool": call["tool"], "wish": call["wish"], "is_list": is_list}
            results.append({**kept, "texts": texts, "ids": [product.id for product in products]})
        return {"results": [*state["results"], *results]}

    async def _worded(self, state: ProductsState, runtime: Runtime[RunContext]) -> TextAnswer:
        found = self.catalogue.get(_found(state))
        prices = "\n".join(f"{product.name}: {money(product.price)}" for product in found)  # needs no language
        return await word(
            self.models.main,
            ANSWER_CALL,
            self._prompts(state, runtime, state["memory"]).answer(message_of(state, MOST_CHARACTERS), state["results"]),
            self._judge(state, runtime),
            to=place("products", state["messages"], runtime),
            fallback=prices or f"{self.catalogue.summary}.",
        )

    def _judge(self, state: ProductsState, runtime: Runtime[RunContext]) -> Linked:
        known = sources(state, self.catalogue, runtime.context.now.date(), memory.notes(state["memory"]))
        return Linked(Verifier(known), state["messages"], known.known)

    def _prompts(self, state: ProductsState, runtime: Runtime[RunContext], kept: memory.ThreadMemory) -> Prompts:
        """Return prompts with the requested window; tiered memory adds unsummarised messages and the summaries."""
        shown = history(state, runtime.context.conversation_window, kept if self.tuning.memory == "tiered" else None)
        return Prompts(self.catalogue.summary, runtime.context.now.date(), *shown)

    def _reply(self, state: ProductsState, worded: TextAnswer) -> JSON:
        shown = [product.id for product in shown_in(worded.text, self.catalogue)] or _found(state)
        spoken = {"spoken": shown} if shown else {}
        return {"messages": [worded.message], "warnings": [*state["warnings"], *worded.warnings], **spoken}


def _found(state: ProductsState) -> list[str]:
    return list(dict.fromkeys(id_ for result in state["results"] for id_ in result["ids"]))
