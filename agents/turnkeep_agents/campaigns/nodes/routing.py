"""`route`: reads the message, checks the reading against the warehouse, and decides what runs."""

import asyncio
import json
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Send

from turnkeep.kit import checked_replies
from turnkeep.kit.nodes import fold
from turnkeep.kit.verification import Sources
from turnkeep.models.calls import ask_typed
from turnkeep.records import JSON, RunContext
from turnkeep_agents.campaigns import gate
from turnkeep_agents.campaigns.answers import spans, unfounded
from turnkeep_agents.campaigns.nodes.prompting import Prompting, message_of, reason_of
from turnkeep_agents.campaigns.prompts import LAST_REQUESTS, WAITING, WEEK_SETTLED, Prompts, names_note
from turnkeep_agents.campaigns.reading import READ_CALL, Ask, Check, Checked, Reading, as_json
from turnkeep_agents.campaigns.state import CampaignsState
from turnkeep_agents.databases.errors import DatabaseError, DatabaseSlow

NO_WAREHOUSE = "The metrics cannot be reached just now, so there are no figures: {reason} Please ask again in a while."
WHICH = "Which campaigns do you mean? Advertisers: {names}."  # only if the model's own words cannot be shown
WEEKS = "Do you mean whole weeks, from Sunday to Saturday?"  # the same
MOST_OFFERED = 20  # names in such a question
LEDGER = {"reasoning", "language", "kind", "week", "amounts", "confidence"}
YEARS_BACK = 10  # years that a reply may name as having no figures


class Routing(Prompting):
    async def route(self, state: CampaignsState, runtime: Runtime[RunContext]) -> JSON:
        folded = await fold(state, self.settings.memory, self.models.small)
        prompts = self.prompts(state, runtime, folded.memory)
        found: JSON = {"memory": folded.memory, "context": prompts.context()}
        try:
            names, check = await self._known(state, runtime)
        except (DatabaseError, TimeoutError) as error:
            code = "warehouse_slow" if isinstance(error, TimeoutError | DatabaseSlow) else "warehouse_down"
            text = NO_WAREHOUSE.format(reason=reason_of(error))
            return {**found, "clarification": text, "route": "clarify", "warnings": [*folded.warnings, code]}
        reading, result = await self._read(state, prompts, names, check)
        taken = _run(reading, result) if result.runs else self._ask(state, names, reading, result, check)
        runtime.stream_writer(
            {
                "event": "route_decision",
                "route": taken["route"],
                "specialists": [each["specialist"] for each in taken["requests"]],
                "confidence": reading.confidence,
            }
        )
        return {
            **found,
            **taken,
            "routing": reading.model_dump(mode="json", include=LEDGER),
            "coverage": [f"{check.coverage.first}", f"{check.coverage.last}"],
            "standalone_query": reading.standalone,
            "week": check.settled(reading) or "",
            "warnings": [*folded.warnings, *taken["warnings"]],
        }

    def after_route(self, state: CampaignsState) -> Literal["respond", "check_gate"]:
        return "respond" if state["clarification"] else "check_gate"

    async def check_gate(self, state: CampaignsState) -> JSON:
        found = gate.check(
            message_of(state),
            [each["specialist"] for each in state["requests"]],
            (state["routing"] or {})["confidence"],
            max_specialists=self.settings.max_specialists,
        )
        return {"gate": found, "warnings": found["warnings"]}

    def after_check_gate(self, state: CampaignsState) -> list[Send] | Literal["respond"]:
        """Send each approved request to its specialist; they run in parallel."""
        approved = (state["gate"] or {})["approved"]
        chosen = [each for each in state["requests"] if each["specialist"] in approved]
        return [Send(each["specialist"], each) for each in chosen] or "respond"

    async def _known(self, state: CampaignsState, runtime: Runtime[RunContext]) -> tuple[str, Check]:
        """Return the contents of the warehouse, as a note and as a check."""
        today = runtime.context.now.date()

        def look() -> tuple[str, Check]:
            warehouse = self.warehouse_on(today)
            names, coverage = warehouse.names(), warehouse.coverage()
            note = names_note(names, warehouse.owners(), coverage, message_of(state))
            week: Any = state.get("week") or None
            return note, Check(names, coverage, today, week)

        return await asyncio.wait_for(asyncio.to_thread(look), self.settings.query_seconds)

    async def _read(self, state: CampaignsState, prompts: Prompts, names: str, check: Check) -> tuple[Reading, Checked]:
        """Return the reading, after one correction by the model if parts of it do not fit."""
        notes, message = _notes(state), message_of(state)
        asked = await ask_typed(self.models.small, READ_CALL, prompts.read(message, names, notes))
        reading = _with_waiting(asked, state)
        result = await asyncio.to_thread(check, reading)  # there may be many names
        is_shown = not result.runs and not result.wrong
        judge = self._judge_of(state, names, reading, result, check)
        wrong = [*result.wrong, *(unfounded(reading.reply, judge) if is_shown else [])]
        if not wrong:
            return reading, result
        objection = f"Your last reading was {reading.model_dump_json(exclude_defaults=True)}. It does not fit: "
        objection += f"{'; '.join(wrong)}. Correct it, or ask the user (kind clarify) if you cannot tell."
        again = await ask_typed(self.models.small, READ_CALL, prompts.read(message, names, [*notes, objection]))
        reading = _with_waiting(again, state)
        return reading, await asyncio.to_thread(check, reading)

    def _ask(self, state: CampaignsState, names: str, reading: Reading, result: Checked, check: Check) -> JSON:
        """Return the model's question or small talk, as far as it may be shown: nothing was queried for it."""
        judge = self._judge_of(state, names, reading, result, check)
        removed = [checked_replies.SENTENCE_REMOVED] if unfounded(reading.reply, judge) else []
        offered = ", ".join(check.names["advertiser"][:MOST_OFFERED])
        parts = [part for part in checked_replies.units(reading.reply) if not judge.problems(part)]
        text = "".join(map(judge.accept, parts)).strip() or (WEEKS if result.asks_week else WHICH.format(names=offered))
        periods = [each.period for each in result.requests if each.period]
        days = ", ".join(dict.fromkeys(f"{each.start} - {each.end}" for each in periods))  # to agree to
        return {
            "route": "smalltalk" if reading.kind == "smalltalk" else "clarify",
            "clarification": f"{text} ({days})" if days and result.asks_week else text,
            "requests": [],
            "waiting": as_json(reading.requests) if result.asks_week else state.get("waiting") or [],
            "warnings": removed,
        }

    def _judge_of(
        self, state: CampaignsState, names: str, reading: Reading, result: Checked, check: Check
    ) -> checked_replies.Linked:
        """Return a judge for replies without a query: they may name the contents of the warehouse and its first day."""
        days = [(check.today, check.today), (check.coverage.first, check.coverage.last), *spans(result.requests)]
        years = [str(check.today.year - back) for back in range(-1, YEARS_BACK)]
        return self.judge(state, Sources([names, *years], days=days, language=reading.language, has_counts=False))


def _run(reading: Reading, result: Checked) -> JSON:
    pairs = zip(reading.requests, result.requests, strict=True)
    requests = [
        {"at": at, "specialist": ask.specialist, "request": request.model_dump(mode="json")}
        for at, (ask, request) in enumerate(pairs)
    ]
    last = as_json(reading.requests)
    return {"route": "specialists", "requests": requests, "last_requests": last, "waiting": [], "warnings": []}


def _with_waiting(reading: Reading, state: CampaignsState) -> Reading:
    """Restore the waiting requests: a message that agrees to a week may omit them."""
    waiting = state.get("waiting")
    if not waiting or reading.requests or reading.week == "open":
        return reading
    return reading.model_copy(
        update={"kind": "specialists", "requests": [Ask.model_validate(each) for each in waiting]}
    )


def _notes(state: CampaignsState) -> list[str]:
    waiting, last, week = state.get("waiting"), state.get("last_requests"), state.get("week")
    notes = [f"{WEEK_SETTLED}{week}."] if week else []
    if waiting:
        return [*notes, WAITING + json.dumps(waiting)]
    return [*notes, LAST_REQUESTS + json.dumps(last)] if last else notes
