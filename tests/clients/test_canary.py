"""Nothing leaks. Words are planted in every field, path, parameter and header of the requests that clients send to
every route, well and spoilt, while the store, the models and the agents fail. MAY lists where each word may be found in
what a deployment writes or returns; found elsewhere, it fails the test. Every library logs all that it can."""

import asyncio
import base64
import gzip
import itertools
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cache, partial
from hashlib import md5, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote, urlsplit

import boto3
import httpx
import openai_calls
import pytest
import sdk_calls
from canary import RAW, Planting, Search, Traffic, planted_words, spoilt, spoilt_paths, spoilt_texts
from canary_process import SOCKETS
from deployed_site import STAGE, WHOLE, deployment, routes
from exchanges import ONE_EACH
from front import Front
from issuer import AUDIENCE, ISSUER, public_jwk, published, token
from lambdas import FUNCTIONS, running_function
from langgraph_sdk import get_client
from scenes import SCENES, play
from site_of_clients import environ
from wire import Answer, Exchange, WireServer, calls, garbles, refuses, resets, says

from bare_app import bare_app
from deployed_function import gateway_event
from dev_server import TERMINAL, dev_server, install
from packets import ANY, Wire
from turnkeep.errors import TurnkeepError
from turnkeep.observability.metrics import Metric
from turnkeep.records import Principal
from turnkeep.storage.items import Items
from turnkeep.storage.keys import HEAD, expiry_bucket, partition
from turnkeep_demo.database.field_service import FOLDER, sample_file

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

PARTITIONS = {"HEAD.PK", "TURN.PK", "CP.PK"}
KEPT = {"answer", "HEAD.pend", "HEAD.meta", "CP.data", "TURN.data"}
WHO = {*PARTITIONS, "ASIDE.PK", "HEAD.u", "context", "terminal", "answer"}
MAY: dict[str, set[str]] = {
    "said": {*KEPT, "HEAD.title", "object"},
    "reply": {"answer", "TURN.data"},
    "value": {*KEPT, *PARTITIONS, "HEAD.title", "STORE.SK"},
    "name": {*KEPT, "problem"} - {"HEAD.pend"},
    "tenant": {*WHO, "APIKEYS.tenant"},
    "user": {*WHO, "APIKEYS.user"},
    "label": {"APIKEYS.label", "terminal"},
    "keyid": {"output", "policy", "context", "APIKEYS.SK", "terminal"},
    "digest of key": {"APIKEYS.digest"},
    "idempotency": {"header"},
    "correlation": {"output", "header", "problem"},
}
"""Where a word may be found; one that is not listed, nowhere. A title is the beginning of the first message. Log lines
and metrics name tenant, user and thread by salted hashes. A problem names an unknown field, and no value. Items have
digests of API keys and of idempotency keys. An export names its user."""
SOMETIMES = {("tenant", "answer"), ("user", "answer"), ("reply", "TURN.data")}
"""An export has the user only if a background run waits, and a turn a model's sentence only if it was verified."""
DEPLOYMENTS = {"modelkey", "sealkey", "warehouse", "database", "wallseal"}
"""Secrets of the deployment, which its processes keep in memory."""
OPENS_DOORS = ("key", "refusedkey", "jwt", *DEPLOYMENTS)
HEADERS = {
    "User-Agent": "useragent",
    "Cookie": "cookie",
    "Origin": "origin",
    "Referer": "referer",
    "X-Turnkeep-User": "namesake",
    "X-Forwarded-For": "address",
    "X-Something": "unknown",
}
SENT = ("path", "method", "boundary", "forged", "event", "claim", "context")
WORDS = (*(name for name in MAY if " " not in name), *OPENS_DOORS, *HEADERS.values(), *SENT)
AGENTS = ("papers", "campaigns", "products", "regulations", "database")


@dataclass
class Scene:
    """A deployment behind a gateway that plants words."""

    word: dict[str, str]
    folder: Path
    store: Wire
    model: WireServer
    traffic: Traffic
    client: httpx.Client
    items: Items
    """The table past the API."""

    principal: Principal
    url: str = ""
    mine: dict[str, str] = field(default_factory=dict)
    """Headers of the user, and of another one."""
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

    def said(self, text: str = "hello", **more: Any) -> dict[str, Any]:
        return {"message": f'{text} {self.word["said"]} é"\n%<b>', **more}

    def head(self, thread: str) -> dict[str, Any]:
        return self.items.get(partition(self.principal, thread), HEAD) or {}

    def change(self, thread: str, expression: str, values: dict[str, Any], sk: str = HEAD) -> None:
        """Change an item past the API."""
        pk = partition(self.principal, thread)
        self.items.update(pk, sk, expression, values, condition="attribute_exists(PK)")

    @contextmanager
    def failing(self, fate: Any, operation: str = ANY) -> Iterator[None]:
        self.store.trap(operation, fate, times=1 << 30)
        yield
        self.store.mend()


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


def use_native_routes(scene: Scene, http: httpx.Client) -> None:
    thread = f"/threads/{http.post('/threads', json={}).json()['thread_id']}"
    turn = {"message": "hello", "agent": "parcels"}
    for method, path, body in (
        ("POST", f"{thread}/turns", turn),
        ("POST", f"{thread}/turns/stream", {**turn, "conversation_window": 2}),
        ("GET", thread, None),
        ("PATCH", thread, {"metadata": {"about": "it"}}),
        ("GET", f"{thread}/turns", None),
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
    made = http.post(f"{thread}/attachments", json={"name": "a.txt", "size": 1}).json()
    for method in ("GET", "DELETE"):
        http.request(method, f"{thread}/attachments/{made['document_id']}")


def spoil_every_request(scene: Scene) -> None:
    """With a word in each place in turn, and while the store fails. What deletes comes last."""
    word, fates = scene.word, itertools.cycle(("refused", "throttled", "denied"))
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
    """Of a model that fills in whatever is asked for, and of models that fail."""
    reply = scene.word["reply"]
    statement = f"SELECT COUNT(*) AS n, JSON_EXTRACT(lastName, '$.x') FROM employee WHERE lastName <> '{reply}'"
    obliging = fills_in({"sql": statement, "tables": ["employee"]}, f"Hello {reply}. It costs $1,234,567 [{reply}].")
    statuses = ("500 Internal Server Error", "401 Unauthorized", "429 Too Many Requests", "400 Bad Request")
    paths = itertools.cycle(("/chat", "/chat/stream"))
    faults = [obliging, *map(echoes, statuses), garbles, resets, says(f"half {reply}", "length"), refuses(reply)]
    for scene.model.otherwise, agent in [(obliging, agent) for agent in AGENTS] + list(
        itertools.product(faults, AGENTS)
    ):
        answer = scene.send("POST", next(paths), scene.said("How many are there of", agent=agent))
        assert scene.model.otherwise is not obliging or answer.status_code == 200, answer.text


def fills_in(known: dict[str, Any], text: str) -> Answer:
    """A model that gives each typed call values that fit."""

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
    """The worst message that a model's server could send: all of the request, with its key."""

    def play(exchange: Exchange) -> None:
        told = f"{json.dumps(exchange.body)} {exchange.headers}"
        error = {"message": told, "type": told, "code": told, "param": told}
        exchange.send_whole(status, {"error": error}, {"X-Request-Id": exchange.headers["authorization"]})

    return play


def fail_runs(scene: Scene) -> None:
    """Agents that fail or ask, replies that are large or cannot be stored, keys and threads that are used again."""
    for path in ("/chat", "/chat/stream"):
        assert "agent_error" in scene.send("POST", path, scene.said("fail", agent="loud", session_id="loud")).text
        assert "interrupted" in scene.send("POST", path, scene.said("ask", agent="loud")).text
        assert "internal_error" in scene.send("POST", path, scene.said(agent="unbuildable")).text
    assert scene.send("GET", "/threads/loud").json()["pending"]
    large, key = scene.said("write", agent="loud", session_id="large"), scene.key()
    with scene.failing("throttled", "BatchWriteItem"):
        assert scene.send("POST", "/chat", large, idempotency_key=key).json()["persisted"] is False
    for _ in range(2):
        assert scene.send("POST", "/chat", large, idempotency_key=key).json()["persisted"]
    scene.send("POST", "/chat", scene.said(session_id="large"), idempotency_key=key)
    scene.send("POST", "/chat", scene.said(session_id="large", agent="parcels"))
    scene.send("POST", "/chat", scene.said("x" * 70_000))
    for _ in range(21):
        scene.send("POST", "/threads/large/attachments", {"name": f"{scene.word['value']}.txt", "size": 1})
    scene.send("POST", "/threads/large/attachments", {"name": f"{scene.word['value']}.txt", "size": 10**8})


def ask_for_another(scene: Scene) -> None:
    """Every request again, of another user, without the words in its body."""
    for request in sorted(scene.traffic.requests.values(), key=lambda each: each.method == "DELETE"):
        body = json.loads(json.dumps(request.body).replace(scene.word["said"], ""))
        headers = {**scene.other, RAW: "yes"}
        scene.client.request(request.method, scene.url + request.path, json=body, headers=headers)


# What no client of the API does


def send_odd_events(scene: Scene, fronts: dict[str, Front]) -> None:
    """Events that no gateway sends, and a client context that is not valid."""
    caller = {"tenant": "t", "user": "u", "acts_for": "false", "credential": "k"}
    events = [gateway_event("GET", "/agents?a=b", headers=[("X-Something", "it")], authorizer=caller)]
    del events[0]["requestContext"]["requestId"]  # becomes the correlation id
    events += [json.loads(scene.traffic.sinks["event"][0]), {"type": "REQUEST", "methodArn": "arn:a", **events[0]}]
    for front in fronts.values():
        for event in events:
            for odd in spoilt(event, scene.word["event"], scene.word["event"]):
                scene.traffic.sinks.put("problem", front.invoke(odd))
        front.told["Lambda-Runtime-Client-Context"] = f'{{"{scene.word["context"]}'
        front.invoke(events[0])
        front.told.clear()
        front.invoke(events[0])  # which is the newest that it has in memory


def get_in_the_way(scene: Scene) -> None:
    """Threads that cannot be read, that another run holds, or that another writer took."""
    chat = partial(scene.send, "POST", "/chat")
    chat(scene.said(agent="parcels", session_id="corrupt"))
    scene.change("corrupt", "SET #data = :data", {":data": b"\1" * 90}, scene.head("corrupt")["last"])
    scene.send("GET", "/threads/corrupt/turns")
    chat(scene.said(agent="parcels", session_id="taken"))
    slow, key = scene.said("wait 2", agent="parcels", session_id="taken"), scene.key()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(chat, slow, idempotency_key=key)
        while "lease" not in scene.head("taken") and not first.done():
            time.sleep(0.05)
        scene.send("POST", "/chat/stream", slow, idempotency_key=key)
        scene.change("taken", "SET seq = seq + :one", {":one": 1})
    assert first.result().json()["code"] == "superseded"


def clean_up(scene: Scene, front: Front) -> None:
    """Of a thread that has expired, after a sweep that failed."""
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
    """As an operator does; return those that open nothing."""
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
    """Return the key that it shows, once; nothing else may be on the terminal."""
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


# The deployments


@pytest.fixture
def scene(dynamodb: "DynamoDBClient", dynamodb_url: str, table_name: str, tmp_path: Path) -> Iterator[Scene]:
    word = planted_words(*WORDS)
    headers = {header: f"{word[name]}; x=1" for header, name in HEADERS.items()}
    with Wire(dynamodb_url) as store, WireServer() as model, httpx.Client(timeout=60) as client:
        traffic, who = (
            Traffic(word, headers, owner=word["user"]),
            Principal(*(f"{word[name]}@é/'#" for name in ("tenant", "user"))),
        )
        yield Scene(word, tmp_path, store, model, traffic, client, Items(dynamodb, table_name), who)


def facts_of(scene: Scene, table: str) -> dict[str, str]:
    """The environment that every process has."""
    sockets = scene.folder / "s"
    for folder in (sockets, scene.folder / "installed"):
        folder.mkdir()
    install(scene.folder / "installed", "loud")
    install(scene.folder / "installed", "unbuildable")
    (scene.folder / "installed" / "unbuildable.py").write_text(UNBUILDABLE)
    (scene.folder / "installed" / "sitecustomize.py").write_text("import canary_process\ncanary_process.prepare()\n")
    aws = ("PATH", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    return {
        **{name: os.environ[name] for name in aws},
        "AWS_REGION": os.environ["AWS_DEFAULT_REGION"],
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL_DYNAMODB": scene.store.url,
        "TABLE_NAME": table,
        "MODEL": "openai:test",
        "OPENAI_BASE_URL": scene.model.base_url,
        "MODELS__MAX_RETRIES": "0",
        "CAMPAIGNS__WAREHOUSE": f"mysql+pymysql://reader:{scene.word['warehouse']}@127.0.0.1:9/ads",
        "DATABASE__SEAL": scene.word["wallseal"],
        "DATABASE__JOINS": str(FOLDER / "joins.json"),
        "POWERTOOLS_LOG_LEVEL": "DEBUG",
        "AWS_LAMBDA_LOG_LEVEL": "DEBUG",
        "POWERTOOLS_DEBUG": "true",
        "OPENAI_LOG": "debug",
        "PYTHONWARNINGS": "always",
        "PYTHONDONTWRITEBYTECODE": "1",
        SOCKETS: str(sockets),
    }


UNBUILDABLE = """from turnkeep.entries import Entry
ENTRY = Entry("of the test", build="unbuildable:build")
def build(settings):
    raise RuntimeError(f"{settings.key_source('')} {settings!r}")
"""


@contextmanager
def functions(scene: Scene, facts: dict[str, str], moto: str) -> Iterator[dict[str, Front]]:
    """The functions with secrets in SSM and Secrets Manager, behind an authorizer of keys; yield all fronts."""
    place, word = f"/canary/{secrets.token_hex(4)}", scene.word
    ssm, manager = (boto3.client(service, endpoint_url=moto) for service in ("ssm", "secretsmanager"))
    laid = {"seal": word["sealkey"], "model": f"sk-{word['modelkey']}", "warehouse": facts["CAMPAIGNS__WAREHOUSE"]}
    for name, value in laid.items():
        ssm.put_parameter(Name=f"{place}/{name}", Value=value, Type="SecureString")
    login = {"engine": "mysql", "host": "127.0.0.1", "port": "9", "dbname": "field", "username": "reader"}
    manager.create_secret(Name=place, SecretString=json.dumps({**login, "password": word["database"]}))
    facts |= {"AWS_ENDPOINT_URL": moto, "AUTH": "keys", "SEAL_KEY_PARAMETER": f"{place}/seal"}
    facts |= {"MODEL_KEY": f"ssm:{place}/model", "CAMPAIGNS__WAREHOUSE": f"ssm:{place}/warehouse"}
    facts |= {"DATABASE__URL": f"secretsmanager:{place}", "CORS_ORIGINS": "https://app.example"}
    with ExitStack() as stack:
        issuer = stack.enter_context(published(public_jwk("rsa")))
        jwt = {"AUTH": "jwt", "JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer.url}
        fronts = {name: Front() for name in ("authorizer", "tokens", "cleanup")}
        for name, front in fronts.items():
            code = FUNCTIONS / name.replace("tokens", "authorizer")
            own = environ(scene.folder / "installed", facts | (jwt if name == "tokens" else {}))
            own |= {"LAMBDA_TASK_ROOT": str(code), "PYTHONPATH": f"{code}:{own['PYTHONPATH']}"}
            stack.enter_context(running_function(WHOLE, own, front, scene.folder / f"{name}.log"))
        wrong = make_keys(scene, facts["TABLE_NAME"], facts)
        authorize, judge = (authorizing(scene, fronts[name]) for name in ("authorizer", "tokens"))
        gateway = type("Canary", (Planting,), {"traffic": scene.traffic})
        scene.url, more = stack.enter_context(deployment(scene.folder, facts, authorize, gateway))
        assert [key for key in wrong if authorize({"x-api-key": key})] == []
        assert [each for each in wrong_tokens(scene) if judge({"authorization": f"Bearer {each}"})] == []
        assert judge({"x-api-key": token(tenant=word["tenant"], sub=word["user"], more=word["claim"])})
        issuer.answer = (500, {}, word["claim"].encode())
        yield {**fronts, **more}


@contextmanager
def laptop(scene: Scene, facts: dict[str, str]) -> Iterator[str]:
    """`turnkeep dev` behind a gateway; yield its own URL."""
    word = scene.word
    sample = shutil.copy(sample_file(date(2030, 3, 17)), scene.folder / word["database"])
    facts |= {
        "OPENAI_API_KEY": f"sk-{word['modelkey']}",
        "SEAL_KEY": word["sealkey"],
        "DATABASE__URL": f"sqlite:///{sample}",
    }
    scene.principal = Principal("local", word["user"])
    scene.mine, scene.other = {"X-Turnkeep-User": word["user"]}, {"X-Turnkeep-User": "bob"}
    kept = {name: text for name, text in scene.traffic.headers.items() if name not in ("X-Forwarded-For", "Origin")}
    scene.traffic.headers = kept | scene.mine
    with (
        dev_server(scene.folder, environ(scene.folder / "installed", facts), ended_by=signal.SIGTERM) as server,
        ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as gateway,
        httpx.Client(timeout=60, limits=ONE_EACH) as client,
    ):
        own = str(server.base_url).rstrip("/")
        fronts = dict.fromkeys(("api", "stream"), SimpleNamespace(url=own))
        bound = {"traffic": scene.traffic, "fronts": fronts, "known": routes(), "client": client}
        gateway.RequestHandlerClass = type("Laptop", (Planting,), bound)
        threading.Thread(target=gateway.serve_forever, daemon=True).start()
        scene.url = f"http://127.0.0.1:{gateway.server_address[1]}{STAGE}"
        yield own
        gateway.shutdown()


# What is found


def collect(scene: Scene, dynamodb: "DynamoDBClient", table: str) -> None:
    """What remains when the processes have ended."""
    sinks = scene.traffic.sinks
    for log in scene.folder.glob("*.log"):
        sinks.put("output", log.read_bytes())
    for page in dynamodb.get_paginator("scan").paginate(TableName=table):
        for item in page["Items"]:
            kind = (item["SK"] if item["PK"]["S"].startswith("T#") else item["PK"])["S"].partition("#")[0]
            for name, value in item.items():
                sinks.put(f"{kind}.{name}", *texts_in(value))


def texts_in(value: Any) -> Iterator[bytes]:
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield str(name).encode()
            yield from texts_in(inner)
    else:
        yield value if isinstance(value, bytes) else str(value).encode()


def nothing_leaks(scene: Scene, may: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Check where the words are; return the names and sinks in which none was found though it may be there."""
    whole = {"tenant": scene.principal.tenant, "user": scene.principal.user, "said": scene.said()["message"]}
    found = scene.traffic.sinks.found(Search(scene.word, {**whole, "key": scene.traffic.owner[-64:]}))
    assert {(name, sink): text for (name, sink), text in found.items() if sink not in may.get(name, ())} == {}
    return {(name, sink) for name in may for sink in may[name]} - found.keys()


# The tests


@pytest.mark.parametrize("around", ["", "ab", "x", "  "])
def test_a_word_is_recognised_in_another_encoding(around: str) -> None:
    word, text = "zq12ab34message", f"{around}zq12ab34message{around}"
    search, packed = Search({"message": word}, {"message": text}), zlib.compress(b"\x91" + text.encode())
    encoded = [text.encode(), text.upper().encode(), json.dumps({"é": text}).encode(), quote(f"é/{text}").encode()]
    encoded += [base64.b64encode(text.encode()), base64.urlsafe_b64encode(text.encode()), text.encode().hex().encode()]
    encoded += [text.encode("utf-16"), b"\1" + packed, base64.b64encode(b"head" + packed), packed.hex().encode()]
    for each in (*encoded, gzip.compress(text.encode())):
        assert "message" in {name for name, _ in search(b"before " + each + b" after")}, each
    for digest in (sha256(text.encode()).digest(), md5(text.encode()).hexdigest().encode()):
        assert {name for name, _ in search(b"before " + digest)} == {"digest of message"}
    assert list(search(f"zq12ab35message {word[:-1]} {word[1:]}".encode())) == []


@pytest.mark.slow
def test_the_functions_leak_nothing(  # noqa: PLR0917
    scene: Scene, dynamodb: "DynamoDBClient", table_name: str, s3: "S3Client", s3_url: str, bucket: dict[str, str]
) -> None:
    facts, name = facts_of(scene, table_name) | bucket, bucket["BUCKET_NAME"]
    sinks = scene.traffic.sinks
    with functions(scene, facts, s3_url) as fronts:
        drive(scene)
        send_odd_events(scene, fronts)
        clean_up(scene, fronts["cleanup"])
        kept = words_in_memory(scene)
    for front in fronts.values():
        for each in front.invocations:
            sinks.put("runtime", each.headers, each.trailers, json.dumps(each.error))
    collect(scene, dynamodb, table_name)
    for each in s3.list_objects_v2(Bucket=name).get("Contents", []):
        sinks.put("object name", each["Key"])
        sinks.put("object", s3.get_object(Bucket=name, Key=each["Key"])["Body"].read())
    assert nothing_leaks(scene, MAY) <= SOMETIMES
    assert kept <= {*DEPLOYMENTS, "tenant", "user", "keyid"}  # an authorizer knows for a minute whom it verified
    assert_driven(scene)


def drive(scene: Scene) -> None:
    for part in (use_every_route, fail_runs, get_in_the_way, ask_every_agent, spoil_every_request):
        part(scene)


def words_in_memory(scene: Scene) -> set[str]:
    """What the processes still hold of one user while they serve another one."""
    ask_for_another(scene)
    found = set[str]()
    names = {word[::-1]: name for name, word in scene.word.items()}
    for path in (scene.folder / "s").iterdir():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            with line.makefile("rw") as file:
                file.write(json.dumps(list(names)) + "\n")
                file.flush()
                found |= {names[word] for word in json.loads(file.readline())}
    return found


UNANSWERED = {("GET", "/openapi.json"), ("DELETE", "/me"), ("GET", "/me/export/{export_id}")}
UNANSWERED |= {(method, "/v1/{path:path}") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")}
UNANSWERED |= {("GET", "/"), ("GET", "/page/{checksum}/{file:path}")}
UNANSWERED |= {("DELETE", "/v1/responses/{response_id}"), ("POST", "/v1/responses/{response_id}/cancel")}
UNANSWERED |= {("POST", "/v1/conversations/{thread_id}/items")}
UNANSWERED |= {(method, "/v1/conversations/{thread_id}/items/{item_id}") for method in ("GET", "DELETE")}
"""Routes that have no name in log lines, erase everything, only refuse, or serve the page."""
ELSEWHERE = {"model_key_unavailable", "agent_unavailable", "model_timeout", "privacy_unavailable", "server_stopping"}
ELSEWHERE |= {"budget_exceeded", "too_many_turns", "too_many_at_once", "deployment_ceiling", "action_unknown"}
ELSEWHERE |= {"misdirected", "ambiguous_body", "body_timeout", "answer_too_large", "already_uploaded", "foreign_origin"}
ELSEWHERE |= {"thread_moved", "unsettled"}
"""Errors that take limits, secrets that are missing, an upload, or two faults at one moment."""
RARE = {"CostUSD", "BudgetRefused", "CeilingReached", "UsageNotSettled", "ForgedKey", "StreamLeft"}
RARE |= {"MemoryNotWritten", "DocumentReady", "DocumentFailed", "PlaceholdersMade", "PlaceholdersLost"}
RARE |= {"CleanupDeleted", "CleanupUnreadable", "OldestExpiredAge"}


def assert_driven(scene: Scene) -> None:
    """Check that every route, error and metric came about, so that a sink in which nothing is found was written to."""
    lines = [json.loads(line) for line in b"\n".join(scene.traffic.sinks["output"]).splitlines() if line[:1] == b"{"]
    app = bare_app()
    app.state.late.load()
    routes = {(method, route.path) for route in app.router.routes for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    answered = {(line["method"], line.get("route")) for line in lines if 200 <= line.get("status", 0) < 300}
    assert routes - UNANSWERED - answered == set()
    assert {error.code for error in leaves(TurnkeepError)} - ELSEWHERE - scene.traffic.codes == set()
    assert set(get_args(Metric)) - RARE - {name for line in lines if "_aws" in line for name in line} == set()
    sentences = {line.get("message") for line in lines}
    assert {"a library logged", "a library warned", "an exception that nobody caught"} <= sentences


def leaves(kind: type[TurnkeepError]) -> Iterator[type[TurnkeepError]]:
    for each in kind.__subclasses__():
        yield from leaves(each) if each.__subclasses__() else [each]


@pytest.mark.slow
def test_a_laptop_leaks_nothing(scene: Scene, dynamodb: "DynamoDBClient", table_name: str) -> None:
    word, home = scene.word, scene.folder / "home"
    with laptop(scene, facts_of(scene, table_name)) as own:
        drive(scene)
        ask_for_another(scene)
        scene.send("GET", "/agents", X_Forwarded_For=word["address"])
        scene.send("GET", "/agents", Origin=f"https://{word['origin']}.example")
        for raw in raw_requests(word):
            with socket.create_connection(("127.0.0.1", urlsplit(own).port or 0), timeout=60) as line:
                line.sendall(raw.encode())
                scene.traffic.sinks.put("problem", line.recv(65536))
    collect(scene, dynamodb, table_name)
    for file in (each for each in home.rglob("*") if each.is_file()):
        scene.traffic.sinks.put(
            "object" if file.is_relative_to(home / "objects") else "output", file.read_bytes(), file.name
        )
    scene.traffic.sinks.put("terminal", (scene.folder / TERMINAL).read_bytes())
    # The terminal shows the file of the database, and warnings of libraries.
    may = MAY | {"database": {"terminal"}, "said": MAY["said"] | {"terminal"}}
    nothing_leaks(scene, may)
    assert_driven(scene)


def raw_requests(word: dict[str, str]) -> Iterator[str]:
    yield f"GARBAGE {word['value']}\r\n\r\n"
    yield f"GET /{word['path']} HTTP/1.1\r\nHost: a:{word['value']}\r\nX: {word['value']}\r\n\r\n"
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    yield f"GET /{word['path']}?{word['value']} HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n"
