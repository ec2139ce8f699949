"""What each request of a turn costs, and what is not in the price of a turn: long messages, edits, reads, deletion,
cleanup. By AWS's rules from the sizes that were really sent; turns are papers turns with every size at its limit.
Last line: JSON.

    python benchmarks/capacity.py --data ../shared/data
"""

import argparse
import asyncio
import json
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capacity_rules import Cost
from metering import Call, Meter, metered, total
from subjects import USER, Conversation, MemoryObjects, client, new_table, papers, six, store
from texts import DEFAULT_DATA, Texts, noise, prose_or_exit
from turnkeep.errors import ThreadBusy
from turnkeep.graphs.agent import Agent
from turnkeep.records import Event, Reply
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.keys import hour
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun
from turnkeep.tuning import BudgetTuning
from turnkeep.turns.recording import Recorder

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TURN = 10
STEPS = ("LOAD or BEGIN, side by side",) * 2 + ("COMMIT: link and checkpoint", "COMMIT: flip")
LONG_MESSAGE_BYTES = 64 * 1024
ASIDE_BYTES, OBJECT_BYTES = 12 * 1024, 420 * 1024
METADATA_BYTES = 900
LOGGED_WORDS, LOGGED_SECONDS = 500, 10
CLEANED_TURNS = (1, 10, 100)
HOUR = 3600.0


class Clock:
    """Epoch seconds that can be moved."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@dataclass
class Row:
    name: str
    requests: int = 0
    wcu: float = 0
    rcu: float = 0
    s3_puts: int = 0


class Sheet:
    """Measures one thing after the other and prints a row for each."""

    def __init__(self, meter: Meter, objects: MemoryObjects):
        self.rows: list[Row] = []
        self._meter = meter
        self._objects = objects

    @contextmanager
    def row(self, name: str) -> Iterator[None]:
        self._meter.take()
        puts = self._objects.puts
        yield
        self.add(name, total(self._meter.take()), self._objects.puts - puts)

    def add(self, name: str, cost: Cost, puts: int = 0) -> None:
        self.rows.append(Row(name, cost.requests, cost.wcu, cost.rcu, puts))
        print(f"{name:56}{cost.requests:>10}{cost.wcu:>8g}{cost.rcu:>8g}{puts:>9}", flush=True)


@dataclass
class Bench:
    """What the rows are measured with."""

    dynamodb: "DynamoDBClient"
    meter: Meter
    texts: Texts
    sheet: Sheet
    objects: MemoryObjects
    clock: Clock

    async def talk(
        self, turns: int = TURN - 1, agent: Agent | None = None, limits: BudgetTuning | None = None
    ) -> Conversation:
        """A thread of so many turns in a table of its own."""
        talk = Conversation(
            agent or papers(self.texts),
            self.dynamodb,
            new_table(self.dynamodb),
            objects=self.objects,
            clock=self.clock,
            limits=limits,
        )
        await talk.say_all(self.texts.message() for _ in range(turns))
        return talk


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of real text")
    arguments.add_argument("--quick", action="store_true", help="a turn alone, without the rest")
    options = arguments.parse_args()
    texts = prose_or_exit(options.data)
    objects = MemoryObjects()
    with store() as url, metered(url) as meter:
        bench = Bench(client(meter.url), meter, texts, Sheet(meter, objects), objects, Clock())
        calls = asyncio.run(_turn(bench))
        print(f"\n{'what':56}{'requests':>10}{'WCU':>8}{'RCU':>8}{'S3 puts':>9}")
        for extra in EXTRAS[: 0 if options.quick else None]:
            asyncio.run(extra(bench))
    summary: dict[str, Any] = {"benchmark": "capacity", "turn": [asdict(call) for call in calls]}
    print(json.dumps({**summary, "rows": [asdict(row) for row in bench.sheet.rows]}))


async def _turn(bench: Bench) -> list[Call]:
    """A turn with a full window, request by request."""
    talk = await bench.talk()
    bench.meter.take()
    await talk.say(bench.texts.message())
    calls = bench.meter.take()
    print(f"turn {TURN} of papers: message 0.6 KB, reply 1.4 KB, state 8 KB, all prose")
    for step, call in zip(STEPS, calls, strict=True):
        print(f"  {step:30}{call.operation:16}{call.wcu:>4g} WCU{call.rcu:>4g} RCU   {_sizes(call)}")
    cost = total(calls)
    print(f"  {'':30}{'':16}{cost.wcu:>4g} WCU{cost.rcu:>4g} RCU")
    return calls


def _sizes(call: Call) -> str:
    """Items of one kind together: `TURN 10 x 1,900 B`."""
    kinds: dict[str, list[int]] = {}
    for name, size in call.items:
        kinds.setdefault(name.partition("#")[0], []).append(size)
    return ", ".join(f"{kind} {len(sizes)} x {sum(sizes) // len(sizes):,} B" for kind, sizes in kinds.items())


async def _turns(bench: Bench) -> None:
    talk = await bench.talk(0)
    with bench.sheet.row("first turn, makes the thread"):
        await talk.say(bench.texts.message())
    talk = await bench.talk()
    with bench.sheet.row("turn 10"):
        await talk.say(bench.texts.message(), key="again")
    await _limited(bench)
    repeated = bench.texts.message()
    await talk.say(repeated, key="twice")
    with bench.sheet.row("replay of a turn"):
        await talk.say(repeated, key="twice")
    talk = await bench.talk(59)
    with bench.sheet.row("turn 60, 32 idempotency keys in HEAD"):
        await talk.say(bench.texts.message())
    talk.store.threads.update(USER, talk.thread_id, {"note": noise(1).user(METADATA_BYTES)})
    with bench.sheet.row("turn 61, with 0.9 KB of metadata that do not compress"):
        await talk.say(bench.texts.message())


async def _limited(bench: Bench) -> None:
    """What limits add, with the thread of a user who has had turns this minute and runs another."""
    users = {"tokens_a_day": 2_000_000, "usd_a_day": 5, "turns_a_minute": 30, "turns_at_once": 5}
    for name, limits in (("", users), (" and a ceiling", {**users, "deployment_usd_a_day": 100})):
        talk = await bench.talk(limits=BudgetTuning.model_validate(limits))
        with bench.sheet.row(f"turn 10 with limits{name}"):
            await talk.say(bench.texts.message())
    with bench.sheet.row("what a user used today and before"):
        assert talk.usage.days(USER, 7)


async def _larger_turns(bench: Bench) -> None:
    talk = await bench.talk()
    with bench.sheet.row("turn 10, message of 64 KB of prose"):
        await talk.say(bench.texts.user(LONG_MESSAGE_BYTES))
    talk = await bench.talk(agent=_detailed(bench.texts, bench.texts.material(ASIDE_BYTES)))
    with bench.sheet.row("turn 10, details of 12 KB of prose aside"):
        await talk.say(bench.texts.message())
    talk = await bench.talk(1, agent=_detailed(bench.texts, noise(2).material(OBJECT_BYTES)))
    with bench.sheet.row("turn 2, details of 420 KB of noise in S3"):
        await talk.say(bench.texts.message())


def _detailed(texts: Texts, text: str) -> Agent:
    agent = papers(texts)

    def read_reply(values: Any) -> Reply:
        return replace(agent.read_reply(values), details={"rows": text})

    return replace(agent, read_reply=read_reply)


async def _whole_threads(bench: Bench) -> None:
    talk = await bench.talk(agent=replace(six(bench.texts), window=None))
    with bench.sheet.row("turn 10 of a graph without a window"):
        await talk.say(bench.texts.message())
    for turn, more in ((100, 89), (150, 49)):
        await talk.say_all(bench.texts.message() for _ in range(more))
        with bench.sheet.row(f"turn {turn} of a graph without a window"):
            await talk.say(bench.texts.message())


async def _lease(bench: Bench) -> None:
    talk = await bench.talk()
    begun = _begin(talk, bench.texts.message())
    with bench.sheet.row("lease renewal, every 10 s of a run"):
        talk.store.leases.renew(begun)
    with bench.sheet.row("release, when a run fails"):
        talk.store.leases.release(begun)
    begun = _begin(talk, bench.texts.message())
    with bench.sheet.row("BEGIN refused, the thread is busy"):
        assert await _is_busy(talk, bench.texts.message())


def _begin(talk: Conversation, message: str) -> Begun:
    begun = talk.store.leases.begin(
        USER, talk.thread_id, BeginRequest(key=secrets.token_hex(16), body=b"", message=message)
    )
    assert isinstance(begun, Begun)
    return begun


async def _is_busy(talk: Conversation, message: str) -> bool:
    try:
        await talk.say(message)
    except ThreadBusy:
        return True
    return False


async def _log(bench: Bench) -> None:
    """The log of a reply of 500 words in ten seconds: as tokens, as LangGraph's pieces of messages, and as both, which
    a run of version 2 of its protocol writes."""
    words = bench.texts.material(LOGGED_WORDS * 10).split()[:LOGGED_WORDS]
    kinds = {"tokens": [_token], "pieces of messages": [_piece], "tokens and pieces": [_piece, _token]}
    for name, events in kinds.items():
        talk = await bench.talk(1)
        head, seconds = _begin(talk, "").head, LOGGED_SECONDS / len(words)
        recorder = Recorder(talk.store.events, head, "1b4e28ba-2fa1-11d2-883f-0016d3cca427", 0)
        with bench.sheet.row(f"log of {len(words)} {name} in {LOGGED_SECONDS} s"):
            recording = asyncio.create_task(recorder.record())
            for word in words:
                for event_of in events:
                    recorder.add(event_of(word))
                await asyncio.sleep(seconds)
            await recorder.end()
            recording.cancel()


def _token(word: str) -> Event:
    return Event("token", {"content": f"{word} "})


def _piece(word: str) -> Event:
    graph = {"assistant_id": "fe096781-5601-53d2-b2f6-0d3403f7e9ca", "graph_id": "agent", "created_by": "system"}
    step = {"langgraph_step": 1, "langgraph_node": "model", "langgraph_triggers": ["branch:to:model"]}
    space = "model:6f2c1b62-4f2e-8f5c-9a0e-0c9c2f0ff2f1"
    model = {"ls_provider": "openai", "ls_model_name": "gpt-4.1-mini", "ls_model_type": "chat", "checkpoint_ns": space}
    empty: dict[str, Any] = {
        "additional_kwargs": {},
        "tool_calls": [],
        "invalid_tool_calls": [],
        "tool_call_chunks": [],
        "name": None,
    }
    message = {"content": f"{word} ", "type": "AIMessageChunk", "id": "lc_run--019aa3b4-5c9e-7d40-8f66-d2d7f7a9c0de"}
    return Event("part", {"mode": "messages-tuple", "namespace": [], "data": [message | empty, graph | step | model]})


async def _edit(bench: Bench) -> None:
    talk = await bench.talk()
    with bench.sheet.row("update_state, its BEGIN and LOAD included"):
        begun = _begin(talk, "")
        loaded = talk.store.turns.load(begun.head, talk.agent.window)
        run = RunCheckpointer(loaded)
        config: Any = {"configurable": {"thread_id": talk.thread_id}}
        graph = talk.agent.graph.copy({"checkpointer": run})
        await graph.aupdate_state(config, {"notes": bench.texts.notes()}, as_node="fill_state")
        saved = run.saved(frozenset(talk.agent.new_turn()), interrupted=False)
        assert saved is not None
        plan, _ = talk.store.turns.planner.plan(begun, loaded, saved, None)
        talk.store.turns.commit(plan)


async def _reads(bench: Bench) -> None:
    talk = await bench.talk(30)
    with bench.sheet.row("read a thread"):
        talk.store.threads.read(USER, talk.thread_id)
    with bench.sheet.row("read its newest 20 turns"):
        assert len(talk.store.turns.newest(USER, talk.thread_id, limit=20)) == 20
    with bench.sheet.row("read the 20 turns before turn 25"):
        assert len(talk.store.turns.newest(USER, talk.thread_id, limit=20, before=25)) == 20
    with bench.sheet.row("read one turn with its details"):
        talk.store.turns.read(USER, talk.thread_id, 7)
    for _ in range(25):
        talk.start_over()
        await talk.say(bench.texts.message())
    with bench.sheet.row("list 20 of 26 threads"):
        assert len(talk.store.listing.search(USER, limit=20)) == 20


async def _removal(bench: Bench) -> None:
    for turns in CLEANED_TURNS:
        talk = await bench.talk(turns)
        with bench.sheet.row(f"delete a thread of {_counted(turns)}"):
            talk.store.threads.delete(USER, talk.thread_id)
    for turns in CLEANED_TURNS:
        talk = await bench.talk(turns)
        await _clean(bench, talk, 24 * HOUR, f"cleanup: an hour with one thread of {_counted(turns)}")
    await _clean(bench, talk, 24 * HOUR, "cleanup: an hour without threads")
    talk = await bench.talk(1)
    bench.clock.ahead = 20 * HOUR
    await talk.say(bench.texts.message())
    await _clean(bench, talk, 24 * HOUR, "cleanup: an hour with one thread that lives on")


def _counted(turns: int) -> str:
    return "1 turn" if turns == 1 else f"{turns} turns"


async def _clean(bench: Bench, talk: Conversation, after: float, name: str) -> None:
    """Sweeps exactly the hour in which a thread of now would expire."""
    due = time.time() + after
    talk.cleanup.begin_at(hour(int(due * 1000)))
    bench.clock.ahead = after + 1
    with bench.sheet.row(name):
        talk.cleanup.sweep()
    bench.clock.ahead = 0


EXTRAS: tuple[Callable[[Bench], Coroutine[Any, Any, None]], ...] = (
    _turns,
    _larger_turns,
    _whole_threads,
    _lease,
    _log,
    _edit,
    _reads,
    _removal,
)


if __name__ == "__main__":
    main()
