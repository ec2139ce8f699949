"""What runs in a process before its own first line, by way of a sitecustomize.py: every library is told to log all it
can, agents that fail loudly are there, and whoever asks on a port is told where in memory a text lies."""

import gc
import json
import logging
import os
import socket
import sys
import threading
import time
import types
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnkeep.agents import Agent
    from turnkeep.settings import Settings

LEVEL, AGENTS, PORT = "CANARY_LEVEL", "CANARY_AGENTS", "CANARY_PORT"
CLIMB = 5
"""How far up the holders of a text are named."""
TRIES = 100
"""So often is memory collected at most, every 50 ms."""

_CONTAINERS = (dict, list, tuple, set, frozenset, types.CellType, types.MethodType)


def prepare() -> None:
    if os.environ.get(LEVEL) == "DEBUG":
        logging.basicConfig(level=logging.DEBUG)
    if os.environ.get(AGENTS):
        _add_agents()
    if port := os.environ.get(PORT):
        listener = socket.create_server(("127.0.0.1", int(port)))
        threading.Thread(target=_tell, args=(listener,), daemon=True).start()
    _leave_pauses_out()


def _leave_pauses_out() -> None:
    """botocore waits between its tries, which a test that makes it fail a hundred times cannot."""
    from botocore import endpoint

    endpoint.time = types.SimpleNamespace(sleep=lambda seconds: None)  # type: ignore[attr-defined]


# Agents that fail loudly


def _add_agents() -> None:
    from turnkeep.entries import Entry, entries

    for name in ("noisy", "asking", "unbuildable"):
        entries()[name] = Entry("of the test", f"canary_child:{name}")


def noisy(settings: "Settings") -> "Agent":
    """Has a node that says what it was told in every way in which a library may say it, and then raises."""

    def shout(state: Any) -> Any:
        text = state["messages"][-1].text
        warnings.warn(text, stacklevel=1)
        logging.getLogger("a.dependency").critical("said: %s", text)
        logging.getLogger("a.dependency").error("%d", text)  # cannot be formatted
        thread = threading.Thread(target=_fall, args=(text,), name=text)
        thread.start()
        thread.join()
        raise RuntimeError(text) from KeyError(text)

    return _agent("noisy", shout)


def asking(settings: "Settings") -> "Agent":
    """Asks back in the words of the message."""

    def ask(state: Any) -> Any:
        from langgraph.types import interrupt

        interrupt({"question": f"Did you mean {state['messages'][-1].text}"})

    return _agent("asking", ask)


def unbuildable(settings: "Settings") -> "Agent":
    raise RuntimeError(f"no agent with {settings.key_source('')} and {settings!r}")


def _fall(text: str) -> None:
    raise LookupError(text)


def _agent(name: str, node: Any) -> "Agent":
    from langgraph.graph import END, START, MessagesState, StateGraph

    from turnkeep.agents import Agent
    from turnkeep.records import Reply

    builder = StateGraph(MessagesState)
    builder.add_node("answer", node)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return Agent(name=name, graph=builder.compile(), read_reply=lambda values: Reply(values["messages"][-1].text))


# What lies in memory


def _tell(listener: socket.socket) -> None:
    """One question a connection: texts, written backwards so that asking does not bring them into memory."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw") as stream:
            backwards = json.loads(stream.readline())
            stream.write(json.dumps(holders_of(backwards)) + "\n")


def holders_of(backwards: list[str]) -> list[tuple[str, str]]:
    """Every word that lies in memory, with each kind of holder of it, from near to far."""
    gc.unfreeze()  # what a function froze at its start is searched too
    _collect()
    words = [word[::-1] for word in backwards]
    ours = {id(words), *map(id, words)}
    found = {
        (word, type(holder)): holder
        for text, holder in _texts(words)
        if id(text) not in ours and id(holder) not in ours
        for word in _words_in(text, words)
    }
    ours.add(id(found))
    return [(word, " < ".join(_up_from(found[word, kind], ours))) for word, kind in found]


def _collect() -> None:
    """Until nothing is left to collect: a generator that was left in the middle, as that of a model's answer which was
    cut off, is closed by its event loop first, which holds it until then, and leaves more to collect."""
    for _ in range(TRIES):
        is_open = any(type(each) is types.AsyncGeneratorType and each.ag_frame for each in gc.get_objects())
        if not gc.collect() and not is_open:
            return
        time.sleep(0.05)


def _words_in(text: Any, words: list[str]) -> list[str]:
    return [word for word in words if (word if isinstance(text, str) else word.encode()) in text]


def _texts(words: list[str]) -> Iterator[tuple[Any, Any]]:
    """Texts that hold one of the words, each with every holder of it; what the collector does not track is walked."""
    clean, walked = set[int](), set[int]()
    todo: list[Any] = [*gc.get_objects(), *_frames()]
    while todo:
        holder = todo.pop()
        if holder is todo or _is_of_this_module(holder):
            continue
        for each in gc.get_referents(holder):
            if id(each) in clean:
                continue
            if not isinstance(each, str | bytes | bytearray):
                if not gc.is_tracked(each) and id(each) not in walked:
                    walked.add(id(each))
                    todo.append(each)
            elif _words_in(each, words):
                yield each, holder
            else:
                clean.add(id(each))


def _is_of_this_module(holder: Any) -> bool:
    return type(holder) is types.FrameType and holder.f_code.co_filename == __file__


def _frames() -> Iterator[types.FrameType]:
    """What the other threads are doing."""
    for thread, frame in sys._current_frames().items():
        at: types.FrameType | None = frame
        while at and thread != threading.get_ident():
            yield at
            at = at.f_back


def _up_from(holder: Any, ours: set[int]) -> list[str]:
    """The names of the holder and of what holds it, up to the first that is no mere container."""
    names = [_name_of(holder)]
    while isinstance(holder, _CONTAINERS) and not _is_module(holder) and len(names) < CLIMB:
        above = [one for one in gc.get_referrers(holder) if id(one) not in ours and not _is_ours(one)]
        if not above:
            break
        holder = min(above, key=lambda one: isinstance(one, _CONTAINERS))
        names.append(_name_of(holder))
    return names


def _is_ours(one: Any) -> bool:
    """What this search itself makes."""
    return type(one).__name__ in {"frame", "list_iterator"} or (isinstance(one, list) and len(one) > 100_000)


def _is_module(holder: Any) -> bool:
    return isinstance(holder, dict) and "__spec__" in holder and "__name__" in holder


def _name_of(holder: Any) -> str:
    if _is_module(holder):
        return f"module {holder['__name__']}"
    if isinstance(holder, types.FrameType):
        return f"frame {holder.f_code.co_qualname}"
    return f"{type(holder).__module__}.{type(holder).__qualname__}"
