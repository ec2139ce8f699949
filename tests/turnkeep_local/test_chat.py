"""The terminal chat over a scripted server, and once on a real terminal."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from turnkeep_local import LocalError
from turnkeep_local.chat import converse, open_client, read_events

TURN = {"reply": "Whole reply.", "sources": [], "warnings": [], "persisted": True}
PROBLEM = {"title": "Another turn of this thread is running", "detail": "Wait.", "code": "thread_busy"}
CONTROL = "a\x1b]52;c;eA==\x07b\x9b2J\x1b[8m\u202ec"
READABLE = "a ]52;c;eA== b 2J [8mc"


def sse(*events: tuple[str, dict[str, Any]]) -> str:
    return "".join(f"id: 1\nevent: {name}\ndata: {json.dumps({'event': name, **data})}\n\n" for name, data in events)


def answered(*events: tuple[str, dict[str, Any]]) -> httpx.Response:
    return httpx.Response(200, text=sse(*events))


def complete(**turn: Any) -> httpx.Response:
    return answered(("complete", TURN | turn))


def cut(error: BaseException) -> httpx.Response:
    """An answer that breaks after its first token."""

    def pieces() -> Iterator[bytes]:
        yield sse(("token", {"content": "Whole"})).encode()
        raise error

    return httpx.Response(200, content=pieces())


class Server:
    """Returns the answers in order; knows the thread t1, and creates new."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.turns: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        match request.method, request.url.path:
            case "GET", "/threads/t1":
                return httpx.Response(200, json={"thread_id": "t1", "title": "The first", "agent": "database"})
            case "POST", "/threads":
                return httpx.Response(201, json={"thread_id": "new"})
            case "POST", path if path.endswith("/turns/stream"):
                self.turns.append(request)
                answer = self.answers.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                return answer
        return httpx.Response(404, json=PROBLEM)


type Talk = Callable[..., str]


@pytest.fixture
def talk(capsys: pytest.CaptureFixture[str]) -> Talk:
    """Returns what the terminal shows when these lines are typed."""

    def run(server: Server, *typed: str | type[BaseException], thread: str | None = None) -> str:
        rest = iter((*typed, EOFError))

        def read_line() -> str:
            line = next(rest)
            if isinstance(line, str):
                return line
            raise line

        with httpx.Client(transport=httpx.MockTransport(server), base_url="http://t") as client:
            converse(client, "papers", thread, read_line)
        return capsys.readouterr().out

    return run


def test_an_answer_is_shown_as_it_streams_with_its_steps_and_sources(talk: Talk) -> None:
    sources = [
        {"id": "s1", "title": "One", "url": "https://example.org/1", "cited": True},
        {"id": "s2", "cited": False},
    ]
    events = [("route_decision", {"route": "retrieve", "confidence": 0.9}), ("token", {"content": "Whole"})]
    server = Server(answered(*events, ("complete", TURN | {"sources": sources, "warnings": ["demo_model"]})))
    shown = talk(server, "  ", KeyboardInterrupt, "Say hello")
    steps = (
        "  [route decision: retrieve, 0.9]\nWhole reply.\n  [s1] One https://example.org/1\n  Warnings: demo_model\n"
    )
    assert shown.endswith(f"{steps}\nContinue with: turnkeep chat --thread new\n")
    [sent] = server.turns
    assert (sent.url.path, json.loads(sent.content)) == (
        "/threads/new/turns/stream",
        {"message": "Say hello", "agent": "papers"},
    )


def test_a_thread_is_continued_with_its_agent(talk: Talk) -> None:
    server = Server(complete())
    assert talk(server, "Say hello", thread="t1").startswith("Thread t1  The first\n")
    assert json.loads(server.turns[0].content)["agent"] == "database"


def test_a_reply_that_differs_from_its_tokens_is_shown_whole(talk: Talk) -> None:
    assert "Half a\n\nWhole reply.\n" in talk(
        Server(answered(("token", {"content": "Half a"}), ("complete", TURN))), "hello"
    )


@pytest.mark.parametrize(
    "unsettled",
    [
        httpx.ConnectError("refused"),
        cut(httpx.ReadError("cut")),
        cut(KeyboardInterrupt()),
        answered(("token", {"content": "Whole"})),
        httpx.Response(503, json=PROBLEM),
        complete(persisted=False),
        complete(persisted=None),
    ],
)
def test_a_message_keeps_its_key_until_its_turn_is_stored(talk: Talk, unsettled: Any) -> None:
    server = Server(unsettled, complete(), complete())
    talk(server, "yes", "yes", "yes")
    first, again, last = (request.headers["idempotency-key"] for request in server.turns)
    assert first == again != last


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (httpx.ConnectError(""), "The connection broke (ConnectError). Send the same message again"),
        (answered(("token", {"content": "x"})), "ended before the turn was complete. Send the same message again"),
        (complete(persisted=False), "This turn was not stored. Send the same message again"),
        (complete(persisted=None), "It is unknown whether this turn was stored. Send the same message again"),
        (httpx.Response(409, json=PROBLEM), "Another turn of this thread is running: Wait. (thread_busy)"),
        (answered(("error", PROBLEM)), "Another turn of this thread is running: Wait. (thread_busy)"),
        (httpx.Response(502, text="<html>bad gateway</html>"), "Status 502: <html>bad gateway</html>"),
        (httpx.Response(401, json={"message": "Unauthorized"}), 'Status 401: {"message":"Unauthorized"}'),
        (cut(KeyboardInterrupt()), "Whole\nStopped. The turn is cancelled"),
    ],
)
def test_a_fault_is_shown_with_advice_and_the_chat_continues(talk: Talk, answer: Any, shown: str) -> None:
    output = talk(Server(answer, complete(reply="Next.")), "one", "two")
    assert shown in output
    assert "Next." in output


def test_nothing_that_a_server_sends_controls_the_terminal(talk: Talk) -> None:
    source = {"id": CONTROL, "title": f"{CONTROL}\n> x", "url": CONTROL, "cited": True}
    answer = answered(("node", {"node": CONTROL}), ("complete", TURN | {"reply": CONTROL, "sources": [source]}))
    shown = talk(Server(answer), "one")
    assert shown.count(READABLE) == 5
    assert not re.search(r"[\x1b\x07\x9b\u202e]|^> x", shown, re.M)


def test_an_unknown_thread_or_a_silent_server_ends_the_chat(talk: Talk) -> None:
    with pytest.raises(LocalError, match="Wait"):
        talk(Server(), thread="t9")

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    client = httpx.Client(transport=httpx.MockTransport(refuse), base_url="http://t")
    with client, pytest.raises(LocalError, match="http://t does not answer"):
        converse(client, None, None, input)


@pytest.mark.parametrize("url", ["http://example.com", "http://192.0.2.1:8000", "http://localhost.example.com"])
def test_messages_and_key_leave_this_machine_over_https_only(url: str) -> None:
    with pytest.raises(LocalError, match=re.escape(f"{url} would send messages and key unencrypted. Use https://")):
        open_client(url, {})
    for allowed in ("http://127.0.0.1:8000", "http://localhost", "http://[::1]:8000", url.replace("http:", "https:")):
        assert open_client(allowed, {"TURNKEEP_KEY": "k"}).headers["x-api-key"] == "k"
    assert str(open_client(url, {}, insecure=True).base_url).rstrip("/") == url


def test_comments_and_ids_of_a_stream_are_skipped_and_its_data_lines_joined() -> None:
    lines = [": heartbeat", "", "id: 3", "event: token", 'data: {"content":', 'data: "x"}', "", ": heartbeat", ""]
    assert list(read_events(lines)) == [("token", {"content": "x"})]
