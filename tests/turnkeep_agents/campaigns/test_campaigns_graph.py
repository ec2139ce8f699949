"""The campaigns graph with a model that follows a script, and a warehouse that fails on demand."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from scripted_model import ScriptedModel

from turnkeep_agents.campaigns.advice import Recommendation, Recommendations
from turnkeep_agents.campaigns.diagnosis import Diagnosis
from turnkeep_agents.campaigns.graph import compile_graph, read_reply
from turnkeep_agents.campaigns.nodes import Nodes
from turnkeep_agents.campaigns.reading.routing import Routing
from turnkeep_agents.campaigns.state import LASTING, new_turn
from turnkeep_agents.campaigns.warehouse.sums import Warehouse, open_warehouses
from turnkeep.blocks.understanding import Reading
from turnkeep.databases.errors import DatabaseDown
from turnkeep.models.chat import Models
from turnkeep.records import Reply, RunContext
from turnkeep_agents.campaigns.settings import CampaignsSettings

WHY = "Why are budgets and audiences in trouble, and what should we change?"
PLAIN = Routing(specialists=["performance_diagnosis"], reasoning="Clicks are performance.", confidence=0.9)
WORRIED = Routing(specialists=["budget_risk", "audience_targeting"], reasoning="Budgets, audiences.", confidence=0.9)
UNUSABLE = AIMessage("I would rather talk about the weather.")


class Broken(Warehouse):
    """Fails where `failing` is among the dimensions that are asked for; an event instead of an error holds it up."""

    failing: Mapping[str, Exception | threading.Event]

    def rows(self, by: Any, *args: Any, **more: Any) -> Any:
        for name in by:
            fault = self.failing.get(name)
            if isinstance(fault, Exception):
                raise fault
            if fault is not None:
                fault.wait(60)
        return super().rows(by, *args, **more)


def broken_on(failing: Mapping[str, Exception | threading.Event]) -> Any:
    """`open_warehouses` whose warehouses fail."""
    opened = open_warehouses(CampaignsSettings())

    def on(day: date) -> Warehouse:
        warehouse = opened(day)
        broken = object.__new__(Broken)
        broken.__dict__.update(warehouse.__dict__)
        broken.failing = failing
        return broken

    return on


@dataclass
class Talk:
    """One thread of the graph."""

    script: ScriptedModel
    context: RunContext
    tuning: CampaignsSettings = field(default_factory=CampaignsSettings)
    warehouse_on: Any = None
    state: dict[str, Any] = field(default_factory=dict)
    turns: int = 0

    async def say(self, message: str, *steps: Any) -> Reply:
        self.script.play(*steps)
        self.turns += 1
        nodes = Nodes(
            Models(self.script, self.script, "openai", "m"),
            self.warehouse_on or open_warehouses(self.tuning),
            self.tuning,
        )
        lasting = {key: value for key, value in self.state.items() if key in LASTING}
        said = [*lasting.pop("messages", []), HumanMessage(message, id=f"h{self.turns}")]
        given: Any = {**lasting, **new_turn(), "messages": said}
        self.state = await compile_graph(nodes).ainvoke(given, context=self.context)
        return read_reply(self.state)


@pytest.fixture
def talk(script: ScriptedModel, context: RunContext) -> Talk:
    return Talk(script, context)


async def test_a_plain_question_asks_the_model_for_the_route_only(talk: Talk) -> None:
    reply = await talk.say("Show me the clicks of Quiz in January 2026", ("campaigns.route", PLAIN))
    assert (reply.route, reply.confidence, reply.warnings) == ("specialists", 0.8, ())
    assert [figure["metric"] for figure in reply.details["figures"]].count("clicks")


async def test_a_route_that_cannot_be_read_is_made_by_rules_with_a_warning(talk: Talk) -> None:
    steps = [("campaigns.route", UNUSABLE), ("campaigns.route", UNUSABLE)]
    reply = await talk.say("Show me the clicks of Quiz in January 2026", *steps)
    assert (reply.route, reply.warnings) == ("specialists", ("routing_malformed",))
    assert reply.details["figures"]


async def test_a_route_that_says_nothing_is_made_by_rules_too(talk: Talk) -> None:
    reply = await talk.say("Show me the clicks of Quiz in January 2026", ("campaigns.route", Routing()))
    assert (reply.route, reply.warnings) == ("specialists", ("routing_malformed",))


async def test_a_route_to_nobody_known_is_refused_with_the_reason(talk: Talk) -> None:
    invented = PLAIN.model_copy(update={"specialists": ["weather_forecast"]})
    reply = await talk.say("Show me the clicks of Quiz in January 2026", ("campaigns.route", invented))
    assert (reply.route, reply.confidence) == ("refuse", 0.0)
    assert "weather_forecast" in reply.text
    assert "unknown_specialist" in reply.warnings
    assert reply.details["figures"] == []


async def test_the_models_question_is_asked_in_place_of_an_answer(talk: Talk) -> None:
    asking = Routing(clarification="Which shop do you mean?", reasoning="No shop was named.", confidence=0.3)
    reply = await talk.say("Show me the clicks in January 2026", ("campaigns.route", asking))
    assert (reply.text, reply.route, reply.confidence) == ("Which shop do you mean?", "clarify", 0.0)
    assert reply.details["gate"] is None


async def test_agreement_runs_what_was_asked_about_without_another_model_call(talk: Talk) -> None:
    asked = await talk.say("quiz performance for two weeks", ("campaigns.route", PLAIN))
    assert (asked.route, asked.details["clarification"]) == ("clarify", asked.text)
    ran = await talk.say("Bang on thank you")
    assert ran.route == "specialists"
    assert ran.details["routing"]["agrees"]
    assert talk.state["pending"] is None


async def test_agreement_in_words_that_only_the_model_knows_runs_too(talk: Talk) -> None:
    await talk.say("quiz performance for two weeks", ("campaigns.route", PLAIN))
    agreeing = Routing(specialists=[], reasoning="It agrees.", confidence=0.9, agrees=True)
    read = Reading(depends_on_history=True, standalone_query="The very thing I had in mind")
    ran = await talk.say("The very thing I had in mind", ("understand.read", read), ("campaigns.route", agreeing))
    assert ran.route == "specialists"


async def test_other_days_of_the_week_run_with_these_and_are_remembered(talk: Talk) -> None:
    await talk.say("quiz performance for two weeks", ("campaigns.route", PLAIN))
    ran = await talk.say("No, Monday to Sunday")
    assert ran.route == "specialists"
    start = date.fromisoformat(ran.details["period"]["start"])
    assert start.strftime("%A") == "Monday"
    assert talk.state["week"] == "monday"


async def test_a_plain_no_asks_for_the_dates_and_keeps_the_question_open(talk: Talk) -> None:
    await talk.say("quiz performance for two weeks", ("campaigns.route", PLAIN))
    refused = await talk.say("no")
    assert (refused.route, refused.text.endswith("last day.")) == ("clarify", True)
    assert talk.state["pending"]


@pytest.mark.parametrize("kind", ["down", "slow"])
async def test_a_specialist_that_fails_is_reported_and_the_others_stand(
    script: ScriptedModel, context: RunContext, kind: str
) -> None:
    over = threading.Event()
    fault = DatabaseDown("The warehouse does not answer.") if kind == "down" else over
    open_warehouses(CampaignsSettings())(context.now.date()).coverage()  # the sample is made before the clock runs
    talk = Talk(script, context, CampaignsSettings(query_seconds=1), broken_on({"audience": fault}))
    both = PLAIN.model_copy(update={"specialists": ["performance_diagnosis", "audience_targeting"]})
    diagnosis = Diagnosis(summary="One specialist did not answer.", severity="low")
    steps = [("campaigns.route", both), ("campaigns.diagnose", diagnosis)]
    reply = await talk.say("Show me the clicks of Quiz in January 2026", *steps)
    over.set()
    status = {one["name"]: one["status"] for one in reply.details["specialists"]}
    assert status == {"performance_diagnosis": "ok", "audience_targeting": "failed"}
    assert "specialist_failed" in reply.warnings
    assert "audience_targeting could not be run" in reply.text


async def test_a_number_of_the_models_own_is_refused_and_the_rules_words_taken(talk: Talk) -> None:
    invented = Diagnosis(summary="Quiz lost 987,654 clicks.", severity="critical", root_causes=["It lost 41 %."])
    advice = Recommendations(
        recommendations=[Recommendation(priority="high", action="Move £31,415 to Quiz.", reason="It lacks money.")],
        confidence=0.9,
    )
    steps = [("campaigns.route", WORRIED), ("campaigns.diagnose", invented), ("campaigns.recommend", advice)]
    reply = await talk.say(WHY, *steps)
    assert "figure_removed" in reply.warnings
    assert "987,654" not in reply.text
    assert "31,415" not in reply.text


async def test_a_diagnosis_and_advice_that_cannot_be_read_are_made_by_rules_with_warnings(talk: Talk) -> None:
    broken = [(f"campaigns.{name}", UNUSABLE) for name in ("diagnose", "diagnose", "recommend", "recommend")]
    reply = await talk.say(WHY, ("campaigns.route", WORRIED), *broken)
    assert {"diagnose_malformed", "recommend_malformed"} <= set(reply.warnings)
    assert reply.details["diagnosis"]["severity"] != "none"


async def test_the_severity_is_computed_whatever_the_model_says(talk: Talk) -> None:
    calm = Diagnosis(summary="All is well.", severity="none")
    plain = Recommendations(recommendations=[], confidence=None)
    reply = await talk.say(
        WHY, ("campaigns.route", WORRIED), ("campaigns.diagnose", calm), ("campaigns.recommend", plain)
    )
    assert reply.details["diagnosis"]["severity"] in ("medium", "high", "critical")
    assert reply.confidence == 0.8


async def test_the_confidence_of_an_answer_with_advice_is_that_of_the_advice(talk: Talk) -> None:
    calm = Diagnosis(summary="Return on ad spend fell.", severity="low")
    sure = Recommendations(recommendations=[], confidence=0.65)
    reply = await talk.say(
        WHY, ("campaigns.route", WORRIED), ("campaigns.diagnose", calm), ("campaigns.recommend", sure)
    )
    assert reply.confidence == 0.65


async def test_specialists_get_the_standalone_query_not_the_bare_message(talk: Talk) -> None:
    await talk.say("Show me the clicks of Quiz in January 2026", ("campaigns.route", PLAIN))
    whole = Reading(depends_on_history=True, standalone_query="Show me the clicks of Quiz in February 2026")
    reply = await talk.say("and for February?", ("understand.read", whole), ("campaigns.route", PLAIN))
    assert reply.standalone_query == "Show me the clicks of Quiz in February 2026"
    assert reply.details["period"]["start"] == "2026-02-01"
    assert "Quiz" in talk.script.prompt("campaigns.route")
