"""The agents with recorded turns: each answers from the sample by code, and whatever was not recorded is declined."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_thread import Thread
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent, read_settings
from turnkeep.records import Attachment, Documents, Piece, Principal, Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.products.settings import ProductsSettings
from turnkeep_agents.regulations.settings import RegulationsSettings
from turnkeep_demo.campaigns import rules as campaigns
from turnkeep_demo.regulations.rules import TEXTS
from turnkeep_demo.replay import DECLINED, DECLINED_IT, Recording, Recordings

AGENTS = {name: build_agent(name, read_settings(model="demo")) for name in ("campaigns", "products", "regulations")}
ROOT = Path(__file__).parents[2]
EXAMPLES = json.loads((ROOT / "src/turnkeep/http/page/static/examples.json").read_text())
CONTRACT = "Il periodo di prova dura novanta giorni. La dipendente gode di 26 giorni di ferie all'anno."
HARMLESS = {"short_query", "needs_professional", "no_citation"}


def context(*pieces: str, day: int = 22) -> RunContext:
    """With a document of these pages where there are any."""
    made = Attachment("3f9a1c7788", "contratto.pdf", "ready", 0.0, 10, "pdf", len(pieces))
    documents = Documents(lambda: (made,), lambda _: tuple(Piece(text, page=at) for at, text in enumerate(pieces, 1)))
    ann = Principal("local", "ann")
    return RunContext(5, datetime(2026, 11, day, 9, tzinfo=UTC), ann, documents if pieces else Documents())


async def talk(agent: Agent, *messages: str, pieces: Sequence[str] = (), day: int = 22) -> Sequence[Reply]:
    return await Thread(agent.graph, context(*pieces, day=day)).talk(*messages)


async def last(name: str, one: Recording, **more: Any) -> Reply:
    reply = (await talk(AGENTS[name], *one.before, one.question, **more))[-1]
    assert not reply.text.startswith((DECLINED, DECLINED_IT)), one.question
    assert set(reply.warnings) <= HARMLESS, one.question
    return reply


@pytest.mark.parametrize("day", [22, 25])
async def test_campaigns_answers_from_the_figures_of_the_day(day: int) -> None:
    for one in Recordings.of("campaigns").every:
        reply, reading = await last("campaigns", one, day=day), one.calls["read"]
        asks_back = bool(reading.get("reply"))
        assert (reply.route == "specialists") != asks_back, one.question
        texts = [figure["text"] for figure in reply.details["figures"]]
        assert asks_back or "Looked at" in reply.text or any(text in reply.text for text in texts), one.question
        advised = {each["subject"] for each in reply.details["recommendations"]}
        advice = {each["subject"] for each in one.calls.get("analyse", [])}
        assert advised <= advice, one.question
        assert bool(advised) == bool(advice), one.question


async def test_products_answers_from_the_catalogue() -> None:
    for one in Recordings.of("products").every:
        reply, said = await last("products", one), one.calls["read"]
        names = {call["name"] for call in said} if isinstance(said, list) else set()
        assert (reply.route in ("retrieve", "tool")) == bool(names - {"Ask"}), one.question
        assert bool(reply.sources) == bool(names - {"Ask"}), one.question
        assert not names or "Ask" in names or any(source.cited for source in reply.sources), one.question


async def test_regulations_quotes_the_recorded_articles() -> None:
    for one in Recordings.of("regulations").every:
        if "passages" in one.calls:
            continue
        reply = await last("regulations", one)
        cited = {source.id for source in reply.sources if source.cited}
        assert cited == set(one.calls.get("cites", {})), one.question
        assert bool(reply.details["computed"]) == ("calculate" in one.calls), one.question


async def test_regulations_quotes_passages_of_an_attached_document() -> None:
    for one in Recordings.of("regulations").every:
        if "passages" in one.calls and one.calls["read"]["language"] == "it":
            reply = await last("regulations", one, pieces=[CONTRACT])
            [without] = await talk(AGENTS["regulations"], one.question)
            assert "26 giorni" in reply.text, one.question
            assert any(source.id.startswith("doc-3f9a1c-") for source in reply.sources if source.cited)
            assert without.text == TEXTS["it"]["not_attached"] or one.calls.get("cites")


@pytest.mark.parametrize(
    ("message", "total"),
    [
        ("Calcola l'IRPEF su 42.000 euro", 11_060),  # the second bracket at 33 % since 2026
        ("Calcola l'IRPEF su 42.000 euro per il 2025", 11_340),  # at 35 %
        ("Calculate the gross IRPEF on 60,000 euros for 2025", 18_440),
    ],
)
async def test_irpef_is_computed_by_code_from_the_brackets_of_the_article(message: str, total: int) -> None:
    [reply] = await talk(AGENTS["regulations"], message)
    assert reply.text.endswith(f"= {total}")
    assert reply.details["computed"][-1].endswith(f"= {total}")


@pytest.mark.parametrize(
    ("name", "message", "declined"),
    [
        ("campaigns", "Show the revenue of Nike by month", DECLINED),
        ("products", "Which televisions do not have an OLED panel?", DECLINED),
        ("regulations", "Calcola l'IRPEF su 42.000 euro nel 2019", DECLINED_IT),
        ("regulations", "Can my employee make me work on a public holiday?", DECLINED),
    ],
)
async def test_another_name_number_or_period_is_declined(name: str, message: str, declined: str) -> None:
    [reply] = await talk(AGENTS[name], message)
    assert reply.text.startswith(declined)
    assert reply.route in ("clarify", "respond", "refuse")
    assert reply.text.count("“") == 3, "the nearest questions"


@pytest.mark.parametrize("name", AGENTS)
async def test_the_page_and_the_docs_show_questions_that_are_answered(name: str) -> None:
    shown = [[text] for text in EXAMPLES[name]]
    shown.append(re.findall(r'"message": "([^"]+)"', (ROOT / f"docs/{name}.md").read_text()))
    assert all(shown)
    for messages in shown:
        for reply in await talk(AGENTS[name], *messages):
            assert not reply.text.startswith((DECLINED, DECLINED_IT)), messages


def test_campaigns_declines_over_a_warehouse_that_does_not_have_the_names() -> None:
    note = "Your last reading was {}. It does not fit: there is no Quiz. Correct it."
    said = campaigns.read({"query": "How is Quiz doing this month?", "conversation": [], "notes": [note]})
    assert (said["kind"], said["requests"]) == ("clarify", [])


async def test_products_declines_over_another_catalogue(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("id,name,category,price\n1,Trail Tent,tents,199\n")
    agent = build_agent("products", Settings(model="demo").with_agents(ProductsSettings(catalogue=str(file))))
    [reply] = await talk(agent, EXAMPLES["products"][0])
    assert reply.text.startswith(DECLINED)


async def test_regulations_without_the_article_finds_none(tmp_path: Path) -> None:
    agent = build_agent("regulations", Settings(model="demo").with_agents(RegulationsSettings(knowledge=str(tmp_path))))
    [reply] = await talk(agent, "Quali sono i permessi della legge 104/1992?")
    assert reply.text == TEXTS["it"]["missing"]
