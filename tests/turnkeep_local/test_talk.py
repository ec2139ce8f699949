"""The terminal chat as somebody has it who types."""

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from turnkeep_local import LocalError
from turnkeep_local.chat import Chat
from turnkeep_local.screen import Screen
from turnkeep_local.talk import COMMANDS, converse

STEERING = "a\x1b]52;c;eA==\x07b\x9b2J\x1b[8m\u202ec"
READABLE = "a ]52;c;eA== b 2J [8mc"
DETAILS = {
    "sql": "SELECT invoice, open FROM invoices",
    "columns": ["invoice", "open"],
    "rows": [["INV-1", 3.5], ["INV-2", None]],
    "further_results": [{"sql": "SELECT 2", "columns": ["two"], "rows": [[2]]}],
}
SOURCES = [
    {"id": "s1", "title": "One", "url": "https://example.org/1", "cited": True},
    {"id": "s2", "title": "Two", "url": None, "cited": False},
]
TURN = {"reply": "Whole reply.", "persisted": True, "sources": [], "warnings": [], "details": {}}
PROBLEM = {"title": "There is no such thing here", "detail": "Check the id.", "code": "not_found"}
AGENTS = [{"name": "papers", "description": "On papers"}, {"name": "database", "description": "On rows"}]
THREADS = [
    {"thread_id": "t2", "title": "The second", "agent": "papers", "turn_count": 2},
    {"thread_id": "t1", "title": "The first", "agent": "database", "turn_count": 9},
]


def complete(**turn: Any) -> httpx.Response:
    return httpx.Response(200, text=f"event: complete\ndata: {json.dumps(TURN | turn)}\n\n")


type Answers = dict[tuple[str, str], Any]


class Server:
    """Made threads are called new-1, new-2 ..."""

    def __init__(self, answers: Answers) -> None:
        self.answers = {
            ("GET", "/agents"): AGENTS,
            ("POST", "/threads/search"): THREADS,
            ("GET", "/threads/t1"): THREADS[1],
            **answers,
        }
        self.seen: list[tuple[str, str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.seen.append((request.method, request.url.path, json.loads(request.content or b"null")))
        if (request.method, request.url.path) == ("POST", "/threads"):
            made = sum(path == "/threads" for _, path, _ in self.seen)
            return httpx.Response(201, json={"thread_id": f"new-{made}", "title": None, "agent": None})
        answer = self.answers.get((request.method, request.url.path))
        if answer is None:
            return httpx.Response(404, json=PROBLEM)
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)


def lines(*said: str | type[BaseException]) -> Callable[[], str]:
    rest = iter((*said, EOFError))

    def read_line() -> str:
        line = next(rest)
        if isinstance(line, str):
            return line
        raise line

    return read_line


@pytest.fixture
def talk(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, Server]]:
    """What was shown of a conversation, and the server it was with."""

    def run(
        *said: str | type[BaseException], thread: str | None = "t1", answers: Answers | None = None, **turn: Any
    ) -> tuple[str, Server]:
        server = Server({("POST", f"/threads/{thread or 'new-1'}/turns/stream"): complete(**turn), **(answers or {})})
        with httpx.Client(transport=httpx.MockTransport(server), base_url="http://t") as client:
            converse(client, None, thread, lines(*said))
        return capsys.readouterr().out, server

    return run


type Talk = Callable[..., tuple[str, Server]]


def test_a_conversation_starts_a_thread_and_says_how_to_go_on(talk: Talk) -> None:
    shown, server = talk("  ", KeyboardInterrupt, "Say hello", thread=None)
    assert [path for _, path, _ in server.seen] == ["/threads", "/threads/new-1/turns/stream"]
    assert "Whole reply." in shown
    assert shown.endswith("turnkeep chat --thread new-1\n")


def test_a_thread_is_gone_on_with_and_its_agent_with_it(talk: Talk) -> None:
    shown, server = talk("Say hello")
    assert "Thread t1: The first" in shown
    assert server.seen[-1][2] == {"message": "Say hello", "agent": "database"}


def test_under_an_answer_stand_rows_the_sources_it_cites_and_warnings(talk: Talk) -> None:
    shown, _ = talk("All", details=DETAILS, sources=SOURCES, warnings=["demo_model", "cut"])
    assert re.search(
        r"Whole reply\.\n.*INV-1 +3\.5.*INV-2.*\[s1\] One https://example.org/1\n  demo_model, cut", shown, re.S
    )
    assert "Two" not in shown
    assert "SELECT" not in shown


def test_rows_that_the_reply_shows_itself_are_shown_when_asked_for(talk: Talk) -> None:
    reply = "| invoice |\n| --- |\n| shown in the reply |"
    shown, _ = talk("All", "/rows", "/rows", "/rows", reply=reply, details=DETAILS)
    assert shown.count("INV-1") == shown.count("two") == 1
    assert shown.index("shown in the reply") < shown.index("INV-1") < shown.index("two")
    assert "no more rows" in shown


def test_many_rows_come_a_page_at_a_time() -> None:
    class Low(Screen):
        page = 2

    out = io.StringIO()
    chat = Chat(
        httpx.Client(), "t1", None, Low(out), last={"details": {"columns": ["n"], "rows": [[n] for n in range(5)]}}
    )
    seen = []
    for _ in range(4):
        COMMANDS["/rows"](chat, "")
        seen.append((re.findall(r"\b[0-4]\b", out.getvalue().partition("more")[0]), "/rows" in out.getvalue()))
        out.truncate(0)
        out.seek(0)
    assert seen == [(["0", "1", "3"], True), (["2", "3", "1"], True), (["4"], False), ([], False)]


def test_the_sql_and_all_sources_of_the_last_answer_can_be_asked_for(talk: Talk) -> None:
    shown, _ = talk("All", "/sql", "/sources", details=DETAILS, sources=SOURCES)
    assert "SELECT invoice, open FROM invoices\nSELECT 2\n" in shown
    assert shown.endswith("  [s1] One https://example.org/1\n  [s2] Two\n\nGo on with: turnkeep chat --thread t1\n")


@pytest.mark.parametrize("command", ["/sql", "/sources", "/rows"])
def test_what_the_last_answer_has_not_is_said(talk: Talk, command: str) -> None:
    assert "The last answer has no " in talk(command)[0]
    assert "The last answer has no " in talk("Say hello", command)[0]
    assert "The last answer has no " in talk("All", "/new", command, details=DETAILS, sources=SOURCES)[0]


@pytest.mark.parametrize(("persisted", "said"), [(False, "could not be stored"), (None, "It is not known whether")])
def test_a_turn_that_was_not_stored_is_said(talk: Talk, persisted: bool | None, said: str) -> None:
    shown, _ = talk("Say hello", persisted=persisted)
    assert said in shown
    assert "Send the same message again" in shown
    assert "stored" not in talk("Say hello")[0]


def test_threads_are_listed_and_gone_on_with_by_their_place(talk: Talk) -> None:
    shown, server = talk("/threads", "/threads 2", "Say hello")
    assert re.search(r"1 +The second +papers +2\s+2 +The first +database +9", shown)
    assert server.seen[-1][:2] == ("POST", "/threads/t1/turns/stream")


def test_a_new_thread_and_another_agent_begin_anew(talk: Talk) -> None:
    shown, server = talk("/agent", "/agent papers", "/new", "Say hello")
    assert re.search(r"^ +papers +On papers *\n > +database", shown, re.M)
    assert server.seen[-1] == ("POST", "/threads/new-2/turns/stream", {"message": "Say hello", "agent": "papers"})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/nonsense", "/nonsense is no command. /help lists them."),
        ("/agent nobody", "There is no agent nobody. There are: papers, database."),
        ("/threads 3", "The list has no thread 3. /threads shows it."),
        ("/threads 0", "The list has no thread 0. /threads shows it."),
    ],
)
def test_what_is_no_command_is_told_and_sent_nowhere(talk: Talk, line: str, told: str) -> None:
    shown, server = talk(line)
    assert told in shown
    assert not any("turns" in path for _, path, _ in server.seen)


def test_help_lists_every_command(talk: Talk) -> None:
    shown, _ = talk("/help")
    assert all(re.search(rf"^ {name} +\w", shown, re.M) for name in COMMANDS)
    assert COMMANDS.keys() >= {"/help", "/new", "/threads", "/agent", "/sql", "/sources", "/quit"}


def test_quit_ends(talk: Talk) -> None:
    assert "Whole reply." not in talk("/quit", "Say hello")[0]


def test_a_refused_turn_does_not_end_the_conversation(talk: Talk) -> None:
    _, server = talk("one", "two", answers={("POST", "/threads/t1/turns/stream"): None})
    assert [path for _, path, _ in server.seen[-2:]] == ["/threads/t1/turns/stream"] * 2


def test_ctrl_c_closes_the_stream_and_the_conversation_goes_on(talk: Talk) -> None:
    closed: list[str] = []

    def interrupted() -> Iterator[bytes]:
        try:
            yield b'event: token\ndata: {"content": "Hel"}\n\n'
            raise KeyboardInterrupt
        finally:
            closed.append("stream")

    answer = httpx.Response(200, content=interrupted())
    shown, _ = talk("one", answers={("POST", "/threads/t1/turns/stream"): answer})
    assert closed == ["stream"]
    assert "Hel\nStopped. The turn is given up, unless it had just been stored." in shown
    assert "turnkeep chat --thread t1" in shown


def test_nothing_that_a_server_sends_steers_the_terminal(talk: Talk) -> None:
    source = {"id": STEERING, "title": f"{STEERING}\n> x", "url": STEERING, "cited": True}
    shown, _ = talk("one", "/sql", reply=STEERING, sources=[source], warnings=[STEERING], details={"sql": STEERING})
    assert shown.count(READABLE) == 6
    assert not re.search(r"[\x1b\x07\x9b\u202e]|^> x", shown, re.M)


def test_an_unknown_thread_and_a_server_that_does_not_answer_are_said_before_anything_is_asked() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    for transport, thread, told in (
        (Server({}), "t9", "There is no such thing here: Check"),
        (refuse, None, "http://t does not"),
    ):
        client = httpx.Client(transport=httpx.MockTransport(transport), base_url="http://t")
        with client, pytest.raises(LocalError, match=told):
            converse(client, None, thread, lines())


class Slow(BaseHTTPRequestHandler):
    """A thread; a turn of which half an answer comes, and no more while the client stays."""

    closed = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/threads":
            self._answer(b'{"thread_id": "t1"}')
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'event: token\ndata: {"content": "Half of"}\n\n')
        while True:
            try:
                self.wfile.write(b": heartbeat\n\n")
            except OSError:
                self.closed.set()
                return
            time.sleep(0.02)

    def do_GET(self) -> None:
        self._answer(b"{}")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Typist:
    """A process on a terminal of its own."""

    def __init__(self, *command: str) -> None:
        self._terminal, end = pty.openpty()
        environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
        # What was begun in the background ignores an interrupt, and so would all that it begins.
        command = ("env", "--default-signal=INT", "setsid", "--ctty", *command)
        self.process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=environ)
        os.close(end)
        self.shown = ""

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def wait_for(self, text: str, seconds: float = 120) -> None:
        """Until it stands on the terminal, of what came since the last time."""
        until = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.shown += os.read(self._terminal, 65536).decode(errors="replace")
        self.shown = self.shown.partition(text)[2]

    def end(self) -> int:
        try:
            return self.process.wait(120)
        finally:
            self.process.kill()
            os.close(self._terminal)


def test_on_a_real_terminal_ctrl_c_stops_an_answer_and_ctrl_d_ends() -> None:
    Slow.closed.clear()
    with serving(Slow) as url:
        typist = Typist(sys.executable, "-m", "turnkeep_local.cli", "chat", "--url", url)
        try:
            typist.wait_for("> ")
            typist.type("Say hello\r")
            typist.wait_for("Half of")
            typist.type("\x03")
            typist.wait_for("Stopped. The turn is given up")
            assert Slow.closed.wait(120)
            typist.wait_for("> ")
            typist.type("\x04")
            typist.wait_for("Go on with: turnkeep chat --thread t1")
        finally:
            code = typist.end()
    assert code == 0
