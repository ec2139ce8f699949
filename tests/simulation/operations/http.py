"""The real application, asked without sockets: a request is an ASGI call in an actor. One application serves all
machines, because making one takes longer than a run; the services behind it are those of the machine that was asked."""

import asyncio
import json
import re
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import fields
from functools import cache
from types import SimpleNamespace

from asgi_caller import Caller
from simulation.operations.graphs import AGENT, RUN
from simulation.operations.memory import WHO
from turnkeep import errors
from turnkeep.http.app import create_app
from turnkeep.services import Services
from turnkeep.settings import Settings

HAS = ContextVar("machine")
SETTINGS = Settings()
ERRORS = {kind.code: kind for kind in vars(errors).values() if hasattr(kind, "code")}


class Here:
    """One service of the machine that was asked."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        return getattr(getattr(HAS.get(), self._name), name)


@cache
def application():
    services = {field.name: Here(field.name) for field in fields(Services)} | {"settings": SETTINGS}
    new_id = lambda: HAS.get().sim.random_bytes(16).hex()  # noqa: E731
    return create_app(Services(**services), authenticate=lambda _: WHO, new_id=new_id)


class Http:
    """What clients ask of one machine. An error that was answered is raised as its class."""

    def __init__(self, has):
        self.has = has

    def __call__(self, method, path, body=None, *, run=None, patience=None, state=(), received=None, **headers):
        """The answer as JSON; of a stream its last event. After `patience` the client disconnects, which raises
        TimeoutError. `received` gets the headers of the answer, even if the client is killed before its end."""
        named = {name.replace("_", "-"): str(value) for name, value in headers.items()} | {"host": "test"}
        content = json.dumps(body).encode() if body else b""
        caller = Caller(application(), method, path, content, named, state=dict(state))

        async def asked():
            HAS.set(self.has)
            RUN.set(run)
            if patience:
                asyncio.get_running_loop().call_later(patience, caller.hang_up)
            await caller.start()

        received = {} if received is None else received
        try:
            self.has.sim.complete(asked())
        finally:
            start, *chunks = caller.received() or [{}]
            received.update((name.decode(), value.decode()) for name, value in start.get("headers", ()))
        return _read(received.get("content-type", ""), b"".join(chunk["body"] for chunk in chunks))

    # named as in `Store`

    threads = turns = property(lambda self: self)

    def create(self, _, thread, *, if_exists):
        self("POST", "/threads", {"thread_id": thread, "if_exists": if_exists, "metadata": {"graph_id": AGENT.name}})

    def newest(self, _, thread, *, limit):
        turns = self("GET", f"/threads/{thread}/turns?limit={limit}")["turns"]
        return [SimpleNamespace(**turn, number=turn["turn_number"]) for turn in turns]

    def delete(self, _, thread):
        self("DELETE", f"/threads/{thread}")

    def erase(self, _):
        return SimpleNamespace(**self("DELETE", "/me"))

    # turns, by each protocol

    def chat(self, run, message, *, base=None, path="/chat", **more):
        body = {"session_id": run.thread, "message": message, "agent": AGENT.name}
        body |= {"from_turn": base} if base is not None else {}
        return SimpleNamespace(**self("POST", path, body, run=run, idempotency_key=run.key, **more))

    def stream(self, run, message, **more):
        return self.chat(run, message, path="/chat/stream", **more)

    def langgraph(self, run, message, **_):
        """Without a key: the message has an id. A client that lost its answer joins the run that the headers named."""
        if place := run.places.pop("location", None):
            with suppress(errors.InternalError):  # the run was given up
                return _last(self("GET", place, run=run))
        human = {"role": "user", "content": message, "id": f"h-{run.key.partition(':')[0]}"}
        body = {"assistant_id": AGENT.name, "input": {"messages": [human]}, "if_not_exists": "create"}
        body["metadata"] = {"asked": message}
        return _last(self("POST", f"/threads/{run.thread}/runs/wait", body, run=run, received=run.places))

    def openai(self, run, message, **_):
        """Without a key: the client counts its tries."""
        body = {"model": AGENT.name, "messages": [{"role": "user", "content": message}]}
        count = {"x_turnkeep_thread": run.thread, "x_stainless_retry_count": run.attempt_id % 10}
        answer = self("POST", "/v1/chat/completions", body, run=run, **count)
        return SimpleNamespace(reply=answer["choices"][0]["message"]["content"], persisted=True)


def _read(media_type, content):
    if media_type.startswith("application/x-ndjson"):
        return [json.loads(line) for line in content.splitlines()]
    is_stream = media_type.startswith("text/event-stream")
    if is_stream:
        content = (re.findall(rb"^data: (.*)$", content, re.MULTILINE) or [b"{}"])[-1]
    answer = json.loads(content or b"{}") or {}
    if is_stream and answer.get("event") not in ("complete", "error"):
        raise TimeoutError
    problem = answer if isinstance(answer, dict) else {}
    problem = next((problem[name] for name in ("__error__", "error") if isinstance(problem.get(name), dict)), problem)
    if kind := ERRORS.get(problem.get("code")):
        raise kind(problem.get("detail") or problem.get("message"))
    return answer


def _last(values):
    return SimpleNamespace(reply=values["messages"][-1]["content"], persisted=True)
