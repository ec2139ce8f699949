"""Requests of the canary test: every client request, valid and invalid, unusual events, and invalid credentials."""

import asyncio
import itertools
import json
import secrets
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import httpx
import openai_calls
import sdk_calls
from canary import RAW, Traffic, spoilt, spoilt_paths, spoilt_texts
from front import Front
from issuer import token
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from proxies import ANY, ERRORS, FailingStore, Fate
from scenes import SCENES, play
from wire import Answer, Exchange, WireServer, calls, garbles, refuses, resets, says

from deployed_function import gateway_event
from turnkeep.records import Principal
from turnkeep.store.items import Items
from turnkeep.store.keys import HEAD, expiry_bucket, partition

AGENTS = ("papers", "campaigns", "products", "regulations", "database")


@dataclass
class Scene:
    """A deployment behind a gateway that plants words."""

    word: dict[str, str]
    folder: Path
    store: FailingStore
    model: WireServer
    traffic: Traffic
    client: httpx.Client
    items: Items
    """Direct access to the table."""

    principal: Principal
    url: str = ""
    mine: dict[str, str] = field(default_factory=dict)
    """Headers of the user, and of another user."""
    other: dict[str, str] = field(default_factory=dict)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Send a request unchanged; `headers` have underscores."""
        own = {**self.mine, "Content-Type": "application/json", "Idempotency-Key": self.key()}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, str | None) else json.dumps(body)
        data = content and content.encode("utf-8", "replace")
        return self.client.request(method, self.url + path, content=data, headers={**own, RAW: "yes"})

    def key(self) -> str:
        return f"{self.word['idempotency']}-{secrets.token_hex(4)}"

    def chat_body(self, text: str = "hello", **more: Any) -> dict[str, Any]:
        return {"message": f'{text} {self.word["message"]} é"\n%<b>', **more}

    def head(self, thread: str) -> dict[str, Any]:
        return self.items.get(partition(self.principal, thread), HEAD) or {}

    def change(self, thread: str, expression: str, values: dict[str, Any], sk: str = HEAD) -> None:
        """Change an item directly in the table."""
        pk = partition(self.principal, thread)
        self.items.update(pk, sk, expression, values, condition="attribute_exists(PK)")

    @contextmanager
    def failing(self, fate: Fate, operation: str = ANY) -> Iterator[None]:
        self.store.fates[operation] = fate
        yield
        self.store.fates.clear()


# What is sent


def use_every_route(scene: Scene) -> None:
    for name in SCENES:
        play(scene.url, name, scene.mine)
    asyncio.run(use_the_store(scene))
    openai_calls.call(scene.url, str(uuid.uuid4()), scene.traffic.owner)
    with httpx.Client(base_url=scene.url, headers=scene.mine, timeout=60) as http:
        use_native_routes(scene, http)


async def use_the_store(scene: Scene) -> None:
    async with get_client(url=scene.url, headers=scene.mine) as client:
        await sdk_calls.store(client)
        await use_assistants(scene, client)


async def use_assistants(scene: Scene, client: LangGraphClient) -> None:
    secret = scene.word["message"]
    made = await client.assistants.create("parcels", config={"configurable": {"tone": secret}}, metadata={"of": secret})
    named = made["assistant_id"]
    await client.assistants.update(named, name=secret)
    assert len(await client.assistants.get_versions(named)) == 2
    await client.assistants.set_latest(named, 1)
    payload: Any = {"assistant_id": named, "input": sdk_calls.human(f"hello {secret}")}
    [run] = await client.runs.create_batch([payload])
    await client.runs.join(run["thread_id"], run["run_id"])
    await client.runs.cancel_many(thread_id=run["thread_id"], status="all")
    assert await client.threads.prune([run["thread_id"]]) == {"pruned_count": 1}
    await client.assistants.delete(named)


def follow(http: httpx.Client, thread: str, text: str) -> None:
    """Start a run by version 2 of LangGraph's protocol, and read its events to the end."""
    params = {"assistant_id": "parcels", "input": {"messages": [{"role": "human", "content": text}]}}
    http.post(f"{thread}/commands", json={"id": 1, "method": "run.start", "params": params}).raise_for_status()
    with http.stream(
        "POST", f"{thread}/stream/events", json={"channels": ["values", "messages", "lifecycle"]}
    ) as events:
        lines = [*events.iter_lines()]  # to its end: until then the process has a request of this user
    assert any('"namespace":[]' in line and '"event":"completed"' in line for line in lines)


def use_native_routes(scene: Scene, http: httpx.Client) -> None:
    thread = f"/threads/{http.post('/threads', json={}).json()['thread_id']}"
    turn = {"message": "hello", "agent": "parcels"}
    for method, path, body in (
        ("POST", f"{thread}/turns", turn),
        ("POST", f"{thread}/turns/stream", {**turn, "conversation_window": 2}),
        ("GET", thread, None),
        ("PATCH", thread, {"metadata": {"about": "it"}}),
        ("GET", f"{thread}/turns", None),
        *(("GET", f"{thread}{path}/stream", None) for path in ("", "/turns")),
        ("GET", f"{thread}/turns/1", None),
        ("POST", f"{thread}/fork", {"turn": 1}),
        ("POST", "/chat", {**turn, "session_id": "first", "on_disconnect": "continue"}),
        ("POST", "/chat/stream", {**turn, "session_id": "new"}),
        ("POST", "/internal/chat/stream", {"input": {"message": "hello"}, "conversation": {"id": "c", "user_id": "u"}}),
        *(("GET", path, None) for path in ("/openapi.json", "/agents", "/agents/papers", "/usage", "/me/export")),
        ("GET", f"{thread}/attachments", None),
    ):
        answer = http.request(method, path, json=body)
        assert answer.status_code < 300, (method, path, answer.text)
    follow(http, thread, turn["message"])
    made = http.post(f"{thread}/attachments", json={"name": "a.txt", "size": 1}).json()
    for method in ("GET", "DELETE"):
        http.request(method, f"{thread}/attachments/{made['document_id']}")


def spoil_every_request(scene: Scene) -> None:
    """Send every request with a word in each place, and while the store fails. Deletions come last."""
    word, fates = scene.word, itertools.cycle(ERRORS)
    for request in sorted(scene.traffic.requests.values(), key=lambda each: each.method == "DELETE"):
        send = partial(scene.send, request.method, x_correlation_id=f"{word['forged']} [31m")
        bodies = (*spoilt(request.body, word["value"], word["name"]), *spoilt_texts(word["value"]))
        for body in bodies if request.body else ():
            send(request.path, body)
        for path in spoilt_paths(request.path, word["path"], word["name"]):
            send(path, request.body)
        send = partial(send, request.path, request.body)
        send(authorization=word["refusedkey"])
        send(content_type=f"multipart/form-data; boundary={word['boundary']}")
        send(idempotency_key=f"{word['idempotency']}/#")
        scene.send(word["method"].upper(), request.path, request.body, x_correlation_id=word["correlation"])
        with scene.failing(next(fates)):
            send()


def ask_every_agent(scene: Scene) -> None:
    """Ask with a model that fills in every typed call, and with failing models."""
    reply = scene.word["reply"]
    statement = f"SELECT COUNT(*) AS n, JSON_EXTRACT(lastName, '$.x') FROM employee WHERE lastName <> '{reply}'"
    obliging = fills_in({"sql": statement, "tables": ["employee"]}, f"Hello {reply}. It costs $1,234,567 [{reply}].")
    statuses = ("500 Internal Server Error", "401 Unauthorized", "429 Too Many Requests", "400 Bad Request")
    paths = itertools.cycle(("/chat", "/chat/stream"))
    faults = [obliging, *map(echoes, statuses), garbles, resets, says(f"half {reply}", "length"), refuses(reply)]
    for scene.model.otherwise, agent in [(obliging, agent) for agent in AGENTS] + list(
        itertools.product(faults, AGENTS)
    ):
        answer = scene.send("POST", next(paths), scene.chat_body("How many are there of", agent=agent))
        assert scene.model.otherwise is not obliging or answer.status_code == 200, answer.text


def fills_in(known: dict[str, Any], text: str) -> Answer:
    """Return a model that fills in every typed call."""

    def value(schema: Any, definitions: Any, name: str = "") -> Any:
        schema = schema | definitions.get(str(schema.get("$ref")).rpartition("/")[2], {})
        for kind in ("anyOf", "allOf"):
            schema = schema | schema.get(kind, [{}])[0]
        if name in known or "enum" in schema or "const" in schema:
            return known.get(name, schema.get("const", schema.get("enum", [None])[0]))
        match schema.get("type"):
            case "object":
                wanted = {*schema.get("required", ()), *known}
                parts = {key: each for key, each in schema.get("properties", {}).items() if key in wanted}
                return {key: value(each, definitions, key) for key, each in parts.items()}
            case "array":
                return [value(schema.get("items", {}), definitions, name)]
            case "integer" | "number":
                return schema.get("minimum", 1)
            case kind:
                return kind == "boolean" or text

    def play(exchange: Exchange) -> None:
        if not (tools := exchange.body.get("tools")):
            return says(text)(exchange)
        function = tools[0]["function"]
        return calls(function["name"], value(function["parameters"], function["parameters"].get("$defs", {})))(exchange)

    return play


def echoes(status: str) -> Answer:
    """Return an error that repeats the whole request, including its key."""

    def play(exchange: Exchange) -> None:
        echo = f"{json.dumps(exchange.body)} {exchange.headers}"
        error = {"message": echo, "type": echo, "code": echo, "param": echo}
        exchange.send_whole(status, {"error": error}, {"X-Request-Id": exchange.headers["authorization"]})

    return play


def fail_runs(scene: Scene) -> None:
    """Cause failed runs, interrupts, large and unstored replies, and reused keys and threads."""
    for path in ("/chat", "/chat/stream"):
        assert "agent_error" in scene.send("POST", path, scene.chat_body("fail", agent="loud", session_id="loud")).text
        assert "interrupted" in scene.send("POST", path, scene.chat_body("ask", agent="loud")).text
        assert "internal_error" in scene.send("POST", path, scene.chat_body(agent="unbuildable")).text
    assert scene.send("GET", "/threads/loud").json()["pending"]
    large, key = scene.chat_body("write", agent="loud", session_id="large"), scene.key()
    with scene.failing("throttled", "BatchWriteItem"):
        assert scene.send("POST", "/chat", large, idempotency_key=key).json()["persisted"] is False
    for _ in range(2):
        assert scene.send("POST", "/chat", large, idempotency_key=key).json()["persisted"]
    scene.send("POST", "/chat", scene.chat_body(session_id="large"), idempotency_key=key)
    scene.send("POST", "/chat", scene.chat_body(session_id="large", agent="parcels"))
    scene.send("POST", "/chat", scene.chat_body("x" * 70_000))
    for _ in range(21):
        scene.send("POST", "/threads/large/attachments", {"name": f"{scene.word['value']}.txt", "size": 1})
    scene.send("POST", "/threads/large/attachments", {"name": f"{scene.word['value']}.txt", "size": 10**8})


def ask_for_another(scene: Scene) -> None:
    """Send every request again as another user, without the words in its body."""
    for request in sorted(scene.traffic.requests.values(), key=lambda each: each.method == "DELETE"):
        body = json.loads(json.dumps(request.body).replace(scene.word["message"], ""))
        headers = {**scene.other, RAW: "yes"}
        scene.client.request(request.method, scene.url + request.path, json=body, headers=headers)


# What no client of the API does


def send_odd_events(scene: Scene, fronts: dict[str, Front]) -> None:
    """Invoke the functions with events that no gateway sends, and with an invalid client context."""
    caller = {"tenant": "t", "user": "u", "acts_for": "false", "credential": "k"}
    events = [gateway_event("GET", "/agents?a=b", headers=[("X-Something", "it")], authorizer=caller)]
    del events[0]["requestContext"]["requestId"]  # becomes the correlation id
    events += [json.loads(scene.traffic.sinks["event"][0]), {"type": "REQUEST", "methodArn": "arn:a", **events[0]}]
    for front in fronts.values():
        for event in events:
            for odd in spoilt(event, scene.word["event"], scene.word["event"]):
                scene.traffic.sinks.put("problem", front.invoke(odd))
        front.more_headers["Lambda-Runtime-Client-Context"] = f'{{"{scene.word["context"]}'
        front.invoke(events[0])
        front.more_headers = {}
        front.invoke(events[0])  # which is the newest that it has in memory


def get_in_the_way(scene: Scene) -> None:
    """Use threads that are unreadable, busy, or taken over by another writer."""
    chat = partial(scene.send, "POST", "/chat")
    chat(scene.chat_body(agent="parcels", session_id="corrupt"))
    scene.change("corrupt", "SET #data = :data", {":data": b"\1" * 90}, scene.head("corrupt")["last"])
    scene.send("GET", "/threads/corrupt/turns")
    chat(scene.chat_body(agent="parcels", session_id="taken"))
    slow, key = scene.chat_body("wait 2", agent="parcels", session_id="taken"), scene.key()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(chat, slow, idempotency_key=key)
        while "lease" not in scene.head("taken") and not first.done():
            time.sleep(0.05)
        scene.send("POST", "/chat/stream", slow, idempotency_key=key)
        scene.change("taken", "SET seq = seq + :one", {":one": 1})
    assert first.result().json()["code"] == "superseded"


def clean_up(scene: Scene, front: Front) -> None:
    """Clean up an expired thread after a failed attempt."""
    scene.send("POST", "/threads", {"thread_id": "expired"})
    past = int(time.time() * 1000) - 1000
    hour = expiry_bucket(past, partition(scene.principal, "expired"))
    scene.change("expired", "SET expires = :at, xh = :hour", {":at": past, ":hour": hour})
    with scene.failing("throttled"):
        front.invoke({})
    assert json.loads(front.invoke({"time": "now"}))["threads"] == 1


# Who calls


def authorizing(scene: Scene, front: Front) -> Callable[[dict[str, str]], dict[str, str] | None]:
    @cache
    def judge(*headers: tuple[str, str]) -> dict[str, str] | None:
        arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/v1/GET/info"
        event = gateway_event("GET", "/info", headers=headers)
        answer = front.invoke({"type": "REQUEST", "methodArn": arn, **event})
        if not answer.startswith(b"{") or front.invocations[-1].error:
            return None
        policy = json.loads(answer)
        scene.traffic.sinks.put("policy", policy["policyDocument"], policy["principalId"])
        scene.traffic.sinks.put("context", policy["context"])
        return {**policy["context"], "principalId": policy["principalId"]}

    return lambda headers: judge(*(pair for pair in headers.items() if pair[0] in ("authorization", "x-api-key")))


def make_keys(scene: Scene, table: str, facts: dict[str, str]) -> list[str]:
    """Create and revoke keys as an operator; return invalid ones."""
    who = ["--table", table, "--tenant", scene.principal.tenant, "--user", scene.principal.user]
    create = ["keys", "create", *who, "--label", scene.word["label"]]
    keys = [run_command(scene, facts, create) for _ in range(2)]
    other = run_command(scene, facts, ["keys", "create", "--table", table, "--tenant", "b", "--user", "bob"])
    run_command(scene, facts, ["keys", "revoke", "--table", table, keys[1].split("_")[1]])
    run_command(scene, facts, ["keys", "list", "--table", table])
    with scene.failing("denied"):
        run_command(scene, facts, create)
    scene.word |= {"keyid": keys[0].split("_")[1], "key": keys[0][-64:-40], "refusedkey": keys[1][-64:-40]}
    scene.mine, scene.other = {"authorization": f"Bearer {keys[0]}"}, {"x-api-key": other}
    scene.traffic.owner = keys[0]
    claim = scene.word["claim"]
    return [keys[1], keys[0][:-4] + "0000", f"tk_{claim}", f"é{claim}", claim * 900, f"tk_{'0' * 16}_{'0' * 64}"]


def run_command(scene: Scene, facts: dict[str, str], command: list[str]) -> str:
    """Run the command; return the key that it prints."""
    run = [sys.executable, "-m", "turnkeep_local.cli", *command]
    done = subprocess.run(run, env=facts, capture_output=True, text=True, check=False, timeout=120)
    key = next((line for line in done.stdout.splitlines() if line.startswith("tk_")), "")
    scene.traffic.sinks.put(
        "terminal", done.stdout.replace(key, "") if command[1] == "create" else done.stdout, done.stderr
    )
    return key


def wrong_tokens(scene: Scene) -> list[str]:
    claim = scene.word["claim"]
    who: dict[str, Any] = {"tenant": scene.word["tenant"], "sub": scene.word["user"]}
    good = token(**who, more=claim)
    head, body, signature = good.split(".")
    scene.word["jwt"] = signature[:24]
    wrong = [claim, f"{head}.{body}", f"{head}.{body}.{signature[:-8]}AAAAAAAA", token("p256", **who)]
    wrong += [token(**who, head=change) for change in ({"kid": claim}, {"crit": [claim]})]
    changes = ({"exp": 1}, {"exp": claim}, {"aud": claim}, {"iss": claim}, {"nbf": claim}, {"sub": claim * 99})
    wrong += [token(**{**who, **change}) for change in (*changes, {"tenant": None}, {"tenant": [claim]})]
    return wrong


def drive(scene: Scene) -> None:
    for part in (use_every_route, fail_runs, get_in_the_way, ask_every_agent, spoil_every_request):
        part(scene)
