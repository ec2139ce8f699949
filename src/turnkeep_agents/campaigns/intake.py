"""From a message to a routed request. What waits for the user's agreement comes first: a message that agrees runs it,
one that settles the days of a week runs it with these, any other is read on its own and in its light."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from turnkeep_agents.campaigns import prompts
from turnkeep_agents.campaigns.metrics import METRICS
from turnkeep_agents.campaigns.prompts import Prompts
from turnkeep_agents.campaigns.reading.message import Known, is_agreement, is_refusal, read_request, read_week
from turnkeep_agents.campaigns.reading.periods import Week
from turnkeep_agents.campaigns.reading.routing import Routing, route_by_rules
from turnkeep_agents.campaigns.requests import Request
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep.blocks.dates import find_days
from turnkeep.blocks.figures import foreign_figures
from turnkeep.models.calls import try_typed
from turnkeep.models.chat import Models
from turnkeep.records import JSON

WHICH_DATES = "Which dates shall I take instead? Name a month, or a first and a last day."
USUAL_WEEK: Week = "sunday"


@dataclass(frozen=True)
class Said:
    """What a message comes with. `text` is the message with what it points at named; `before` is the request that it
    may go on from, `ran` who answered that; `points_back`: the text names what the message only points at."""

    message: str
    text: str
    before: Request | None
    ran: Sequence[str]
    points_back: bool
    pending: JSON | None
    week: Week | None


@dataclass(frozen=True)
class Taken:
    """`clarification` is the question to ask in place of an answer; `pending` what then waits for the answer."""

    request: Request
    routing: Routing
    clarification: str = ""
    pending: JSON | None = None
    week: Week | None = None
    warnings: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Intake:
    """Reads by rules, so that names, periods and figures never depend on a model; whom to ask, the model decides."""

    models: Models
    prompts: Prompts
    known: Known
    now: datetime

    async def take(self, said: Said) -> Taken:
        pending = said.pending or {}
        if pending.get("week") and is_agreement(said.message):
            return self._confirmed(pending)
        settled = read_week(said.message)
        if pending and settled:
            return self._read_again(said, pending, settled)
        if pending and is_refusal(said.message):
            request, routing = Request.model_validate(pending["request"]), Routing.model_validate(pending["routing"])
            return Taken(request, routing, WHICH_DATES, pending, said.week)
        return await self._read(said, settled or said.week)

    def _confirmed(self, pending: JSON) -> Taken:
        request = Request.model_validate(pending["request"])
        return Taken(request, _agreed(pending), week=pending["week"])

    def _read_again(self, said: Said, pending: JSON, week: Week) -> Taken:
        before = Request.model_validate(pending["before"]) if pending["before"] else None
        request = read_request(pending["text"], self.known, before=before, week=week)
        return Taken(request, _agreed(pending), week=week)

    async def _read(self, said: Said, week: Week | None) -> Taken:
        pending = said.pending or {}
        before = Request.model_validate(pending["request"]) if pending else said.before
        request = read_request(said.text, self.known, before=before, week=week, points_back=said.points_back)
        if before and request != read_request(said.text, self.known, week=week):
            request = request.model_copy(update={"query": in_words(request)})
        routing, warnings = await self._route(said, request, pending.get("question", ""))
        if routing.agrees and pending.get("week"):
            return self._confirmed(pending)
        if request.doubts:
            return self._doubted(replace(said, before=before), request, routing, warnings)
        question = routing.clarification if not routing.specialists else ""
        return Taken(request, routing, question, None, week, warnings)

    async def _route(self, said: Said, request: Request, asked: str) -> tuple[Routing, tuple[str, ...]]:
        """The model's routing where it can be used and asks with no number of its own, else that of the rules."""
        advertisers = self.known.names.get("advertiser", ())
        by_rules = route_by_rules(request, said.text, ran=said.ran, advertisers=advertisers)
        notes = prompts.notes(request, advertisers, said.ran, asked)
        prompt = self.prompts.route(said.text, notes, self.now)
        found = await try_typed(self.models.small, prompts.ROUTE_CALL, prompt)
        if found is None or not (found.specialists or found.clarification or found.agrees):
            return by_rules, ("routing_malformed",)
        known = [said.message, asked, f"{self.now:%Y-%m-%d}", *advertisers, *request.doubts, _shown(by_rules)]
        return (by_rules, ("figure_removed",)) if foreign_figures(_shown(found), known) else (found, ())

    def _doubted(self, said: Said, request: Request, routing: Routing, warnings: tuple[str, ...]) -> Taken:
        """Asks; where the only doubt is which days a week has, agreement will mean the usual ones."""
        question = "\n\n".join(request.doubts)
        usual = read_request(said.text, self.known, before=said.before, week=USUAL_WEEK, points_back=said.points_back)
        can_agree = not usual.doubts
        kept = usual.model_copy(update={"query": request.query}) if can_agree else request
        pending = {
            "request": kept.model_dump(mode="json"),
            "routing": routing.model_dump(),
            "text": said.text,
            "before": said.before.model_dump(mode="json") if said.before else None,
            "question": question,
            "week": USUAL_WEEK if can_agree else None,
        }
        return Taken(request, routing, question, pending, said.week, warnings)


def is_answer(message: str) -> bool:
    """Whether a message answers a question that waits for it, and so needs nobody to understand it."""
    return is_agreement(message) or is_refusal(message) or read_week(message) is not None


def is_said(query: str, conversation: Sequence[str], known: Known) -> bool:
    """Whether every number that a model read in a message stands in the conversation or in a name; dates and years of
    the data it may work out."""
    names = [name for each in known.names.values() for name in each]
    years = [str(year) for year in range(known.first.year, known.today.year + 1)]
    for found, _ in find_days(query):
        query = query.replace(found[0], " ")
    return not foreign_figures(query, [*conversation, *names, *years])


def in_words(request: Request) -> str:
    """The standalone query of a message that left unsaid what the thread knows."""
    what = ", ".join(METRICS[name].label for name in request.metrics if name in METRICS) or "performance"
    whose = [" and ".join(names) for names in request.filters.values()]
    parts = [f"{request.order} {request.limit or ''}".strip() if request.order else "", what]
    parts += [f"of {', '.join(whose)}" if whose else "", *(f"by {each.replace('_', ' ')}" for each in request.by)]
    parts.append(f"in {request.period.label}" if request.period else "")
    parts.append(f"against {request.compared.label}" if request.compared else "")
    return " ".join(filter(None, parts))


def _shown(routing: Routing) -> str:
    """What of it a reply may show."""
    return "\n".join([routing.clarification, *routing.specialists])


def _agreed(pending: JSON) -> Routing:
    routing = Routing.model_validate(pending["routing"])
    return routing.model_copy(update={"reasoning": f"The user confirmed. {routing.reasoning}", "agrees": True})


async def know(open_warehouse: Callable[[date], Warehouse], today: date, seconds: float) -> Known:
    """What the warehouse holds; raises DatabaseError, or TimeoutError after `seconds`."""

    def look() -> Known:
        warehouse = open_warehouse(today)
        coverage = warehouse.coverage()
        return Known(warehouse.names(), coverage.first, coverage.last, today, warehouse.owners())

    return await asyncio.wait_for(asyncio.to_thread(look), seconds)
