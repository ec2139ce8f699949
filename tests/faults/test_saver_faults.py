"""A process that runs a bare graph and dies before any of its requests, which is after the one before it; and several
that write at once."""

import asyncio
import signal
from contextlib import ExitStack, suppress
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

import pytest
from fault_agents import saw, story
from fault_hooks import Faults, at_call
from fault_site import ANNA, Doom, Site, be_quiet, child, later

from turnkeep.errors import Conflict

WRITERS, TURNS = 4, 5


def graph_of(site: Site, faults: Faults | None = None, **options: Any) -> Any:
    return story([]).graph.copy({"checkpointer": site.saver(faults, **options)})


def on(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


def run(graph: Any, message: str | None, thread_id: str, **options: Any) -> None:
    """Without a message it goes on where it was broken off."""
    asyncio.run(graph.ainvoke(message and {"messages": message}, on(thread_id), **options))


def said_in(graph: Any, thread_id: str) -> list[str]:
    """What people said, if each reply saw what was said before."""
    messages = graph.get_state(on(thread_id)).values["messages"]
    said = [message.text for message in messages[::2]]
    assert [saw(message.text) for message in messages[1::2]] == [said[:n] for n in range(len(said))]
    return said


def run_once(line: Connection, site: Site, thread_id: str, doom: Doom) -> None:
    be_quiet()
    run(graph_of(site, Faults(at_call(doom.at, doom.kind))), "two", thread_id, durability="sync")
    line.close()


@pytest.mark.slow
def test_wherever_a_run_dies_the_thread_is_whole_and_goes_on(site: Site) -> None:
    for at in count(1):
        thread_id = f"t-{at}"
        run(graph_of(site), "one", thread_id)
        with child(run_once, site, thread_id, Doom(at, "kill_before")) as victim:
            victim.last_words()
            is_dead = victim.process.exitcode == -signal.SIGKILL
        survivor = graph_of(site, clock=later(31))  # its lease has run out
        if survivor.get_state(on(thread_id)).tasks:
            run(survivor, None, thread_id)
        said = said_in(survivor, thread_id)
        assert said in (["one"], ["one", "two"])
        turns = site.store().turns.newest(ANNA, thread_id, limit=9)
        assert (turns[0].message, len(turns)) == ("one", len(said))
        if not is_dead:
            break
    assert at > 8  # every request of the run, and none was left


def insist(line: Connection, site: Site, name: str) -> None:
    be_quiet()
    graph, number = graph_of(site, lease_seconds=2), 0
    while number < TURNS:
        with suppress(Conflict):
            run(graph, f"{name}-{number}", "t", durability="exit")
            number += 1
            line.send(number)
    line.close()


@pytest.mark.slow
def test_of_several_writers_no_turn_is_lost(site: Site) -> None:
    with ExitStack() as stack:
        for writer in [stack.enter_context(child(insist, site, f"w{n}")) for n in range(WRITERS)]:
            writer.last_words()
    said = [turn.message for turn in site.store().turns.newest(ANNA, "t", limit=100)]
    assert sorted(said) == sorted(f"w{n}-{number}" for n in range(WRITERS) for number in range(TURNS))
    assert said_in(graph_of(site), "t") == said
