"""The nodes and routers of the agent. The model reads and words; code resolves, queries, computes, and holds every
sentence against the findings."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from uuid import NAMESPACE_OID, UUID, uuid5

from langgraph.runtime import Runtime
from langgraph.types import Send

from turnkeep.blocks import memory, wording
from turnkeep.blocks.verification import Verifier
from turnkeep.databases.errors import DatabaseError, DatabaseSlow
from turnkeep.models.calls import TextCall, ask_typed, try_typed
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.campaigns import gate
from turnkeep_agents.campaigns.advice import ANALYSE_CALL, Analysis, Recommendation, severity, validate
from turnkeep_agents.campaigns.answers import advice_lines, checked, judge_of, with_days
from turnkeep_agents.campaigns.findings import Finding
from turnkeep_agents.campaigns.prompts import LAST_REQUESTS, WAITING, WEEK_SETTLED, Prompts, names_note
from turnkeep_agents.campaigns.reading import READ_CALL, Check, Checked, Reading, as_asks, as_json
from turnkeep_agents.campaigns.requests import Request
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.specialists.team import failed, run_specialist
from turnkeep_agents.campaigns.state import CampaignsState, Sent
from turnkeep_agents.campaigns.warehouse.sums import Warehouse

if TYPE_CHECKING:
    from langgraph.graph._node import StateNode

type Update = dict[str, Any]

ANSWER_CALL = TextCall("campaigns.answer", temperature=0.2, max_tokens=900, visible=False)
MOST_CHARACTERS = 2_000  # of a message that is read
UNFOLDED_TURNS = 10  # that no summary holds yet are shown whole with tiered memory, however small the window is
EARLY_EXIT_CONFIDENCE = 0.8
NO_WAREHOUSE = "The metrics cannot be reached just now, so there are no figures: {reason} Please ask again in a while."
REFUSED = "Unable to process: {reason}"
WHICH = "Which campaigns do you mean? Advertisers: {names}."  # only where the model's own words cannot be shown
WEEKS = "Do you mean whole weeks, from Sunday to Saturday?"  # the same


@dataclass(frozen=True)
class Nodes:
    """The nodes with what they work with; `warehouse_on` gives the warehouse as of a day."""

    models: Models
    warehouse_on: Callable[[date], Warehouse]
    settings: CampaignsSettings

    async def route(self, state: CampaignsState, runtime: Runtime[RunContext]) -> Update:
        folded = await self._fold(state)
        prompts = self._prompts(state, runtime, folded.memory)
        found: Update = {"memory": folded.memory, "context": prompts.context(), "warnings": list(folded.warnings)}
        try:
            note, check = await self._known(state, runtime)
        except (DatabaseError, TimeoutError) as error:
            code = "warehouse_slow" if isinstance(error, TimeoutError | DatabaseSlow) else "warehouse_down"
            said = NO_WAREHOUSE.format(reason=_why(error))
            return {**found, "clarification": said, "route": "clarify", "warnings": [*found["warnings"], code]}
        reading, result = await self._read(state, prompts, note, check)
        taken = self._taken(state, runtime, reading, result, check)
        chosen = [each["specialist"] for each in taken["requests"]]
        runtime.stream_writer(
            {
                "event": "route_decision",
                "route": taken["route"],
                "specialists": chosen,
                "confidence": reading.confidence,
            }
        )
        return {**found, **taken}

    async def _known(self, state: CampaignsState, runtime: Runtime[RunContext]) -> tuple[str, Check]:
        """What the warehouse has, as a note and as a check."""
        today = runtime.context.now.date()

        def look() -> tuple[str, Check]:
            warehouse = self.warehouse_on(today)
            names, coverage = warehouse.names(), warehouse.coverage()
            note = names_note(names, warehouse.owners()["insertion_order"], coverage, _message(state))
            week: Any = state.get("week") or None
            return note, Check(names, coverage, today, week)

        return await asyncio.wait_for(asyncio.to_thread(look), self.settings.query_seconds)

    async def _read(self, state: CampaignsState, prompts: Prompts, names: str, check: Check) -> tuple[Reading, Checked]:
        """The reading, after it was told once what in it does not fit."""
        notes, message = _notes(state), _message(state)
        reading = _with_waiting(
            await ask_typed(self.models.small, READ_CALL, prompts.read(message, names, notes)), state
        )
        result = check(reading)
        if not result.wrong:
            return reading, result
        told = f"Your last reading was {reading.model_dump_json(exclude_defaults=True)}. It does not fit: "
        told += f"{'; '.join(result.wrong)}. Correct it, or ask the user (kind clarify) if you cannot tell."
        again = await ask_typed(self.models.small, READ_CALL, prompts.read(message, names, [*notes, told]))
        reading = _with_waiting(again, state)
        return reading, check(reading)

    def _taken(
        self, state: CampaignsState, runtime: Runtime[RunContext], reading: Reading, result: Checked, check: Check
    ) -> Update:
        """What becomes of a reading: requests that run, or what is said in their place."""
        is_asking = reading.kind != "specialists" or result.asks_week or bool(result.wrong)
        asks = as_json(reading.requests)
        taken: Update = {
            "routing": reading.model_dump(mode="json", include={"reasoning", "language", "kind", "week", "confidence"}),
            "standalone_query": reading.standalone,
            "route": "smalltalk" if reading.kind == "smalltalk" else "clarify" if is_asking else "specialists",
            "requests": [],
            "waiting": asks if result.asks_week else state.get("waiting") or [] if is_asking else [],
            "week": check.settled(reading) or "",
        }
        if is_asking:
            judge = self._judge(state, runtime, [], result.requests, reading.language)
            fallback = WEEKS if result.asks_week else WHICH.format(names=", ".join(check.names["advertiser"][:20]))
            said = checked(reading.reply, judge) or fallback
            return {**taken, "clarification": with_days(said, result.requests) if result.asks_week else said}
        pairs = zip(reading.requests, result.requests, strict=True)
        requests = [
            {"at": at, "specialist": ask.specialist, "request": request.model_dump(mode="json")}
            for at, (ask, request) in enumerate(pairs)
        ]
        return {**taken, "requests": requests, "last_requests": asks}

    def after_route(self, state: CampaignsState) -> Literal["respond", "check_gate"]:
        return "respond" if state["clarification"] else "check_gate"

    async def check_gate(self, state: CampaignsState) -> Update:
        found = gate.check(
            _message(state),
            [each["specialist"] for each in state["requests"]],
            (state["routing"] or {})["confidence"],
            max_specialists=self.settings.max_specialists,
        )
        return {"gate": found.as_json(), "warnings": list(found.warnings)}

    def after_check_gate(self, state: CampaignsState) -> list[Send] | Literal["respond"]:
        """Each request to its specialist, if that is approved; they run side by side."""
        approved = (state["gate"] or {})["approved"]
        return [Send(each["specialist"], each) for each in state["requests"] if each["specialist"] in approved] or (
            "respond"
        )

    def specialist(self, name: str) -> "StateNode[Sent, RunContext]":
        """The node of one specialist; one that fails is reported, the others stand."""

        async def run(state: Sent, runtime: Runtime[RunContext]) -> Update:
            runtime.stream_writer({"event": "tool_start", "tool": name})
            request = Request.model_validate(state["request"])
            finding = await self._query(name, request, runtime.context.now.date())
            return {
                "findings": [{"at": state["at"], **finding.model_dump(mode="json")}],
                "warnings": [*finding.warnings],
            }

        return run

    async def _query(self, name: str, request: Request, today: date) -> Finding:
        def run() -> Finding:
            warehouse, most = self.warehouse_on(today), self.settings.max_rows
            return run_specialist(name, request, warehouse, currency=self.settings.currency, max_rows=most)

        try:
            return await asyncio.wait_for(asyncio.to_thread(run), self.settings.query_seconds)
        except (DatabaseError, TimeoutError) as error:
            return failed(name, _why(error))

    async def diagnose(self, state: CampaignsState, runtime: Runtime[RunContext]) -> Update:
        """Figures need no diagnosis; causes and advice are found in one typed call."""
        findings, requests = findings_of(state), _requests(state)
        found: JSON = {"severity": severity(findings), "root_causes": [], "correlations": []}
        if reason := exit_without_analysis(findings, requests):
            return {"diagnosis": found, "exit_reason": reason}
        prompt = self._prompts(state, runtime).analyse(_message(state), _meant(state), findings)
        analysis = await try_typed(self.models.main, ANALYSE_CALL, prompt)
        if analysis is None:
            return {"diagnosis": found, "exit_reason": "No analysis could be made.", "warnings": ["diagnose_malformed"]}
        found |= {"root_causes": analysis.causes, "correlations": analysis.links}
        advice = analysis.model_dump(include={"recommendations", "confidence"})
        reason = "" if analysis.recommendations else "Nothing is to be changed."
        return {"diagnosis": found, "exit_reason": reason, "advice": advice}

    def after_diagnose(self, state: CampaignsState) -> Literal["respond", "validate"]:
        return "respond" if state["exit_reason"] else "validate"

    async def validate(self, state: CampaignsState, runtime: Runtime[RunContext]) -> Update:
        advice, findings = state["advice"] or {}, findings_of(state)
        given = [Recommendation.model_validate(each) for each in advice["recommendations"]]
        found = validate(given, findings, self._judge(state, runtime, findings, _requests(state)))
        kept = [each.model_dump() for each in found.kept]
        return {
            "advice": {**advice, "recommendations": kept, "objections": found.objections},
            "warnings": found.warnings,
        }

    async def respond(self, state: CampaignsState, runtime: Runtime[RunContext]) -> Update:
        """In the order of the answers' priority: a question, a refusal, figures alone, figures with advice."""
        run_id, tell, checked_ = (
            _reply_id(state),
            runtime.stream_writer,
            state["gate"] or {"valid": False, "reason": ""},
        )
        if state["clarification"] or not checked_["valid"]:
            reason = REFUSED.format(reason=checked_["reason"])
            said = wording.say(state["clarification"] or reason, tell=tell, run_id=run_id)
            route = state["route"] if state["clarification"] else "refuse"
            return {"messages": [said.message], "route": route, "confidence": 0.0}
        analysis, findings = _analysis(state), findings_of(state)
        lines = advice_lines(analysis.recommendations) if analysis else ""
        worded = await wording.word(
            self.models.main,
            ANSWER_CALL,
            self._prompts(state, runtime).answer(
                _message(state), _meant(state), findings, checked_["remarks"], analysis
            ),
            self._judge(state, runtime, findings, _requests(state)),
            tell=tell,
            run_id=run_id,
            fallback="\n\n".join(finding.text for finding in findings),
            end=f"\n\n{lines}" if lines else "",
        )
        confidence = EARLY_EXIT_CONFIDENCE if state["exit_reason"] or not analysis else analysis.confidence
        return {"messages": [worded.message], "confidence": confidence, "warnings": list(worded.warnings)}

    def _judge(
        self,
        state: CampaignsState,
        runtime: Runtime[RunContext],
        findings: Sequence[Finding],
        requests: Sequence[Request],
        language: str = "",
    ) -> Verifier:
        said = state["messages"]
        return judge_of(
            findings,
            requests,
            today=runtime.context.now.date(),
            asked=[each.text for each in said if each.type == "human"],
            earlier=[each.text for each in said if each.type == "ai"],
            currency=self.settings.currency,
            language=language or (state["routing"] or {}).get("language", ""),
        )

    async def _fold(self, state: CampaignsState) -> memory.Folded:
        kept = state.get("memory") or memory.no_memory()
        if self.settings.memory == "window":
            return memory.Folded(kept)
        return await memory.fold(kept, state["messages"][:-1], model=self.models.small)

    def _prompts(
        self, state: CampaignsState, runtime: Runtime[RunContext], kept: memory.ThreadMemory | None = None
    ) -> Prompts:
        history, today, window = state["messages"][:-1], runtime.context.now.date(), runtime.context.conversation_window
        if self.settings.memory == "window":
            return Prompts(window, history, (), today)
        kept = kept or state["memory"]
        return Prompts(UNFOLDED_TURNS, memory.unfolded(kept, history), memory.notes(kept), today)


def exit_without_analysis(findings: Sequence[Finding], requests: Sequence[Request]) -> str:
    """Why there is nothing to diagnose; empty where there is."""
    if all(finding.status != "ok" for finding in findings):
        return "No specialist had figures."
    if all(request.intent == "overview" for request in requests):
        return "The message only asks how things stand."
    return "" if any(request.asks_why for request in requests) else "The message asks for information."


def findings_of(values: Mapping[str, Any]) -> list[Finding]:
    """In the order of the requests, whichever was done first."""
    return [Finding.model_validate(each) for each in sorted(values["findings"], key=lambda each: each["at"])]


def _with_waiting(reading: Reading, state: CampaignsState) -> Reading:
    """Who agrees to a week may leave out the requests that wait for it."""
    waiting = state.get("waiting")
    if not waiting or reading.requests or reading.week == "open":
        return reading
    return reading.model_copy(update={"kind": "specialists", "requests": as_asks(waiting)})


def _notes(state: CampaignsState) -> list[str]:
    waiting, last, week = state.get("waiting"), state.get("last_requests"), state.get("week")
    notes = [f"{WEEK_SETTLED}{week}."] if week else []
    if waiting:
        return [*notes, WAITING + json.dumps(waiting)]
    return [*notes, LAST_REQUESTS + json.dumps(last)] if last else notes


def _analysis(state: CampaignsState) -> Analysis | None:
    found, advice = state["diagnosis"] or {}, state["advice"]
    if advice is None:
        return None
    return Analysis(causes=found["root_causes"], links=found["correlations"], **advice)


def _requests(state: CampaignsState) -> list[Request]:
    return [Request.model_validate(each["request"]) for each in state["requests"]]


def _message(state: CampaignsState) -> str:
    return str(state["messages"][-1].text)[:MOST_CHARACTERS]


def _meant(state: CampaignsState) -> str:
    """The standalone query, where it says more than the message."""
    meant = state["standalone_query"]
    return "" if meant.casefold() == _message(state).casefold() else meant


def _why(error: Exception) -> str:
    return str(error) or "The warehouse took too long."


def _reply_id(state: CampaignsState) -> UUID:
    """It follows from that of the message, so that a node that runs again replaces its reply."""
    return uuid5(NAMESPACE_OID, f"campaigns.reply:{state['messages'][-1].id}")
