import io
import json
import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from turnkeep.local import LocalError
from turnkeep.local.chat import DIM, PLAIN, Chat, TurnError, converse, open_client, read_events

TURN = {"thread_id": "t1", "turn_number": 1, "reply": "Whole reply.", "sources": [], "warnings": [], "persisted": True}


def _sse(*events: tuple[str, dict]) -> str:
    return "".join(f"id: 1\nevent: {name}\ndata: {json.dumps({'event': name, **data})}\n\n" for name, data in events)


def _chat(answer: httpx.Response, seen: list[httpx.Request], agent: str | None = None) -> tuple[Chat, io.StringIO]:
    def serve(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer

    out = io.StringIO()
    return Chat(httpx.Client(transport=httpx.MockTransport(serve), base_url="http://t"), "t1", agent, out), out


def test_tokens_are_written_as_they_come_and_the_cited_sources_below() -> None:
    sources = [{"id": "a1", "title": "One", "url": "u1", "cited": True}, {"id": "b2", "title": "Two", "cited": False}]
    stream = _sse(
        ("node", {"node": "retrieve"}),
        ("token", {"content": "Hel"}),
        ("node", {"node": "late"}),
        ("token", {"content": "lo."}),
        ("complete", {**TURN, "sources": sources, "warnings": ["demo_model"]}),
    )
    seen: list[httpx.Request] = []
    chat, out = _chat(httpx.Response(200, text=stream), seen, "papers")

    chat.ask("Say hello")

    assert out.getvalue() == "  node: retrieve\nHello.\n  [a1] One  u1\n  demo_model\n"
    assert (seen[0].url.path, json.loads(seen[0].content)) == (
        "/threads/t1/turns/stream",
        {"message": "Say hello", "agent": "papers"},
    )


def test_a_turn_without_tokens_shows_its_reply() -> None:
    chat, out = _chat(httpx.Response(200, text=_sse(("complete", TURN))), [])

    chat.ask("Say hello")

    assert out.getvalue() == "Whole reply.\n"


@pytest.mark.parametrize(("persisted", "said"), [(False, "could not be stored"), (None, "It is not known whether")])
def test_a_turn_that_was_not_stored_is_said(persisted: bool | None, said: str) -> None:
    chat, out = _chat(httpx.Response(200, text=_sse(("complete", {**TURN, "persisted": persisted}))), [])

    chat.ask("Say hello")

    assert said in out.getvalue()


STEERING = "a\x1b]52;c;eA==\x07b\x9b2J\x1b[8m\u202ec"
SHOWN = "a ]52;c;eA== b 2J [8mc"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_that_a_server_sends_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    source = {"id": STEERING, "title": f"{STEERING}\n> x", "url": STEERING, "cited": True}
    stream = _sse(
        ("tool_start", {"tool": STEERING}),
        ("token", {"content": STEERING}),
        ("complete", {**TURN, "sources": [source], "warnings": [STEERING]}),
    )
    chat, _ = _chat(httpx.Response(200, text=stream), [])
    chat.out = out = _Terminal()
    chat.ask("Say hello")
    assert out.getvalue().replace(DIM, "").replace(PLAIN, "").count("\x1b") == 0
    assert out.getvalue().count(SHOWN) == 6
    assert "\n> x" not in out.getvalue()

    told = {"title": STEERING, "detail": "b", "code": "c"}
    answers = {
        "/threads": httpx.Response(201, json={"thread_id": STEERING}),
        "/threads/t1": httpx.Response(200, json={"thread_id": "t1"}),
        "/threads/t1/turns/stream": httpx.Response(200, text=_sse(("error", told))),
        "/threads/t9": httpx.Response(404, json=told),
    }
    with httpx.Client(transport=_serve(answers, []), base_url="http://t") as client:
        converse(client, None, None, _lines(EOFError))
        converse(client, None, "t1", _lines("one", EOFError))
        with pytest.raises(LocalError, match=re.escape(SHOWN)):
            converse(client, None, "t9", _lines())
    assert "\x1b" not in (said := capsys.readouterr().out)
    assert said.count(SHOWN) == 3


@pytest.mark.parametrize("url", ["http://example.com", "http://192.0.2.1:8000", "http://localhost.example.com"])
def test_messages_and_key_leave_this_machine_by_https_only(url: str) -> None:
    with pytest.raises(LocalError, match=re.escape(f"{url} would carry messages and key in clear. Use https://")):
        open_client(url, {})
    for allowed in ("http://127.0.0.1:8000", "http://localhost", "http://[::1]:8000", url.replace("http:", "https:")):
        assert open_client(allowed, {"TURNKEEP_KEY": "k"}).headers["x-api-key"] == "k"
    assert str(open_client(url, {}, insecure=True).base_url).rstrip("/") == url


PROBLEM = {"title": "Another turn of this thread is running", "detail": "Wait.", "code": "thread_busy"}


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (httpx.Response(409, json=PROBLEM), "Another turn of this thread is running: Wait. (thread_busy)"),
        (httpx.Response(200, text=_sse(("token", {"content": "x"}), ("error", PROBLEM))), "(thread_busy)"),
        (httpx.Response(200, text=_sse(("token", {"content": "x"}))), "ended before the turn was complete"),
        (httpx.Response(502, text="<html>bad gateway</html>"), "Status 502: <html>bad gateway</html>"),
    ],
)
def test_what_is_no_turn_is_one_line(answer: httpx.Response, line: str) -> None:
    chat, _ = _chat(answer, [])

    with pytest.raises(TurnError) as caught:
        chat.ask("Say hello")

    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_comments_and_ids_are_passed_over_and_data_over_lines_joined() -> None:
    lines = [": heartbeat", "", "id: 3", "event: token", 'data: {"content":', 'data: "x"}', "", ": heartbeat", ""]

    assert list(read_events(lines)) == [("token", {"content": "x"})]


def _lines(*said: str | type[BaseException]) -> Callable[[], str]:
    rest: Iterator[str | type[BaseException]] = iter(said)

    def read_line() -> str:
        line = next(rest)
        if isinstance(line, str):
            return line
        raise line

    return read_line


def _serve(answers: dict[str, httpx.Response], seen: list[tuple[str, str]]) -> httpx.MockTransport:
    def serve(request: httpx.Request) -> httpx.Response:
        seen.append((request.method, request.url.path))
        return answers[request.url.path]

    return httpx.MockTransport(serve)


def test_a_conversation_starts_a_thread_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[str, str]] = []
    answers = {
        "/threads": httpx.Response(201, json={"thread_id": "t1"}),
        "/threads/t1/turns/stream": httpx.Response(200, text=_sse(("complete", TURN))),
    }

    with httpx.Client(transport=_serve(answers, seen), base_url="http://t") as client:
        converse(client, "papers", None, _lines("  ", KeyboardInterrupt, "Say hello", EOFError))

    assert seen == [("POST", "/threads"), ("POST", "/threads/t1/turns/stream")]
    said = capsys.readouterr().out
    assert "Whole reply." in said
    assert "turnkeep chat --thread t1" in said


def test_a_refused_turn_does_not_end_the_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[str, str]] = []
    answers = {
        "/threads/t1": httpx.Response(200, json={"thread_id": "t1"}),
        "/threads/t1/turns/stream": httpx.Response(409, json=PROBLEM),
    }

    with httpx.Client(transport=_serve(answers, seen), base_url="http://t") as client:
        converse(client, None, "t1", _lines("one", "two", EOFError))

    assert seen.count(("POST", "/threads/t1/turns/stream")) == 2
    assert capsys.readouterr().out.count("(thread_busy)") == 2


def test_ctrl_c_closes_the_stream_and_the_conversation_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    closed: list[str] = []

    def interrupted() -> Iterator[bytes]:
        try:
            yield _sse(("token", {"content": "Hel"})).encode()
            raise KeyboardInterrupt
        finally:
            closed.append("stream")

    seen: list[tuple[str, str]] = []
    answers = {
        "/threads/t1": httpx.Response(200, json={"thread_id": "t1"}),
        "/threads/t1/turns/stream": httpx.Response(200, content=interrupted()),
    }

    with httpx.Client(transport=_serve(answers, seen), base_url="http://t") as client:
        converse(client, None, "t1", _lines("one", EOFError))

    assert closed == ["stream"]
    said = capsys.readouterr().out
    assert "Hel\nStopped. The thread is as it was before this message." in said
    assert "turnkeep chat --thread t1" in said


def test_an_unknown_thread_is_said_before_anything_is_asked() -> None:
    problem = {"title": "There is no such thing here", "detail": "Check the id.", "code": "not_found"}
    transport = _serve({"/threads/t9": httpx.Response(404, json=problem)}, [])

    with (
        httpx.Client(transport=transport, base_url="http://t") as client,
        pytest.raises(LocalError, match="There is no such thing here: Check the id"),
    ):
        converse(client, None, "t9", _lines())


def test_a_server_that_does_not_answer_is_said() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    with (
        httpx.Client(transport=httpx.MockTransport(refuse), base_url="http://t") as client,
        pytest.raises(LocalError, match="http://t does not answer: connection refused"),
    ):
        converse(client, None, None, _lines())
