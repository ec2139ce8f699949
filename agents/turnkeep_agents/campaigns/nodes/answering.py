"""Runs the specialists in parallel and turns their findings into causes, advice and checked prose."""

import asyncio
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from langgraph.runtime import Runtime

from turnkeep.kit import checked_replies
from turnkeep.kit.verification import Sources
from turnkeep.models.calls import TextCall, try_typed
from turnkeep.records import JSON, RunContext
from turnkeep_agents.campaigns.advice import ANALYSE_CALL, Analysis, Recommendation, severity, validate
from turnkeep_agents.campaigns.answers import known_of, spans
from turnkeep_agents.campaigns.nodes.prompting import Prompting, message_of, reason_of
from turnkeep_agents.campaigns.requests import MetricResult, Request
from turnkeep_agents.campaigns.specialists.team import run_specialist
from turnkeep_agents.campaigns.state import CampaignsState, Sent
from turnkeep_agents.databases.errors import DatabaseError

if TYPE_CHECKING:
    from langgraph.graph._node import StateNode

ANSWER_CALL = TextCall("campaigns.answer", temperature=0.2, max_tokens=900, visible=False)
EARLY_EXIT_CONFIDENCE = 0.8
REFUSED = "Unable to process: {reason}"


class Answering(Prompting):
    def specialist(self, name: str) -> "StateNode[Sent, RunContext]":
        """Return the node of one specialist; a failure is reported without affecting the others."""

        async def run(state: Sent, runtime: Runtime[RunContext]) -> JSON:
            runtime.stream_writer({"event": "tool_start", "tool": name})
            request = Request.model_validate(state["request"])
            warehouse, most = self.warehouse_on(runtime.context.now.date()), self.settings.max_rows
            work = partial(run_specialist, currency=self.settings.currency, max_rows=most)
            try:
                query = asyncio.to_thread(work, name, request, warehouse)
                finding = await asyncio.wait_for(query, self.settings.query_seconds)
            except (DatabaseError, TimeoutError) as error:
                why = reason_of(error)
                finding = MetricResult(specialist=name, status="failed", text=why, warnings=("specialist_failed",))
            found = {"at": state["at"], **finding.model_dump(mode="json")}
            return {"findings": [found], "warnings": [*finding.warnings]}

        return run

    async def diagnose(self, state: CampaignsState, runtime: Runtime[RunContext]) -> JSON:
        """Find causes and advice in one typed call; plain figures need no diagnosis."""
        findings, requests = findings_of(state), _requests(state)
        found: JSON = {"severity": severity(findings), "root_causes": [], "correlations": []}
        reason = "" if any(request.asks_why for request in requests) else "The message asks for information."
        if all(request.intent == "overview" for request in requests):
            reason = "The message only asks how things stand."
        if all(finding.status != "ok" for finding in findings):
            reason = "No specialist had figures."
        if reason:
            return {"diagnosis": found, "exit_reason": reason}
        prompt = self.prompts(state, runtime).analyse(message_of(state), _meant(state), findings)
        analysis = await try_typed(self.models.main, ANALYSE_CALL, prompt)
        if analysis is None:
            return {"diagnosis": found, "exit_reason": "No analysis could be made.", "warnings": ["diagnose_malformed"]}
        found |= {"root_causes": analysis.causes, "correlations": analysis.links}
        advice = analysis.model_dump(include={"recommendations", "confidence"})
        reason = "" if analysis.recommendations else "Nothing is to be changed."
        return {"diagnosis": found, "exit_reason": reason, "advice": advice}

    def after_diagnose(self, state: CampaignsState) -> Literal["respond", "validate"]:
        return "respond" if state["exit_reason"] else "validate"

    async def validate(self, state: CampaignsState, runtime: Runtime[RunContext]) -> JSON:
        advice, findings = state["advice"] or {}, findings_of(state)
        given = [Recommendation.model_validate(each) for each in advice["recommendations"]]
        valid, objections = validate(given, findings, self._judge(state, runtime))
        kept = [each.model_dump() for each in valid]
        warnings = list(dict.fromkeys(each["code"] for each in objections))
        return {"advice": {**advice, "recommendations": kept, "objections": objections}, "warnings": warnings}

    async def respond(self, state: CampaignsState, runtime: Runtime[RunContext]) -> JSON:
        """Reply with the first that applies: a question, a refusal, figures alone, figures with advice."""
        checked, to = state["gate"] or {}, checked_replies.place("campaigns", state["messages"], runtime)
        if state["clarification"] or not checked.get("valid"):
            text = state["clarification"] or REFUSED.format(reason=checked.get("reason", ""))
            route = state["route"] if state["clarification"] else "refuse"
            reply = checked_replies.send(text, to=to)
            return {"messages": [reply.message], "route": route, "confidence": 0.0}
        diagnosis, advice, findings = state["diagnosis"] or {}, state["advice"], findings_of(state)
        found = {"causes": diagnosis["root_causes"], "links": diagnosis["correlations"]}
        analysis = Analysis(**found, **advice) if advice is not None else None
        advised = analysis.recommendations if analysis else []
        lines = "\n".join(f"{at}. {each.line}" for at, each in enumerate(advised, 1))  # for "the second one"
        prompts = self.prompts(state, runtime)
        worded = await checked_replies.word(
            self.models.main,
            ANSWER_CALL,
            prompts.answer(message_of(state), _meant(state), findings, checked["remarks"], analysis),
            self._judge(state, runtime),
            to=to,
            fallback="\n\n".join(finding.text for finding in findings),
            end=f"\n\n{lines}" if lines else "",
        )
        confidence = EARLY_EXIT_CONFIDENCE if state["exit_reason"] or not analysis else analysis.confidence
        return {"messages": [worded.message], "confidence": confidence, "warnings": list(worded.warnings)}

    def _judge(self, state: CampaignsState, runtime: Runtime[RunContext]) -> checked_replies.Linked:
        today, covered = runtime.context.now.date(), [date.fromisoformat(day) for day in state["coverage"]]
        days = [(today, today), (covered[0], covered[-1]), *spans(_requests(state))]
        routing, plans = state["routing"] or {}, any(each.intent == "advice" for each in _requests(state))
        limits = routing["amounts"] if plans else ()  # otherwise the user's own amount would pass for a result
        known = known_of(findings_of(state))
        return self.judge(state, Sources(known, limits=limits, days=days, language=routing["language"]))


def findings_of(values: Mapping[str, Any]) -> list[MetricResult]:
    """Return findings in the order of the requests, whichever finished first."""
    return [MetricResult.model_validate(each) for each in sorted(values["findings"], key=lambda each: each["at"])]


def _requests(state: CampaignsState) -> list[Request]:
    return [Request.model_validate(each["request"]) for each in state["requests"]]


def _meant(state: CampaignsState) -> str:
    """Return the standalone query if it adds to the message, else an empty text."""
    meant = state["standalone_query"]
    return "" if meant.casefold() == message_of(state).casefold() else meant
