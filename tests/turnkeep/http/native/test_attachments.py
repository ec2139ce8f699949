"""Documents over HTTP, with the upload routes of a laptop and a worker controlled by the test."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from echoing import Clock
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from turnkeep.records import Parsed, Piece
from turnkeep.store.attachments import Attachments
from turnkeep.store.uploads import MAX_UPLOAD_BYTES, KeptUploads
from turnkeep_local.objects import FolderObjects
from turnkeep_local.workers import take_form

PATH = "/threads/t/attachments"
FILE = {"name": "plans/budget 2026.md", "size": 12}


class Worker:
    """Processes the uploads when `work` is called."""

    def __init__(self, attachments: Attachments) -> None:
        self.attachments = attachments
        self.keys: list[str] = []

    def process(self, key: str) -> None:
        self.keys.append(key)

    def work(self, code: str = "") -> None:
        for key in self.keys:
            claimed = self.attachments.claim(key)
            assert claimed is not None
            if code:
                self.attachments.fail(claimed, code)
            else:
                parsed = Parsed("markdown", (Piece(claimed.body.decode()),))
                self.attachments.finish(claimed, parsed, name=claimed.name)
            self.attachments.drop(key)
        self.keys.clear()


@pytest.fixture
def worker(app: FastAPI, folder_objects: FolderObjects) -> Worker:
    worker = Worker(app.state.attachments)
    take_form(app, worker.attachments, KeptUploads(folder_objects), worker.process)
    return worker


@pytest.fixture
async def client(client: AsyncClient, worker: Worker) -> AsyncClient:
    await client.post("/threads", json={"thread_id": "t"})
    return client


async def attach(client: AsyncClient, body: bytes = b"some content", **more: Any) -> str:
    made = (await client.post(PATH, json=FILE | more)).json()
    form = made["upload"]
    assert (await client.post(form["url"], data=form["fields"], files={"file": body})).status_code == 204
    return str(made["document_id"])


def problem(answer: Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_document_is_created_uploaded_read_listed_and_deleted(client: AsyncClient, worker: Worker) -> None:
    made = (await client.post(PATH, json=FILE | {"content_type": "text/markdown"})).json()
    assert (made["name"], made["status"], made["size"]) == ("budget 2026.md", "waiting", 12)
    assert made["upload"]["url"] == "http://test/uploads"
    sent = await client.post(made["upload"]["url"], data=made["upload"]["fields"], files={"file": b"some content"})
    assert sent.status_code == 204
    worker.work()
    path = f"{PATH}/{made['document_id']}"
    found = (await client.get(path)).json()
    assert (found["status"], found["kind"], found["characters"], found["code"]) == ("ready", "markdown", 12, None)
    assert (await client.get(PATH)).json() == {"attachments": [found]}
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(PATH)).json() == {"attachments": []}
    assert problem(await client.get(path)) == problem(await client.delete(path)) == (404, "document_not_found")


async def test_a_failed_document_has_advice_and_gives_a_warning(client: AsyncClient, worker: Worker) -> None:
    document = await attach(client)
    worker.work("encrypted_file")
    found = (await client.get(f"{PATH}/{document}")).json()
    assert (found["status"], found["code"]) == ("failed", "encrypted_file")
    assert found["advice"]
    assert (await ask(client, document)).json()["warnings"] == ["attachment_failed"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"name": "a", "size": MAX_UPLOAD_BYTES + 1}, (413, "document_too_large")),
        ({"name": "a", "size": 1, "content_type": "text/plain; x"}, (422, "invalid_request")),
        ({"name": "a", "size": 1, "url": "file:///etc/passwd"}, (422, "invalid_request")),
    ],
)
async def test_an_invalid_document_is_rejected(
    client: AsyncClient, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert problem(await client.post(PATH, json=body)) == expected
    assert (await client.get(PATH)).json() == {"attachments": []}


async def test_the_21st_document_is_rejected(client: AsyncClient) -> None:
    for _ in range(20):
        assert (await client.post(PATH, json=FILE)).status_code == 201
    assert problem(await client.post(PATH, json=FILE)) == (409, "too_many_documents")
    assert len((await client.get(PATH)).json()["attachments"]) == 20


@pytest.mark.parametrize("change", ["key", "owner", "late", "empty", "no file", "long"])
async def test_a_changed_late_or_incomplete_form_is_rejected(
    client: AsyncClient, worker: Worker, clock: Clock, folder_objects: FolderObjects, change: str
) -> None:
    form, other = [(await client.post(PATH, json=FILE)).json()["upload"] for _ in range(2)]
    fields, files = dict(form["fields"]), {"file": b"" if change == "empty" else b"some content"}
    if change == "key":
        fields["key"] = "uploads/../../blobs/x"
    elif change == "owner":
        fields["x-amz-meta-owner"] = other["fields"]["x-amz-meta-owner"]
    elif change == "late":
        clock.ahead += 301
    elif change == "long":
        files = {"file": b"x" * (MAX_UPLOAD_BYTES + 1)}
    sent = await client.post(form["url"], data=fields, files={} if change == "no file" else files)
    assert problem(sent) == ((413, "document_too_large") if change == "long" else (422, "invalid_request"))
    assert worker.keys == []
    assert [file for file in Path(folder_objects._folder).rglob("*") if file.is_file()] == []


# Turns


async def ask(client: AsyncClient, *documents: str, **more: Any) -> Response:
    body = {"message": "What does it say?", "attachments": list(documents), **more}
    return await client.post("/threads/t/turns", json=body, headers={"Idempotency-Key": "k"})


async def test_a_turn_waits_for_its_documents_and_is_replayed_without_them(client: AsyncClient, worker: Worker) -> None:
    document = await attach(client)
    turn = asyncio.create_task(ask(client, document))
    await asyncio.sleep(0.3)
    assert not turn.done()
    assert (await client.get("/threads/t")).json()["status"] == "idle"  # nothing is held meanwhile
    worker.work()
    first = (await turn).json()
    assert (first["warnings"], first["details"]["attachments"], first["turn_number"]) == ([], [document], 1)
    await client.delete(f"{PATH}/{document}")
    again = await ask(client, document)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first, "true")
    assert problem(await ask(client, document, message="Other")) == (422, "idempotency_key_reused")


async def test_a_turn_waits_for_at_most_half_of_its_time(app: FastAPI, worker: Worker, client: AsyncClient) -> None:
    document = await attach(client)

    async def hurried(scope: Any, receive: Any, send: Any) -> None:
        until = asyncio.get_running_loop().time() + 4
        await app({**scope, "state": {"deadline": until}}, receive, send)

    async with AsyncClient(transport=ASGITransport(hurried), base_url="http://test") as pressed:
        turn = (await ask(pressed, document)).json()
    assert (turn["warnings"], turn["persisted"]) == (["attachment_processing"], True)


@pytest.mark.parametrize("how", ["unknown", "removed", "no thread", "stateless", "foreign"])
async def test_a_turn_with_an_unknown_document_is_rejected_before_it_begins(
    client: AsyncClient, worker: Worker, how: str
) -> None:
    document = "unknown" if how == "unknown" else await attach(client)
    if how == "removed":
        await client.delete(f"{PATH}/{document}")
    body = {"message": "hello", "attachments": [document]}
    if how == "no thread":
        body["session_id"] = "other"
    elif how != "stateless":
        body["session_id"] = "t"
    headers = {"X-Turnkeep-User": "bob"} if how == "foreign" else {}
    refused = await client.post("/chat", json=body, headers=headers)
    assert problem(refused) == (404, "document_not_found")
    assert (await client.get("/threads/t")).json()["pending"] is None
    assert (await client.get("/threads/other")).status_code == 404
