"""The agents over HTTP: every edge of every graph, and settings and callers that reach an agent. Each turn asks its
model as often as it must, and the next process reads it exactly as it was returned."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripted import read_events
from whole_site import Site, edges_of, edges_taken, nodes_of
from wire import Answer, WireServer, calls, says

import law
from turnkeep.demo import sample
from turnkeep.records import Principal
from turnkeep.settings import AgentSettings
from turnkeep_agents.campaigns.requests import SPECIALISTS
from turnkeep_agents.database.joins.files import load_graph, save_graph
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.products.catalogue.products import SAMPLE, VECTORS
from turnkeep_agents.regulations.settings import RegulationsSettings
from turnkeep_demo.database.field_service import CANARY_TENANT, FOLDER

SAID = says("There they are.")


@dataclass(frozen=True)
class Way:
    """A message and what its model answers; without answers, the demo model does. `before` is an earlier turn."""

    message: str
    answers: Sequence[Answer] = ()
    before: Sequence[Answer] = ()
    is_before_elsewhere: bool = False
    settings: Callable[[Path], Sequence[AgentSettings]] = lambda folder: ()
    is_served: bool = True


def demo(message: str) -> Way:
    return Way(message, is_served=False)


# campaigns


def reading(specialist: str, intent: str = "figures", **more: object) -> dict[str, Any]:
    asked = {"names": [], "metrics": [], "by": [], "period": {"named": "none"}, **more}
    return {
        "reasoning": "It is asked for.",
        "language": "en",
        "standalone": "The whole question",
        "kind": "specialists",
        "week": "open",
        "requests": [{"specialist": specialist, "intent": intent, **asked}],
        "reply": "",
        "confidence": 0.9,
    }


ADVICE = {
    "priority": "high",
    "change": "decrease",
    "subject": "Brightway City Breaks",
    "action": "Slow Brightway City Breaks down.",
    "reason": "It is too fast.",
}
ANALYSIS = {"causes": ["It spends too fast."], "links": [], "recommendations": [ADVICE], "confidence": 0.7}
CLICKS = "Show me the clicks of Quiz last month"
CLARIFY = {
    **reading("performance_diagnosis"),
    "kind": "clarify",
    "requests": [],
    "reply": "Which campaigns do you mean?",
}
CAMPAIGNS = [
    Way(CLICKS, [calls("Reading", CLARIFY)]),
    *(Way(CLICKS, [calls("Reading", reading(name)), SAID]) for name in SPECIALISTS),
    Way(CLICKS, [calls("Reading", reading("budget_risk", "advice")), calls("Analysis", ANALYSIS), SAID]),
]

# database

QUERY, COUNTED = "query_database", "How many technicians are active?"


def ask(question: str, *tables: str, **others: Any) -> dict[str, Any]:
    fields = {"kind": "sql", "goes_on": False, "words": [], "pages": [], "rows": "first", **others}
    return {"question": question, "tables": list(tables), **fields}


def reads(*asks: dict[str, Any]) -> Answer:
    return calls("Reading", {"language": "en", "asks": list(asks)})


def writes(sql: str = "", **others: Any) -> Answer:
    fields = {"kind": "sql", "understood_as": "", "left_out": [], "need_tables": [], "ask_back": "", **others}
    return calls("Written", {"sql": sql, **fields})


READ = reads(ask(COUNTED, "employee"))
OF_MANUAL = ask("How do I close?", kind="manual", pages=["closing-work-orders"], words=["close", "work", "order"])
GOOD = writes("SELECT COUNT(*) AS n FROM employee")
CREWS = writes("SELECT name AS crew FROM crew")
ATTACK = writes("DELETE FROM employee")
TALKED, CHANGE = ask("Hello", kind="general"), ask("Delete it", kind="change")
OF_STAFF = ask(COUNTED, "employee")
NEEDS_CREW = writes(kind="need_tables", need_tables=["crew"])


def gone(folder: Path) -> Sequence[AgentSettings]:
    return [DatabaseSettings(url="sqlite:////nowhere/at/all.sqlite")]


def renamed(folder: Path) -> Sequence[AgentSettings]:
    """The join graph of the sample, in which `employee.status` has another name."""
    save_graph(load_graph(FOLDER / "joins.json"), folder / "changed.json")
    text = (folder / "changed.json").read_text().replace('"status"', '"standing"')
    (folder / "changed.json").write_text(text)
    return [DatabaseSettings(joins=str(folder / "changed.json"))]


DATABASE = [
    Way("a count", (READ, GOOD, SAID)),
    Way("two questions and the manual", (reads(OF_STAFF, OF_STAFF, OF_MANUAL), GOOD, GOOD, SAID)),
    Way("the manual twice and a change", (reads(OF_MANUAL, OF_MANUAL, CHANGE), SAID)),
    Way("two others and a question", (reads(CHANGE, TALKED, OF_STAFF), GOOD, SAID)),
    Way("a change between question and manual", (reads(OF_STAFF, CHANGE, OF_MANUAL), GOOD, SAID)),
    Way("the manual and a question", (reads(OF_MANUAL, OF_STAFF), GOOD, SAID)),
    Way("small talk", (reads(TALKED), SAID)),
    Way("a correction", (READ, ATTACK, GOOD, SAID)),
    Way("attacks only", (READ, *[ATTACK] * 4, SAID)),
    Way("a changed schema", (READ, writes("SELECT standing FROM employee"), GOOD, SAID), settings=renamed),
    Way("no database", (READ, SAID), settings=gone),
    Way("a question back", (READ, writes(kind="ask_back", ask_back="Which ones?"))),
    Way("a missed table", (READ, NEEDS_CREW, CREWS, SAID)),
    Way("a table missed in a correction", (READ, ATTACK, NEEDS_CREW, CREWS, SAID)),
    Way("nothing after a refusal", (READ, ATTACK, writes(kind="not_in_database"), SAID)),
    Way("a page", (reads(ask("more", kind="more_rows", rows="next")),), before=(READ, CREWS, SAID)),
]

# regulations

LEAVE, FAQ = "Quali ferie spettano a chi lavora?", "Che cos'è il preavviso?"
MUCH = "Quanta imposta pago su 20000 euro?"
TAX = {"question": MUCH, "domain": "tax", "action": "calculate", "searches": ["aliquote imposta reddito"]}
TALK = {"question": "Ciao!", "domain": "none", "action": "talk", "composition": "chat", "searches": []}


def reads_law(**fields: Any) -> Answer:
    given = {"question": LEAVE, "language": "it", "domain": "labour", "domain_confidence": 0.9, "action": "explain"}
    given |= {"composition": "pure_kb", "composition_confidence": 0.8, "searches": ["ferie annuali retribuite"]}
    return calls("Reading", {**given, "facts": [], "needs_professional": False, **fields})


def plans(expression: str) -> Answer:
    return calls("Steps", {"steps": [{"name": "imposta", "expression": expression}], "missing": ""})


def knowledge(folder: Path) -> Sequence[AgentSettings]:
    """Articles, and a FAQ of one question."""
    held = folder / "knowledge"
    held.mkdir(exist_ok=True)
    answer = {"id": "FAQ-1", "questions": [FAQ], "answer": "Un avviso che va dato prima.", "domain": "labour"}
    for name, rows in (("articles", [law.LEAVE, law.SCALE]), ("faq", [answer])):
        (held / f"{name}.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    return [RegulationsSettings(knowledge=str(held))]


WELL = (reads_law(), says("Spettano almeno quattro settimane [DLGS-66-2003-10]."))


REGULATIONS = [
    Way(FAQ, settings=knowledge),
    Way(LEAVE, before=WELL, is_before_elsewhere=True, settings=knowledge),
    Way(LEAVE, WELL, settings=knowledge),
    Way(MUCH, [reads_law(**TAX), plans("20000 * 23 / 100"), says("Sono 4600 euro [TUIR-11].")], settings=knowledge),
    Way("Ciao!", [reads_law(**TALK), says("Ciao!")], settings=knowledge),
    Way("Chi?", [reads_law(question="Chi?", domain="none"), says("Rispondo su fisco e lavoro.")], settings=knowledge),
]

# papers and products

PAPERS = [
    demo("What is low-rank adaptation of large language models?"),
    demo("Where can I buy fresh bread on Sunday?"),
    demo("Good morning!"),
    demo("What is bird song recognition?"),
    demo("What is beekeeping?"),
]
PRODUCTS = [
    demo("What phones do you have under $500?"),
    demo("Compare the Pixel 8a with the Galaxy A55"),
    demo("How much is the Dyson V8 and which speakers do you have?"),
    demo("Good morning!"),
    demo("How much is it?"),
]

AGENTS: Mapping[str, Sequence[Way]] = {
    "campaigns": CAMPAIGNS,
    "database": DATABASE,
    "papers": PAPERS,
    "products": PRODUCTS,
    "regulations": REGULATIONS,
}
NEVER_TAKEN = {("check_gate", "respond")}
"""No reading that a model can give asks for nothing that is known."""


@pytest.mark.parametrize("agent", AGENTS)
async def test_every_edge_is_taken_and_each_turn_is_read_as_it_was_returned(
    agent: str, site: Site, model: WireServer
) -> None:
    outside, inside = set[tuple[str, str]](), set[tuple[str, str]]()
    for number, way in enumerate(AGENTS[agent]):
        own, thread = way.settings(site.folder), f"{agent}-{number}"
        visitor = await (site.serve(model, *own) if way.is_served else site.open(*own))
        if way.before:
            model.script += way.before
            await visitor.say(way.message, "elsewhere" if way.is_before_elsewhere else thread, agent=agent)
        model.script += way.answers
        body = {"session_id": thread, "message": way.message, "agent": agent}
        answer = await visitor.http.post("/chat/stream", json=body)
        nodes = nodes_of(answer)
        assert not model.script, way.message
        outside |= edges_taken([node for node in nodes if "/" not in node], SPECIALISTS)
        inside |= inner(nodes)
        told = read_events(answer.text)[-1][2]
        kept = await (await site.open()).get(f"/threads/{thread}/turns/{told['turn_number']}")
        assert {name: told[name] for name in kept} == kept
    assert outside == edges_of(agent) - NEVER_TAKEN
    assert inside == (edges_of(agent, QUERY) if agent == "database" else set())


def inner(nodes: Sequence[str]) -> set[tuple[str, str]]:
    """Return the edges of the inner graph, which runs once for each question."""
    runs = " ".join(nodes).split(QUERY + " ")
    found = [re.findall(rf"{QUERY}/(\w+)", f"{run} ") for run in runs]
    return set().union(*(edges_taken(run) for run in found if run))


async def test_a_server_that_acts_for_tenants_shows_each_its_own_company(site: Site, model: WireServer) -> None:
    visitor = await site.serve(model)
    visitor.app.state.authenticate = lambda _: Principal("acme", "server", acts_for="any")
    names: dict[str, set[str]] = {}
    for company in (CANARY_TENANT, "acme"):
        model.script += [reads(ask("Customers", "customer")), writes("SELECT name FROM customer"), SAID]
        conversation = {"id": f"of-{company}", "user_id": "ben", "company_id": company}
        body = {"input": {"message": "List the names of all customers"}, "conversation": conversation}
        answer = await visitor.http.post("/internal/chat/stream", json=body)
        complete = json.loads(answer.text.strip().splitlines()[-1].removeprefix("data: "))
        names[company] = {str(row["name"]) for row in complete["data"]}
    assert all(name.startswith(CANARY_TENANT) for name in names[CANARY_TENANT])
    assert not any(name.startswith(CANARY_TENANT) for name in names["acme"])
    assert len(names["acme"]) > len(names[CANARY_TENANT]) > 3


async def test_hybrid_search_finds_by_meaning_from_the_bundled_vectors(
    site: Site, model: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, found = sample(SAMPLE, "").with_suffix(VECTORS), {}
    before = vectors.stat().st_mtime_ns
    for retrieval in ("lexical", "hybrid"):
        monkeypatch.setenv("PRODUCTS__RETRIEVAL", retrieval)
        model.script += [calls("Search", {"wish": "novels", "terms": ["a gadget for novels"]}), SAID]
        turn = await (await site.serve(model, default_agent="products")).say("something for novels")
        found[retrieval] = turn["details"]["products"]
    assert found["hybrid"] == ["kobo-elipsa-2e", "amazon-kindle-scribe"]
    assert not set(found["lexical"]) & set(found["hybrid"])
    assert vectors.stat().st_mtime_ns == before


async def test_the_window_of_a_request_else_that_of_the_deployment_decides_what_the_agent_sees(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = await site.open()
    for message in ("What is low-rank adaptation?", "Where can I buy fresh bread on Sunday?"):
        await wide.say(message, "t1")
    monkeypatch.setenv("PAPERS__WINDOW", "1")
    narrow = await site.open()
    for visitor, window, is_seen in ((wide, {"conversation_window": 1}, False), (narrow, {}, False), (wide, {}, True)):
        told = await visitor.say("And who wrote it?", "t1", **window)
        assert ("LoRA: Low-Rank Adaptation" in told["standalone_query"]) is is_seen, window
