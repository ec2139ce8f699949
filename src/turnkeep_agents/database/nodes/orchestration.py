"""The orchestrator: what a message means in its conversation, where its answer lies, and the answers that need no
database. Rules route what is plain; a model is asked about the rest."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from turnkeep_agents.database import prompts
from turnkeep_agents.database.desk import MOST_NAMED, Day, Schema
from turnkeep_agents.database.nodes import notices
from turnkeep_agents.database.nodes.links import LINK_REMOVED, unlinked
from turnkeep_agents.database.nodes.notices import Notice
from turnkeep_agents.database.nodes.pages import row_of
from turnkeep_agents.database.nodes.replies import FIGURE_REMOVED, MESSAGE_CUT, Update, step
from turnkeep_agents.database.nodes.workplace import Workplace
from turnkeep_agents.database.paging import wants_more
from turnkeep_agents.database.reading.follow_ups.removals import takes_filter_back, without_filter
from turnkeep_agents.database.reading.reader import waives
from turnkeep_agents.database.routing import SURE, Routing, route_by_rules
from turnkeep_agents.database.signs.bare import is_bare
from turnkeep_agents.database.signs.contents import asks_for_contents
from turnkeep_agents.database.signs.smalltalk import small_talk
from turnkeep_agents.database.signs.wishes import wish_for_change
from turnkeep_agents.database.state import DatabaseState, Heard, Last
from turnkeep.blocks import memory
from turnkeep.blocks.dates import find_days
from turnkeep.blocks.figures import foreign_figures
from turnkeep.blocks.languages import is_english
from turnkeep.blocks.memory import ThreadMemory
from turnkeep.blocks.referents import no_referents
from turnkeep.blocks.understanding import Understood, understand
from turnkeep.models.calls import try_typed
from turnkeep.records import RunContext

MOST_CHARACTERS = 1_000  # of a message that rules read; the answer reads all of it
CHAIN_LINES, CHAIN_CHARACTERS = 20, 3_000  # it lasts, so it has to stay small
YEARS_BACK = 10
_NAMES = re.compile(r"\b[A-Z]\w+(?:\s(?:[a-z]{1,3}\s){0,2}[A-Z]\w+)+")  # of houses and people, in whatever language
ROUTED_BY_RULES = "routed_by_rules"


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
        if more is not None and last and last["sql"] and "starts" in last:
            update = _turned(state, last, more, self.tuning.max_rows)
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
        day = await self.day_or_none(runtime)
        schema = day.schema if day else None
        by_rules = self._by_rules(state, schema)
        if notice := self._notice(state, runtime, by_rules, day):
            return _noticed(state, notice)
        routing, warnings = await self._by_model(state, runtime, by_rules, day)
        if day is None and routing.route == "rag" and not self.desk.manual.documents:
            routing = Routing(route="sql", reason="there is no manual, and no database either", confidence=SURE)
        found = {
            "route": routing.route,
            "warnings": [*state["warnings"], *warnings],
            **step(state, f"Route {routing.route}: {routing.reason}."),
        }
        if routing.route != "sql":
            return {**found, **({"standalone_query": _message(state)} if small_talk(_message(state)) else {})}
        chain = self._chain(state, runtime, schema)
        return {**found, "chain": chain, "standalone_query": self._restated(state, runtime, schema, chain)}

    def _by_rules(self, state: DatabaseState, schema: Schema | None) -> Routing:
        names, asked, last_route = schema.vocabulary if schema else None, _message(state), _last_route(state)
        if last_route == "sql" and takes_filter_back(asked):
            return Routing(route="sql", reason="it takes a condition back", confidence=SURE)
        if schema is None and asks_for_contents(asked, ()):
            return Routing(route="sql", reason="it asks for the contents", confidence=SURE)
        is_follow_up = state["understood"]["is_follow_up"]
        return route_by_rules(asked, names=names, last_route=last_route, is_follow_up=is_follow_up)

    def _notice(
        self, state: DatabaseState, runtime: Runtime[RunContext], routing: Routing, day: Day | None
    ) -> Notice | None:
        """What needs neither database nor manual nor a model to be answered, whatever the model is."""
        if day is None:
            return None
        asked, goes_on = _message(state), _last_route(state) == "sql"
        wish = wish_for_change(asked, day.schema.vocabulary, goes_on=goes_on)
        is_plain_talk = routing.route == "general" and routing.confidence >= SURE
        if wish and (wish.names_table or not is_plain_talk):
            return notices.of_a_wish(wish, has_manual=bool(self.desk.manual.documents))
        if contents := asks_for_contents(asked, day.schema.called):
            return notices.of_contents(contents, day, self.desk.manual.titles[:MOST_NAMED])
        if self.model is None and not _is_english(asked):
            return notices.of_another_language(asked, self.desk.about(day))
        return self._of_last(state, day, runtime) if self.model is None and goes_on else None

    def _of_last(self, state: DatabaseState, day: Day, runtime: Runtime[RunContext]) -> Notice | None:
        """Where rules would only put the last question once more, and nobody asked for that."""
        said = _message(state)
        if is_bare(said):
            return notices.of_nothing_asked()
        if not takes_filter_back(said):
            return None
        before = day.schema.reader.read(state.get("chain") or [], today=runtime.context.now.date())
        return None if before and without_filter(said, [before]) else notices.of_no_filter()

    async def _by_model(
        self, state: DatabaseState, runtime: Runtime[RunContext], found: Routing, day: Day | None
    ) -> tuple[Routing, list[str]]:
        """The route that rules found, where they are sure or there is no model."""
        if self.model is None or found.confidence >= SURE:
            return found, []
        last_route = _last_route(state)
        notes = [*self.desk.about(day), *([f"{prompts.WENT_BEFORE}{last_route}"] if last_route else [])]
        prompt = self.prompts(state, runtime).route(state["understood"]["query"], notes)
        by_model = await try_typed(self.models.small, prompts.ROUTE_CALL, prompt)
        if by_model is None:
            return found, [ROUTED_BY_RULES]
        return Routing(route=by_model.route, reason="the model says so", confidence=SURE), []

    def _chain(self, state: DatabaseState, runtime: Runtime[RunContext], schema: Schema | None) -> list[str]:
        """The questions that this one goes on from, and it. What a model made stand alone stands alone."""
        before, said, last = state.get("chain") or [], _message(state), state.get("last")
        if not before or last is None or last["route"] not in ("sql", "clarify"):
            return [said]
        if last["route"] == "clarify" and (waives(said) or not self._is_question(said, runtime, schema)):
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


def _turned(state: DatabaseState, last: Last, more: Literal["next", "previous"] | int, max_rows: int) -> Update:
    """Another page of the rows of the last statement; pages count from 0 here and from 1 for people."""
    turned = {"next": last["page"] + 1, "previous": last["page"] - 1}[more] if isinstance(more, str) else more - 1
    page, chain = max(turned, 0), state.get("chain") or []
    return {
        "route": "sql",
        "sql": last["sql"],
        "page": page,
        "start": row_of(page, last, max_rows),
        "chain": chain,
        "standalone_query": f"{chain[-1] if chain else ''} (page {page + 1})",
        **step(state, f"Route sql: it asks for page {page + 1} of the last rows."),
    }


def _noticed(state: DatabaseState, notice: Notice) -> Update:
    warnings = [*state["warnings"], *([notice.warning] if notice.warning else [])]
    told = {"route": notice.route, "told": notice.text, "standalone_query": _message(state)}
    return {**told, "warnings": warnings, **step(state, f"Route {notice.route}: {notice.why}.")}


def _last_route(state: DatabaseState) -> str | None:
    last = state.get("last")
    return {"clarify": "sql"}.get(last["route"], last["route"]) if last else None


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


def _is_english(message: str) -> bool:
    return is_english(_NAMES.sub(" ", message))


def _cut_warning(state: DatabaseState) -> list[str]:
    return [MESSAGE_CUT] if len(state["messages"][-1].text) > MOST_CHARACTERS else []
