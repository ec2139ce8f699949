"""The function that reads uploads, as Lambda's runtime interface emulator runs it, on DynamoDB Local and moto's S3. And
the S3 of functions on this machine, asked by the very client that asks AWS."""

import json
import tomllib
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import boto3
import pytest
from botocore.config import Config
from lambdas import FUNCTIONS, ROOT

from deployed_function import loaded
from emulated.bucket import serve_bucket
from emulated.sandbox import find_runtime_emulator, sandbox
from turnkeep.errors import StoreUnavailable
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.store.blobs import S3Objects
from turnkeep.store.keys import partition
from turnkeep.store.uploads import OWNER, KeptUploads, S3Uploads
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ANN = Principal("acme", "ann")
EVENT = ROOT / "events" / "documents-upload.json"


def event_of(*keys: str) -> bytes:
    """The event of the folder, for other objects."""
    (record,) = json.loads(EVENT.read_text())["Records"]
    found = [record | {"s3": record["s3"] | {"object": {"key": quote_plus(key, safe="/")}}} for key in keys]
    return json.dumps({"Records": found}).encode()


def upload(services: Services, s3: "S3Client", thread_id: str, name: str, body: bytes) -> str:
    document_id, bucket = uuid.uuid4().hex, services.settings.bucket_name
    services.attachments.add(ANN, thread_id, document_id, name=name, size=len(body), content_type=None)
    key, owner = services.attachments.place(partition(ANN, thread_id), document_id)
    s3.put_object(Bucket=bucket, Key=key, Body=body, Metadata={OWNER.removeprefix("x-amz-meta-"): owner})
    return key


def test_uploads_become_documents_or_failures_and_leave_the_bucket(services, s3, function_environ, tmp_path):
    services.store.threads.create(ANN, "t", agent="papers")
    good = upload(services, s3, "t", "a.md", b"# Contact\nWrite to mario@example.org.")
    bad = upload(services, s3, "t", "b.pdf", b"MZ\x90\0" + bytes(99))
    environ = function_environ | {"PAPERS__PII": "true"}
    with sandbox(find_runtime_emulator(ROOT), FUNCTIONS / "documents", environ, log=tmp_path / "log") as call:
        for event in (event_of(good, "uploads/gone", "elsewhere/a b", bad), event_of(good, bad)):
            assert json.loads(call(event)) is None
    found = {each.name: (each.status, each.code) for each in services.attachments.documents(ANN, "t")}
    assert found == {"a.md": ("ready", None), "b.pdf": ("failed", "unsupported_type")}
    (active,) = services.attachments.active(services.store.heads.read(ANN, "t"))
    (piece,) = services.attachments.pieces(partition(ANN, "t"), active.id)
    assert piece.heading == "Contact"
    assert "[EMAIL_" in piece.text
    assert "mario" not in piece.text
    assert list(S3Objects(s3, services.settings.bucket_name).names("uploads/")) == []


def test_a_failed_record_is_retried_and_stops_no_other(of_a_function, monkeypatch, capsys):
    app, done = loaded(FUNCTIONS / "documents" / "app.py"), []

    def process(key: str) -> None:
        if key == "uploads/a b":
            raise ValueError("Mario Rossi")
        if key == "uploads/c":
            raise StoreUnavailable
        done.append(key)

    monkeypatch.setattr(app, "process", process)
    monkeypatch.setattr(app, "exports", SimpleNamespace(work=lambda key, has_time: done.append((key, has_time()))))
    event = json.loads(event_of("uploads/a b", "uploads/c", "uploads/d", "exports/e.request"))
    with pytest.raises(app.NotDone, match="2 of 4"):
        app.handler(event, SimpleNamespace(aws_request_id="r", get_remaining_time_in_millis=lambda: 9_000))
    assert done == ["uploads/d", ("exports/e.request", False)]
    assert "Mario" not in capsys.readouterr().out


def test_the_function_has_the_locked_parsers():
    locked = {each["name"]: each for each in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}
    wanted = ["defusedxml", "markdown-it-py", "pypdfium2", "selectolax"]
    for name in wanted:
        wanted += [each["name"] for each in locked[name].get("dependencies", ()) if each["name"] not in wanted]
    lines = (FUNCTIONS / "documents" / "requirements.txt").read_text().splitlines()
    pins = {line for line in lines if not line.startswith("#")}
    assert pins == {f"{name}=={locked[name]['version']}" for name in wanted}


KEYS = ("blobs/a1/b2", "blobs/a1/c3", "blobs/d4/b2")


@pytest.fixture
def client(folder_objects: FolderObjects) -> Iterator["S3Client"]:
    with serve_bucket(folder_objects) as url:
        yield boto3.client("s3", endpoint_url=url, config=Config(retries={"total_max_attempts": 1}))


def test_functions_and_the_server_share_objects(client: "S3Client", folder_objects: FolderObjects) -> None:
    objects, body = S3Objects(client, "any"), bytes(range(256)) * 3000
    for key in KEYS:
        objects.put(key, body)
        assert folder_objects.get(key) == objects.get(key) == body
    folder_objects.put(KEYS[0], b"")
    assert objects.get(KEYS[0]) == b""
    assert list(objects.names("blobs/a1/")) == sorted(KEYS[:2])
    assert list(objects.names("blobs/none/")) == []
    objects.delete([*KEYS[1:], "blobs/never"])
    assert folder_objects.get(KEYS[0]) == b""
    for key in KEYS[1:]:
        for store in (objects, folder_objects):
            with pytest.raises(KeyError):
                store.get(key)


def test_a_local_upload_reads_like_one_of_s3(client: "S3Client", folder_objects: FolderObjects) -> None:
    KeptUploads(folder_objects).put("uploads/a1/d1", "b3duZXI=", b"two\nlines")
    uploads = S3Uploads(client, "any")
    assert uploads.read("uploads/a1/d1") == (b"two\nlines", "b3duZXI=")
    uploads.delete(["uploads/a1/d1"])
    assert list(folder_objects.names("uploads/a1/")) == []
