"""Requests about runs: streams, waits, interrupts, commands, branches, background runs."""

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from exchanges import AGENT, NOBODY, Wire, answer_of, plain, run

STREAM_MODES = ("values", "updates", "messages", "messages-tuple", "custom", "debug", "tasks", "checkpoints")


def streams(ask: Wire) -> None:
    for mode in (*STREAM_MODES, "events"):
        ask.stream(mode, run("weigh it", stream_mode=mode))
    ask.stream("no mode", run("hello"))
    ask.stream("no modes", run("hello", stream_mode=[]))
    ask.stream("two modes", run("hello", stream_mode=["values", "updates"]))
    ask.stream("unknown mode", run("hello", stream_mode="colours"))
    ask.stream("unknown mode among others", run("hello", stream_mode=["values", "colours"]))
    modes = ["values", "updates", "custom", "messages-tuple"]
    ask.stream("a subgraph, hidden", run("track it", stream_mode=modes))
    ask.stream("a subgraph, shown", run("track it", stream_mode=modes, stream_subgraphs=True))
    ask.stream("a subgraph's tasks", run("track it", stream_mode=["tasks", "checkpoints"], stream_subgraphs=True))
    thread = ask.thread()
    ask.stream("a failure", run("fail", stream_mode=["values"]), thread)
    ask("thread after a failure", "GET", f"/threads/{thread}")
    ask("state after a failure", "GET", f"/threads/{thread}/state")
    ask.stream("too many steps", run("loop", config={"recursion_limit": 4}))
    ask.stream("resumable", run("hello", stream_resumable=True))
    config = {"configurable": {"tone": "loud"}}
    ask.stream("configurable", run("hello", stream_mode="custom", config=config, metadata={"from": "a test"}))
    ask("without a thread", "POST", "/runs/stream", run("hello", stream_mode=["values", "updates"]))
    made = str(uuid.uuid4())
    ask.stream("a thread that is not there", run("hello"), made)
    ask.stream("a thread to be made", run("hello", if_not_exists="create"), made)
    ask.stream("a message by its type", {**run(), "input": {"messages": [{"type": "human", "content": "hello"}]}})
    parts = [{"type": "text", "text": "hello"}, {"type": "text", "text": " there"}]
    ask.stream("a message in parts", {**run(), "input": {"messages": [{"role": "user", "content": parts}]}})
    ask.stream("a text", {**run(), "input": {"messages": "hello"}})
    ask.stream(
        "a message with an id", {**run(), "input": {"messages": [{"type": "human", "content": "hi", "id": "m1"}]}}
    )


def waits(ask: Wire) -> None:
    ask.wait("wait", run("weigh it"))
    ask.wait("a failure", run("fail"))
    ask.wait("a question", run("send it"))
    ask("without a thread", "POST", "/runs/wait", run("hello"))
    ask("a question without a thread", "POST", "/runs/wait", run("send it"))
    ask("a failure without a thread", "POST", "/runs/wait", run("fail"))
    made = str(uuid.uuid4())
    ask.wait("a thread that is not there", run("hello"), made)
    ask.wait("a thread to be made", run("hello", if_not_exists="create"), made)
    ask.wait("a malformed thread", run("hello"), "not%20an%20id%21")
    ask.wait("no object", [1])
    for name, body in bad_runs():
        ask.wait(name, body)


def bad_runs() -> Iterator[tuple[str, Any]]:
    yield "no assistant", {"input": {}}
    yield "unknown assistant by name", {**run("x"), "assistant_id": "nobody"}
    yield "unknown assistant by id", {**run("x"), "assistant_id": NOBODY}
    yield "input that does not fit", {"assistant_id": AGENT, "input": 5}
    yield "no input", {"assistant_id": AGENT}
    yield "input without messages", {"assistant_id": AGENT, "input": {"colour": "red"}}
    yield "a message without a role", {"assistant_id": AGENT, "input": {"messages": [{"content": "x"}]}}
    yield "unknown key", run("hello", colour="red")
    yield "unknown multitask strategy", run("hello", multitask_strategy="juggle")
    yield "unknown on_disconnect", run("hello", on_disconnect="wave")
    yield "unknown if_not_exists", run("hello", if_not_exists="perhaps")
    yield "config no object", run("hello", config=5)
    yield "recursion limit of zero", run("hello", config={"recursion_limit": 0})
    yield "metadata no object", run("hello", metadata=5)
    yield "webhook no address", run("hello", webhook="nowhere")
    yield "input and command", run("hello", command={"resume": "x"})
    yield "unknown checkpoint", run("hello", checkpoint_id=NOBODY)
    yield "malformed checkpoint", run("hello", checkpoint_id="none")
    yield "unknown node to stop before", run("hello", interrupt_before=["nobody"])


def questions(ask: Wire) -> None:
    thread = ask.thread()
    modes = ["values", "updates", "messages-tuple"]
    for mode in ("messages-tuple", "custom", "updates"):
        ask.stream(f"asked, {mode} alone", run("send it", stream_mode=mode))
    ask.stream("asked", run("send it", stream_mode=modes), thread)
    ask.stream("asked, values alone", run("send it", stream_mode="values"))
    ask("thread", "GET", f"/threads/{thread}")
    state = ask("state", "GET", f"/threads/{thread}/state")
    ask("history", "POST", f"/threads/{thread}/history", {"limit": 1})
    approve = {"resume": {"decisions": [{"type": "approve"}]}}
    ask.stream("answered", run(command=approve, stream_mode=modes), thread)
    ask("thread after the answer", "GET", f"/threads/{thread}")
    ask.wait("answered twice", run(command=approve), thread)
    again = ask.thread("send it")
    state = ask.quietly("GET", f"/threads/{again}/state")
    by_id = {"resume": {state["tasks"][0]["interrupts"][0]["id"]: "yes"}}
    ask.wait("answered by its id", run(command=by_id), again)
    plain_text = ask.thread("send it")
    ask.wait("answered by a text", run(command={"resume": "no"}), plain_text)
    left = ask.thread("send it")
    ask.wait("left for another message", run("hello"), left)
    stopped = ask.thread()
    ask.wait("stopped before a node", run("hello", interrupt_before=["reply"]), stopped)
    ask("state before a node", "GET", f"/threads/{stopped}/state")
    ask.wait("gone on", run(), stopped)
    ask.wait("stopped after a node", run("weigh it", interrupt_after=["weigh"]), stopped)
    ask.wait("stopped everywhere", run("hello", interrupt_before="*"))


def commands(ask: Wire) -> None:
    thread = ask.thread("hello")
    go = {"goto": "weigh", "update": {"stamps": 41}}
    ask.wait("goto and update", run(command=go), thread)
    send = {"goto": {"node": "weigh", "input": {"stamps": 9, "messages": []}}}
    ask.wait("goto with an input", run(command=send), thread)
    ask.wait("goto nowhere", run(command={"goto": "nobody"}), thread)
    ask.wait("empty command", run(command={}), thread)
    ask.wait("command no object", run(command=5), thread)


def branches(ask: Wire) -> None:
    thread = ask.thread("one", "two")
    history = ask.quietly("POST", f"/threads/{thread}/history", {"limit": 100})
    first = next(state for state in history if len(state["values"].get("messages", [])) == 2 and not state["next"])
    body = run("three", checkpoint_id=first["checkpoint"]["checkpoint_id"])
    ask.wait("by checkpoint_id", body, thread)
    ask("state", "GET", f"/threads/{thread}/state")
    body = run("four", checkpoint=first["checkpoint"], stream_mode=["values"])
    ask.stream("by checkpoint", body, thread)
    seen = [state for state in history if state["values"].get("messages")]
    before = {"checkpoint_id": seen[-1]["parent_checkpoint"]["checkpoint_id"], "checkpoint_ns": ""}
    edited = run("five", checkpoint=before)
    ask.wait("from before the first", edited, thread)
    again = ask.quietly("POST", f"/threads/{thread}/history", {"limit": 100})
    texts = sorted({state["values"]["messages"][0]["content"] for state in again if state["values"].get("messages")})
    ask.keep("first messages of all states", {"body": texts})


def background(ask: Wire) -> None:
    thread = ask.thread()
    made = ask("create", "POST", f"/threads/{thread}/runs", run("wait 0.4", metadata={"from": "a test"}))
    path = f"/threads/{thread}/runs/{made['run_id']}"
    ask("join", "GET", f"{path}/join")
    ask("get", "GET", path)
    ask("list", "GET", f"/threads/{thread}/runs")
    ask("list, a page", "GET", f"/threads/{thread}/runs?limit=1&offset=1")
    ask("list by status", "GET", f"/threads/{thread}/runs?status=success")
    ask("list, bad status", "GET", f"/threads/{thread}/runs?status=asleep")
    ask("list of an unknown thread", "GET", f"/threads/{NOBODY}/runs")
    ask("join the stream of one that ended", "GET", f"{path}/stream")
    ask("join it with a last event", "GET", f"{path}/stream", headers={"Last-Event-ID": "-1"})
    ask("cancel one that ended", "POST", f"{path}/cancel")
    ask("get unknown", "GET", f"/threads/{thread}/runs/{NOBODY}")
    ask("get malformed", "GET", f"/threads/{thread}/runs/none")
    ask("join unknown", "GET", f"/threads/{thread}/runs/{NOBODY}/join")
    ask("cancel unknown", "POST", f"/threads/{thread}/runs/{NOBODY}/cancel")
    ask("get by another thread", "GET", f"/threads/{ask.thread()}/runs/{made['run_id']}")
    thread = ask.thread()
    failed = ask.quietly("POST", f"/threads/{thread}/runs", run("fail"))
    ask("join one that fails", "GET", f"/threads/{thread}/runs/{failed['run_id']}/join")
    ask("get one that failed", "GET", f"/threads/{thread}/runs/{failed['run_id']}")
    thread = ask.thread()
    asked = ask.quietly("POST", f"/threads/{thread}/runs", run("send it"))
    ask("join one that asks", "GET", f"/threads/{thread}/runs/{asked['run_id']}/join")
    ask("get one that asked", "GET", f"/threads/{thread}/runs/{asked['run_id']}")
    ask("create for nobody", "POST", f"/threads/{thread}/runs", {**run("x"), "assistant_id": "nobody"})
    ask("create without a thread", "POST", "/runs", run("hello"))


def cancelling(ask: Wire) -> None:
    thread = ask.thread()
    made = ask.quietly("POST", f"/threads/{thread}/runs", run("wait 20"))
    path = f"/threads/{thread}/runs/{made['run_id']}"
    while ask.quietly("GET", path)["status"] == "pending":
        time.sleep(0.05)
    ask("busy thread", "GET", f"/threads/{thread}")
    ask.wait("second run", run("hello", multitask_strategy="reject"), thread)
    ask("update of a busy thread", "POST", f"/threads/{thread}/state", {"values": {"stamps": 3}, "as_node": "reply"})
    ask("cancel", "POST", f"{path}/cancel?wait=true")
    ask("get", "GET", path)
    ask("thread", "GET", f"/threads/{thread}")
    ask.wait("a run after it", run("hello"), thread)
    other = ask.thread()
    made = ask.quietly("POST", f"/threads/{other}/runs", run("wait 20"))
    with ThreadPoolExecutor(1) as pool:
        joined = pool.submit(ask.http.get, f"/threads/{other}/runs/{made['run_id']}/stream?stream_mode=values")
        ask("cancel with a rollback", "POST", f"/threads/{other}/runs/{made['run_id']}/cancel?wait=1&action=rollback")
        ask.keep("its stream", answer_of(joined.result()))
    ask("get what was rolled back", "GET", f"/threads/{other}/runs/{made['run_id']}")
    ask("bad action", "POST", f"{path}/cancel?action=shout")


def second_messages(ask: Wire) -> None:
    """A message to a thread with an active run and one that waits, by strategy. To end a run takes up to a second."""
    for strategy in ("reject", "enqueue", "interrupt", "rollback"):
        for way in ("runs", "runs/wait", "runs/stream"):
            thread = ask.thread("before")
            wait = "wait 6" if strategy in ("interrupt", "rollback") else "wait 0.6"
            first, waiting = (_in_background(ask, thread, text) for text in (wait, "waiting"))
            name = f"{strategy} by {way}"
            body = run("second", multitask_strategy=strategy, stream_mode="values")
            made = ask(name, "POST", f"/threads/{thread}/{way}", body)
            if way == "runs" and "run_id" in made:
                ask(f"{name}: join", "GET", f"/threads/{thread}/runs/{made['run_id']}/join")
            _await_end(ask, thread)
            for which, path in (("the first", first), ("the waiting", waiting)):
                ask(f"{name}: {which}", "GET", path)
            ask(f"{name}: list", "GET", f"/threads/{thread}/runs")
            ask(f"{name}: thread", "GET", f"/threads/{thread}")
            state = ask.quietly("GET", f"/threads/{thread}/state")
            texts = [plain(each["content"]) for each in state["values"]["messages"]]
            ask.keep(f"{name}: messages", {"body": texts})


def _in_background(ask: Wire, thread: str, text: str) -> str:
    """Return the path of a run that has begun, or that waits for one."""
    path = f"/threads/{thread}/runs"
    others = ask.quietly("GET", path)
    made = f"{path}/{ask.quietly('POST', path, run(text, multitask_strategy='enqueue'))['run_id']}"
    while len(others) == 1 and ask.quietly("GET", made)["status"] == "pending":
        time.sleep(0.05)
    return made


def _await_end(ask: Wire, thread: str) -> None:
    while {each["status"] for each in ask.quietly("GET", f"/threads/{thread}/runs")} & {"pending", "running"}:
        time.sleep(0.05)
