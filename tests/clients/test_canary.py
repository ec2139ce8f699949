"""Nothing leaks. Words are planted in every field, path, parameter and header of valid and invalid requests, while
store, models and agents fail. MAY lists where each word may appear in logs, storage and responses; elsewhere it fails
the test. All libraries log at DEBUG."""

import base64
import gzip
import json
import os
import secrets
import shutil
import signal
import socket
import threading
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from hashlib import md5, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote, urlsplit

import boto3
import httpx
import pytest
from canary import Planting, Search, Traffic, planted_words
from canary_drive import Scene, ask_for_another, authorizing, clean_up, drive, make_keys, send_odd_events, wrong_tokens
from canary_process import SOCKETS
from deployed_site import STAGE, WHOLE, deployment, routes
from exchanges import ONE_EACH
from front import Front
from issuer import AUDIENCE, ISSUER, public_jwk, published, token
from lambdas import FUNCTIONS, running_function
from proxies import FailingStore
from site_of_clients import environ
from wire import WireServer

from bare_app import bare_app
from dev_server import TERMINAL, dev_server, install
from turnkeep.errors import TurnkeepError
from turnkeep.observability.metrics import Metric
from turnkeep.records import Principal
from turnkeep.store.items import Items
from turnkeep_demo.database.field_service import FOLDER, sample_file

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

PARTITIONS = {"HEAD.PK", "TURN.PK", "CP.PK"}
KEPT = {"answer", "export", "HEAD.pend", "HEAD.meta", "CP.data", "TURN.data", "STORE.data"}
WHO = {*PARTITIONS, "ASIDE.PK", "HEAD.u", "context", "terminal", "export"}
MAY: dict[str, set[str]] = {
    "message": {*KEPT, "HEAD.title", "object"},
    "reply": {"answer", "export", "TURN.data"},
    "value": {*KEPT, *PARTITIONS, "HEAD.title", "STORE.SK"},
    "name": {*KEPT, "problem"} - {"HEAD.pend"},
    "tenant": {*WHO, "APIKEYS.tenant"},
    "user": {*WHO, "APIKEYS.user"},
    "label": {"APIKEYS.label", "terminal"},
    "keyid": {"output", "policy", "context", "APIKEYS.SK", "terminal"},
    "digest of key": {"APIKEYS.digest"},
    "idempotency": {"header", "export"},
    "correlation": {"output", "header", "problem"},
}
"""Where each word may appear; unlisted words may not appear anywhere. A title is the beginning of the first message.
Log lines have salted hashes, problems names of fields, and items digests of keys. An export contains everything."""
SOMETIMES = {("reply", "TURN.data"), ("value", "HEAD.pend")} | {(name, "export") for name in MAY}
"""A turn contains a sentence of the model only if it was verified; a message that waits in a queue is not pending."""
DEPLOYMENTS = {"modelkey", "sealkey", "warehouse", "database", "wallseal"}
"""Secrets of the deployment, which stay in memory."""
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


# The deployments


@pytest.fixture
def scene(dynamodb: "DynamoDBClient", dynamodb_url: str, table_name: str, tmp_path: Path) -> Iterator[Scene]:
    word = planted_words(*WORDS)
    headers = {header: f"{word[name]}; x=1" for header, name in HEADERS.items()}
    with FailingStore(dynamodb_url) as store, WireServer() as model, httpx.Client(timeout=60) as client:
        traffic = Traffic(word, headers, owner=word["user"])
        who = Principal(*(f"{word[name]}@é/'#" for name in ("tenant", "user")))
        yield Scene(word, tmp_path, store, model, traffic, client, Items(dynamodb, table_name), who)


def facts_of(scene: Scene, table: str) -> dict[str, str]:
    """Return the environment of every process."""
    sockets, temporary = scene.folder / "s", scene.folder / "tmp"
    for folder in (sockets, temporary, scene.folder / "installed"):
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
        "TMPDIR": str(temporary),
        SOCKETS: str(sockets),
    }


UNBUILDABLE = """from turnkeep.entries import Entry
ENTRY = Entry("of the test", build="unbuildable:build")
def build(settings):
    raise RuntimeError(f"{settings.key_source('')} {settings!r}")
"""


@contextmanager
def functions(scene: Scene, facts: dict[str, str], moto: str) -> Iterator[dict[str, Front]]:
    """Run the functions with secrets in SSM and Secrets Manager, behind an authorizer; yield all fronts."""
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
        context = {"custom": {word["context"]: word["context"]}}
        for front in (fronts | more).values():
            front.more_headers |= {"Lambda-Runtime-Client-Context": json.dumps(context)}
        yield fronts | more


@contextmanager
def laptop(scene: Scene, facts: dict[str, str]) -> Iterator[str]:
    """Run `turnkeep dev` behind a gateway; yield its URL."""
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
    """Collect logs and items after the processes have ended."""
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
    """Check where the words are; return the allowed places without a word."""
    whole = {"tenant": scene.principal.tenant, "user": scene.principal.user, "message": scene.chat_body()["message"]}
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
    assert {"modelkey", "sealkey", "tenant"} <= kept  # an authorizer knows for a minute whom it verified
    assert kept <= {*DEPLOYMENTS, "tenant", "user", "keyid"}
    assert [*(scene.folder / "tmp").rglob("*")] == []
    assert_driven(scene)


def words_in_memory(scene: Scene) -> set[str]:
    """Return the words of one user in memory while the processes serve another."""
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


UNANSWERED = {("GET", "/openapi.json"), ("DELETE", "/me"), ("GET", "/me/export/{export_id}"), ("POST", "/runs/crons")}
UNANSWERED |= {(method, "/v1/{path:path}") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")}
UNANSWERED |= {("GET", "/"), ("GET", "/page/{checksum}/{file:path}")}
UNANSWERED |= {("DELETE", "/v1/responses/{response_id}"), ("POST", "/v1/responses/{response_id}/cancel")}
UNANSWERED |= {("POST", "/v1/conversations/{thread_id}/items")}
UNANSWERED |= {(method, "/v1/conversations/{thread_id}/items/{item_id}") for method in ("GET", "DELETE")}
"""Routes without a name in log lines, erasure, the page, and routes that these clients do not call."""
ELSEWHERE = {"model_key_unavailable", "agent_unavailable", "model_timeout", "privacy_unavailable", "server_stopping"}
ELSEWHERE |= {"budget_exceeded", "too_many_turns", "too_many_at_once", "deployment_ceiling", "action_unknown"}
ELSEWHERE |= {"misdirected", "ambiguous_body", "body_timeout", "answer_too_large", "foreign_origin"}
ELSEWHERE |= {"thread_moved", "unsettled", "no_such_interrupt"}
"""Errors that need limits, missing secrets, an upload, or two simultaneous faults."""
RARE = {"CostUSD", "BudgetRefused", "CeilingReached", "UsageNotSettled", "ForgedKey", "StreamLeft"}
RARE |= {"MemoryNotWritten", "DocumentReady", "DocumentFailed", "PlaceholdersMade", "PlaceholdersLost"}
RARE |= {"CleanupDeleted", "CleanupUnreadable", "OldestExpiredAge"}
"""Metrics that need limits, prices, documents, redaction, forged items, or the cleanup."""


def assert_driven(scene: Scene) -> None:
    """Check that every route, error and metric occurred."""
    lines = [json.loads(line) for line in b"\n".join(scene.traffic.sinks["output"]).splitlines() if line[:1] == b"{"]
    app = bare_app()
    app.state.late.load()
    routes = {(method, route.path) for route in app.router.routes for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    answered = {(line["method"], line.get("route")) for line in lines if 200 <= line.get("status", 0) < 300}
    assert routes - UNANSWERED - answered == set()
    assert {error.code for error in leaves(TurnkeepError)} - ELSEWHERE - scene.traffic.codes == set()
    assert set(get_args(Metric)) - RARE - {name for line in lines if "_aws" in line for name in line} == set()
    sentences = {line.get("message") for line in lines}
    assert {"library logged", "library warned", "uncaught exception"} <= sentences


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
        sink = "object" if file.is_relative_to(home / "objects") else "output"
        scene.traffic.sinks.put(sink, file.read_bytes(), file.name)
    scene.traffic.sinks.put("terminal", (scene.folder / TERMINAL).read_bytes())
    # The terminal shows the file of the database, and warnings of libraries.
    may = MAY | {"database": {"terminal"}, "message": MAY["message"] | {"terminal"}}
    nothing_leaks(scene, may)
    assert_driven(scene)


def raw_requests(word: dict[str, str]) -> Iterator[str]:
    yield f"GARBAGE {word['value']}\r\n\r\n"
    yield f"GET /{word['path']} HTTP/1.1\r\nHost: a:{word['value']}\r\nX: {word['value']}\r\n\r\n"
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    yield f"GET /{word['path']}?{word['value']} HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n"
