"""Tools that act: what a turn that runs again finds, and what the tool and the client are told."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from turnkeep import ActionUnknown, once
from turnkeep.errors import AgentFault, StoreUnavailable, Superseded, TurnkeepError
from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal, Reply, RunContext, Turn
from turnkeep.store.items import Items
from turnkeep.store.keys import HEAD
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun, Loaded
from turnkeep.store.store import Store
from turnkeep.turns import TurnRequest, Turns
from turnkeep.turns.request import GraphCall
from turnkeep.turns.side_effects import Ledger, acting
from turnkeep_local.objects import FolderObjects
from turns_over import table_over, turns_over

ANN = Principal("acme", "ann")
HOUR = 3600
type Call = Callable[..., Awaitable[Any]]


@dataclass
class World:
    """What the actions of a test did, outside of any store."""

    done: list[Any] = field(default_factory=list)

    def act(self, what: Any) -> str:
        self.done.append(what)
        return f"receipt {len(self.done)}"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def store(items: Items, folder_objects: FolderObjects) -> Store:
    return table_over(items, folder_objects)


def begun_on(store: Store, key: str = "k") -> Begun:
    begun = store.leases.begin(ANN, "t", BeginRequest(key=key, body=b"", message="hello", create=True))
    assert isinstance(begun, Begun)
    return begun


@pytest.fixture
def begun(store: Store) -> Begun:
    return begun_on(store)


def ledger_of(store: Store, begun: Begun) -> Ledger:
    return Ledger(store, begun, Loaded(), goes_on=True)


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, store: Store, begun: Begun) -> Call:
    """One call of an action, sync or async, by another attempt of the run."""

    async def called(
        act: Callable[..., Any], *args: Any, of: Begun | None = begun, name: str = "charge", **options: Any
    ) -> Any:
        async def act_later(*given: Any) -> Any:
            await asyncio.sleep(0)
            return act(*given)

        is_async = request.param == "async"
        charge: Any = once(name, **{"key": str, **options})(act_later if is_async else act)
        with acting(of and ledger_of(store, of)):
            return await charge(*args) if is_async else charge(*args)

    return called


# what one call does


async def test_another_key_name_turn_or_thread_is_another_action(
    call: Call, store: Store, begun: Begun, world: World
) -> None:
    for number in (17, 18):
        await call(world.act, number)
    await call(world.act, 17, name="refund")
    store.leases.release(begun)
    await call(world.act, 17, of=begun_on(store, "another"))
    assert world.done == [17, 18, 17, 17]


async def test_outside_of_a_turn_the_function_is_called(call: Call, world: World) -> None:
    for _ in range(2):
        await call(world.act, 17, of=None)
    assert world.done == [17, 17]


@dataclass
class Own:
    of: int = 1


@pytest.mark.parametrize("result", [None, AIMessage("said", id="m"), ("a", 1), Own(2)], ids=repr)
async def test_a_result_comes_back_as_it_was(call: Call, result: Any) -> None:
    for _ in range(2):
        found = await call(lambda _: result, 17)
        assert (type(found), found) == (type(result), result)


@pytest.mark.parametrize(
    ("result", "error"), [(object(), TypeError), ([("a",)], TypeError), (secrets.token_hex(400_000), AgentFault)]
)
async def test_a_result_that_cannot_be_kept_is_told_and_not_done_again(
    call: Call, world: World, result: Any, error: type[Exception]
) -> None:
    for expected in (error, ActionUnknown):
        with pytest.raises(expected):
            await call(lambda what: (world.act(what), result)[1], 17)
    assert world.done == [17]


async def test_what_is_stored_tells_nothing_of_the_action(call: Call, begun: Begun, items: Items) -> None:
    await call(lambda _: "sent to Ann", "ann@example.com", name="send_email")
    (stored,) = items.between(begun.head.pk, "ASIDE#ACTION#", "ASIDE#ACTION#~")
    assert not [word for word in ("ann", "Ann", "email", "sent") if word in repr({**stored, "PK": ""})]


@pytest.mark.parametrize("key", [None, "", lambda _: None])
async def test_an_action_without_a_key_is_told_so(call: Call, world: World, key: Any) -> None:
    with pytest.raises(ValueError, match=r"charge.*no key"):
        await call(world.act, 17, key=key)
    assert world.done == []


def test_it_goes_beneath_the_tool_and_keeps_what_the_model_is_told(world: World) -> None:
    @tool
    @once("send_email", key=lambda to, **_: to)
    def send_email(to: str, subject: str = "hello") -> str:
        """Sends an email."""
        return world.act((to, subject))

    assert send_email.args.keys() == {"to", "subject"}
    assert send_email.description == "Sends an email."
    assert send_email.invoke({"to": "ann"}) == "receipt 1"
    with pytest.raises(TypeError, match="beneath @tool"):
        once("send_email", "k")(send_email)


# what is not known


async def test_an_action_that_raised_is_not_repeated(call: Call, world: World) -> None:
    def act(what: Any) -> str:
        raise ConnectionError("nobody knows")

    before = time.time()
    with pytest.raises(ConnectionError):
        await call(act, 17)
    with pytest.raises(ActionUnknown) as unknown:
        await call(world.act, 17)
    assert (unknown.value.name, unknown.value.key, world.done) == ("charge", "17", [])
    assert before - 1 <= unknown.value.at <= time.time()
    assert "17" not in unknown.value.detail


async def test_an_exception_that_says_that_nothing_was_done_frees_the_action(call: Call, world: World) -> None:
    def declined(what: Any) -> str:
        raise LookupError("no such card")

    with pytest.raises(LookupError):
        await call(declined, 17, not_done=(LookupError,))
    assert await call(world.act, 17) == "receipt 1"


@pytest.mark.parametrize("happened", [True, False])
async def test_a_tool_that_asked_outside_says_what_became_of_it(
    call: Call, store: Store, begun: Begun, world: World, happened: bool
) -> None:
    store.actions.claim(begun, begun.key, "charge", "17")
    with pytest.raises(ActionUnknown) as unknown:
        await call(world.act, 17)
    if happened:
        unknown.value.settle("found it")
    else:
        unknown.value.release()
    for _ in range(2):
        assert await call(world.act, 17) == ("found it" if happened else "receipt 1")
    assert world.done == ([] if happened else [17])


# who may act


async def test_a_run_that_lost_its_thread_acts_no_more(
    call: Call, store: Store, begun: Begun, items: Items, world: World
) -> None:
    expired = {":t": 1}
    items.update(begun.head.pk, HEAD, "SET #lease.#t = :t", expired, condition="attribute_exists(PK)")
    taken = begun_on(store, "other")
    with pytest.raises(Superseded):
        await call(world.act, 17)
    assert world.done == []
    await call(world.act, 17, of=taken)
    assert world.done == [17]


async def test_a_store_that_takes_no_claim_lets_nothing_be_done(
    call: Call, items: Items, begun: Begun, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "transact", _unavailable)
    with pytest.raises(StoreUnavailable):
        await call(world.act, 17)
    assert world.done == []


async def test_a_store_that_takes_no_result_lets_the_turn_go_on(
    call: Call, items: Items, begun: Begun, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(items, "update", _unavailable)
        assert await call(world.act, 17) == "receipt 1"
    with pytest.raises(ActionUnknown):
        await call(world.act, 17)
    assert world.done == [17]


def _unavailable(*_: Any, **__: Any) -> Any:
    raise StoreUnavailable


# at the same time


async def test_calls_at_the_same_time_are_one_action(store: Store, begun: Begun, world: World) -> None:
    gate = asyncio.Event()

    async def slow(what: Any) -> str:
        await gate.wait()
        return world.act(what)

    with acting(ledger_of(store, begun)):
        calls = [asyncio.create_task(once("charge", key=str)(slow)(17)) for _ in range(3)]
        await asyncio.sleep(0.05)
        gate.set()
        assert await asyncio.gather(*calls) == ["receipt 1"] * 3


def test_calls_in_threads_at_the_same_time_are_one_action(store: Store, begun: Begun, world: World) -> None:
    def slow(what: Any) -> str:
        time.sleep(0.05)
        return world.act(what)

    with acting(ledger_of(store, begun)), ThreadPoolExecutor(3) as pool:
        act = once("charge", key=str)(slow)
        calls = [pool.submit(copy_context().run, act, 17) for _ in range(3)]
        assert {call.result() for call in calls} == {"receipt 1"}


async def test_many_different_actions_at_once_do_not_refuse_each_other(
    store: Store, begun: Begun, world: World
) -> None:
    async def act(what: Any) -> str:
        return world.act(what)

    with acting(ledger_of(store, begun)):
        await asyncio.gather(*(once("charge", key=str)(act)(number) for number in range(12)))
    assert sorted(world.done) == list(range(12))


async def test_a_call_that_is_cancelled_while_it_acts_is_unknown(store: Store, begun: Begun, world: World) -> None:
    begins = asyncio.Event()

    async def act() -> None:
        begins.set()
        await asyncio.sleep(HOUR)

    with acting(ledger_of(store, begun)):
        task = asyncio.create_task(once("charge", "17")(act)())
    await begins.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with acting(ledger_of(store, begun)), pytest.raises(ActionUnknown):
        once("charge", "17")(lambda: world.act(17))()


# in turns


def turns_of(store: Store, *nodes: Callable[..., Any]) -> Turns:
    builder = StateGraph(MessagesState, context_schema=RunContext)
    builder.add_sequence([(f"n{number}", node) for number, node in enumerate(nodes)])
    builder.add_edge(START, "n0")
    return turns_over(store, Agent("one", builder.compile(), lambda values: Reply(values["messages"][-1].text)))


async def say(turns: Turns, message: str, key: str, **more: Any) -> Turn:
    return await (await turns.start(TurnRequest(ANN, message, "t", key=key, create=True, **more))).finish()


def said(text: Any) -> dict[str, Any]:
    return {"messages": [AIMessage(str(text))]}


async def test_an_unknown_outcome_that_nobody_asks_about_is_told_to_the_client(store: Store, world: World) -> None:
    def act(state: MessagesState) -> Any:
        def fails() -> None:
            world.act(17)
            raise ConnectionError("nobody knows")

        once("charge", "17")(fails)()

    turns = turns_of(store, act)
    with pytest.raises(TurnkeepError):
        await say(turns, "pay", "k")
    with pytest.raises(ActionUnknown, match="charge"):
        await say(turns, "pay", "k")
    assert world.done == [17]


def approving(world: World) -> Callable[..., Any]:
    """Reserves, asks, and only then charges, all in one node, which LangGraph runs anew for each answer."""

    def act(state: MessagesState) -> Any:
        reserved = once("reserve", "17")(world.act)("reserve")
        answer = interrupt("Really?")
        sure = interrupt("Sure?") if answer == "perhaps" else answer
        return said(f"{reserved}, {once('charge', '17')(world.act)('charge') if sure == 'yes' else 'not charged'}")

    return act


async def test_an_answer_after_an_edit_belongs_to_the_turn_that_asked(store: Store, world: World) -> None:
    turns = turns_of(store, lambda state: {}, approving(world))
    await say(turns, "buy", "k1")
    await turns.states.update(ANN, "t", {"messages": [{"role": "user", "content": "hurry"}]}, as_node="n0")
    assert (await say(turns, "go on", "k2", call=GraphCall())).status == "interrupted"
    assert (await say(turns, "yes", "k3")).reply == "receipt 1, receipt 2"
    assert world.done == ["reserve", "charge"]


async def test_a_new_input_where_the_thread_waits_is_a_run_of_its_own(store: Store, world: World) -> None:
    turns = turns_of(store, approving(world))
    await say(turns, "buy", "k1")
    anew = GraphCall(input={"messages": [{"role": "user", "content": "buy another"}]})
    assert (await say(turns, "buy another", "k2", call=anew)).status == "interrupted"
    await say(turns, "yes", "k3")
    assert world.done == ["reserve", "reserve", "charge"]


async def test_a_question_inside_an_action_frees_it(store: Store, world: World) -> None:
    def act(state: MessagesState) -> Any:
        def ask_and_charge() -> str:
            return world.act(interrupt("Really?"))

        return said(once("charge", "17")(ask_and_charge)())

    turns = turns_of(store, act)
    await say(turns, "buy", "k1")
    assert (await say(turns, "yes", "k2")).reply == "receipt 1"
    assert world.done == ["yes"]


async def test_a_run_is_told_the_key_of_its_turn_and_which_attempt_it_is(store: Store) -> None:
    told: list[tuple[str, int]] = []

    def look(state: MessagesState, runtime: Runtime[RunContext]) -> Any:
        told.append((runtime.context.key, runtime.context.attempt))
        if len(told) == 1:
            raise ValueError("a bug")
        return said("done")

    turns = turns_of(store, look)
    with pytest.raises(AgentFault):
        await say(turns, "pay", "k")
    await say(turns, "pay", "k")
    unnamed = await turns.start(TurnRequest(ANN, "more", "t", repeat="exact"))
    turn = await unnamed.finish()
    assert [key for key, _ in told] == ["k", "k", turn.run_id]
    attempts = [attempt for _, attempt in told]
    assert attempts == sorted(set(attempts))
