"""What the demo answers in place of a model: whole questions rightly, and of all others that it does not understand."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from agent_thread import Thread
from turnkeep.agents import build_agent, read_settings
from turnkeep.records import Principal, Reply, RunContext
from turnkeep_demo.campaigns.periods import find_periods
from turnkeep_demo.campaigns.rules import GOODBYE, HELLO, KNOWN_QUESTIONS, WELCOME

TODAY = date(2026, 11, 22)  # a Sunday
CONTEXT = RunContext(5, datetime(2026, 11, 22, 9, tzinfo=UTC), Principal("local", "ann"))
AGENT = build_agent("campaigns", read_settings(model="demo"))


async def talk(*messages: str) -> Sequence[Reply]:
    return await Thread(AGENT.graph, CONTEXT).talk(*messages)


def read_as(reply: Reply) -> dict[str, Any]:
    assert reply.route == "specialists", reply.text
    [request] = reply.details["requests"]
    return {name: value for name, value in request.items() if value}


async def test_the_conversation_of_the_document() -> None:
    lost, asked, ran, month, split = await talk(
        "123", "quiz performance for two weeks", "Bang on thank you", "and in October?", "by creative?"
    )
    assert lost.route == asked.route == "clarify"
    assert asked.text.endswith("(2026-11-08 - 2026-11-21)")
    assert read_as(ran)["filters"] == {"advertiser": ["Quiz"]}
    assert (read_as(ran)["period"]["start"], read_as(month)["period"]["start"]) == ("2026-11-08", "2026-10-01")
    assert (read_as(split)["specialist"], read_as(split)["by"]) == ("creative_inventory", ["creative"])
    assert read_as(split)["period"]["start"] == "2026-10-01"


@pytest.mark.parametrize("question", KNOWN_QUESTIONS)
async def test_every_question_that_it_names_is_answered_without_a_loss(question: str) -> None:
    [reply] = await talk(question)
    assert read_as(reply)
    assert reply.warnings == ()
    texts = [figure["text"] for figure in reply.details["figures"]]
    assert any(text in reply.text for text in texts)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("How many conversions did Tidewater get between 1 and 7 November?",
         {"filters": {"advertiser": ["Tidewater Audio"]}, "metrics": ["conversions"]}),
        ("Top 3 creatives by CTR for Brightway", {"by": ["creative"], "limit": 3, "order": "best", "metrics": ["ctr"]}),
        ("Which campaign had the lowest cost per conversion in October?",
         {"by": ["insertion_order"], "limit": 1, "order": "best", "metrics": ["cpa"]}),
        ("Which advertiser had the highest CPA last month?", {"order": "worst", "limit": 1, "metrics": ["cpa"]}),
        ("Did Quiz or Oakmere have more revenue in October?",
         {"by": ["advertiser"], "filters": {"advertiser": ["Quiz", "Oakmere Kitchens"]}, "metrics": ["revenue"]}),
        ("Why is the CPA of Oakmere so high?", {"intent": "why", "metrics": ["cpa", "cpc", "cvr"]}),
        ("clicks of Quiz, Larkspur and Tidewater last month", {"by": ["advertiser"], "metrics": ["clicks"]}),
        ("How is Fernhill Garden pacing?", {"specialist": "budget_risk"}),
        ("What should I change about the budgets?", {"specialist": "budget_risk", "intent": "advice"}),
    ],
)  # fmt: skip
async def test_a_question_is_read_whole(message: str, expected: dict[str, Any]) -> None:
    [reply] = await talk(message)
    assert expected.items() <= read_as(reply).items()


@pytest.mark.parametrize(
    "message",
    [
        "Clicks of Quiz and conversions of Tidewater",
        "Which audiences have a CPA over 30?",
        "What were the clicks of Quiz without retargeting last month?",
        "Quiz clicks not in October",
        "Is a CPA of 22 good for Quiz?",
        "conversion rate on weekends",
        "How much did we spend in the first week of May?",
        "Did Quiz get more clicks than last month?",
        "What was the revenue of Quiz in May? And of Tidewater in June?",
        "clicks of Nike last month",
        "Quanto ha speso Quiz ieri?",
        "what was our spend today?",
        "Budget of Quiz in May and its clicks",
        "clicks of Quiz on 31 June",
        "What were clicks and cost in the week of 5 October?",
        "May I see the clicks of Quiz?",
    ],
)
async def test_what_is_not_understood_whole_is_refused_with_three_questions_that_it_knows(message: str) -> None:
    [reply] = await talk(message)
    assert (reply.route, reply.details["figures"]) == ("clarify", [])
    assert sum(question in reply.text for question in KNOWN_QUESTIONS) == 3


@pytest.mark.parametrize("message", ["How did we do last week?", "And how did we do last week?", "And do the others?"])
async def test_a_new_question_is_not_taken_for_more_of_the_last(message: str) -> None:
    _, reply = await talk("How many clicks did Quiz get in October?", message)
    assert reply.route == "clarify"


async def test_advice_follows_the_form_of_an_issue() -> None:
    [reply] = await talk("What should I change about the budgets?")
    subjects = [each["subject"] for each in reply.details["recommendations"]]
    assert subjects == ["Oakmere Showroom", "Brightway City Breaks"]
    assert reply.text.count("**") == 4


@pytest.mark.parametrize(
    ("message", "subjects"),
    [
        ("How can we improve Brightway City Breaks?", ["Brightway City Breaks", "Size 160x600"]),
        ("Give me recommendations for Oakmere Showroom", ["Oakmere Showroom"]),
        ("How should we improve Larkspur?", ["Coupon Collectors in Larkspur Subscriptions", "Size 160x600"]),
        (
            "What should we improve?",
            ["Oakmere Showroom", "Brightway City Breaks", "Coupon Collectors in Larkspur Subscriptions"],
        ),
        ("Do you have advice for Tidewater?", []),
    ],
)
async def test_advice_about_campaigns_asks_all_who_know_what_is_wrong(message: str, subjects: list[str]) -> None:
    [reply] = await talk(message)
    assert [each["subject"] for each in reply.details["recommendations"]] == subjects, reply.text
    assert ("no change" in reply.text) == (not subjects)
    assert "budgets, audiences, creatives" in reply.text


async def test_a_follow_up_to_advice_is_advice_about_another() -> None:
    _, other, kind = await talk("Improve Quiz", "and Oakmere?", "By size")
    assert "Oakmere Showroom" in [each["subject"] for each in other.details["recommendations"]]
    assert kind.route == "clarify"


@pytest.mark.parametrize(
    "messages", [("Which budgets are behind?", "What should we change?"), ("How can we improve Quiz in October?",)]
)
async def test_advice_whose_subject_is_open_is_refused(messages: tuple[str, ...]) -> None:
    reply = (await talk(*messages))[-1]
    assert (reply.route, reply.details["recommendations"]) == ("clarify", [])


@pytest.mark.parametrize(("message", "reply"), [("Bye bye", GOODBYE), ("Cheers", WELCOME), ("Good evening", HELLO)])
async def test_small_talk_is_answered_in_kind(message: str, reply: str) -> None:
    [said] = await talk(message)
    assert (said.route, said.text) == ("smalltalk", reply)


async def test_agreement_is_no_new_question_and_no_is_asked_about() -> None:
    _, refused, monday = await talk("quiz performance for two weeks", "no", "Monday to Sunday please")
    assert refused.route == "clarify"
    assert read_as(monday)["period"]["start"] == "2026-11-02"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("in may", {"named": "dates", "start": "2026-05-01", "end": "2026-05-31"}),
        ("in december", {"named": "dates", "start": "2025-12-01", "end": "2025-12-31"}),
        ("from 28 december to 3 january 2026", {"named": "dates", "start": "2025-12-28", "end": "2026-01-03"}),
        ("last quarter", {"named": "dates", "start": "2026-07-01", "end": "2026-09-30"}),
        ("over the last three months", {"named": "last_months", "n": 3}),
        ("this week so far", {"named": "this_week"}),
        ("last year", None),
        ("since 3 may", {"named": "dates", "start": "2026-05-03", "end": "2026-11-21"}),
        ("since may", {"named": "dates", "start": "2026-05-01", "end": "2026-11-21"}),
        ("from april to june", {"named": "dates", "start": "2026-04-01", "end": "2026-06-30"}),
        ("in the week of 5 may", None),
        ("since last week", None),
    ],
)
def test_periods(text: str, meaning: object) -> None:
    [(_, end, found)] = find_periods(text, TODAY)
    assert (text[end:], found) == ("", meaning), json.dumps(found)
