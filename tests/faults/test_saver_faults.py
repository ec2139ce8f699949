"""A process with a user's own graph is killed before each of its requests: the thread is whole and continues."""

import asyncio
import signal
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

import pytest
from fault_agents import saw, story
from fault_hooks import Faults, at_call
from fault_site import ANNA, Death, Site, child, later, silence


def graph_of(site: Site, faults: Faults | None = None, **options: Any) -> Any:
    return story([]).graph.copy({"checkpointer": site.saver(faults, **options)})


def on(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


def run(graph: Any, message: str | None, thread_id: str, **options: Any) -> None:
    """Without a message it continues where it stopped."""
    asyncio.run(graph.ainvoke(message and {"messages": message}, on(thread_id), **options))


def messages_in(graph: Any, thread_id: str) -> list[str]:
    """The messages of the user. Checks that each reply saw all earlier ones."""
    messages = graph.get_state(on(thread_id)).values["messages"]
    asked = [message.text for message in messages[::2]]
    assert [saw(message.text) for message in messages[1::2]] == [asked[:n] for n in range(len(asked))]
    return asked


def run_once(line: Connection, site: Site, thread_id: str, death: Death) -> None:
    silence()
    run(graph_of(site, Faults(at_call(death.at, death.kind))), "two", thread_id, durability="sync")
    line.close()


@pytest.mark.slow
@pytest.mark.parametrize("site", ["direct", "botocore"], indirect=True)
def test_a_thread_survives_a_run_killed_at_any_request(site: Site) -> None:
    for at in count(1):
        thread_id = f"t-{at}"
        run(graph_of(site), "one", thread_id)
        with child(run_once, site, thread_id, Death(at, "kill_before")) as victim:
            victim.messages()
            is_dead = victim.process.exitcode == -signal.SIGKILL
        survivor = graph_of(site, clock=later(31))  # its lease has expired
        if survivor.get_state(on(thread_id)).tasks:
            run(survivor, None, thread_id)
        asked = messages_in(survivor, thread_id)
        assert asked in (["one"], ["one", "two"])
        turns = site.store().turns.newest(ANNA, thread_id, limit=9)
        assert (turns[0].message, len(turns)) == ("one", len(asked))
        if not is_dead:
            break
    assert at > 8  # each request of the run was reached
