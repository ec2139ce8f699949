"""Requests of a LangGraph client, scene by scene. The same code recorded the reference."""

import uuid
from collections.abc import Callable, Mapping

import httpx
from exchanges import AGENT, NOBODY, ONE_EACH, Answer, Wire, run
from run_scenes import background, branches, cancelling, commands, questions, second_messages, streams, waits


def assistants(ask: Wire) -> None:
    found = ask("search", "POST", "/assistants/search", {})
    own = next(one["assistant_id"] for one in found if one["graph_id"] == AGENT)
    ask("search by graph", "POST", "/assistants/search", {"graph_id": AGENT, "limit": 1, "offset": 0})
    ask("search by an unknown graph", "POST", "/assistants/search", {"graph_id": "nobody"})
    ask("search by metadata", "POST", "/assistants/search", {"metadata": {"created_by": "system"}, "graph_id": AGENT})
    ask("search with a bad limit", "POST", "/assistants/search", {"limit": 0})
    ask("search with a bad sort", "POST", "/assistants/search", {"sort_by": "colour"})
    ask("count", "POST", "/assistants/count", {"graph_id": AGENT})
    for name, which in (("id", own), ("name", AGENT), ("unknown id", NOBODY), ("malformed id", "no-such-agent")):
        ask(f"get by {name}", "GET", f"/assistants/{which}")
    for part in ("graph", "schemas", "subgraphs"):
        ask(part, "GET", f"/assistants/{own}/{part}")
        ask(f"{part} of an unknown one", "GET", f"/assistants/{NOBODY}/{part}")
    ask("graph with what is inside", "GET", f"/assistants/{own}/graph?xray=true")
    ask("graph one level deep", "GET", f"/assistants/{own}/graph?xray=1")
    ask("graph by name", "GET", f"/assistants/{AGENT}/graph")
    ask("graph with a bad depth", "GET", f"/assistants/{own}/graph?xray=deep")
    ask("subgraph of a node", "GET", f"/assistants/{own}/subgraphs/track?recurse=true")


def threads(ask: Wire) -> None:
    given = str(uuid.uuid4())
    ask("create", "POST", "/threads", {})
    ask("create with an id", "POST", "/threads", {"thread_id": given, "metadata": {"desk": "one", "n": 1}})
    ask("create again", "POST", "/threads", {"thread_id": given})
    ask("create again, do nothing", "POST", "/threads", {"thread_id": given, "if_exists": "do_nothing"})
    ask("create, bad if_exists", "POST", "/threads", {"if_exists": "shout"})
    ask("create with ttl", "POST", "/threads", {"ttl": {"ttl": 60, "strategy": "delete"}})
    ask("create, bad ttl", "POST", "/threads", {"ttl": {"ttl": -1}})
    ask("create, malformed id", "POST", "/threads", {"thread_id": "not an id!"})
    ask("create, metadata no object", "POST", "/threads", {"metadata": [1]})
    ask("create for a graph", "POST", "/threads", {"metadata": {}, "graph_id": AGENT})
    ask("create, no object", "POST", "/threads", [1])
    ask("create, no JSON", "POST", "/threads", None, content=b"{", headers={"content-type": "application/json"})
    for name, which in (("own", given), ("unknown", NOBODY), ("malformed", "not%20an%20id%21")):
        ask(f"get {name}", "GET", f"/threads/{which}")
        ask(f"state {name}", "GET", f"/threads/{which}/state")
        ask(f"history {name}", "POST", f"/threads/{which}/history", {"limit": 2})
        ask(f"patch {name}", "PATCH", f"/threads/{which}", {"metadata": {"desk": "two"}})
    ask("get patched", "GET", f"/threads/{given}")
    ask("copy unknown", "POST", f"/threads/{NOBODY}/copy")
    ask("delete", "DELETE", f"/threads/{given}")
    ask("get deleted", "GET", f"/threads/{given}")
    ask("delete unknown", "DELETE", f"/threads/{NOBODY}")


def searches(ask: Wire) -> None:
    shelf = str(uuid.uuid4())
    first = ask.thread(metadata={"shelf": shelf, "n": 1})
    second = ask.thread("hello there", metadata={"shelf": shelf, "n": 2})
    waiting = ask.thread("send it", metadata={"shelf": shelf, "n": 3})
    mine = {"metadata": {"shelf": shelf}}
    by_creation = {"sort_by": "created_at", "sort_order": "asc"}
    ask("all", "POST", "/threads/search", {**mine, **by_creation})
    ask("newest first", "POST", "/threads/search", {**mine, "sort_by": "created_at", "sort_order": "desc"})
    ask("a page", "POST", "/threads/search", {**mine, **by_creation, "limit": 2})
    ask("the next page", "POST", "/threads/search", {**mine, **by_creation, "limit": 2, "offset": 2})
    ask("idle ones", "POST", "/threads/search", {**mine, **by_creation, "status": "idle"})
    ask("interrupted ones", "POST", "/threads/search", {**mine, "status": "interrupted"})
    ask("busy ones", "POST", "/threads/search", {**mine, "status": "busy"})
    ask("by ids", "POST", "/threads/search", {"ids": [first, waiting, NOBODY], **by_creation})
    ask("some fields", "POST", "/threads/search", {**mine, **by_creation, "select": ["thread_id", "status"]})
    ask("by values", "POST", "/threads/search", {**mine, "values": {"stamps": 1}, **by_creation})
    ask("by more metadata", "POST", "/threads/search", {"metadata": {"shelf": shelf, "n": 2}})
    ask("by the agent", "POST", "/threads/search", {"metadata": {"shelf": shelf, "graph_id": AGENT}, **by_creation})
    ask("bad status", "POST", "/threads/search", {"status": "asleep"})
    ask("bad limit", "POST", "/threads/search", {"limit": 0})
    ask("great limit", "POST", "/threads/search", {"limit": 100_000})
    ask("bad offset", "POST", "/threads/search", {"offset": -1})
    ask("bad sort", "POST", "/threads/search", {"sort_by": "colour"})
    ask("bad field", "POST", "/threads/search", {"select": ["colour"]})
    ask("count", "POST", "/threads/count", mine)
    ask("count idle ones", "POST", "/threads/count", {**mine, "status": "idle"})
    ask("get with a run", "GET", f"/threads/{second}")
    ask("get interrupted", "GET", f"/threads/{waiting}")


def states(ask: Wire) -> None:
    thread = ask.thread("weigh it", "hello")
    state = ask("state", "GET", f"/threads/{thread}/state")
    ask("state with subgraphs", "GET", f"/threads/{thread}/state?subgraphs=true")
    history = ask("history", "POST", f"/threads/{thread}/history", {"limit": 100})
    ask("history, two", "POST", f"/threads/{thread}/history", {"limit": 2})
    ask("history, bad limit", "POST", f"/threads/{thread}/history", {"limit": 0})
    newest = state["checkpoint"]
    ask("history before", "POST", f"/threads/{thread}/history", {"limit": 1, "before": newest})
    ask("history by metadata", "POST", f"/threads/{thread}/history", {"limit": 1, "metadata": {"source": "loop"}})
    ask("history, unknown checkpoint", "POST", f"/threads/{thread}/history", {"before": {"checkpoint_id": NOBODY}})
    ask("state at a checkpoint", "GET", f"/threads/{thread}/state/{newest['checkpoint_id']}")
    ask("state at a posted checkpoint", "POST", f"/threads/{thread}/state/checkpoint", {"checkpoint": newest})
    ask("state at an unknown checkpoint", "GET", f"/threads/{thread}/state/{NOBODY}")
    ask("state at a malformed checkpoint", "GET", f"/threads/{thread}/state/none")
    update = {"values": {"messages": [{"role": "assistant", "content": "noted", "id": "note-1"}]}, "as_node": "reply"}
    ask("update", "POST", f"/threads/{thread}/state", update)
    ask("state after the update", "GET", f"/threads/{thread}/state")
    ask("update without a node", "POST", f"/threads/{thread}/state", {"values": {"stamps": 7}})
    ask("update of the future", "POST", f"/threads/{thread}/state", {"values": {"stamps": 7}, "as_node": "nobody"})
    ask("update of values that do not fit", "POST", f"/threads/{thread}/state", {"values": 5, "as_node": "reply"})
    seen = [state for state in history if state["values"].get("messages")]
    older = {"checkpoint_id": seen[-1]["parent_checkpoint"]["checkpoint_id"]}
    ask("update at an older checkpoint", "POST", f"/threads/{thread}/state", {**update, "checkpoint": older})
    copied = ask("copy", "POST", f"/threads/{thread}/copy")
    if isinstance(copied, dict) and "thread_id" in copied:
        ask("state of the copy", "GET", f"/threads/{copied['thread_id']}/state")
    ask.wait("the first turn after it", run("hello again"), thread)


def about(ask: Wire) -> None:
    ask("ok", "GET", "/ok")
    ask("info", "GET", "/info")


SCENES: Mapping[str, Callable[[Wire], None]] = {
    scene.__name__: scene
    for scene in (
        about,
        assistants,
        threads,
        searches,
        states,
        streams,
        waits,
        questions,
        commands,
        branches,
        background,
        cancelling,
        second_messages,
    )
}


def play(base_url: str, scene: str, headers: Mapping[str, str] = {}) -> dict[str, Answer]:
    """Return the answers of a server to a scene."""
    with httpx.Client(base_url=base_url, headers=dict(headers), timeout=60, limits=ONE_EACH) as http:
        ask = Wire(http, scene=scene)
        SCENES[scene](ask)
        return ask.kept
