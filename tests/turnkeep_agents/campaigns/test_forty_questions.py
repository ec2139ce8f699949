"""Forty questions as people ask them, answered by the agent with the demo model over the embedded data: every figure
has to be what pandas makes of the exported rows, for the days that were meant, and has to stand in the reply."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pandas as pd
import pytest
from exported import (
    by_month,
    by_week,
    clicks,
    conversions,
    cost,
    cpa,
    cpc,
    cpm,
    ctr,
    cvr,
    daily_rows,
    flights,
    impressions,
    read_tables,
    revenue,
    roas,
)
from langchain_core.messages import HumanMessage

from turnkeep.agents import Agent, build_agent
from turnkeep.records import JSON, Principal, Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.campaigns.state import LASTING
from turnkeep_agents.campaigns.warehouse.sample import sample_file

TODAY = date(2026, 6, 17)  # a Wednesday: the data goes from October 2025 to the day before
LAST = "2026-06-16"
ALL = "all campaigns"

type Days = tuple[str, str]

DECEMBER, JANUARY = ("2025-12-01", "2025-12-31"), ("2026-01-01", "2026-01-31")
FEBRUARY = ("2026-02-01", "2026-02-28")
APRIL, MAY, JUNE = ("2026-04-01", "2026-04-30"), ("2026-05-01", "2026-05-31"), ("2026-06-01", LAST)
FIRST_QUARTER, SECOND_QUARTER = ("2026-01-01", "2026-03-31"), ("2026-04-01", LAST)


@dataclass(frozen=True)
class Question:
    """The last of `messages` asks for `metric`. `expected` makes of the rows of the asked days one value, whose subject
    is `of`, or a series of values by their subjects; with `compared` the same of those days too. `is_ranked`: the
    reply shows these alone, in the order of the series."""

    messages: tuple[str, ...]
    metric: str
    days: Days
    expected: Callable[[pd.DataFrame], Any]
    of: str = ALL
    compared: Days | None = None
    is_ranked: bool = False


def of(rows: pd.DataFrame, **names: str) -> pd.DataFrame:
    """The rows that belong to all that is named."""
    for column, name in names.items():
        rows = rows[rows[column] == name]
    return rows


QUESTIONS: Mapping[str, Question] = {
    # every metric, of the whole, of one thing
    "impressions": Question(
        ("How many impressions did Quiz get in May?",),
        "impressions",
        MAY,
        lambda rows: impressions(of(rows, advertiser="Quiz")),
        of="Quiz",
    ),
    "click-through rate": Question(
        ("What was the click-through rate of Quiz over the last 30 days?",),
        "ctr",
        ("2026-05-18", LAST),
        lambda rows: ctr(of(rows, advertiser="Quiz")),
        of="Quiz",
    ),
    "conversion rate": Question(
        ("What conversion rate did Tidewater Audio have in January?",),
        "cvr",
        JANUARY,
        lambda rows: cvr(of(rows, advertiser="Tidewater Audio")),
        of="Tidewater Audio",
    ),
    "cost per click": Question(("What was our average cost per click last month?",), "cpc", MAY, cpc),
    "cost per thousand": Question(
        ("Give me the CPM of Oakmere Kitchens for Q1 2026",),
        "cpm",
        FIRST_QUARTER,
        lambda rows: cpm(of(rows, advertiser="Oakmere Kitchens")),
        of="Oakmere Kitchens",
    ),
    "cost per conversion": Question(
        ("What did a conversion cost Larkspur Pets in May 2026?",),
        "cpa",
        MAY,
        lambda rows: cpa(of(rows, advertiser="Larkspur Pets")),
        of="Larkspur Pets",
    ),
    "return on ad spend": Question(
        ("What return on ad spend did Brightway Travel make in April?",),
        "roas",
        APRIL,
        lambda rows: roas(of(rows, advertiser="Brightway Travel")),
        of="Brightway Travel",
    ),
    # filters
    "an insertion order": Question(
        ("How many clicks did the insertion order Quiz Always On get in May?",),
        "clicks",
        MAY,
        lambda rows: clicks(of(rows, insertion_order="Quiz Always On")),
        of="Quiz Always On",
    ),
    "a line item": Question(
        ("How much did we spend on the line item Larkspur Subscriptions Dogs in May?",),
        "cost",
        MAY,
        lambda rows: cost(of(rows, line_item="Larkspur Subscriptions Dogs")),
        of="Larkspur Subscriptions Dogs",
    ),
    "an audience": Question(
        ("What's the conversion rate of the Dog Owners audience in the last 14 days?",),
        "cvr",
        ("2026-06-03", LAST),
        lambda rows: cvr(of(rows, audience="Dog Owners")),
        of="Dog Owners",
    ),
    "a creative": Question(
        ("What is the CTR of the creative Puppy 300x250 this month?",),
        "ctr",
        JUNE,
        lambda rows: ctr(of(rows, creative="Puppy 300x250")),
        of="Puppy 300x250",
    ),
    "a size": Question(
        ("How many impressions did 728x90 get in April?",),
        "impressions",
        APRIL,
        lambda rows: impressions(of(rows, size="728x90")),
        of="728x90",
    ),
    # break-downs
    "by advertiser": Question(
        ("Show me revenue by advertiser for May",), "revenue", MAY, lambda rows: revenue(rows.groupby("advertiser"))
    ),
    "by insertion order": Question(
        ("Clicks by insertion order for Quiz in May",),
        "clicks",
        MAY,
        lambda rows: clicks(of(rows, advertiser="Quiz").groupby("insertion_order")),
    ),
    "by line item": Question(
        ("What did each line item of Fernhill Garden cost in April?",),
        "cost",
        APRIL,
        lambda rows: cost(of(rows, advertiser="Fernhill Garden").groupby("line_item")),
    ),
    "by audience": Question(
        ("Break down the conversions of Tidewater Audio by audience for the last 30 days",),
        "conversions",
        ("2026-05-18", LAST),
        lambda rows: conversions(of(rows, advertiser="Tidewater Audio").groupby("audience")),
    ),
    "by creative": Question(
        ("Click rate per creative for Oakmere Kitchens in May please",),
        "ctr",
        MAY,
        lambda rows: ctr(of(rows, advertiser="Oakmere Kitchens").groupby("creative")),
    ),
    "by size": Question(("What was the CTR of each size in May?",), "ctr", MAY, lambda rows: ctr(rows.groupby("size"))),
    # the best and the worst
    "the best three": Question(
        ("Which three audiences had the best conversion rate in May?",),
        "cvr",
        MAY,
        lambda rows: cvr(rows.groupby("audience")).nlargest(3),
        is_ranked=True,
    ),
    "the top five": Question(
        ("Top 5 creatives by revenue in Q2",),
        "revenue",
        SECOND_QUARTER,
        lambda rows: revenue(rows.groupby("creative")).nlargest(5),
        is_ranked=True,
    ),
    "the worst first": Question(
        ("Which size had the lowest click rate last month?",),
        "ctr",
        MAY,
        lambda rows: ctr(rows.groupby("size")).sort_values(),
        is_ranked=True,
    ),
    "the dearest three": Question(
        ("Which 3 insertion orders had the highest cost per click in April?",),
        "cpc",
        APRIL,
        lambda rows: cpc(rows.groupby("insertion_order")).nlargest(3),
        is_ranked=True,
    ),
    # two filters at once
    "an advertiser and an audience": Question(
        ("How many clicks did Quiz get from Basket Abandoners in May?",),
        "clicks",
        MAY,
        lambda rows: clicks(of(rows, advertiser="Quiz", audience="Basket Abandoners")),
        of="Quiz, Basket Abandoners",
    ),
    "an advertiser and a size, between dates": Question(
        ("What did Tidewater Audio spend on 300x250 between 10 March and 20 April?",),
        "cost",
        ("2026-03-10", "2026-04-20"),
        lambda rows: cost(of(rows, advertiser="Tidewater Audio", size="300x250")),
        of="Tidewater Audio, 300x250",
    ),
    # periods
    "weeks from Sunday on, once confirmed": Question(
        ("How many clicks did Quiz get in the last two weeks?", "Yes, that's right"),
        "clicks",
        ("2026-05-31", "2026-06-13"),
        lambda rows: clicks(of(rows, advertiser="Quiz")),
        of="Quiz",
    ),
    "a week from Monday on, once said": Question(
        ("What did Larkspur Pets spend last week?", "No, our weeks go from Monday to Sunday"),
        "cost",
        ("2026-06-08", "2026-06-14"),
        lambda rows: cost(of(rows, advertiser="Larkspur Pets")),
        of="Larkspur Pets",
    ),
    "since a day": Question(
        ("What revenue has Brightway Travel made since 20 May?",),
        "revenue",
        ("2026-05-20", LAST),
        lambda rows: revenue(of(rows, advertiser="Brightway Travel")),
        of="Brightway Travel",
    ),
    "month to date": Question(
        ("How many conversions has Fernhill Garden had month to date?",),
        "conversions",
        JUNE,
        lambda rows: conversions(of(rows, advertiser="Fernhill Garden")),
        of="Fernhill Garden",
    ),
    # comparisons
    "two months": Question(
        ("Compare the clicks of Quiz in May with April",),
        "clicks",
        MAY,
        lambda rows: clicks(of(rows, advertiser="Quiz")),
        of="Quiz",
        compared=APRIL,
    ),
    "the month before": Question(
        ("How did Tidewater Audio's revenue in May compare to the month before?",),
        "revenue",
        MAY,
        lambda rows: revenue(of(rows, advertiser="Tidewater Audio")),
        of="Tidewater Audio",
        compared=APRIL,
    ),
    "the days before": Question(
        ("Cost per click of Quiz in the last 14 days versus the previous period",),
        "cpc",
        ("2026-06-03", LAST),
        lambda rows: cpc(of(rows, advertiser="Quiz")),
        of="Quiz",
        compared=("2026-05-20", "2026-06-02"),
    ),
    # trends
    "month by month": Question(
        ("How has our ROAS developed month by month since January?",),
        "roas",
        ("2026-01-01", LAST),
        lambda rows: roas(by_month(rows)),
    ),
    "week by week": Question(
        ("Show me the weekly impressions of Larkspur Pets in February",),
        "impressions",
        FEBRUARY,
        lambda rows: impressions(by_week(of(rows, advertiser="Larkspur Pets"))),
    ),
    "week by week from Monday on, once said": Question(
        (
            "What did Larkspur Pets spend last week?",
            "No, our weeks go from Monday to Sunday",
            "Show me the clicks of Larkspur Pets by week since 1 April",
        ),
        "clicks",
        ("2026-04-01", LAST),
        lambda rows: clicks(by_week(of(rows, advertiser="Larkspur Pets"), first_weekday=0)),
    ),
    # follow-ups
    "then another period": Question(
        ("How many clicks did Quiz get in April?", "And in May?"),
        "clicks",
        MAY,
        lambda rows: clicks(of(rows, advertiser="Quiz")),
        of="Quiz",
    ),
    "then another metric": Question(
        ("How many clicks did Fernhill Garden get in December?", "And what was the revenue?"),
        "revenue",
        DECEMBER,
        lambda rows: revenue(of(rows, advertiser="Fernhill Garden")),
        of="Fernhill Garden",
    ),
    "then a break-down": Question(
        ("What revenue did Fernhill Garden make in May?", "Can you split that by audience?"),
        "revenue",
        MAY,
        lambda rows: revenue(of(rows, advertiser="Fernhill Garden").groupby("audience")),
    ),
    "then another name": Question(
        ("What was the cost per click of Quiz in May?", "And for Larkspur Pets?"),
        "cpc",
        MAY,
        lambda rows: cpc(of(rows, advertiser="Larkspur Pets")),
        of="Larkspur Pets",
    ),
}

BUDGETS: Mapping[str, tuple[str, str]] = {
    "pacing": ("How is the budget of Quiz New Season pacing?", "Quiz New Season"),
    "overspending": ("Is Brightway City Breaks going to overspend its budget this month?", "Brightway City Breaks"),
}
"""Questions for the budgets of insertion orders as of the last day, with the name of the insertion order."""


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return read_tables(sample_file(TODAY))


@pytest.fixture(scope="module")
def rows(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return daily_rows(tables)


@pytest.fixture(scope="module")
def agent() -> Agent:
    return build_agent("campaigns", Settings(model="demo"))


async def ask(agent: Agent, *messages: str) -> Reply:
    """The reply to the last message of a thread."""
    context = RunContext(
        conversation_window=5,
        now=datetime(TODAY.year, TODAY.month, TODAY.day, 9, tzinfo=UTC),
        principal=Principal("local", "ann"),
    )
    state: dict[str, Any] = {"messages": []}
    for number, message in enumerate(messages):
        lasting = {key: value for key, value in state.items() if key in LASTING}
        said = [*state["messages"], HumanMessage(message, id=f"h{number}")]
        state = await agent.graph.ainvoke({**lasting, **agent.new_turn(), "messages": said}, context=context)
    return agent.read_reply(state)


def test_there_are_forty() -> None:
    assert len(QUESTIONS) + len(BUDGETS) == 40


@pytest.mark.parametrize("name", QUESTIONS)
async def test_the_figures_of_an_answer_equal_pandas_on_the_exported_data(
    name: str, agent: Agent, rows: pd.DataFrame
) -> None:
    question = QUESTIONS[name]
    reply = await ask(agent, *question.messages)
    assert reply.route == "specialists", reply.text
    period = reply.details["period"]
    assert (period["start"], min(period["end"], LAST)) == question.days
    check(reply, question, rows, question.days, period["label"])
    if question.compared:
        compared = reply.details["compared"]
        assert (compared["start"], compared["end"]) == question.compared
        check(reply, question, rows, question.compared, compared["label"])


def check(reply: Reply, question: Question, rows: pd.DataFrame, days: Days, label: str) -> None:
    """All expected figures of one period."""
    wanted = question.expected(rows.loc[days[0] : days[1]])
    wanted = wanted if isinstance(wanted, pd.Series) else pd.Series({question.of: wanted})
    figures = [one for one in reply.details["figures"] if (one["metric"], one["period"]) == (question.metric, label)]
    for subject, value in wanted.items():
        check_figure(reply, [one for one in figures if names(one["subject"]) == names(str(subject))], value)
    if question.is_ranked:
        assert first_cells(reply.text) == list(wanted.index)


def check_figure(reply: Reply, figures: Sequence[JSON], value: float) -> None:
    """Whichever specialist tells it: it is the same everywhere, spelled as it is, and stands in the reply."""
    assert figures
    for figure in figures:
        assert figure["value"] == pytest.approx(value, rel=1e-9)
        assert is_spelled(figure["text"], value)
        assert figure["text"] in reply.text


@pytest.mark.parametrize("name", BUDGETS)
async def test_budgets_equal_pandas_on_the_exported_data(
    name: str, agent: Agent, tables: dict[str, pd.DataFrame]
) -> None:
    message, order = BUDGETS[name]
    reply = await ask(agent, message)
    assert [one["name"] for one in reply.details["specialists"]] == ["budget_risk"]
    wanted = flights(tables, LAST).loc[order]
    for metric in ("budget", "spent", "pacing", "projected_spend"):
        figures = [one for one in reply.details["figures"] if (one["metric"], one["subject"]) == (metric, order)]
        check_figure(reply, figures, wanted[metric])


def first_cells(text: str) -> list[str]:
    """Of the rows of a Markdown table, without its head."""
    return re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)[2:]


def names(subject: str) -> frozenset[str]:
    """The names that a subject is made of, in whichever order."""
    return frozenset(re.split(r", | and ", subject))


def is_spelled(text: str, value: float) -> bool:
    """Whether a text such as "£1,234.50" or "0.62 %" says a number to its last decimal."""
    digits = re.sub(r"[^\d.]", "", text)
    shown = float(digits) / (100 if "%" in text else 1)
    decimals = len(digits.partition(".")[2]) + (2 if "%" in text else 0)
    return math.isclose(shown, value, rel_tol=1e-12, abs_tol=0.5 * 10**-decimals * (1 + 1e-9))
