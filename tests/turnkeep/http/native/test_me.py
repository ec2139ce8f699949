"""GET /me/export returns all data of the caller. DELETE /me leaves only what its receipt names."""

import gzip
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from echoing import Clock
from fastapi import FastAPI
from httpx import AsyncClient

from turnkeep.http.native import me
from turnkeep.records import Principal
from turnkeep_local.objects import FolderObjects
from turnkeep_local.workers import give_exports

BOB = {"X-Turnkeep-User": "bob"}


def lines_of(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in body.splitlines()]


async def chat(client: AsyncClient, thread: str, *messages: str, **more: Any) -> None:
    for message in messages:
        answer = await client.post("/chat", json={"session_id": thread, "message": message}, **more)
        assert answer.json()["persisted"], answer.text


async def test_a_small_export_is_returned_immediately(client: AsyncClient) -> None:
    await chat(client, "mine", *(f"message {n}" for n in range(3)))
    await client.patch("/threads/mine", json={"metadata": {"colour": "blue"}})
    await chat(client, "theirs", "of bob", headers=BOB)
    answer = await client.get("/me/export")
    assert (answer.status_code, answer.headers["content-type"]) == (200, me.NDJSON)
    lines = lines_of(answer.content)
    kinds = [line["type"] for line in lines]
    assert kinds == ["principal", "settings", "thread", "turn", "turn", "turn", "end"]
    assert (lines[0]["tenant"], lines[0]["user"]) == ("local", "local")
    assert lines[2]["metadata"] == {"colour": "blue"}
    assert [(turn["turn_number"], turn["message"]) for turn in lines[3:6]] == [
        (n + 1, f"message {n}") for n in range(3)
    ]
    assert lines[3]["reply"] == (await client.get("/threads/mine/turns/1")).json()["reply"]
    assert lines[-1] == {"type": "end", "threads": 1, "unreadable_threads": 0}
    assert b"of bob" not in answer.content


def opened(answer: dict[str, Any], body: bytes) -> bytes:
    """Decrypt the export."""
    key, counter = (bytes.fromhex(answer[name]) for name in ("key", "iv"))
    return gzip.decompress(Cipher(algorithms.AES(key), modes.CTR(counter)).decryptor().update(body))


async def test_a_large_export_is_written_by_a_worker_for_its_owner_only(
    app: FastAPI, client: AsyncClient, folder_objects: FolderObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(me, "PART_BYTES", 1_000)
    exports, keys = app.state.exports, list[str]()
    give_exports(app, folder_objects)
    exports.on_request = keys.append
    await chat(client, "t", *("secret words " * 20 for _ in range(5)))

    begun = await client.get("/me/export")
    view = begun.json()
    assert (begun.status_code, view["status"], begun.headers["retry-after"]) == (202, "running", "2")
    assert (await client.get("/me/export")).json()["export_id"] == view["export_id"]
    assert (await client.get(view["status_url"])).json()["status"] == "running"
    assert (await client.get(view["status_url"], headers=BOB)).status_code == 404

    exports.work(keys[0])
    exports.work(keys[0])  # the event comes twice
    ready = (await client.get(view["status_url"])).json()
    assert ready["status"] == "ready"
    assert (await client.get(view["status_url"], headers=BOB)).status_code == 404
    body = (await client.get(ready["url"])).content
    lines = lines_of(opened(ready, body))
    assert [line["type"] for line in lines] == ["principal", "settings", "thread", *["turn"] * 5, "end"]
    stored = [path.read_bytes() for path in folder_objects._folder.rglob("*") if path.is_file()]
    assert len(stored) == 2
    assert not any(word in held for held in stored for word in (b"secret words", b"local", bytes.fromhex(ready["key"])))

    assert (await client.delete("/me")).json()["objects"] == 2
    assert (await client.get(view["status_url"])).status_code == 404
    assert (await client.get(ready["url"])).status_code == 404


async def test_an_export_that_is_never_written_fails(
    app: FastAPI, client: AsyncClient, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(me, "PART_BYTES", 100)
    exports, keys = app.state.exports, list[str]()
    exports.on_request = keys.append
    view = (await client.get("/me/export")).json()
    exports.work(keys[0], lambda: False)
    clock.ahead += 16 * 60
    assert (await client.get(view["status_url"])).json()["status"] == "failed"
    assert (await client.get("/me/export")).json()["export_id"] != view["export_id"]


@pytest.mark.parametrize("when", ["before it is written", "while it is written"])
async def test_an_export_of_an_erased_user_leaves_nothing(
    app: FastAPI, client: AsyncClient, folder_objects: FolderObjects, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(me, "PART_BYTES", 100)
    exports, keys, erasures = app.state.exports, list[str](), list[Any]()
    exports.on_request = keys.append
    await chat(client, "t", "hello")
    await client.get("/me/export")

    def erase_once() -> bool:
        if not erasures:
            erasures.append(app.state.user_eraser.erase(Principal("local", "local")))
        return True

    if when == "before it is written":
        erase_once()
    exports.work(keys[0], erase_once)
    assert erasures
    assert [path for path in folder_objects._folder.rglob("*") if path.is_file()] == []


async def test_a_forged_export_request_is_ignored(app: FastAPI, folder_objects: FolderObjects) -> None:
    folder_objects.put("exports/ab/00.request", b"forged" * 20)
    for key in ("exports/ab/00.request", "exports/ab/00.gz", "exports/ab/none.request"):
        app.state.exports.work(key)
    assert list(folder_objects.names("exports/ab/")) == ["exports/ab/00.request"]


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/me"), ("GET", "/me/export")])
async def test_unknown_options_are_rejected(client: AsyncClient, method: str, path: str) -> None:
    await chat(client, "t", "hello")
    assert (await client.request(method, f"{path}?dry_run=true")).status_code == 422
    assert (await client.get("/threads/t")).status_code == 200


async def test_an_erasure_without_time_is_completed_by_another_call(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await chat(client, "a", "one")
    monkeypatch.setattr(me, "ERASE_SECONDS", 0.0)
    first = await client.delete("/me")
    assert (first.status_code, first.json()["complete"], first.headers["retry-after"]) == (202, False, "2")
    monkeypatch.undo()
    second = await client.delete("/me")
    assert (second.status_code, second.json()["threads"]) == (200, 1)
