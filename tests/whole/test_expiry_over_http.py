"""A thread that was idle for 24 hours and a second is an unknown thread on every route, while its items still lie in
the table; one that is talked to every 20 hours keeps all."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from scripted import read_events
from whole_site import HOUR, Site, Visitor

if TYPE_CHECKING:
    from fastapi import FastAPI
    from httpx import Response

NAMES_NONE = "names no thread"
STARTS_ANEW = "creates a thread that it does not hold"
LISTS = "lists threads"

PAPER, FOLLOW_UP = "What is low-rank adaptation?", "And who wrote it?"

ROUTES: dict[tuple[str, str], Any] = {
    ("GET", "/ok"): NAMES_NONE,
    ("GET", "/info"): NAMES_NONE,
    ("GET", "/agents"): NAMES_NONE,
    ("GET", "/agents/{name}"): NAMES_NONE,
    ("GET", "/openapi.json"): NAMES_NONE,
    ("POST", "/internal/chat/stream"): STARTS_ANEW,
    ("POST", "/threads/search"): LISTS,
    ("POST", "/threads"): STARTS_ANEW,
    ("POST", "/chat"): STARTS_ANEW,
    ("POST", "/chat/stream"): STARTS_ANEW,
    ("GET", "/threads/{thread_id}"): None,
    ("PATCH", "/threads/{thread_id}"): {"metadata": {"seen": True}},
    ("DELETE", "/threads/{thread_id}"): None,
    ("GET", "/threads/{thread_id}/turns"): None,
    ("GET", "/threads/{thread_id}/turns/{number}"): None,
    ("POST", "/threads/{thread_id}/turns"): {"message": FOLLOW_UP},
    ("POST", "/threads/{thread_id}/turns/stream"): {"message": FOLLOW_UP},
    ("POST", "/threads/{thread_id}/turns:commit"): {"retry_token": "of another day"},
}
"""What each route that names a thread is sent; a word where it names none, or where another test sends it."""

NAMING = [(method, path, body) for (method, path), body in ROUTES.items() if not isinstance(body, str)]


def routes_of(app: "FastAPI") -> Iterator[tuple[str, str]]:
    for route in app.routes:
        for method in route.methods - {"HEAD"}:  # type: ignore[attr-defined]
            yield method, route.path  # type: ignore[attr-defined]


def shown(answer: "Response") -> tuple[int, Any, list[tuple[str, str]]]:
    return answer.status_code, answer.json(), sorted(answer.headers.items())


@pytest.fixture
async def idle(site: Site, visitor: Visitor) -> Visitor:
    """Holds the thread `idle` with two turns, the last of them 24 hours and a second ago."""
    await visitor.http.post("/threads", json={"thread_id": "idle", "metadata": {"kind": "old"}})
    await visitor.say(PAPER, "idle")
    await visitor.say(FOLLOW_UP, "idle")
    site.clock.now += 24 * HOUR + 1
    return visitor


async def test_every_route_has_an_entry(visitor: Visitor) -> None:
    assert set(routes_of(visitor.app)) == ROUTES.keys()
    assert {(method, path) for method, path, _ in NAMING} == {key for key in ROUTES if "{thread_id}" in key[1]}


@pytest.mark.parametrize(("method", "path", "body"), NAMING, ids=lambda value: str(value)[:36])
async def test_an_expired_thread_is_answered_as_an_unknown_one(
    site: Site, idle: Visitor, method: str, path: str, body: Any
) -> None:
    before = site.lying("idle")
    headers = {"Idempotency-Key": "k-1", "X-Correlation-Id": "one"}
    old, unknown = path.format(thread_id="idle", number=1), path.format(thread_id="never", number=1)
    answered = shown(await idle.http.request(method, old, json=body, headers=headers))
    assert answered == shown(await idle.http.request(method, unknown, json=body, headers=headers))
    assert (answered[0], answered[1]["code"]) in ((404, "not_found"), (422, "invalid_retry_token"))
    assert site.lying("idle") == before
    assert len(before) >= 5


async def test_a_second_before_its_time_it_is_still_there_on_every_read(site: Site, idle: Visitor) -> None:
    site.clock.now -= 2
    assert (await idle.get("/threads/idle"))["turn_count"] == 2
    assert await idle.messages("idle") == [PAPER, FOLLOW_UP]
    assert (await idle.get("/threads/idle/turns/1"))["message"] == PAPER
    assert [thread["thread_id"] for thread in (await idle.http.post("/threads/search")).json()] == ["idle"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [({}, ["young"]), ({"metadata": {"kind": "old"}}, []), ({"agent": "papers"}, []), ({"status": "idle"}, ["young"])],
)
async def test_an_expired_thread_is_absent_from_every_search(
    idle: Visitor, wanted: dict[str, Any], found: list[str]
) -> None:
    await idle.http.post("/threads", json={"thread_id": "young", "metadata": {"kind": "young"}})
    threads = (await idle.http.post("/threads/search", json=wanted)).json()
    assert [thread["thread_id"] for thread in threads] == found


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_a_chat_with_an_expired_id_starts_a_thread_that_knows_nothing_of_the_old_one(
    site: Site, idle: Visitor, path: str
) -> None:
    lying = site.lying("idle")
    told = {}
    for session in ("idle", "never"):
        answer = await idle.http.post(path, json={"session_id": session, "message": FOLLOW_UP})
        assert answer.status_code == 200
        told[session] = answer.json() if path == "/chat" else read_events(answer.text)[-1][2]
    assert (told["idle"]["thread_created"], told["idle"]["turn_number"]) == (True, 1)
    own = ("session_id", "thread_id", "duration_ms")
    anew, fresh = ({name: kept for name, kept in turn.items() if name not in own} for turn in told.values())
    assert anew == fresh
    assert told["idle"]["standalone_query"] == FOLLOW_UP
    thread = await idle.get("/threads/idle")
    assert (thread["turn_count"], thread["metadata"]) == (1, {})
    assert await idle.messages("idle") == [FOLLOW_UP]
    assert (await idle.http.get("/threads/idle/turns/2")).status_code == 404
    assert lying <= site.lying("idle")


async def test_a_thread_made_anew_under_an_expired_id_is_empty(idle: Visitor) -> None:
    made = (await idle.http.post("/threads", json={"thread_id": "idle"})).json()
    assert (made["turn_count"], made["metadata"], made["agent"], made["title"]) == (0, {}, None, None)
    assert await idle.messages("idle") == []
    told = await idle.say(FOLLOW_UP, "idle")
    assert (told["thread_created"], told["turn_number"], told["standalone_query"]) == (False, 1, FOLLOW_UP)


async def test_a_key_of_an_expired_thread_is_a_new_key(site: Site, visitor: Visitor) -> None:
    body, headers = {"session_id": "t1", "message": PAPER}, {"Idempotency-Key": "k-1"}
    await visitor.http.post("/chat", json=body, headers=headers)
    site.clock.now += 24 * HOUR + 1
    again = await visitor.http.post("/chat", json=body | {"message": FOLLOW_UP}, headers=headers)
    assert (again.status_code, again.json()["turn_number"]) == (200, 1)
    assert "idempotency-replayed" not in again.headers


async def test_a_retry_token_does_not_bring_an_expired_thread_back(site: Site) -> None:
    visitor = await site.open(thread_hours=0.1)  # shorter than the life of a token
    site.refused.add("BatchWriteItem")
    told = await visitor.say(PAPER, "t1")
    site.refused.clear()
    assert (told["persisted"], bool(told["retry_token"])) == (False, True)
    site.clock.now += 0.1 * HOUR + 1
    late = await visitor.http.post("/threads/t1/turns:commit", json={"retry_token": told["retry_token"]})
    assert (late.status_code, late.json()["code"]) == (404, "not_found")
    assert (await visitor.http.get("/threads/t1")).status_code == 404


async def test_a_thread_with_a_turn_every_20_hours_keeps_all_of_a_week(site: Site, visitor: Visitor) -> None:
    said = [f"{PAPER}{'?' * count}" for count in range(1, 10)]
    for message in said:
        told = await visitor.say(message, "week")
        site.clock.now += 20 * HOUR
    assert told["turn_number"] == 9
    assert await visitor.messages("week") == said
    for number, message in enumerate(said, 1):
        kept = await visitor.get(f"/threads/week/turns/{number}")
        assert (kept["message"], kept["details"]["retrieval_attempts"]) == (message, 1)
    thread = await visitor.get("/threads/week")
    assert (thread["turn_count"], thread["agent"]) == (9, "papers")
    assert thread["updated_at"] == told["created_at"]
    assert [one["thread_id"] for one in (await visitor.http.post("/threads/search")).json()] == ["week"]
    site.clock.now += 4 * HOUR + 1
    assert (await visitor.http.get("/threads/week")).status_code == 404
