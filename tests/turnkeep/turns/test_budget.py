"""Limits over HTTP: who is refused, what that costs, and that every run is settled however it ends."""

import asyncio
import itertools
import json
import secrets
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from httpx import ASGITransport, AsyncClient, Response
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from memory_items import MemoryItems

from bare_app import bare_app
from hand_clock import HandClock
from turnkeep.errors import StoreUnavailable
from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal, Reply
from turnkeep.settings import Settings
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.store import Store
from turnkeep.store.usage import Usage
from turnkeep.tuning import BudgetTuning, TurnTuning
from turnkeep.turns import TurnRequest
from turnkeep_local.objects import FolderObjects
from turns_over import turns_over

ANN = Principal("local", "local")

REACHED: list[str] = []


class Model(BaseChatModel):
    """Uses as many tokens as the message begins with; with "hang" it never ends."""

    @property
    def _llm_type(self) -> str:
        return "counted"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise AssertionError("asked asynchronously")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if "hang" in messages[-1].text:
            REACHED.append("the model")
            await asyncio.Event().wait()
        tokens = int(messages[-1].text.split()[0])
        used: Any = {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
        message = AIMessage("Done.", usage_metadata=used, response_metadata={"model_name": "gpt-4.1-mini"})
        return ChatResult(generations=[ChatGeneration(message=message)])


def agent() -> Agent:
    """With "fail" it raises after its call, with "wait" it goes on for as long as it is let."""

    async def answer(state: MessagesState) -> dict[str, Any]:
        asked = state["messages"][-1].text
        said = await Model().ainvoke([state["messages"][-1]])
        if "fail" in asked:
            raise RuntimeError
        if "wait" in asked:
            REACHED.append("the end of the call")
            await asyncio.Event().wait()
        return {"messages": [said]}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
    return Agent("database", graph, lambda values: Reply(values["messages"][-1].text), model="gpt-4.1-mini")


class FailingItems(MemoryItems):
    """`down` names the partitions that cannot be reached."""

    down = "-"

    def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
        if pk.startswith(self.down):
            raise StoreUnavailable
        return super().update(pk, sk, expression, values, condition=condition)


class Site:
    """One process with these limits, its clock in the test's hand."""

    def __init__(self, objects: FolderObjects, limits: dict[str, float]) -> None:
        self.clock, self.items = HandClock(), FailingItems()
        budget = BudgetTuning(**{"turn_tokens": 100, **limits})  # type: ignore[arg-type]
        settings = Settings(seal_key="secret", budget=budget)  # type: ignore[arg-type]
        store = Store(self.items, Blobs(objects), Codec(b"secret"), clock=self.clock, random_bytes=secrets.token_bytes)
        self.usage = Usage(store.heads, budget)
        usage = self.usage if limits else None
        self.turns = turns_over(store, agent(), tuning=TurnTuning(seconds=20), clock=self.clock, usage=usage)
        app = bare_app(store=store, turns=self.turns, settings=settings)
        self.http = AsyncClient(transport=ASGITransport(app), base_url="http://test")

    async def say(self, message: str, thread: str = "t1", *, key: str | None = None, user: str = "local") -> Response:
        headers = {"X-Turnkeep-User": user} | ({"Idempotency-Key": key} if key else {})
        return await self.http.post("/chat", json={"session_id": thread, "message": message}, headers=headers)

    async def used(self) -> tuple[int, int]:
        """Tokens that are used, and turns that run."""
        told = (await self.http.get("/usage")).json()
        return int(told["today"]["tokens"]["used"]), told["rates"]["running"]


@pytest.fixture
def limited(folder_objects: FolderObjects) -> Callable[..., Site]:
    return lambda **limits: Site(folder_objects, limits)


async def test_a_user_is_told_what_is_used_and_what_is_left(limited: Callable[..., Site]) -> None:
    site = limited(tokens_a_day=1000, usd_a_day=1, turns_a_minute=10)
    site.clock.now -= 86_400
    await site.say("70")
    site.clock.now += 86_400
    assert (await site.say("50")).json()["usage"]["input_tokens"] == 50
    answer = await site.http.get("/usage")
    assert answer.json() == {
        "counted": True,
        "today": {
            "tokens": {"used": 50, "limit": 1000, "left": 950, "reserved": 0},
            "cost_usd": {"used": 0.00002, "limit": 1, "left": 0.99998, "reserved": 0},
            "resets_at": "2027-01-16T00:00:00.000Z",
        },
        "rates": {"turns_this_minute": 1, "turns_a_minute": 10, "running": 0, "turns_at_once": None},
        "days": [
            {"day": "2027-01-15", "tokens": 50, "cost_usd": 0.00002, "turns": 1},
            {"day": "2027-01-14", "tokens": 70, "cost_usd": 0.000028, "turns": 1},
        ],
    }
    other = (await site.http.get("/usage", headers={"X-Turnkeep-User": "bo"})).json()
    assert (other["days"], other["today"]["tokens"]["left"]) == ([], 1000)
    assert len((await site.http.get("/usage?days=1")).json()["days"]) == 1
    for wrong in ("days=0", "days=32", "user=bo"):
        assert (await site.http.get(f"/usage?{wrong}")).status_code == 422


async def test_without_limits_nothing_is_counted_and_nothing_more_is_asked(limited: Callable[..., Site]) -> None:
    site = limited()
    await site.say("50")
    told = (await site.http.get("/usage")).json()
    assert (told["counted"], told["days"], told["today"]["tokens"]["left"]) == (False, [], None)
    assert not [pk for pk, _ in site.items.stored if pk.startswith("USAGE")]
    assert site.items.calls["update_item"] == 2  # BEGIN and COMMIT


INTERNAL = {"input": {"message": "1"}, "conversation": {"id": "t1"}}
CHAT = {"session_id": "t1", "message": "1"}
ROUTES = [("/chat", CHAT), ("/chat/stream", CHAT), ("/chat", {"message": "1"}), ("/internal/chat/stream", INTERNAL)]
ROUTES += [("/threads/t1/turns", {"message": "1"}), ("/threads/t1/turns/stream", {"message": "1"})]


@pytest.mark.parametrize(("route", "body"), ROUTES)
async def test_who_is_over_a_limit_is_refused_before_the_first_byte_and_loses_nothing(
    limited: Callable[..., Site], route: str, body: dict[str, Any]
) -> None:
    site = limited(tokens_a_day=60)
    await site.say("60")
    refused = await site.http.post(route, json=body)
    problem = refused.json()
    assert (refused.status_code, problem["code"], refused.headers["retry-after"]) == (429, "budget_exceeded", "57600")
    assert (problem["resets_at"], "0 of 60 tokens" in problem["detail"]) == ("2027-01-16T00:00:00.000Z", True)
    thread = (await site.http.get("/threads/t1")).json()
    stateless = body == {"message": "1"} and route == "/chat"
    assert (thread["turn_count"], thread["status"]) == (1, "idle" if stateless else "error")
    site.clock.now += 57_600
    assert (await site.http.post(route, json=body)).status_code == 200


async def test_a_reply_that_was_paid_for_is_replayed_when_the_budget_is_used_up(limited: Callable[..., Site]) -> None:
    site = limited(tokens_a_day=60)
    first = await site.say("60", key="k")
    for _ in range(2):
        replay = await site.say("60", key="k")
        assert (replay.json(), replay.headers["idempotency-replayed"]) == (first.json(), "true")
    assert await site.used() == (60, 0)


async def test_who_goes_on_asking_is_refused_without_a_request_and_others_are_not(
    limited: Callable[..., Site],
) -> None:
    site = limited(turns_a_minute=1)
    await site.say("1")
    answers = [await site.say("1") for _ in range(2)]
    site.items.calls.clear()
    for number in range(100):
        answers.append(await site.say("1", f"t{number}"))
    assert not site.items.calls
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(429, "too_many_turns")}
    assert (await site.say("1", user="bo")).status_code == 200
    site.clock.now += 60
    assert (await site.say("1")).status_code == 200


@pytest.mark.parametrize("message", ["50 fail", "50"])
async def test_a_run_that_fails_is_settled_by_what_it_used(limited: Callable[..., Site], message: str) -> None:
    site = limited(tokens_a_day=1000)
    answer = await site.say(message)
    assert await site.used() == (50, 0)
    assert site.usage.days(ANN)[0].turns == (answer.status_code == 200)


@pytest.mark.parametrize(("message", "tokens"), [("50 wait", 50), (f"hang {'word ' * 39}", 40)])
async def test_a_run_that_is_left_is_settled_by_what_it_began(
    limited: Callable[..., Site], message: str, tokens: int
) -> None:
    site = limited(tokens_a_day=1000, turns_at_once=1)
    REACHED.clear()
    request = TurnRequest(ANN, message, thread_id="t1", create=True, streamed=True)
    running = await site.turns.start(request)
    assert await running.next()
    assert (await site.say("1", "t2")).json()["code"] == "too_many_at_once"
    while not REACHED:
        await asyncio.sleep(0.001)
    await running.close()
    assert await site.used() == (tokens, 0)


async def test_a_turn_that_cannot_be_loaded_reserves_nothing(
    limited: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = limited(tokens_a_day=1000)
    await site.say("1")
    monkeypatch.setattr(site.turns.store.turns, "load", Mock(side_effect=StoreUnavailable))
    assert (await site.say("1")).status_code == 503
    assert await site.used() == (1, 0)


async def test_a_client_that_leaves_while_it_is_asked_for_reserves_nothing(limited: Callable[..., Site]) -> None:
    site = limited(tokens_a_day=1000)
    for steps in itertools.count():
        starting = asyncio.ensure_future(site.turns.start(TurnRequest(ANN, "1", thread_id=f"t{steps}", create=True)))
        for _ in range(steps):
            await asyncio.sleep(0.001)
        if starting.done():
            await (await starting).finish()
            break
        starting.cancel()
        await asyncio.wait({starting})
        assert (await site.used())[1] == 0
    assert await site.used() == (1, 0)


async def test_a_store_that_is_away_when_a_run_is_settled_fails_no_turn(
    limited: Callable[..., Site], output: Callable[[], list[dict[str, Any]]]
) -> None:
    site = limited(tokens_a_day=150)
    settle = site.usage.settle

    def away(*given: Any) -> None:
        site.items.down = "USAGE"
        settle(*given)

    site.usage.settle = away  # type: ignore[method-assign]
    output()
    assert (await site.say("50")).json()["persisted"]
    assert any("UsageNotSettled" in line for line in output())
    site.items.down, site.usage.settle = "-", settle  # type: ignore[method-assign]
    site.clock.now += 26  # the longest life of a run, and five seconds
    assert (await site.say("50")).status_code == 200


async def test_an_agent_that_needs_more_than_it_was_taken_to_reserves_that(limited: Callable[..., Site]) -> None:
    site = limited(tokens_a_day=10_000)
    await site.say("700")
    held = asyncio.ensure_future(site.say("1 wait", "t2"))
    while not (await site.used())[1]:
        await asyncio.sleep(0.005)
    assert (await site.http.get("/usage")).json()["today"]["tokens"]["reserved"] == 700
    held.cancel()
    await asyncio.wait({held})


async def test_a_deployment_at_its_ceiling_refuses_everyone(
    limited: Callable[..., Site], output: Callable[[], list[dict[str, Any]]]
) -> None:
    site = limited(deployment_tokens_a_day=100)
    for number in range(2):
        assert (await site.say("60", user=f"u{number}")).status_code == 200
    output()
    refused = await site.say("1", user="u3")
    assert (refused.status_code, refused.json()["code"]) == (429, "deployment_ceiling")
    assert json.dumps(output()).count('"CeilingReached": [1') == 1
    assert (await site.http.get("/usage")).json()["counted"] is False
