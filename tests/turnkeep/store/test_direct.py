"""Requests that do not pass through botocore end as they do through it, whatever the server does."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import boto3
import pytest
import trustme
import wrapt
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.client import BaseClient
from botocore.config import Config
from botocore.credentials import Credentials, RefreshableCredentials
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st
from moto.core.models import botocore_stubber

from turnkeep import DynamoDBSaver, DynamoDBStore
from turnkeep.errors import StoreUnavailable
from turnkeep.store.attributes import Write
from turnkeep.store.direct import OPERATIONS, Direct
from turnkeep.store.items import Items, Refused

KEYS = Credentials("testing", "testing")
SESSION = boto3.Session("testing", "testing", region_name="eu-west-1")
ONCE = Config(retries={"mode": "standard", "total_max_attempts": 1})
TWICE = Config(retries={"mode": "standard", "total_max_attempts": 2})
ITEM = {"PK": {"S": "p"}, "SK": {"S": "s"}, "B": {"B": "AP8="}, "n": {"N": "7"}}
FOUND = {"PK": "p", "SK": "s", "B": b"\x00\xff", "n": 7}


def answer(
    status: str = "200 OK", body: Any = None, *, checksum: int | None = None, cut: int = 0, **headers: str
) -> bytes:
    content = body if isinstance(body, bytes) else json.dumps({"Item": ITEM} if body is None else body).encode()
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(content)}", "content-type: application/x-amz-json-1.0"]
    lines += [f"x-amz-crc32: {crc32(content) if checksum is None else checksum}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content[: len(content) - cut]


def fault(code: str, status: str = "400 Bad Request", **more: Any) -> bytes:
    return answer(status, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "no", **more})


OK = answer()
STALLED, CLOSED = b"stalled", b""
ANSWERS = {
    "ordinary": OK,
    "closed": CLOSED,
    "half": answer(cut=9),
    "wrong checksum": answer(checksum=1),
    "no JSON": answer(body=b"<html>"),
    "500": fault("InternalServerError", "500 Internal Server Error"),
    "503 without a body": answer("503 Service Unavailable", b""),
    "throttled": fault("ProvisionedThroughputExceededException"),
    "refused": fault("ConditionalCheckFailedException", Item=ITEM),
    "invalid": fault("ValidationException"),
    "unknown 400": fault("SomethingNew"),
    "expired token": fault("ExpiredTokenException"),
    "redirected": answer("307 Temporary Redirect", b"", location="http://127.0.0.1:1/"),
    "answered twice": OK + OK,
    "chunked": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "says that it closes": answer(connection="close"),
}


@contextmanager
def server(script: list[bytes], context: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers its requests by the script and then with OK. Yields its address and what it received."""
    received: list[bytes] = []
    held: list[socket.socket] = []
    lock, rest = threading.Lock(), list(script)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        try:
            stream = context.wrap_socket(connection, server_side=True) if context else connection
            file = stream.makefile("rb")
            while head := b"".join(takewhile(lambda line: line not in (b"\r\n", b""), iter(file.readline, None))):
                length = next(
                    int(line[15:]) for line in head.splitlines() if line.lower().startswith(b"content-length:")
                )
                body = file.read(length)
                with lock:
                    received.append(head + b"\r\n" + body)
                    said = rest.pop(0) if rest else OK
                if said == STALLED:
                    held.append(stream)
                    return
                stream.sendall(said)
                if said in (CLOSED, ANSWERS["half"], ANSWERS["says that it closes"]):
                    stream.shutdown(socket.SHUT_RDWR)
                    stream.close()
                    return
        except (OSError, StopIteration):
            connection.close()

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"{'https' if context else 'http'}://localhost:{listener.getsockname()[1]}", received
    finally:
        listener.close()
        for each in held:
            each.close()


def client_of(url: str, config: Config = ONCE, **more: Any) -> Any:
    client = SESSION.client("dynamodb", endpoint_url=url, config=config, **more)
    client.meta.events.unregister("before-send", cast(Any, botocore_stubber))  # moto adds it to all clients
    return client


def outcome(items: Items) -> Any:
    try:
        return items.get("p", "s")
    except Refused as refused:
        return "refused", refused.item
    except StoreUnavailable:
        return "unavailable"
    except ClientError as error:
        return error.response["Error"]["Code"]


@given(st.lists(st.sampled_from(sorted(ANSWERS)), min_size=1, max_size=3))
@settings(deadline=None, max_examples=15)
def test_a_request_ends_as_it_does_through_botocore(script: list[str]) -> None:
    """`Direct` makes the first of botocore's tries: its answer counts, or is as if it had not come."""
    answers = [ANSWERS[name] for name in script]
    with server(answers) as (url, _):
        client = client_of(url)
        found = outcome(Items(client, "t", direct=Direct(client, KEYS), sleep=lambda _: None))
    assert found in (_through_botocore(answers, TWICE), _through_botocore(answers[1:], ONCE))


def _through_botocore(answers: list[bytes], config: Config) -> Any:
    with server(answers) as (url, _):
        return outcome(Items(client_of(url, config), "t", sleep=lambda _: None))


def test_a_server_that_stalls_is_asked_once_more() -> None:
    with server([STALLED]) as (url, received):
        client = client_of(url, ONCE.merge(Config(read_timeout=3)))
        assert outcome(Items(client, "t", direct=Direct(client, KEYS))) == FOUND
        assert len(received) == 2


@pytest.mark.parametrize("token", [None, "a session token"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_signature_is_that_of_botocore(operation: str, token: str | None) -> None:
    keys = Credentials("AKID", "secret/+", token)
    with server([]) as (url, received):
        Direct(client_of(url), keys).send(operation, {"TableName": "t", "Key": {"PK": {"B": b"\x00"}}})
    head, _, body = received[0].partition(b"\r\n\r\n")
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:]]
    sent = {name.lower(): value for name, value in lines}
    assert json.loads(body) == {"TableName": "t", "Key": {"PK": {"B": "AA=="}}}
    signed = {name: sent[name] for name in ("content-type", "x-amz-target")}
    request = AWSRequest("POST", url, data=body, headers=signed)
    request.context["timestamp"] = sent["x-amz-date"]
    auth = SigV4Auth(keys, "dynamodb", "eu-west-1")
    request.headers["X-Amz-Date"] = sent["x-amz-date"]
    if token:
        request.headers["X-Amz-Security-Token"] = token
    text = auth.string_to_sign(request, auth.canonical_request(request))
    assert sent["authorization"].endswith(f"Signature={auth.signature(text, request)}")
    assert sent.get("x-amz-security-token") == token


def test_a_transaction_that_is_sent_again_is_the_same_transaction() -> None:
    """Without a token its conditions would refuse the second try where only the answer to the first was lost."""
    with server([CLOSED, answer(body={})]) as (url, received):
        Items(client := client_of(url), "t", direct=Direct(client, KEYS)).transact(
            Write("Delete", {"PK": "p", "SK": "s"})
        )
    tokens = [json.loads(each.partition(b"\r\n\r\n")[2])["ClientRequestToken"] for each in received]
    assert tokens == 2 * tokens[:1]


def test_refreshed_credentials_sign_the_next_request() -> None:
    def fresh(name: str, seconds: int) -> dict[str, str]:
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        return {"access_key": name, "secret_key": name, "token": name, "expiry_time": until.isoformat()}

    names = iter(["second", "third"])
    keys = RefreshableCredentials.create_from_metadata(
        fresh("first", 1), refresh_using=lambda: fresh(next(names), 3600), method="test"
    )
    with server([]) as (url, received):
        direct = Direct(client_of(url), keys)
        for _ in range(2):
            direct.send("get_item", {"TableName": "t"})
    assert [b"Credential=second/" in each for each in received] == [True, True]


def test_a_server_without_a_trusted_certificate_gets_no_request(tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    bundle = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(bundle))
    with server([], context) as (url, received):
        for verify in (None, False):
            assert Direct(client_of(url, verify=verify), KEYS).send("get_item", {"TableName": "t"}) is None
        assert received == []
        found = Direct(client_of(url, verify=str(bundle)), KEYS).send("get_item", {"TableName": "t"})
        assert found == {"Item": ITEM | {"B": {"B": b"\x00\xff"}}}


def test_handlers_of_events_see_every_request() -> None:
    seen: list[str] = []

    def note(model: Any, **_: Any) -> None:
        seen.append(model.name)

    with server([]) as (url, _):
        client = client_of(url)
        items = Items(client, "t", direct=Direct(client, KEYS))
        items.get("p", "s")
        client.meta.events.register("before-call.dynamodb.GetItem", note)
        items.get("p", "s")
        client.meta.events.unregister("before-call.dynamodb.GetItem", note)
        items.get("p", "s")
    assert seen == ["GetItem"]


def test_proxies_and_instrumented_clients_are_left_to_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_of("http://store.invalid")
    assert Direct.of(client, KEYS)
    assert Direct.of(client, None) is None
    assert Direct.of(object(), KEYS) is None
    assert Direct.of(client_of("http://store.invalid", Config(proxies={"http": "http://proxy.invalid"})), KEYS) is None
    with monkeypatch.context() as patch:
        patch.setenv("HTTP_PROXY", "http://proxy.invalid")
        assert Direct.of(client, KEYS) is None
        assert Direct.of(client_of("http://store.invalid", Config(proxies={})), KEYS)
    assert Direct.of(client_of("http://store.invalid/a/path"), KEYS) is None
    own: Any = BaseClient.__dict__["_make_api_call"]
    by_opentelemetry = wrapt.FunctionWrapper(own, lambda wrapped, _, given, named: wrapped(*given, **named))
    for instrumented in (lambda *_: {}, by_opentelemetry):
        monkeypatch.setattr(BaseClient, "_make_api_call", instrumented)
        assert Direct.of(client, KEYS) is None


def test_connections_that_were_closed_are_opened_again() -> None:
    with server([]) as (url, received):
        client = client_of(url)
        items = Items(client, "t", direct=Direct(client, KEYS))
        assert items.get("p", "s") == FOUND
        items.close()
        assert items.get("p", "s") == FOUND
        assert len(received) == 2


@pytest.mark.parametrize("setting", [None, "false"])
def test_savers_and_stores_open_their_own_client_in_the_short_way(
    own_clients: None, monkeypatch: pytest.MonkeyPatch, setting: str | None
) -> None:
    if setting:
        monkeypatch.setenv("DYNAMODB_DIRECT", setting)
    with server([answer(body={"Responses": {}})] * 2) as (url, received):
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", url)
        monkeypatch.setenv("AWS_SESSION_TOKEN", "a session token")
        assert DynamoDBSaver("t", seal_key="x" * 32).get_tuple({"configurable": {"thread_id": "t"}}) is None
        assert DynamoDBStore("t", seal_key="x" * 32).get(("n",), "k") is None
    assert [b"amz-sdk-invocation-id" in each for each in received] == 2 * [setting == "false"]
    assert all(b"eu-west-1/dynamodb" in each and b": a session token" in each for each in received)
