"""Answers that leave while they are made: what the app says, what goes to the Runtime API, and what becomes of both
when the other side fails."""

import asyncio
import json
import threading

import pytest
from runtime_api import Output, Post, RuntimeApi, context, event, takes
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnkeep.aws.streaming import Streaming
from turnkeep_local.processes import free_port

START: Message = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
PIECE = b"x" * 65536


def body(data: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


def sends(*messages: Message, then: Exception | None = None) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)
        if then:
            raise then

    return app


class Listening:
    """An app that sends its messages and then waits until its client has gone."""

    def __init__(self, *messages: Message) -> None:
        self.messages, self.was_left = messages, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for message in self.messages:
            await send(message)
        while (await receive())["type"] != "http.disconnect":
            pass
        self.was_left = True


class Pouring:
    """An app that sends without end; `count` is how many pieces it got rid of."""

    def __init__(self) -> None:
        self.count, self.was_left = 0, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(START)
        await receive()
        leaving = asyncio.ensure_future(receive())
        while not leaving.done():
            await send(body(PIECE))
            self.count += 1
        self.was_left = True


def respond(app: ASGIApp, address: str, *, seconds: float = 30) -> None:
    handler = Streaming(app)
    try:
        answer = handler(event(), context(seconds))
        assert answer is not None
        answer.send_to(address, "r-1", "n-1")
    finally:
        handler._loop.close()


def post(app: ASGIApp, runtime: RuntimeApi, *, seconds: float = 30) -> Post:
    respond(app, runtime.address, seconds=seconds)
    return runtime.posts[-1]


def refuses(post: Post) -> None:
    """Says no at once, but reads on and keeps the connection."""
    post.read()
    post.say(413)
    post.read_all()


@pytest.mark.parametrize("app", [Listening(START, body(b"one")), Pouring()], ids=["waits", "sends endlessly"])
@pytest.mark.parametrize("play", [Post.read, refuses], ids=["hangs up", "refuses"])
def test_a_runtime_that_hangs_up_disconnects_the_client(app, play, output):
    app.was_left = False
    with RuntimeApi(play) as runtime:
        post(app, runtime)
    assert app.was_left
    (line,) = output()
    assert (line["level"], line["message"]) == ("INFO", "stream closed by the gateway")
    assert line.get("status") == (413 if play is refuses else None)


def test_a_stalled_gateway_pauses_the_app_until_it_is_given_up(output: Output) -> None:
    app, given_up = Pouring(), threading.Event()

    def stalls(post: Post) -> None:
        post.read()
        given_up.wait(60)
        post.read_all()

    with RuntimeApi(stalls) as runtime:
        respond(app, runtime.address, seconds=1.2)
        given_up.set()
        assert runtime.posts[0].is_cut.wait(60)
    assert app.was_left
    assert app.count * len(PIECE) < 16 * 2**20  # what the kernel's buffers hold on both sides
    assert "too slow" in output()[-1]["message"]


def test_a_runtime_that_never_answers_is_given_up(output: Output) -> None:
    def says_nothing(post: Post) -> None:
        post.read_all()
        post.read()  # until the function hangs up

    with RuntimeApi(says_nothing) as runtime:
        post(sends(START, body(b"all", more=False)), runtime, seconds=1)
    assert output()[-1]["message"] == "answer rejected by the Runtime API"


@pytest.mark.parametrize("status", [410, 413, 500])
def test_an_answer_that_is_refused_at_its_end_is_logged(status: int, output: Output) -> None:
    def play(post: Post) -> None:
        post.read_all()
        post.say(status)

    with RuntimeApi(play) as runtime:
        post(sends(START, body(b"all", more=False)), runtime)
    (line,) = output()
    assert (line["message"], line["status"]) == ("answer rejected by the Runtime API", status)


def test_an_interim_response_is_not_an_answer_and_a_repeated_header_becomes_one_list(output: Output) -> None:
    def play(post: Post) -> None:
        post.read()
        post.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        takes(post)

    with RuntimeApi(play) as runtime:
        headers = [(b"vary", b"Origin"), (b"x-one", b"1"), (b"vary", b"Accept")]
        got = post(sends(START | {"headers": headers}, *[body(b"x")] * 50, body(b"", more=False)), runtime)
    prelude, _, rest = got.body.partition(bytes(8))
    assert (got.is_whole, rest, output()) == (True, b"x" * 50, [])
    assert json.loads(prelude)["headers"] == {"vary": "Origin, Accept", "x-one": "1"}


def test_without_a_runtime_the_app_ends_and_the_error_is_raised() -> None:
    app = Listening(START)
    with pytest.raises(OSError, match="Connect"):
        respond(app, f"127.0.0.1:{free_port()}")
    assert app.was_left
