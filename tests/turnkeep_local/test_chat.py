"""The terminal chat's side of HTTP: one message makes one turn, whatever happens to the connection."""

import io
import json
import re
from collections.abc import Iterator

import httpx
import pytest

from turnkeep_local import LocalError
from turnkeep_local.chat import RETRY_SECONDS, Chat, open_client, read_events
from turnkeep_local.screen import Screen

TURN = {"thread_id": "t1", "turn_number": 1, "reply": "Whole reply.", "sources": [], "warnings": [], "persisted": True}
PROBLEM = {"title": "Another turn of this thread is running", "detail": "Wait.", "code": "thread_busy"}


def sse(*events: tuple[str, dict]) -> str:
    return "".join(f"id: 1\nevent: {name}\ndata: {json.dumps({'event': name, **data})}\n\n" for name, data in events)


def answered(*events: tuple[str, dict]) -> httpx.Response:
    return httpx.Response(200, text=sse(*events))


def cut(*events: tuple[str, dict]) -> httpx.Response:
    """Some events, and then the connection breaks."""

    def pieces() -> Iterator[bytes]:
        yield sse(*events).encode()
        raise httpx.ReadError("cut")

    return httpx.Response(200, content=pieces())


class Server:
    """Gives its answers in turn; an exception among them is raised."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.seen: list[httpx.Request] = []
        self.pauses: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def keys(self) -> list[str]:
        return [request.headers["idempotency-key"] for request in self.seen]

    def chat(self, agent: str | None = None) -> tuple[Chat, io.StringIO]:
        out = io.StringIO()
        client = httpx.Client(transport=httpx.MockTransport(self), base_url="http://t")
        return Chat(client, "t1", agent, Screen(out), pause=self.pauses.append), out


def test_pieces_are_written_as_they_come_and_the_turn_is_given() -> None:
    server = Server(
        answered(
            ("node", {"node": "retrieve"}),
            ("token", {"content": "Hel"}),
            ("token", {"content": "lo."}),
            ("complete", TURN),
        )
    )
    chat, out = server.chat("papers")
    assert chat.ask("Say hello") == chat.last == {"event": "complete", **TURN}
    assert out.getvalue() == "Hello.\n"
    assert (server.seen[0].url.path, json.loads(server.seen[0].content)) == (
        "/threads/t1/turns/stream",
        {"message": "Say hello", "agent": "papers"},
    )


def test_what_does_not_come_in_pieces_is_shown_from_the_reply() -> None:
    first = cut(("token", {"content": "Whole r"}))
    for answers in ([answered(("complete", TURN))], [first, answered(("complete", TURN))]):
        chat, out = Server(*answers).chat()
        chat.ask("Say hello")
        assert out.getvalue() == "Whole reply.\n"


WHOLE = (("token", {"content": "Hello."}), ("complete", TURN))
BROKEN = {
    "before it was sent": httpx.ConnectError("refused"),
    "without an answer": httpx.ReadTimeout("slow"),
    "in mid-answer": cut(("token", {"content": "Hel"})),
    "before the turn was complete": answered(("token", {"content": "Hel"})),
    "by a store that is down": httpx.Response(503, json=PROBLEM, headers={"Retry-After": "2"}),
    "by its own first request": httpx.Response(409, json=PROBLEM, headers={"Retry-After": "5"}),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_request_that_broke_is_sent_again_with_its_key_and_shown_once(broken: str) -> None:
    server = Server(BROKEN[broken], answered(*WHOLE))
    chat, out = server.chat()
    assert chat.ask("Say hello")["persisted"] is True
    assert len(server.seen) == 2
    assert len(set(server.keys)) == 1
    assert server.seen[0].content == server.seen[1].content
    assert out.getvalue() == "Hello.\n"


def test_a_server_that_says_how_long_is_waited_for_that_long_and_else_longer_each_time() -> None:
    busy = httpx.Response(409, json=PROBLEM, headers={"Retry-After": "7"})
    server = Server(busy, httpx.ConnectError(""), httpx.ConnectError(""), answered(*WHOLE))
    chat, _ = server.chat()
    chat.ask("Say hello")
    assert server.pauses == [7, *RETRY_SECONDS[1:3]]


def test_an_answer_that_comes_otherwise_the_second_time_is_shown_whole() -> None:
    server = Server(
        cut(("token", {"content": "Hello the"})), answered(("token", {"content": "Good day."}), ("complete", TURN))
    )
    chat, out = server.chat()
    chat.ask("Say hello")
    assert out.getvalue() == "Hello the\n\n---\n\nGood day.\n"


def test_a_message_whose_fate_is_unknown_keeps_its_key_until_it_is_answered() -> None:
    server = Server(*[httpx.ConnectError("")] * len(RETRY_SECONDS), answered(*WHOLE), answered(*WHOLE))
    chat, _ = server.chat()
    with pytest.raises(LocalError, match="Send the same message again: it makes one turn"):
        chat.ask("yes")
    chat.ask("yes")
    chat.ask("yes")
    *first, last = server.keys
    assert len(set(first)) == 1
    assert last not in first


@pytest.mark.parametrize("persisted", [False, None])
def test_a_message_whose_turn_is_not_known_to_be_stored_keeps_its_key(persisted: bool | None) -> None:
    unstored = {**TURN, "persisted": persisted}
    server = Server(answered(("complete", unstored)), answered(*WHOLE), answered(*WHOLE))
    chat, _ = server.chat()
    for _ in range(3):
        chat.ask("yes")
    first, again, last = server.keys
    assert first == again != last


def test_a_message_that_was_stopped_keeps_its_key_too() -> None:
    server = Server(answered(*WHOLE), answered(*WHOLE))
    chat, _ = server.chat()
    chat.screen.console.file.write = _interrupt  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        chat.ask("yes")
    chat.screen = Screen(io.StringIO())
    chat.ask("yes")
    assert len(set(server.keys)) == 1


def _interrupt(_: str) -> int:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (httpx.Response(409, json=PROBLEM), "Another turn of this thread is running: Wait. (thread_busy)"),
        (httpx.Response(429, json=PROBLEM, headers={"Retry-After": "40000"}), "(thread_busy)"),
        (httpx.Response(422, json=PROBLEM, headers={"Retry-After": "1"}), "(thread_busy)"),
        (answered(("token", {"content": "x"}), ("error", PROBLEM)), "(thread_busy)"),
        (httpx.Response(502, text="<html>bad gateway</html>"), "Status 502: <html>bad gateway</html>"),
    ],
)
def test_what_is_no_turn_is_one_line(answer: httpx.Response, line: str) -> None:
    chat, _ = Server(answer).chat()
    with pytest.raises(LocalError) as caught:
        chat.ask("Say hello")
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://example.com", "http://192.0.2.1:8000", "http://localhost.example.com"])
def test_messages_and_key_leave_this_machine_by_https_only(url: str) -> None:
    with pytest.raises(LocalError, match=re.escape(f"{url} would carry messages and key in clear. Use https://")):
        open_client(url, {})
    for allowed in ("http://127.0.0.1:8000", "http://localhost", "http://[::1]:8000", url.replace("http:", "https:")):
        assert open_client(allowed, {"TURNKEEP_KEY": "k"}).headers["x-api-key"] == "k"
    assert str(open_client(url, {}, insecure=True).base_url).rstrip("/") == url


def test_comments_and_ids_are_passed_over_and_data_over_lines_joined() -> None:
    lines = [": heartbeat", "", "id: 3", "event: token", 'data: {"content":', 'data: "x"}', "", ": heartbeat", ""]
    assert list(read_events(lines)) == [("token", {"content": "x"})]
