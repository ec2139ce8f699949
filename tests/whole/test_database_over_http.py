"""The database agent as a caller meets it: every edge of its two graphs, and whose rows it shows."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from calls_of_database import COUNTED, ask, reads, writes
from whole_site import Site, edges_of, edges_taken, nodes_of
from wire import Answer, WireServer, says

from turnkeep.records import Principal
from turnkeep_agents.database.joins.files import load_graph, save_graph
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_demo.database.field_service import CANARY_TENANT, FOLDER

QUERY = "query_database"
OF_STAFF = ask(COUNTED, "employee")
OF_MANUAL = ask("How do I close?", kind="manual", pages=["closing-work-orders"], words=["close", "work", "order"])
READ = reads(OF_STAFF)
GOOD = writes("SELECT COUNT(*) AS n FROM employee")
CREWS = writes("SELECT name AS crew FROM crew")
ATTACK = writes("DELETE FROM employee")
TALKED = ask("Hello", kind="general")
CHANGE = ask("Delete it", kind="change")
SAID = says("There they are.")
NEEDS_CREW = writes(kind="need_tables", need_tables=["crew"])
WAYS: dict[str, tuple[Answer, ...]] = {
    "a count": (READ, GOOD, SAID),
    "two questions and the manual": (reads(OF_STAFF, OF_STAFF, OF_MANUAL), GOOD, GOOD, SAID),
    "the manual twice and a wish": (reads(OF_MANUAL, OF_MANUAL, CHANGE), SAID),
    "two wishes and a question": (reads(CHANGE, TALKED, OF_STAFF), GOOD, SAID),
    "a wish between question and manual": (reads(OF_STAFF, CHANGE, OF_MANUAL), GOOD, SAID),
    "the manual and a question": (reads(OF_MANUAL, OF_STAFF), GOOD, SAID),
    "small talk": (reads(TALKED), SAID),
    "a correction": (READ, ATTACK, GOOD, SAID),
    "attacks only": (READ, *[ATTACK] * 4, SAID),
    "a changed schema": (READ, writes("SELECT standing FROM employee"), GOOD, SAID),
    "no database": (READ, SAID),
    "a question back": (READ, writes(kind="ask_back", ask_back="Which ones?")),
    "a missed table": (READ, NEEDS_CREW, CREWS, SAID),
    "a table missed in a correction": (READ, ATTACK, NEEDS_CREW, CREWS, SAID),
    "nothing after a refusal": (READ, ATTACK, writes(kind="not_in_database"), SAID),
    "a page": (reads(ask("more", kind="more_rows", rows="next")),),
}
"""What a served model answers in one turn; the page is that of the turn before it."""


def facts_of(way: str, folder: Path) -> dict[str, str]:
    """Of a database that is gone; of the sample's join graph, in which `employee.status` has another name."""
    if way == "no database":
        return {"url": "sqlite:////nowhere/at/all.sqlite"}
    if way != "a changed schema":
        return {}
    save_graph(load_graph(FOLDER / "joins.json"), folder / "changed.json")
    text = (folder / "changed.json").read_text().replace('"status"', '"standing"')
    (folder / "changed.json").write_text(text)
    return {"joins": str(folder / "changed.json")}


def inner(nodes: Sequence[str]) -> set[tuple[str, str]]:
    """The edges that the inner graph took, which runs once for each question."""
    runs = " ".join(nodes).split(QUERY + " ")
    found = [re.findall(rf"{QUERY}/(\w+)", f"{run} ") for run in runs]
    return set().union(*(edges_taken(run) for run in found if run))


async def test_every_edge_of_both_graphs_is_taken(site: Site, model: WireServer, tmp_path: Path) -> None:
    outside, inside = set[tuple[str, str]](), set[tuple[str, str]]()
    for number, (way, script) in enumerate(WAYS.items(), 1):
        visitor = await site.serve(model, DatabaseSettings(**facts_of(way, tmp_path)))  # type: ignore[arg-type]
        if way == "a page":
            model.script += (READ, CREWS, SAID)
            await visitor.say(COUNTED, "t-16", agent="database")
        model.script += script
        body = {"session_id": f"t-{number}", "message": way, "agent": "database"}
        nodes = nodes_of(await visitor.http.post("/chat/stream", json=body))
        assert not model.script, way
        outside |= edges_taken([node for node in nodes if "/" not in node])
        inside |= inner(nodes)
    assert (outside, inside) == (edges_of("database"), edges_of("database", QUERY))


async def test_a_server_that_acts_for_tenants_shows_each_its_own_company(site: Site, model: WireServer) -> None:
    visitor = await site.serve(model)
    visitor.app.state.authenticate = lambda _: Principal("acme", "server", acts_for="any")
    names: dict[str, set[str]] = {}
    for company in (CANARY_TENANT, "acme"):
        model.script += [reads(ask("Customers", "customer")), writes("SELECT name FROM customer"), SAID]
        body = {
            "input": {"message": "List the names of all customers"},
            "conversation": {"id": f"of-{company}", "user_id": "ben", "company_id": company},
        }
        answer = await visitor.http.post("/internal/chat/stream", json=body)
        complete = json.loads(answer.text.strip().splitlines()[-1].removeprefix("data: "))
        names[company] = {str(row["name"]) for row in complete["data"]}
    assert all(name.startswith(CANARY_TENANT) for name in names[CANARY_TENANT])
    assert not any(name.startswith(CANARY_TENANT) for name in names["acme"])
    assert len(names["acme"]) > len(names[CANARY_TENANT]) > 3
