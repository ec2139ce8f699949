"""The nodes and routers of the agent. Rules compute, a model words: whatever it writes is held against the figures, and
the rules' own words take its place where a number is foreign to them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from turnkeep_agents.campaigns import advice, diagnosis, gate, prompts, rendering, validation
from turnkeep_agents.campaigns.advice import Recommendations
from turnkeep_agents.campaigns.diagnosis import Diagnosis
from turnkeep_agents.campaigns.findings import Finding, known_texts
from turnkeep_agents.campaigns.intake import Intake, Said, Taken, is_answer, is_said, know
from turnkeep_agents.campaigns.prompts import Prompts
from turnkeep_agents.campaigns.requests import Request
from turnkeep_agents.campaigns.specialists.team import failed, run_specialist
from turnkeep_agents.campaigns.state import CampaignsState
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep.blocks import memory
from turnkeep.blocks.figures import foreign_figures
from turnkeep.blocks.referents import Thing, no_referents, remember, resolve
from turnkeep.blocks.understanding import understand
from turnkeep.databases.errors import DatabaseError, DatabaseSlow
from turnkeep.models.calls import DEMO_MODEL, TypedCall, try_typed
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.campaigns.settings import CampaignsSettings

if TYPE_CHECKING:
    from langgraph.graph._node import StateNode

type Update = dict[str, Any]
MOST_CHARACTERS = 1_000  # of a message that is read
UNFOLDED_TURNS = 10  # that no summary holds yet are shown whole with tiered memory, however small the window is
EARLY_EXIT_CONFIDENCE = 0.8
USUAL_CONFIDENCE = 0.8
NO_WAREHOUSE = "The metrics cannot be reached just now, so there are no figures: {reason} Please ask again in a while."
FIGURE_REMOVED = "figure_removed"
REFUSED = "Unable to process: {reason}"


@dataclass(frozen=True)
class Nodes:
    """The nodes with what they work with; `warehouse_on` gives the warehouse as of a day."""

    models: Models
    warehouse_on: Callable[[date], Warehouse]
    tuning: CampaignsSettings

    async def route(self, state: CampaignsState, runtime: Runtime[RunContext]) -> Update:
        history, message = state["messages"][:-1], state["messages"][-1].text[:MOST_CHARACTERS]
        pending = state.get("pending")
        is_settled = self.models.is_demo or (pending is not None and is_answer(message))
        model = None if is_settled else self.models.small
        window, now = runtime.context.conversation_window, runtime.context.now
        folded = await self._fold(state)
        referents = state.get("referents") or no_referents()
        understood = await understand(message, history, referents, window=window, model=model)
        asked = self._prompts(window, history, folded.memory)
        found: Update = {
            "memory": folded.memory,
            "context": asked.context(),
            "standalone_query": understood.standalone_query,
            "warnings": [*self._demo_warning(), *folded.warnings, *understood.warnings],
        }
        try:
            known = await know(self.warehouse_on, now.date(), self.tuning.query_seconds)
        except (DatabaseError, TimeoutError) as error:
            return _without_warehouse(found, error)
        is_ours = is_said(understood.standalone_query, _heard(state, folded.memory), known)
        rewritten = understood.standalone_query if model and is_ours else None
        taken = await Intake(self.models, asked, known, now).take(_said(state, message, rewritten))
        runtime.stream_writer(_decision(taken))
        removed = [FIGURE_REMOVED] if model and not is_ours else []
        return {**found, **_taken(taken), "warnings": [*found["warnings"], *removed, *taken.warnings]}

    def after_route(self, state: CampaignsState) -> Literal["respond", "check_gate"]:
        return "respond" if state["clarification"] else "check_gate"

    async def check_gate(self, state: CampaignsState) -> Update:
        routing = state["routing"] or {}
        checked = gate.check(
            state["messages"][-1].text,
            routing["specialists"],
            routing["confidence"],
            max_specialists=self.tuning.max_specialists,
        )
        return {"gate": checked.as_json(), "warnings": list(checked.warnings)}

    def after_check_gate(self, state: CampaignsState) -> list[str]:
        """The approved specialists, which run side by side."""
        return list((state["gate"] or {})["approved"]) or ["respond"]

    def specialist(self, name: str) -> "StateNode[CampaignsState, RunContext]":
        """The node of one specialist; one that fails is reported, the others stand."""

        async def run(state: CampaignsState, runtime: Runtime[RunContext]) -> Update:
            runtime.stream_writer({"event": "tool_start", "tool": name})
            request = Request.model_validate(state["request"])
            finding = await self._query(name, request, runtime.context.now.date())
            return {"findings": [finding.model_dump(mode="json")], "warnings": list(finding.warnings)}

        return run

    async def diagnose(self, state: CampaignsState) -> Update:
        request, findings = _request(state), _findings(state)
        by_rules = diagnosis.diagnose(findings, request)
        if diagnosis.is_plain(findings, request):
            found, warnings = by_rules, list[str]()
        else:
            prompt = prompts.diagnose(request, findings)
            found, warnings = await self._worded(prompts.DIAGNOSE_CALL, prompt, by_rules, findings)
            found = found.model_copy(update={"severity": by_rules.severity})
        reason = diagnosis.should_exit_early(found, findings, request)
        return {"diagnosis": found.model_dump(), "exit_reason": reason or "", "warnings": warnings}

    def after_diagnose(self, state: CampaignsState) -> Literal["respond", "recommend"]:
        return "respond" if state["exit_reason"] else "recommend"

    async def recommend(self, state: CampaignsState) -> Update:
        request, findings, found = _request(state), _findings(state), Diagnosis.model_validate(state["diagnosis"])
        by_rules = advice.recommend(found, findings)
        prompt = prompts.recommend(request, findings, found)
        said, warnings = await self._worded(prompts.RECOMMEND_CALL, prompt, by_rules, findings)
        return {"advice": said.model_dump(), "warnings": warnings}

    async def validate(self, state: CampaignsState) -> Update:
        given, found = Recommendations.model_validate(state["advice"]), Diagnosis.model_validate(state["diagnosis"])
        checked = validation.validate(given.recommendations, found, _findings(state))
        kept = Recommendations(recommendations=list(checked.recommendations), confidence=given.confidence)
        objections = [objection.model_dump() for objection in checked.objections]
        return {"advice": {**kept.model_dump(), "objections": objections}, "warnings": list(checked.warnings)}

    async def respond(self, state: CampaignsState) -> Update:
        """In the order of the answers' priority: a question, a refusal, figures alone, figures with advice."""
        checked = state["gate"]
        if state["clarification"]:
            return _say(state, state["clarification"], "clarify", 0.0)
        if checked and not checked["valid"]:
            return _say(state, REFUSED.format(reason=checked["reason"]), "refuse", 0.0)
        request, findings = _request(state), _findings(state)
        recommended = Recommendations.model_validate(state["advice"]) if state["advice"] else None
        text = rendering.render(
            request,
            findings,
            Diagnosis.model_validate(state["diagnosis"]),
            recommended.recommendations if recommended else (),
            remarks=(checked or {}).get("remarks", ()),
        )
        confidence = EARLY_EXIT_CONFIDENCE if state["exit_reason"] else _confidence(recommended)
        last = {"request": state["request"], "specialists": (checked or {}).get("approved", [])}
        referents = remember(state.get("referents") or no_referents(), **_mentioned(request, findings))
        return {
            **_say(state, text, "specialists", confidence),
            "last_request": last,
            "pending": None,
            "referents": referents,
        }

    async def _fold(self, state: CampaignsState) -> memory.Folded:
        kept = state.get("memory") or memory.no_memory()
        if self.tuning.memory == "window":
            return memory.Folded(kept)
        model = None if self.models.is_demo else self.models.small
        return await memory.fold(kept, state["messages"][:-1], model=model)

    def _prompts(self, window: int, history: Sequence[AnyMessage], kept: memory.ThreadMemory) -> Prompts:
        if self.tuning.memory == "window":
            return Prompts(window, history, ())
        return Prompts(UNFOLDED_TURNS, memory.unfolded(kept, history), memory.notes(kept))

    async def _query(self, name: str, request: Request, today: date) -> Finding:
        def run() -> Finding:
            warehouse = self.warehouse_on(today)
            return run_specialist(
                name, request, warehouse, currency=self.tuning.currency, max_rows=self.tuning.max_rows
            )

        try:
            return await asyncio.wait_for(asyncio.to_thread(run), self.tuning.query_seconds)
        except (DatabaseError, TimeoutError) as error:
            return failed(name, _why(error))

    async def _worded[R: BaseModel](
        self, call: TypedCall[R], prompt: Any, by_rules: R, findings: Sequence[Finding]
    ) -> tuple[R, list[str]]:
        """The model's words where they can be used and hold no number of their own, else those of the rules."""
        said = await try_typed(self.models.main, call, prompt)
        if said is None:
            return by_rules, [f"{call.name.rpartition('.')[2]}_malformed"]
        known = [*known_texts(findings), _texts(by_rules)]
        if foreign_figures(_texts(said), known):
            return by_rules, [FIGURE_REMOVED]
        return said, []

    def _demo_warning(self) -> list[str]:
        return [DEMO_MODEL] if self.models.is_demo else []


def _heard(state: CampaignsState, kept: memory.ThreadMemory) -> list[str]:
    """Whose numbers a rewritten message may hold."""
    return [*(each.text for each in state["messages"]), *memory.notes(kept)]


def _said(state: CampaignsState, message: str, rewritten: str | None) -> Said:
    """The message with what the thread knows; `rewritten` is how a model put it, None where rules do."""
    last = state.get("last_request") or {}
    named = resolve(message, state.get("referents") or no_referents()).text
    return Said(
        message=message,
        text=rewritten or named,
        before=Request.model_validate(last["request"]) if last else None,
        ran=last.get("specialists", []),
        points_back=named != message,
        pending=state.get("pending"),
        week=state.get("week"),
    )


def _taken(taken: Taken) -> Update:
    return {
        "request": taken.request.model_dump(mode="json"),
        "standalone_query": taken.request.query,
        "routing": taken.routing.model_dump(),
        "clarification": taken.clarification,
        "pending": taken.pending,
        "week": taken.week,
    }


def _decision(taken: Taken) -> JSON:
    route = "clarify" if taken.clarification else "specialists"
    return {
        "event": "route_decision",
        "route": route,
        "specialists": taken.routing.specialists,
        "confidence": taken.routing.confidence,
    }


def _without_warehouse(found: Update, error: Exception) -> Update:
    code = "warehouse_slow" if isinstance(error, TimeoutError | DatabaseSlow) else "warehouse_down"
    said = NO_WAREHOUSE.format(reason=_why(error))
    return {**found, "clarification": said, "warnings": [*found["warnings"], code]}


def _why(error: Exception) -> str:
    return str(error) or "The warehouse took too long."


def _say(state: CampaignsState, text: str, route: str, confidence: float) -> Update:
    """The id follows from that of the message, so that a node that runs again replaces its reply."""
    id_ = str(uuid5(NAMESPACE_OID, f"campaigns.reply:{state['messages'][-1].id}"))
    return {"messages": [AIMessage(text, id=id_)], "route": route, "confidence": confidence}


def _confidence(recommended: Recommendations | None) -> float:
    return USUAL_CONFIDENCE if recommended is None or recommended.confidence is None else recommended.confidence


def _request(state: CampaignsState) -> Request:
    return Request.model_validate(state["request"])


def _findings(state: CampaignsState) -> list[Finding]:
    """In the order in which routing chose the specialists, whichever was done first."""
    order = list((state["gate"] or {})["approved"])
    found = [Finding.model_validate(finding) for finding in state["findings"]]
    return sorted(found, key=lambda finding: order.index(finding.specialist))


def _texts(said: BaseModel) -> str:
    return said.model_dump_json(exclude={"confidence", "severity"})


def _mentioned(request: Request, findings: Sequence[Finding]) -> dict[str, list[Thing]]:
    """What the next message may point at: what was filtered by, and the subjects of the first finding in order."""
    focus = [_thing(name, kind) for kind, names in request.filters.items() for name in names]
    first = next((finding for finding in findings if finding.listed), None)
    if first is None:
        return {"focus": focus}
    return {"focus": focus, "listed": [_thing(name, first.listed_as) for name in first.listed]}


def _thing(name: str, kind: str | None) -> Thing:
    return Thing(id=name, name=name, kind=kind or "name", hints=[])
