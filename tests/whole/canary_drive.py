"""What is planted, and where: through every route, every error that can be provoked, and everybody who is refused."""

import base64
import json
import random
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from calls_of_database import ask, reads, writes
from calls_of_papers import GRADE, READING
from canary_site import Answer as Answered
from canary_site import Deployment, answer_in, event_of, wait_for
from issuer import Issuer, token
from wire import Answer, Exchange, WireServer, answers, calls, chunk, garbles, refuses, resets, says

from turnkeep.aws.jwks import PAUSE_AFTER_FAULT_SECONDS
from turnkeep.aws.secrets import REREAD_SECONDS
from turnkeep.records import Principal
from turnkeep.storage.apikeys import ApiKeys
from turnkeep.storage.items import Items
from turnkeep.storage.keyring import Keyring
from turnkeep.storage.keys import HEAD, expiry_bucket, partition
from turnkeep.storage.store import Store
from turnkeep.turns import TurnRequest

ANOTHER = Principal("another", "bob")


@dataclass
class Scene:
    """A deployment, its model's server, and what is planted."""

    site: Deployment
    model: WireServer
    word: dict[str, str]
    items: Items
    """The table past the functions."""

    principal: Principal
    credential: dict[str, str] = field(default_factory=dict)
    another: dict[str, str] = field(default_factory=dict)
    """What opens the door to a second tenant."""

    refused: list[dict[str, str]] = field(default_factory=list)
    """What opens nothing."""

    table: Store | None = None
    rests_until: float = 0
    """When what could not be read is asked for again, in monotonic seconds."""

    def rest(self, seconds: float) -> None:
        self.rests_until = time.monotonic() + seconds + 0.1

    def wait(self) -> None:
        time.sleep(max(0, self.rests_until - time.monotonic()))

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> Answered:
        headers = {**self.credential, "Idempotency-Key": self.key(), **more.pop("headers", {})}
        return self.site.send(method, path, body, headers=headers, **more)

    def key(self) -> str:
        """An Idempotency-Key of its own."""
        return f"{self.word['idempotency']}-{secrets.token_hex(4)}"

    def body(self, **more: Any) -> dict[str, Any]:
        return {"message": f'What is {self.word["message"]} of low-rank adaptation? é"\n%<b>', **more}

    def said(self) -> dict[str, Any]:
        """A message as a client of either protocol has it."""
        return {"role": "user", "content": self.body()["message"], "id": f"{self.word['messageid']}-{self.key()[-8:]}"}

    def place(self) -> dict[str, Any]:
        """Of something remembered."""
        return {"namespace": [self.word["memory"]], "key": self.word["memory"]}

    def run(self) -> dict[str, Any]:
        """LangGraph's."""
        about = {"about": self.word["runmetadata"]}
        modes = ["values", "updates", "messages", "messages-tuple", "custom", "debug"]
        asked = {"assistant_id": "papers", "input": {"messages": [self.said()]}, "stream_mode": modes}
        return {**asked, "metadata": about, "config": {"tags": [self.word["runmetadata"]]}, "stream_subgraphs": True}

    def completion(self, **more: Any) -> dict[str, Any]:
        """OpenAI's."""
        tool = {"type": "function", "function": {"name": self.word["fieldvalue"], "parameters": {}}}
        return {"model": "papers", "messages": [self.said()], "tools": [tool], "user": self.word["acted"], **more}

    def response(self, **more: Any) -> dict[str, Any]:
        asked = {"model": "papers", "input": self.body()["message"], "conversation": self.thread(2)}
        return {**asked, "instructions": self.word["fieldvalue"], "metadata": {"a": self.word["runmetadata"]}, **more}

    def thread(self, number: int = 1) -> str:
        return f"{self.word['thread']}-{number}"

    def well(self, *last: Answer) -> None:
        """The model is asked twice before the answer, and gives reasons."""
        reason = f"it is about {self.word['message']} {self.word['reply']}"
        self.model.script += [calls("Reading", {**READING, "question": reason, "reason": reason}), GRADE]
        self.model.script += last or [says(f"Small matrices, {self.word['reply']} [2106.09685].")]

    def change(self, thread: str, expression: str, values: dict[str, Any], sk: str = HEAD) -> None:
        """An item, behind everybody's back."""
        pk = partition(self.principal, thread)
        self.items.update(pk, sk, expression, values, condition="attribute_exists(PK)")

    def head(self, thread: str) -> dict[str, Any]:
        return self.items.get(partition(self.principal, thread), HEAD) or {}


def echoes(status: str) -> Answer:
    """The worst that a model's server could say: all that it was asked, and by whom."""

    def play(exchange: Exchange) -> None:
        told = f"{json.dumps(exchange.body)} {exchange.headers}"
        error = {"message": told, "type": told, "code": told, "param": told}
        exchange.send_whole(status, {"error": error}, {"X-Request-Id": exchange.headers["authorization"]})

    return play


# Every route


ROUTES: dict[tuple[str, str], Any] = {
    ("GET", "/ok"): None,
    ("GET", "/info"): None,
    ("GET", "/openapi.json"): None,
    ("GET", "/agents"): None,
    ("GET", "/agents/{name}"): None,
    ("POST", "/threads"): lambda s: {"thread_id": s.thread(1), "metadata": {s.word["metadata"]: s.word["metadata"]}},
    ("POST", "/threads/search"): lambda s: {"metadata": {s.word["metadata"]: s.word["metadata"]}},
    ("GET", "/threads/{thread_id}"): None,
    ("PATCH", "/threads/{thread_id}"): lambda s: {"metadata": {"more": s.word["metadata"]}},
    ("POST", "/threads/{thread_id}/turns"): lambda s: s.body(),
    ("POST", "/threads/{thread_id}/turns/stream"): lambda s: s.body(agent="papers", conversation_window=2),
    ("GET", "/threads/{thread_id}/turns"): None,
    ("GET", "/threads/{thread_id}/turns/{number}"): None,
    ("POST", "/threads/{thread_id}/fork"): lambda s: {"turn": 1},
    ("POST", "/chat"): lambda s: s.body(session_id=s.thread(2)),
    ("POST", "/chat/stream"): lambda s: s.body(session_id="new"),
    ("POST", "/internal/chat/stream"): lambda s: {
        "input": {"message": s.body()["message"]},
        "conversation": {"id": s.thread(2), "user_id": s.word["acted"], "company_id": s.word["acted"]},
    },
    ("POST", "/threads/{thread_id}/attachments"): lambda s: {"name": f"{s.word['attachment']}.txt", "size": 1},
    ("GET", "/threads/{thread_id}/attachments"): None,
    ("GET", "/threads/{thread_id}/attachments/{document_id}"): None,
    ("DELETE", "/threads/{thread_id}/attachments/{document_id}"): None,
    ("GET", "/usage"): None,
    ("DELETE", "/threads/{thread_id}"): None,
}
"""What a good request to each route has in its body."""

NOT_SERVED = {
    "/internal/chat/stream": "agent_mismatch",
}
"""Routes whose body above is refused: it belongs to another agent."""


def at(path: str, thread: str, *, number: str = "1", name: str = "papers", document: str = "unknown") -> str:
    return path.format(thread_id=thread, number=number, name=name, document_id=document)


def use_every_route(scene: Scene) -> None:
    document = ""
    for (method, path), body in ROUTES.items():
        if method == "POST" and path.endswith(("/chat", "/turns", "/stream")) and path not in NOT_SERVED:
            scene.well()
        done = {("DELETE", False): 204, ("POST", True): 201}.get((method, path.endswith("/attachments")), 200)
        expected: Any = NOT_SERVED.get(path, done)
        strict = {"/usage": "", "/threads/{thread_id}/turns": "limit=5"}  # these know all of their parameters
        query = strict.get(path, f"{scene.word['query']}={scene.word['query']}")
        where = at(path, scene.thread(), document=document)
        answer = scene.send(method, f"{where}?{query}", body and body(scene), expect=expected)
        document = json.loads(answer.body)["document_id"] if expected == 201 else document
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": scene.word["unknownheader"]}
    scene.send("OPTIONS", "/chat", headers=asking)
    scene.send("HEAD", f"/threads/{scene.thread(2)}", expect=200)
    for thread, status in ((scene.thread(2), 200), (scene.thread(1), 404)):
        scene.send("GET", f"/threads/{thread}", headers={"X-Correlation-Id": scene.word["correlation"]}, expect=status)


def spoil_every_route(scene: Scene) -> None:
    """Each route with everything that a request can do wrong."""
    for (method, path), body in ROUTES.items():
        send, good = partial(scene.send, method, at(path, scene.thread(1))), body and body(scene)
        nobody = dict.fromkeys(scene.credential, "")
        for headers in (nobody, scene.refused[0]):
            send(good, headers=headers)
        for spoilt in spoilt_bodies(scene, good) if body else ():
            send(spoilt)
        send(good, headers={"Content-Type": f"multipart/form-data; boundary={scene.word['attachment']}"})
        send(good, headers={"Idempotency-Key": f"{scene.word['idempotency']}/#"})
        send(good, headers={"X-Correlation-Id": f"{scene.word['forgedid']} [31m"})
        scene.send(scene.word["method"].upper(), at(path, scene.thread(1)), good, expect=405)
        for spoilt in (f"{scene.word['pathname']}%0A%22é", f"{scene.word['pathname']}-1"):
            scene.send(method, at(path, spoilt, number=spoilt, name=spoilt, document=spoilt), good)
        scene.send(method, f"{at(path, scene.thread(1))}/{scene.word['pathname']}/x", good, expect=404)
        query = f"{scene.word['fieldname']}={scene.word['fieldvalue']}&limit={scene.word['fieldvalue']}"
        scene.send(method, f"{at(path, scene.thread(1))}?{query}", good)
        for fault in ("down", "throttled", "refused"):
            with scene.site.store.failing(fault):
                send(good)


PROTOCOLS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/assistants/search", lambda s: {"metadata": {s.word["metadata"]: s.word["metadata"]}}),
    ("POST", "/assistants/count", lambda s: {}),
    ("GET", "/assistants/{name}", None),
    ("GET", "/assistants/{name}/graph", None),
    ("GET", "/assistants/{name}/schemas", None),
    ("GET", "/assistants/{name}/subgraphs", None),
    ("POST", "/threads/count", lambda s: {"metadata": {s.word["metadata"]: s.word["metadata"]}}),
    ("POST", "/threads/{thread_id}/runs/wait", lambda s: s.run()),
    ("POST", "/threads/{thread_id}/runs/stream", lambda s: s.run()),
    ("POST", "/runs/wait", lambda s: s.run()),
    ("POST", "/runs/stream", lambda s: s.run()),
    ("GET", "/threads/{thread_id}/runs", None),
    ("GET", "/threads/{thread_id}/runs/{run_id}", None),
    ("GET", "/threads/{thread_id}/runs/{run_id}/join", None),
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream", None),
    ("GET", "/threads/{thread_id}/state", None),
    ("POST", "/threads/{thread_id}/state", lambda s: {"values": {"messages": [s.said()]}}),
    ("POST", "/threads/{thread_id}/history", lambda s: {"metadata": {}}),
    ("POST", "/threads/{thread_id}/copy", lambda s: {}),
    ("PUT", "/store/items", lambda s: {**s.place(), "value": {"text": s.word["memory"]}}),
    ("GET", "/store/items?{place}", None),
    ("POST", "/store/items/search", lambda s: {"namespace_prefix": [], "query": s.word["memory"]}),
    ("POST", "/store/namespaces", lambda s: {"prefix": [s.word["memory"]]}),
    ("GET", "/v1/models", None),
    ("GET", "/v1/models/{name}", None),
    ("POST", "/v1/chat/completions", lambda s: s.completion()),
    ("POST", "/v1/chat/completions", lambda s: s.completion(stream=True)),
    ("POST", "/v1/responses", lambda s: s.response()),
    ("POST", "/v1/responses", lambda s: s.response(stream=True)),
    ("GET", "/v1/conversations/{thread_id}", None),
    ("GET", "/v1/conversations/{thread_id}/items", None),
    ("POST", "/v1/conversations/{thread_id}", lambda s: {"metadata": {"about": s.word["metadata"]}}),
)
"""What a good request of LangGraph's and OpenAI's clients has in its body."""


def speak_the_protocols(scene: Scene) -> None:
    """Each route of theirs, with good bodies, spoilt ones, and a model that fails."""
    thread = scene.thread(2)
    [run] = json.loads(scene.send("GET", f"/threads/{thread}/runs?limit=1", expect=200).body)
    for method, path, body in PROTOCOLS:
        place = "namespace={0}&key={0}".format(scene.word["memory"])
        where = path.format(thread_id=thread, run_id=run["run_id"], name="papers", place=place)
        asks = method == "POST" and path.endswith(("/wait", "/stream", "/completions", "/responses"))
        headers = {"Idempotency-Key": "", "X-Turnkeep-Thread": thread if path.endswith("/completions") else ""}
        if asks:
            scene.well()
        scene.send(method, where, body and body(scene), headers=headers, expect=204 if method == "PUT" else 200)
        for spoilt in spoilt_bodies(scene, body(scene)) if body else ():
            scene.send(method, where, spoilt, headers=headers)
            scene.model.script.clear()
        for fault in (echoes("500 Internal Server Error"), garbles) if asks else ():
            scene.well(fault)
            scene.send(method, where, body and body(scene), headers=headers)
            scene.model.script.clear()
    scene.send("POST", "/v1/chat/completions", scene.completion(n=2), expect=400)
    for name in ("run_id", "name"):
        wrong = {"thread_id": thread, "run_id": run["run_id"], "name": "papers", name: scene.word["pathname"]}
        for method, path, body in PROTOCOLS:
            if f"{{{name}}}" in path:
                scene.send(method, path.format(**wrong), body and body(scene))
    scene.well(refuses(f"not {scene.word['reply']}"))
    scene.send("POST", "/chat", scene.body(), expect=200)


def attach_too_much(scene: Scene) -> None:
    path, body = f"/threads/{scene.thread(2)}/attachments", {"name": f"{scene.word['attachment']}.txt", "size": 1}
    scene.send("POST", path, body | {"size": 10**8}, expect="document_too_large")
    for _ in range(20):
        scene.send("POST", path, body, expect=201)
    scene.send("POST", path, body, expect="too_many_documents")


def spoilt_bodies(scene: Scene, good: Any) -> Iterator[Any]:
    word = scene.word
    yield f'{{"message": "{word["malformed"]}'
    yield f'{{"message": "\\ud800{word["malformed"]}"}}'
    yield f'{{"message": "{word["malformed"]}", "conversation_window": NaN}}'
    yield json.dumps(word["malformed"])
    yield "[" * 100_000 + word["malformed"]
    yield {**good, word["fieldname"]: word["fieldvalue"], f"{word['fieldvalue']} é": 1}
    yield {name: [[word["fieldvalue"]]] for name in good}
    yield dict.fromkeys(good, word["fieldvalue"] + "\0")
    yield {**good, "agent": word["agent"]}
    yield {**good, **dict.fromkeys(("on_disconnect", "if_exists", "status", "limit", "offset"), word["fieldvalue"])}
    yield {"message": f"{word['attachment']} " + "x" * 70_000}
    yield {"message": f"{word['attachment']} " + "x" * 270_000}
    yield {"message": f"--b\r\nContent-Disposition: form-data; filename={word['attachment']}\r\n\r\n\0"}
    yield {"messages": [{"role": "system", "content": word["fieldvalue"]}], "attachments": [word["attachment"]]}


# Every fault of a turn


def fail_the_model(scene: Scene) -> None:
    thread, word = f"/threads/{scene.thread(1)}/turns", scene.word
    scene.send("POST", "/threads", {"thread_id": scene.thread(1), "metadata": {"about": word["metadata"]}}, expect=200)
    unknown = {"tool_calls": [{"id": word["reply"], "type": word["reply"], "function": {"name": word["reply"]}}]}
    faults: list[tuple[Answer, str]] = [
        (echoes("500 Internal Server Error"), "model_error"),
        (echoes("400 Bad Request"), "model_error"),
        (echoes("401 Unauthorized"), "model_error"),
        (echoes("429 Too Many Requests"), "model_busy"),
        (garbles, "model_error"),
        (resets, "model_error"),
        (says(f"half {word['reply']}", "length"), "model_truncated"),
        (says(f"half {word['reply']}", None), "model_truncated"),
        (answers(unknown, word["upstream"]), ""),
    ]
    for fault, code in faults:
        for path in (thread, f"{thread}/stream"):
            scene.well(fault)
            answer = scene.send("POST", path, scene.body())
            assert code in ("", answer.code), answer
        scene.model.script.append(fault)  # and already in the first inner call
        scene.send("POST", thread, scene.body())
        scene.model.script.clear()
        scene.well(refuses(f"not {word['reply']}"))
        scene.send("POST", "/chat", scene.body(), expect=200)


def run_out_of_time(scene: Scene) -> None:
    scene.well(lambda exchange: exchange.connection.recv(1) and None)
    front = scene.site.functions["api"].front
    front.seconds = 5
    scene.send("POST", f"/threads/{scene.thread(1)}/turns", scene.body(), expect="model_timeout")
    front.seconds = 60
    scene.model.script.clear()  # where the time was up before the model was asked last


def lose_and_find_turns(scene: Scene) -> None:
    """Replies that cannot be stored until the same request comes again; large ones and small ones; replays."""
    thread = f"/threads/{scene.thread(1)}/turns"
    noise = base64.b64encode(random.Random(1).randbytes(330_000)).decode()
    noise = noise.translate(str.maketrans("0123456789+/=", "abcdefghijklm"))  # a reply has no figure or link of its own
    for reply in ("small", noise):
        body, key = scene.body(), {"Idempotency-Key": scene.key()}
        scene.well(says(f"{scene.word['reply']} {reply} [2106.09685]"))
        with scene.site.store.failing("throttled", "BatchWriteItem"):
            lost = scene.send("POST", thread, body, headers=key, expect=200).told
        assert lost["persisted"] is False
        scene.well(says(f"{scene.word['reply']} {reply} [2106.09685]"))
        assert scene.send("POST", thread, body, headers=key, expect=200).told["persisted"]
    again = {"Idempotency-Key": scene.key()}
    long = scene.body(message=f"{scene.body()['message']} {noise[:9000]}")
    scene.well()
    for _ in range(2):
        scene.send("POST", thread, long, headers=again, expect=200)
    scene.send("POST", f"{thread}/stream", long, headers=again, expect=200)
    scene.send("POST", thread, scene.body(), headers=again, expect="idempotency_key_reused")


def get_in_the_way(scene: Scene) -> None:
    """Two writers on a thread, threads that are somebody's already, threads that cannot be read."""
    busy, thread, key = scene.thread(3), f"/threads/{scene.thread(1)}/turns", scene.key()
    good = scene.body(session_id=busy, agent="papers")
    asked = TurnRequest(scene.principal, good["message"], agent="papers")
    assert scene.store
    scene.store.leases.begin(scene.principal, busy, key=key, body=asked.body(), message=asked.message, create=True)
    scene.send("POST", "/chat", good, expect="thread_busy")
    scene.send("POST", "/chat/stream", good, headers={"Idempotency-Key": key}, expect="turn_in_progress")
    scene.send("POST", "/chat", scene.body(session_id=busy), headers={"Idempotency-Key": key}, expect=422)
    scene.send("DELETE", f"/threads/{busy}", expect=204)

    def take_over(exchange: Exchange) -> None:
        scene.change(scene.thread(1), "SET seq = seq + :one", {":one": 1})
        says(scene.word["reply"])(exchange)

    scene.well(take_over)
    scene.send("POST", thread, scene.body(), expect="superseded")
    scene.change(scene.thread(1), "SET #lease.#t = :past", {":past": 1})
    scene.send("POST", thread, scene.body(agent="noisy"), expect="agent_mismatch")
    scene.send("POST", thread, scene.body(agent=scene.word["agent"]), expect="unknown_agent")
    scene.send("POST", "/threads", {"thread_id": scene.thread(1)}, expect="thread_exists")
    scene.well()
    scene.send("POST", "/chat", scene.body(session_id=scene.thread(4)), expect=200)
    scene.change(scene.thread(4), "SET #data = :data", {":data": b"\1" * 90}, scene.head(scene.thread(4))["last"])
    scene.send("GET", f"/threads/{scene.thread(4)}/turns", expect="state_corrupt")
    scene.send("POST", "/chat/stream", scene.body(session_id=scene.thread(4)), expect="state_corrupt")


def fail_the_agents(scene: Scene) -> None:
    loud = {"message": f"{scene.word['noisy']} é", "agent": "noisy", "session_id": scene.thread(5)}
    for path, thread in (("/chat", scene.thread(6)), ("/chat/stream", scene.thread(7))):
        assert scene.send("POST", path, loud).code == "agent_error"
        assert scene.send("GET", f"/threads/{scene.thread(5)}").told["pending"]
        assert scene.send("POST", path, scene.body(agent="unbuildable")).code == "internal_error"
        asked = scene.body(agent="asking", session_id=thread)
        assert scene.send("POST", path, asked, expect=200).told["status"] == "interrupted"


def ask_the_other_agents(scene: Scene) -> None:
    """A warehouse that is down, whose URL is a secret, and a model that answers with prices of its own."""
    word = scene.word
    for path in ("/chat", "/chat/stream"):
        metrics = {"message": f"Show me the clicks of {word['message']} in May", "agent": "campaigns"}
        assert "warehouse_down" in scene.send("POST", path, metrics, expect=200).told["warnings"]
        asked = f"How much is the Pixel 8a? {word['message']}"
        scene.model.script += [calls("Price", {"wish": f"{asked} {word['reply']}", "names": ["Pixel 8a"]})]
        scene.model.script += [says(f"The Pixel 8a, {word['reply']}, costs $1,234,567.")]
        scene.model.script += [calls("Rewritten", {"sentences": [f"It is $7,654,321, {word['reply']}."]})]
        products = {"message": asked, "agent": "products"}
        assert "sentence_removed" in scene.send("POST", path, products, expect=200).told["warnings"]


def ask_the_database(scene: Scene) -> None:
    """A database whose URL is a secret, down or not, and a model whose statements hold what was said; the first of them
    is such as a database fails on. Where it is down, none is asked for."""
    word, session = scene.word, {"session_id": f"{scene.word['thread']}-11", "agent": "database"}
    understood = f"Beside {word['message']} {word['reply']}"
    failing, good = (
        writes(f"SELECT {what} AS n FROM employee WHERE lastName <> '{word['message']}'", understood_as=understood)
        for what in ("JSON_EXTRACT(lastName, '$.x')", "COUNT(*)")
    )
    for path in ("/chat", "/chat/stream"):
        asked = f"How many employees are there beside {word['message']}?"
        scene.model.script += [reads(ask(f"{asked} {word['reply']}", "employee"))]
        scene.model.script += [partial(writes_or_says, one, word["reply"]) for one in (failing, good, good)]
        told = scene.send("POST", path, {"message": asked, "agent": "database"}, expect=200).told
        scene.model.script.clear()
        assert "database_down" in told["warnings"] or (told["details"]["rows"] and told["details"]["attempts"])
    closing, greeting = (f"{said} {word['message']}" for said in ("How do I close a work order?", "Hello there,"))
    answer = says(f"{word['reply']} [made-up#{word['reply']}]")
    for message, kind in ((closing, "manual"), (greeting, "general")):
        scene.model.script += [reads(ask(f"{message} {word['reply']}", kind=kind)), answer]
        scene.send("POST", "/chat", {"message": message, **session}, expect=200)
    scene.model.script += [echoes("500 Internal Server Error")]
    scene.send("POST", "/chat", {"message": f"and {word['message']}?", **session}, expect="model_error")


def writes_or_says(statement: Answer, text: str, exchange: Exchange) -> None:
    """As it is asked: a statement by a tool, words without one."""
    (statement if exchange.body.get("tools") else says(text))(exchange)


def leave_streams(scene: Scene) -> None:
    """Clients that go away after the first word: their run ends, or goes on and is kept."""
    for choice, thread in (("cancel", scene.thread(8)), ("continue", scene.thread(9))):
        is_gone = threading.Event()
        scene.well(partial(says_slowly, f"first\n{scene.word['reply']}. Then ", is_gone))
        body, headers = scene.body(session_id=thread, on_disconnect=choice), {"Idempotency-Key": scene.key()}
        with scene.site.streaming("/chat/stream", body, {**scene.credential, **headers}) as lines:
            assert any("first" in line for line in lines)
        if choice == "continue":
            is_gone.set()
        wait_for(lambda thread=thread: "lease" not in scene.head(thread))
        is_gone.set()
        assert scene.head(thread)["n"] == (choice == "continue")


FAULTS = (speak_the_protocols, fail_the_model, lose_and_find_turns, get_in_the_way, fail_the_agents)
FAULTS += (ask_the_other_agents, ask_the_database, leave_streams, attach_too_much)


def says_slowly(first: str, is_gone: threading.Event, exchange: Exchange) -> None:
    """The rest is said when the client has gone."""
    exchange.start_stream()
    exchange.send_event(chunk({"content": first}))
    is_gone.wait(30)  # longer than two heartbeats, after which a function knows that nobody listens
    for event in (chunk({"content": "last"}), chunk({}, "stop"), "[DONE]"):
        exchange.send_event(event)
    exchange.end_stream()


# What is no request of a user


def send_odd_events(scene: Scene) -> None:
    """Also requests that no gateway would pass on."""
    value = scene.word["eventvalue"]
    context = {"tenant": scene.principal.tenant, "user": scene.principal.user}
    good = event_of("GET", "/agents", {"X-Something": value})
    good["requestContext"]["authorizer"] = context
    for name, function in scene.site.functions.items():
        for event in odd_events(scene, good):
            answer, _ = scene.site.call(name, event)
            scene.site.sinks.put("problem", answer)
        for headers in odd_ports(scene):
            answer, _ = scene.site.call(name, good | {"multiValueHeaders": headers})
            assert name not in {"api", "stream"} or scene.site.keep(answer_in(answer)).status == 200
        before, function.front.told = function.front.told, {**function.front.told}
        function.front.told["Lambda-Runtime-Client-Context"] = f'{{"{value}'
        assert scene.site.call(name, good)[1].error is not None
        function.front.told = before


def odd_events(scene: Scene, good: dict[str, Any]) -> Iterator[Any]:
    name, value = scene.word["eventname"], scene.word["eventvalue"]
    yield from (value, [value], {name: value}, {"Records": [{name: value}], name: name})
    for part in ("path", "httpMethod", "resource", "body", "requestContext", "isBase64Encoded"):
        yield good | {part: {name: value}}
    for part in ("headers", "multiValueHeaders", "multiValueQueryStringParameters", "type", "methodArn"):
        yield good | {part: value}
    for each in (5, None, [value], {name: value}):
        yield good | {"headers": {name: each}, "multiValueHeaders": None}
    yield good | {"multiValueHeaders": {name: [value, 5]}}
    yield good | {"requestContext": {"authorizer": value}}
    yield good | {"requestContext": {"authorizer": {"tenant": value}, "identity": {"sourceIp": value}}}
    yield good | {"body": f"{value}!", "isBase64Encoded": True}
    yield good | {"body": f"\ud800{value}", "httpMethod": "POST", "path": "/chat"}
    yield good | {"path": f"/\ud800{value}"}


def odd_ports(scene: Scene) -> Iterator[dict[str, list[str]]]:
    """Ports that are none, which a client may name; they change no answer."""
    port = scene.word["port"]
    yield {"Host": [f"a:{port}"]}
    yield {"host": [f"{port}:1:2"]}
    yield {"X-Forwarded-Port": [port, "443"]}


def refuse_callers(scene: Scene) -> None:
    for headers in scene.refused:
        assert scene.site.authorized(headers) is None, headers
    for fault in ("down", "throttled", "refused"):
        with scene.site.store.failing(fault):
            assert scene.site.authorized(scene.refused[-1]) is None


def clean_up(scene: Scene) -> None:
    """A thread has expired; the first sweeps fail."""
    scene.well()
    scene.send("POST", "/chat", scene.body(session_id=scene.thread(0)), expect=200)
    past, pk = int(time.time() * 1000) - 1000, partition(scene.principal, scene.thread(0))
    scene.change(scene.thread(0), "SET expires = :at, xh = :bucket", {":at": past, ":bucket": expiry_bucket(past, pk)})
    for fault in ("down", "throttled"):
        with scene.site.store.failing(fault):
            assert scene.site.call("cleanup", {})[1].error is not None
    assert json.loads(scene.site.call("cleanup", {"time": "now"})[0])["threads"] == 1


def fail_the_issuer(scene: Scene, issuer: Issuer) -> None:
    """Tokens that nobody can judge, until the issuer answers again."""
    issuer.answer = (500, {}, scene.word["claim"].encode())
    assert scene.site.authorized(scene.credential) is None
    issuer.answer = None
    scene.rest(PAUSE_AFTER_FAULT_SECONDS)


def fail_the_model_key(scene: Scene, put: Callable[[str], object]) -> None:
    """A secret that is no key, until there is one."""
    put(f"{{{scene.word['unusablekey']} no key}}")
    assert _first_chat(scene) == "model_key_unavailable"
    put(f"sk-{scene.word['oldmodelkey']}")
    scene.rest(REREAD_SECONDS)


def miss_a_database(scene: Scene, agent: str, lay: Callable[[], object]) -> None:
    """A secret that is not there yet, and then is."""
    assert _first_chat(scene, agent=agent) == "agent_unavailable"
    lay()
    scene.rest(REREAD_SECONDS)


def _first_chat(scene: Scene, **more: Any) -> str:
    """The code of what goes wrong."""
    event = event_of("POST", "/chat", {"Content-Type": "application/json"}) | {"body": json.dumps(scene.body(**more))}
    event["requestContext"]["authorizer"] = {"tenant": scene.principal.tenant, "user": scene.principal.user}
    answer, _ = scene.site.call("api", event)
    return scene.site.keep(answer_in(answer)).code


def exchange_the_model_key(scene: Scene, put: Callable[[str], object]) -> None:
    """A run with the old key fails, in words that name it, and the next one succeeds with the new key."""
    for path in ("/chat", "/chat/stream"):
        scene.well()
        scene.send("POST", path, scene.body(), expect=200)
    put(f"sk-{scene.word['modelkey']}")
    for path in ("/chat", "/chat/stream"):
        scene.model.script.append(echoes("401 Unauthorized"))
        assert scene.send("POST", path, scene.body()).code == "model_error"
        scene.well()
        assert scene.send("POST", path, scene.body(), expect=200).told["reply"]
    for _ in range(2):  # each agent has a client of its own, which keeps its key until it is refused
        scene.model.script += [echoes("401 Unauthorized")] * 9
        conversation = {"id": scene.thread(6)}
        scene.send("POST", "/internal/chat/stream", {"input": scene.body(), "conversation": conversation})
        scene.model.script.clear()


# Who calls


def make_keys(scene: Scene, table: str, environ: dict[str, str], ring: Callable[[], tuple[bytes, ...]]) -> None:
    """Keys as an operator makes them."""
    site, word = scene.site, scene.word
    create = ["keys", "create", "--table", table, "--tenant", scene.principal.tenant]
    create += ["--user", scene.principal.user]
    listing = ["keys", "list", "--table", table]
    told = run_cli(environ, [*create, "--label", word["label"]], [*create, "--days", "1"])
    good, revoked = (line for line in told.stdout.splitlines() if line.startswith("tk_"))
    later = run_cli(environ, listing, ["keys", "revoke", "--table", table, revoked.split("_")[1]], listing)
    with site.store.failing("refused"):
        failed = run_cli(environ, create, listing)
    site.sinks.put("terminal", told.stdout.replace(good, "").replace(revoked, ""), told.stderr)
    site.sinks.put("terminal", later.stdout, later.stderr, failed.stdout.partition("tk_")[0], failed.stderr)
    keys = ApiKeys(scene.items, Keyring(*ring()), clock=time.time, mint=secrets.token_bytes)
    _, expired = keys.create(scene.principal, label=word["label"], expires_at=time.time() - 1)
    _, another = keys.create(ANOTHER)
    unknown = f"tk_{secrets.token_hex(8)}_{secrets.token_hex(32)}"
    word["keyid"] = good.split("_")[1]
    word |= {f"secret{n}": key[-64:-40] for n, key in enumerate((good, revoked, expired, unknown))}
    scene.credential, scene.another = {"x-api-key": good}, {"Authorization": f"bearer {another}"}
    wrong = f"tk_{word['claim']}", good[:-4] + "0000", revoked, expired, f"é{word['claim']}", word["claim"] * 900
    scene.refused += [{"x-api-key": key} for key in wrong]
    scene.refused += [{"x-api-key": good, "Authorization": f"Bearer {expired}"}]
    scene.refused += [{"Authorization": f"{scheme} {revoked}"} for scheme in ("Basic", word["claim"], "Bearer")]
    scene.refused += [{"x-api-key": unknown}]


def run_cli(environ: dict[str, str], *commands: list[str]) -> "subprocess.CompletedProcess[str]":
    code = "import json, sys\nfrom turnkeep_local.cli import main\nfor line in json.loads(sys.argv[1]): main(line)"
    command = [sys.executable, "-c", code, json.dumps(commands)]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=120)


def make_tokens(scene: Scene) -> None:
    """The same with tokens of an issuer."""
    claim = scene.word["claim"]
    who: dict[str, Any] = {"tenant": scene.principal.tenant, "sub": scene.principal.user, "more": claim}
    good, another = token(**who), token(tenant=ANOTHER.tenant, sub=ANOTHER.user)
    head, body, signature = good.split(".")
    scene.word["jwt"] = signature[:24]
    scene.credential, scene.another = {"Authorization": f"Bearer {good}"}, {"x-api-key": another}
    wrong = [claim, f"{head}.{body}", f"{head}.{body}.{signature[:-8]}AAAAAAAA"]
    heads: list[Any] = [{"alg": "none", "kid": "rsa"}, {"alg": claim, "kid": "rsa"}, {"alg": "RS256", claim: claim}]
    heads += [{"alg": "RS256", "kid": kid} for kid in (claim, [claim], {claim: claim})]
    wrong += [f"{base64.urlsafe_b64encode(json.dumps(one).encode()).decode()}.{body}.{signature}" for one in heads]
    wrong += [token(**who, exp=1), token(**who, aud=claim), token(**who, iss=claim), token(**who, nbf=claim)]
    wrong += [token(**who | changes) for changes in ({"sub": claim * 99}, {"tenant": None}, {"tenant": [claim]})]
    wrong += [token("p256", **who), token(**who, exp=claim)]
    scene.refused += [{"x-api-key": each} for each in wrong]


# The next tenant


def words_left(scene: Scene) -> dict[str, list[tuple[str, str]]]:
    """What lies in the memory of each function while a second tenant is served after the first, by a request that
    overwrites as little as any."""
    left: dict[str, list[tuple[str, str]]] = {}
    words = [word for name, word in scene.word.items() if name != "noisy"]  # its agent leaves it there on purpose
    headers = {**dict.fromkeys((*scene.site.planted, *scene.credential), ""), **scene.another}
    headers["X-Something"] = scene.word["present"]
    for function in scene.site.functions.values():
        function.front.told.clear()
    assert scene.site.authorized(scene.another)  # asks the store, which is not to be watched yet
    looking = threading.Lock()

    def look(name: str) -> None:
        with looking:  # the store is asked again where this takes long
            if name not in left:
                left[name] = scene.site.holders(name, words)

    for name in ("api", "stream"):
        with scene.site.store.watched(partial(look, name)):
            scene.site.send("GET", "/threads/unknown", headers=headers, function=name)
        with looking:
            assert name in left
    look("authorizer")
    return left
