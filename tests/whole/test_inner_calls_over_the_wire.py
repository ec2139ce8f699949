"""Each inner call of the four agents over the wire, answered well, malformed, cut off and
refusing: a good one is used, one that cannot be used is done without or fails the turn, half of one is never kept."""

import json
from collections.abc import Iterator
from dataclasses import replace

import calls_of_campaigns
import calls_of_database
import calls_of_papers
import calls_of_products
import pytest
from scripted import read_events
from whole_site import Site
from wire import WireServer, calls, refuses, says
from wire_talk import BAD_WORDS, CUT, FAULTS, HALF, MADE_UP, UNUSABLE, begin, meet, succeeds_once

CALLS = (calls_of_campaigns, calls_of_products, calls_of_database, calls_of_papers)
TYPED = {name: one for module in CALLS for name, one in getattr(module, "TYPED", {}).items()}
WORDED = {name: one for module in CALLS for name, one in getattr(module, "WORDED", {}).items()}
INVENTIONS = {name: one for module in CALLS for name, one in getattr(module, "INVENTIONS", {}).items()}


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.mark.parametrize("name", TYPED)
async def test_a_good_answer_is_used_also_where_the_first_was_cut_off(name: str, site: Site, model: WireServer) -> None:
    one = TYPED[name]
    talk = await begin(site, model, one)
    turn = await talk.turn(*one.before, calls(one.tool, CUT, "length"), *one.well[len(one.before) :])
    assert talk.is_used(turn)
    assert one.stood_in is None or one.stood_in not in json.dumps(turn)
    assert turn["turn_number"] == len(one.said) + 1
    assert HALF not in json.dumps([turn, model.bodies])


@pytest.mark.parametrize("name", [name for name, one in TYPED.items() if one.stood_in])
async def test_an_answer_that_cannot_be_used_twice_is_done_without(name: str, site: Site, model: WireServer) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault in list(UNUSABLE)[: 2 if len(one.said) > 1 else None]:
        await talk.begin(fault)
        turn = await talk.turn(*one.goes_wrong([UNUSABLE[fault](one)] * 2))
        assert str(one.stood_in) in json.dumps(turn), fault
        assert not talk.is_used(turn), fault
        assert turn["reply"]
        assert HALF not in json.dumps([turn, model.bodies]), fault
        assert await talk.kept() == [*one.said, one.message]


@pytest.mark.parametrize("name", [name for name, one in TYPED.items() if not one.stood_in])
async def test_a_turn_that_cannot_do_without_fails_and_the_same_request_succeeds_once(
    name: str, site: Site, model: WireServer
) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault, answer in UNUSABLE.items():
        await talk.begin(fault)
        failed = await talk.send(*one.before, *[answer(one)] * 2)
        assert (failed.status_code, failed.json()["code"]) == (502, "model_error"), fault
        assert await talk.kept() == list(one.said)
        await succeeds_once(talk, *one.well)


@pytest.mark.parametrize("name", [name for name in TYPED if not name.startswith("memory.fold")])
async def test_a_turn_whose_call_is_cut_off_is_not_kept_and_the_same_request_succeeds_once(
    name: str, site: Site, model: WireServer
) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault, (play, code) in FAULTS.items():
        await talk.begin(fault)
        failed = await talk.send(*one.before, *play(one))
        assert (failed.status_code, failed.json()["code"]) == (502, code), fault
        assert await talk.kept() == list(one.said)
        await succeeds_once(talk, *one.well)


@pytest.mark.parametrize("name", [name for name in TYPED if name.startswith("memory.fold")])
async def test_a_summary_that_is_cut_off_costs_no_turn_and_is_written_by_the_next(
    name: str, site: Site, model: WireServer
) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault, (play, _) in FAULTS.items():
        await talk.begin(fault)
        turn = await talk.turn(*one.goes_wrong(play(one)))
        assert "memory_not_written" in turn["warnings"], fault
        assert not talk.is_used(turn)
        later = await talk.turn(*one.well, key="k-2")
        assert talk.is_used(later)
        assert not {"memory_not_written", "memory_by_rules", "memory_gap"} & set(later["warnings"])


@pytest.mark.parametrize("name", WORDED)
async def test_half_a_reply_is_not_kept_and_the_same_request_succeeds_once(
    name: str, site: Site, model: WireServer
) -> None:
    one = WORDED[name]
    talk = await meet(site, model, one)
    for fault, (answer, code) in BAD_WORDS.items():
        await talk.begin(fault)
        failed = await talk.send(*one.before, answer)
        assert (failed.status_code, failed.json()["code"]) == (502, code), fault
        assert await talk.kept() == []
        await succeeds_once(talk, *one.well)


@pytest.mark.parametrize("name", WORDED)
async def test_a_refusal_is_the_reply_with_a_warning(name: str, site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED[name])
    turn = await talk.turn(*WORDED[name].before, refuses("I will not say."))
    assert (turn["reply"], turn["warnings"][0], turn["persisted"]) == ("I will not say.", "model_refused", True)


@pytest.mark.parametrize("name", INVENTIONS)
async def test_a_number_that_the_model_made_up_never_reaches_the_reply(
    name: str, site: Site, model: WireServer
) -> None:
    case = INVENTIONS[name]
    turn = await (await begin(site, model, case.one)).turn(*case.script)
    assert turn["reply"]
    assert MADE_UP not in turn["reply"]
    assert case.warning is None or case.warning in turn["warnings"]
    assert MADE_UP not in json.dumps(turn["details"].get("filters"))


async def test_what_a_stream_completes_with_is_what_is_kept_where_a_number_was_removed(
    site: Site, model: WireServer
) -> None:
    talk = await begin(site, model, WORDED["products.answer"])
    model.script += INVENTIONS["products.answer"].script
    body = {"session_id": "t1", "message": calls_of_products.PHONES, "agent": "products"}
    name, _, told = read_events((await talk.visitor.http.post("/chat/stream", json=body)).text)[-1]
    kept = await talk.visitor.get("/threads/t1/turns/1")
    assert (name, told["reply"], told["warnings"]) == ("complete", kept["reply"], ["sentence_removed"])
    assert MADE_UP not in kept["reply"]


async def test_a_number_that_was_said_earlier_may_be_read_into_a_message(site: Site, model: WireServer) -> None:
    asked = replace(WORDED["products.answer"], message="And laptops?", said=(calls_of_products.PHONES,))
    talk = await begin(site, model, asked)
    turn = await talk.turn(calls_of_products.search(category="laptops", price_max=500), says("None is under $500."))
    assert turn["reply"].startswith("None is under $500.")
    assert turn["details"]["filters"] == [{"category": "laptops", "price_max": 500}]
    assert turn["warnings"] == []
