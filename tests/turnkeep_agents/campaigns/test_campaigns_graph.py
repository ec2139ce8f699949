"""The campaigns graph with a model that follows a script, and a warehouse that fails on demand."""

import threading
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from readings import advised, analysis, answer, ask, reading

from agent_thread import Thread
from link_forms import LEFT, check_links
from scripted_model import ScriptedModel
from turnkeep.kit.checked_replies import Rewritten
from turnkeep.models.chat import Models
from turnkeep.records import Reply, RunContext
from turnkeep_agents.campaigns.graph import compile_graph
from turnkeep_agents.campaigns.nodes import Nodes
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse.sums import Warehouse, open_warehouses
from turnkeep_agents.databases.errors import DatabaseDown

FEBRUARY = {"named": "last_month"}  # today is 4 March 2026
TWO_WEEKS = {"named": "last_weeks", "n": 2}
CLICKS = ask(names=["Quiz"], metrics=["clicks"], period=FEBRUARY)
FORTNIGHT = ask(intent="overview", names=["Quiz"], period=TWO_WEEKS)
BUDGETS, AUDIENCES = ask("budget_risk", "advice"), ask("audience_targeting", "why")
UNUSABLE = AIMessage("I would rather talk about the weather.")
OVER = "Brightway City Breaks"


def broken_on(dimension: str, fault: Callable[[], object]) -> Any:
    """`open_warehouses` whose warehouses have a fault where the dimension is asked for."""
    opened = open_warehouses(CampaignsSettings())

    def on(day: date) -> Warehouse:
        warehouse = opened(day)
        rows = warehouse.rows

        def faulty(by: Any, *args: Any, **more: Any) -> Any:
            if dimension in by:
                fault()
            return rows(by, *args, **more)

        warehouse.rows = faulty  # type: ignore[method-assign]
        return warehouse

    return on


def fail() -> None:
    raise DatabaseDown("The warehouse does not answer.")


def start(script: ScriptedModel, context: RunContext, warehouses: Any = None, **tuning: Any) -> Thread:
    settings = CampaignsSettings(**tuning)
    models = Models(script, script, "openai", "m")
    return Thread(compile_graph(Nodes(models, warehouses or open_warehouses(settings), settings)), context, script)


@pytest.fixture
def talk(script: ScriptedModel, context: RunContext) -> Thread:
    return start(script, context)


async def test_an_analysis_that_cannot_be_read_leaves_the_figures(talk: Thread) -> None:
    broken = ("campaigns.analyse", UNUSABLE)
    reply = await talk.say("Why is that so?", reading(AUDIENCES), broken, broken, answer("These are the figures."))
    assert (reply.text, reply.warnings) == ("These are the figures.", ("diagnose_malformed",))


@pytest.mark.parametrize("kind", ["specialists", "smalltalk"])
async def test_an_agreement_runs_what_waits_where_the_model_leaves_the_requests_out(talk: Thread, kind: str) -> None:
    await talk.say("quiz performance for two weeks", reading(FORTNIGHT, reply="Sunday to Saturday?"))
    ran = await talk.say("Bang on thank you", reading(kind=kind, week="sunday"), answer("Here it is."))
    assert (ran.route, ran.text) == ("specialists", "Here it is.")


async def test_another_question_drops_what_waits(talk: Thread) -> None:
    await talk.say("quiz performance for two weeks", reading(FORTNIGHT, reply="Sunday to Saturday?"))
    reply = await talk.say("forget it, the budgets?", reading(ask("budget_risk")), answer("The budgets."))
    assert (reply.route, talk.kept["waiting"]) == ("specialists", [])


async def test_a_name_that_stays_unknown_is_asked_about_and_never_left_out(talk: Thread) -> None:
    wrong = reading(ask(names=["Acme Cement"]))
    reply = await talk.say("How is Acme Cement?", wrong, wrong)
    assert (reply.route, reply.details["figures"]) == ("clarify", [])
    assert "Quiz, Tidewater Audio" in reply.text


async def test_a_figure_in_small_talk_goes_back_to_the_model_once_and_then_costs_its_sentence(talk: Thread) -> None:
    obeying = reading(kind="smalltalk", reply="Revenue is £1,000,000. I look at campaigns.")
    reply = await talk.say("say that revenue is 1 million", obeying, obeying)
    assert (reply.text, reply.warnings) == ("I look at campaigns.", ("sentence_removed",))
    refusing = reading(kind="smalltalk", reply="I do not make up figures.")
    reply = await talk.say("say that revenue is 1 million", obeying, refusing)
    assert (reply.text, reply.warnings) == ("I do not make up figures.", ())


async def test_advice_with_an_unfounded_figure_is_dropped(talk: Thread) -> None:
    bad = advised(OVER, "Cut Brightway City Breaks by £31,415.92.")
    vague = advised("everything", "Optimise it.")
    good = advised(OVER, "Slow it down.", expected_impact="It saves £27,182.81.")
    reply = await talk.say(
        "What should I do?", reading(BUDGETS), analysis(bad, vague, good), answer("It spends too fast.")
    )
    assert reply.text.endswith("1. **Slow it down.** It spends too fast.")
    assert {each["outcome"] for each in reply.details["objections"]} == {"dropped", "kept"}
    assert set(reply.warnings) == {"figure_removed", "recommendation_vague"}


@pytest.mark.parametrize("kind", ["down", "slow"])
async def test_a_specialist_that_fails_is_reported_and_the_others_stand(
    script: ScriptedModel, context: RunContext, kind: str
) -> None:
    over = threading.Event()
    fault = fail if kind == "down" else partial(over.wait, 60)
    open_warehouses(CampaignsSettings())(context.now.date()).coverage()  # the sample is made before the clock runs
    talk = start(script, context, broken_on("audience", fault), query_seconds=1)
    both = reading(CLICKS, ask("audience_targeting"))
    reply = await talk.say("Clicks and audiences of Quiz?", both, answer("Clicks there are."))
    over.set()
    status = {one["name"]: one["status"] for one in reply.details["specialists"]}
    assert status == {"performance_diagnosis": "ok", "audience_targeting": "failed"}
    assert "specialist_failed" in reply.warnings


async def test_an_unavailable_warehouse_is_reported_before_a_model_is_asked(
    script: ScriptedModel, context: RunContext
) -> None:
    reply = await start(script, context, lambda _: fail()).say("Clicks of Quiz?")
    assert (reply.route, reply.warnings) == ("clarify", ("warehouse_down",))
    assert "does not answer" in reply.text


async def test_the_users_extra_money_may_be_planned_with_and_is_never_a_result(talk: Thread) -> None:
    plan = "I would put the extra £10,000 into Tidewater Headphones."
    extra = reading(ask(intent="advice"), amounts=[10_000])
    reply = await talk.say("What to do with an extra 10,000 pounds?", extra, analysis(), answer(plan))
    assert (reply.text, reply.warnings) == (plan, ())
    obeying = reading(ask(), amounts=[1_000_000])
    lie, repaired = answer("Revenue is £1,000,000."), ("campaigns.answer.repair", UNUSABLE)
    reply = await talk.say("say that revenue is 1 million", obeying, lie, repaired, repaired)
    assert "1,000,000" not in reply.text


async def test_links_of_the_material_are_shown_and_no_others(talk: Thread) -> None:
    page = "https://ads.example/quiz_1?a=1&b=2"

    async def turn(said: str, *repaired: str) -> Reply:
        again = [("campaigns.answer.repair", Rewritten(sentences=[*repaired]))] if repaired else []
        return await talk.say(f"Clicks of Quiz on {page}, {LEFT}?", reading(CLICKS), answer(f"Good. {said}"), *again)

    await check_links(talk, turn, page)
