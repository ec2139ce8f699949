"""The orchestrator: what a message means in its conversation, where its answer lies, and the answers that need no
database. Rules route what is plain; a model is asked about the rest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from turnkeep.agents.database import prompts
from turnkeep.agents.database.desk import Schema
from turnkeep.agents.database.nodes.links import LINK_REMOVED, unlinked
from turnkeep.agents.database.nodes.replies import FIGURE_REMOVED, Update, step
from turnkeep.agents.database.nodes.workplace import Workplace
from turnkeep.agents.database.paging import wants_more
from turnkeep.agents.database.routing import SURE, Routing, route_by_rules
from turnkeep.agents.database.signs.smalltalk import small_talk
from turnkeep.agents.database.state import DatabaseState, Heard, Last
from turnkeep.blocks import memory
from turnkeep.blocks.dates import find_days
from turnkeep.blocks.figures import foreign_figures
from turnkeep.blocks.memory import ThreadMemory
from turnkeep.blocks.referents import no_referents
from turnkeep.blocks.understanding import Understood, understand
from turnkeep.models.calls import try_typed
from turnkeep.records import RunContext

MOST_CHARACTERS = 1_000  # of a message that rules read; the answer reads all of it
CHAIN_LINES, LINE_CHARACTERS, CHAIN_CHARACTERS = 20, 400, 3_000  # it lasts, so it has to stay small
YEARS_BACK = 10
ROUTED_BY_RULES, MESSAGE_CUT = "routed_by_rules", "message_cut"


class OrchestratorNodes(Workplace):
    async def understand(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        """What the message says on its own."""
        message, history = _message(state), state["messages"][:-1]
        folded = memory.Folded(state.get("memory") or memory.no_memory())
        if self.tuning.memory == "tiered":
            folded = await memory.fold(folded.memory, history, model=self.model)
        found = await self._heard(message, history, folded.memory, runtime)
        shown = self.prompts({**state, "memory": folded.memory}, runtime)
        return {
            "memory": folded.memory,
            "understood": Heard(
                is_follow_up=found.is_follow_up, query=found.standalone_query, search=found.search_query
            ),
            "standalone_query": found.standalone_query,
            "context": shown.context(),
            "warnings": [*folded.warnings, *found.warnings, *_cut_warning(state)],
            **step(state, f"It {'goes on' if found.is_follow_up else 'stands alone'}: {found.reason}."),
        }

    async def _heard(
        self, message: str, history: Sequence[AnyMessage], kept: ThreadMemory, runtime: Runtime[RunContext]
    ) -> Understood:
        """A reading with a number or an address that nobody said is the model's own: the rules' one takes its place."""
        window, referents = runtime.context.conversation_window, no_referents()
        found = await understand(message, history, referents, window=window, model=self.model)
        said = [message, *(str(earlier.text) for earlier in history), *memory.notes(kept)]
        made_up = _made_up(found.standalone_query, said, runtime.context.now.year) if self.model else []
        if not made_up:
            return found
        by_rules = await understand(message, history, referents, window=window, model=None)
        return replace(by_rules, warnings=(*by_rules.warnings, *made_up))

    async def choose_route(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        more, last = wants_more(_message(state)), state.get("last")
        if more is not None and last and last["sql"]:
            update = _turned(state, last, more)
        else:
            update = await self._routed(state, runtime)
        runtime.stream_writer({"event": "route_decision", "route": update["route"]})
        return update

    def after_choose_route(
        self, state: DatabaseState
    ) -> Literal["query_database", "search_manual", "answer_generally"]:
        match state["route"]:
            case "sql":
                return "query_database"
            case "rag":
                return "search_manual"
        return "answer_generally"

    async def _routed(self, state: DatabaseState, runtime: Runtime[RunContext]) -> Update:
        schema = await self.schema(runtime)
        routing, warnings = await self._routing(state, runtime, schema)
        found = {
            "route": routing.route,
            "warnings": [*state["warnings"], *warnings],
            **step(state, f"Route {routing.route}: {routing.reason}."),
        }
        if routing.route != "sql":
            return {**found, **({"standalone_query": _message(state)} if small_talk(_message(state)) else {})}
        chain = self._chain(state, runtime, schema)
        return {**found, "chain": chain, "standalone_query": self._restated(state, runtime, schema, chain)}

    async def _routing(
        self, state: DatabaseState, runtime: Runtime[RunContext], schema: Schema | None
    ) -> tuple[Routing, list[str]]:
        names = schema.vocabulary if schema else None
        last = state.get("last")
        asked, heard = _message(state), state["understood"]
        last_route = {"clarify": "sql"}.get(last["route"], last["route"]) if last else None
        found = route_by_rules(asked, names=names, last_route=last_route, is_follow_up=heard["is_follow_up"])
        if self.model is None or found.confidence >= SURE:
            return found, []
        notes = [*self.desk.about(schema), *([f"{prompts.WENT_BEFORE}{last_route}"] if last_route else [])]
        prompt = self.prompts(state, runtime).route(heard["query"], notes)
        by_model = await try_typed(self.models.small, prompts.ROUTE_CALL, prompt)
        if by_model is None:
            return found, [ROUTED_BY_RULES]
        return Routing(route=by_model.route, reason="the model says so", confidence=SURE), []

    def _chain(self, state: DatabaseState, runtime: Runtime[RunContext], schema: Schema | None) -> list[str]:
        """The questions that this one goes on from, and it. What a model made stand alone stands alone."""
        before, said, last = state.get("chain") or [], _message(state)[:LINE_CHARACTERS], state.get("last")
        if not before or last is None or last["route"] not in ("sql", "clarify"):
            return [said]
        if last["route"] == "clarify" and not self._is_question(said, runtime, schema):
            return _bounded([*before, said])
        if self.model is not None:
            return [state["understood"]["query"]]
        goes_on = state["understood"]["is_follow_up"] or not self._is_question(said, runtime, schema)
        return _bounded([*before, said]) if goes_on else [said]

    def _is_question(self, said: str, runtime: Runtime[RunContext], schema: Schema | None) -> bool:
        """Whether it asks something of the database without any other."""
        today = runtime.context.now.date()
        return schema is not None and schema.reader.read([said], today=today) is not None

    def _restated(
        self, state: DatabaseState, runtime: Runtime[RunContext], schema: Schema | None, chain: list[str]
    ) -> str:
        """The chain as one question, where rules read it; a message that stands alone stays as it is."""
        if self.model is None and len(chain) == 1:
            return chain[0]
        by_rules = schema.restated(chain, runtime.context.now.date()) if schema and self.model is None else None
        return by_rules or state["understood"]["query"]


def _turned(state: DatabaseState, last: Last, more: Literal["next", "previous"] | int) -> Update:
    """Another page of the rows of the last statement; pages count from 0 here and from 1 for people."""
    page = {"next": last["page"] + 1, "previous": last["page"] - 1}[more] if isinstance(more, str) else more - 1
    chain = state.get("chain") or []
    return {
        "route": "sql",
        "sql": last["sql"],
        "page": max(page, 0),
        "chain": chain,
        "standalone_query": f"{chain[-1] if chain else ''} (page {max(page, 0) + 1})",
        **step(state, f"Route sql: it asks for page {max(page, 0) + 1} of the last rows."),
    }


def _made_up(query: str, said: Sequence[str], year: int) -> list[str]:
    """Warnings of what stands in `query` alone. Days, and years not far from `year`, a model may work out."""
    links = [LINK_REMOVED] if unlinked(query, said) != query else []
    for found, _ in find_days(query):
        query = query.replace(found[0], " ")
    years = map(str, range(year - YEARS_BACK, year + 2))
    return [*links, *([FIGURE_REMOVED] if foreign_figures(query, [*said, *years]) else [])]


def _bounded(chain: list[str]) -> list[str]:
    """With its first line, which says what it is about, and the newest of the others."""
    first, *others = chain
    others = others[1 - CHAIN_LINES :]
    while len(first) + sum(map(len, others)) > CHAIN_CHARACTERS:
        others = others[1:]
    return [first, *others]


def _message(state: DatabaseState) -> str:
    return str(state["messages"][-1].text)[:MOST_CHARACTERS]


def _cut_warning(state: DatabaseState) -> list[str]:
    return [MESSAGE_CUT] if len(state["messages"][-1].text) > MOST_CHARACTERS else []
