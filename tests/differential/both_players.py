"""One thread of one graph on two sides: Turnkeep through its HTTP API, and LangGraph with its own saver in memory. Each
is asked the same and answers in one form, without ids and times."""

import copy
import dataclasses
import json
import re
from typing import Any

from app_over import app_over
from drawn_graphs import Function, Graph, built
from echoing import Clock
from httpx import ASGITransport, AsyncClient, Response
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import InvalidUpdateError
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send
from memory_items import MemoryItems

from turnkeep.graphfile import GraphSpec
from turnkeep.graphs.own import as_agent
from turnkeep.turns.wire import plain
from turnkeep_local.objects import FolderObjects

Spec = Graph | Function
JSON = dict[str, Any]
MODES = ("values", "updates", "messages", "custom")


@dataclasses.dataclass
class Outcome:
    """What a client gets: an error or not, values at the end with open questions, and parts of a stream."""

    failed: str = ""
    values: Any = None
    parts: list[Any] = dataclasses.field(default_factory=list)

    def add(self, mode: str, namespace: Any, data: Any) -> None:
        data = [data[0], data[1]["langgraph_node"]] if mode == "messages" else data
        self.parts.append([mode, [each.split(":")[0] for each in namespace], nameless(data)])


def nameless(value: Any) -> Any:
    """Without ids that each side generates."""
    if isinstance(value, dict):
        value = {**value, "__interrupt__": in_order(value["__interrupt__"])} if "__interrupt__" in value else value
        return {name: "*" if name == "id" and not _is_drawn(each) else nameless(each) for name, each in value.items()}
    if isinstance(value, str):
        return re.sub(r":[0-9a-f-]{36}|0x[0-9a-f]+", ":*", value)
    return [nameless(each) for each in value] if isinstance(value, list) else value


def in_order(values: list[Any]) -> list[Any]:
    """Parallel branches write and ask in any order."""
    return sorted(values, key=lambda each: str(each["value"] if isinstance(each, dict) else each))


def _is_drawn(value: Any) -> bool:
    return value is None or value in ("call", "1") or str(value).startswith("id-")


def as_json(value: Any) -> Any:
    """As a client of either side reads it: half a surrogate pair is a question mark."""
    return json.loads(json.dumps(plain(value), ensure_ascii=False).encode(errors="replace"))


class Langgraph:
    """A run that fails is undone, as Turnkeep keeps nothing of it."""

    def __init__(self, spec: Spec) -> None:
        self._saver, self._touches = InMemorySaver(), "touch" in repr(spec)
        self._graph = built(spec).copy({"checkpointer": self._saver, "store": InMemoryStore()})

    def _config(self, checkpoint: JSON | None = None) -> Any:
        return {"configurable": {"thread_id": "t", **(checkpoint or {})}}

    async def run(self, given: Any, command: JSON | None = None, checkpoint: JSON | None = None, **how: Any) -> Outcome:
        self._before, outcome, values, asked, ran = self._kept(), Outcome(), None, False, False
        modes = how.get("modes", ())
        try:
            stream = self._graph.astream(
                Command(**{**command, "goto": _steps(command.get("goto"))}) if command else given,
                self._config(checkpoint),
                stream_mode=sorted({"values", "updates", "tasks", *modes}),
                output_keys=self._graph.output_channels,
                subgraphs=True,
                durability="exit",
                **how.get("pauses", {}),
            )
            async for namespace, mode, data in stream:
                ran = ran or mode == "tasks"
                if not namespace:
                    values = data if mode == "values" else values
                    asked = asked or (mode == "updates" and "__interrupt__" in data)
                if mode in modes and (how.get("subgraphs") or not namespace):
                    outcome.add(mode, namespace, as_json(data if mode != "messages" else [*map(plain, data)]))
        except Exception as error:  # noqa: BLE001 - whatever a graph raises
            self.undo()
            return Outcome(failed=type(error).__name__, parts=outcome.parts)
        if not ran and self._kept()[0] == self._before[0]:
            self.undo()
            return Outcome(failed="nothing done")
        if (
            asked or self._touches
        ):  # listed: "`runs.wait` returns the values and questions that the state has afterwards"
            state = await self._graph.aget_state(self._config())
            if self._touches or how.get("pauses") or (command and "goto" in command):
                values, shown = state.values, self._graph.output_channels
                if not isinstance(shown, str):
                    values = {name: each for name, each in values.items() if name in shown}
            if state.interrupts:
                values = {**(values if isinstance(values, dict) else {}), "__interrupt__": state.interrupts}
        return dataclasses.replace(outcome, values=nameless(as_json(values)))

    async def update(self, values: Any, as_node: str | None, checkpoint: JSON | None) -> Outcome:
        self._before = self._kept()
        try:
            await self._graph.aupdate_state(self._config(checkpoint), values, as_node=as_node)
        except Exception as error:  # noqa: BLE001 - whatever a graph raises
            self.undo()
            return Outcome(failed=f"{type(error).__name__}: {error}")
        return Outcome()

    async def state(self, checkpoint: JSON | None = None) -> JSON:
        try:
            snapshot = await self._graph.aget_state(self._config(checkpoint), subgraphs=True)
        except InvalidUpdateError:  # nodes of an inner graph that waits wrote what cannot be joined
            snapshot = await self._graph.aget_state(self._config(checkpoint))
        return self._shown(snapshot)

    async def history(self, before: JSON | None = None) -> list[JSON]:
        before = self._config(before) if before else None
        return [self._shown(each) async for each in self._graph.aget_state_history(self._config(), before=before)]

    def _shown(self, snapshot: Any) -> JSON:
        tasks = [
            {"name": each.name, "interrupts": each.interrupts, "error": each.error, "result": each.result}
            | {"state": self._shown(each.state) if hasattr(each.state, "tasks") else None}
            for each in snapshot.tasks
        ]
        shown = {"values": snapshot.values, "next": snapshot.next, "tasks": tasks, "interrupts": snapshot.interrupts}
        place = {name: each for name, each in snapshot.config["configurable"].items() if not name.startswith("__")}
        return as_json(shown) | {"checkpoint": place}

    def _kept(self) -> Any:
        return copy.deepcopy((self._saver.storage, self._saver.writes, self._saver.blobs))

    def undo(self) -> None:
        self._saver.storage, self._saver.writes, self._saver.blobs = self._before


def _steps(given: Any) -> Any:
    return [Send(each["node"], each["input"]) if isinstance(each, dict) else each for each in given or ()]


class Turnkeep:
    """A restart leaves nothing but the table."""

    def __init__(self, spec: Spec, folder: FolderObjects) -> None:
        self._spec, self._folder, self._items = spec, folder, MemoryItems()
        self.thread_id, self._number = "", 0
        self.restart()

    def restart(self) -> None:
        agent = as_agent(built(self._spec), GraphSpec("papers", "./own.py", "graph", "langgraph.json:1"))
        app = app_over(self._items, self._folder, Clock(), agent_of=lambda _: agent)
        self._http = AsyncClient(transport=ASGITransport(app), base_url="http://test")

    async def _post(self, path: str, **body: Any) -> Response:
        return await self._http.post(f"/threads/{self.thread_id}/{path}", json=body)

    async def begin(self) -> None:
        made = await self._http.post("/threads", json={"metadata": {"graph_id": "papers", "deep": {"a": 1, "b": [2]}}})
        self.thread_id = made.json()["thread_id"]

    async def run(self, given: Any, command: JSON | None = None, checkpoint: JSON | None = None, **how: Any) -> Outcome:
        self._number += 1  # two requests that are the same would be one and its retry
        body: JSON = {"assistant_id": "papers", "metadata": {"number": self._number}, **how.get("pauses", {})}
        asked = {"input": given, "command": command, "checkpoint": checkpoint}
        body |= {name: value for name, value in asked.items() if value is not None}
        modes, subgraphs = how.get("modes", ()), how.get("subgraphs", False)
        if modes:
            modes = ["messages-tuple" if each == "messages" else each for each in modes]
            return _outcome(await self._post("runs/stream", **body, stream_mode=modes, stream_subgraphs=subgraphs))
        answer = await self._post("runs" if how.get("joins") else "runs/wait", **body)
        if how.get("joins") and answer.status_code == 200:
            answer = await self._http.get(f"/threads/{self.thread_id}/runs/{answer.json()['run_id']}/join")
        return _outcome(answer)

    async def update(self, values: Any, as_node: str | None, checkpoint: JSON | None) -> Outcome:
        outcome = _outcome(await self._post("state", values=values, as_node=as_node, checkpoint=checkpoint))
        return dataclasses.replace(outcome, values=None)

    async def state(self, checkpoint: JSON | None = None) -> JSON:
        if checkpoint:
            answer = await self._post("state/checkpoint", checkpoint=checkpoint, subgraphs=True)
        else:
            answer = await self._http.get(f"/threads/{self.thread_id}/state", params={"subgraphs": True})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def history(self, before: JSON | None = None) -> list[JSON]:
        answer = await self._post("history", limit=100, before=before)
        assert answer.status_code == 200, answer.text
        return list(answer.json())

    async def search(self, **body: Any) -> list[str]:
        return [each["thread_id"] for each in (await self._http.post("/threads/search", json=body)).json()]


def _outcome(answer: Response) -> Outcome:
    if answer.status_code != 200:
        return Outcome(failed=f"{answer.status_code} {answer.text}")
    if answer.headers["content-type"].startswith("application/json"):
        body = answer.json()
        error = body.get("__error__") if isinstance(body, dict) else None
        return Outcome(failed=json.dumps(error)) if error else Outcome(values=nameless(body))
    outcome = Outcome()
    for frame in answer.text.replace("\r", "").split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.split("\n") if ": " in line)
        name, *namespace = lines.get("event", "").split("|")
        if name == "error":
            outcome.failed = lines["data"]
        elif name in MODES:
            outcome.add(name, namespace, json.loads(lines["data"]))
    return outcome
