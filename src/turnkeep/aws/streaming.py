"""An ASGI app as a Lambda handler that streams its answer, until Lambda streams Python natively."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import h11
from mangum.handlers import APIGateway
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Scope

from turnkeep.aws.gateway import Gateway, is_request, translated
from turnkeep.http.sse import FAILURE_TRAILER, TRAILERS
from turnkeep.observability import logger, place

END_OF_PRELUDE = b"\0" * 8
ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
ERROR_BODY = "Lambda-Runtime-Function-Error-Body"
INVOCATION_ID = "Lambda-Runtime-Invocation-Id"
LAST_SECONDS = 0.5  # left of a function's time when an answer is given up because the client does not take it


class NoAnswer(Exception):
    """The app ended before it answered; its log lines explain why."""


class Streaming:
    """A Lambda handler. Its answers send themselves, so only turnkeep.aws.runtime_client can call it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = Gateway(app)
        self._loop = asyncio.new_event_loop()

    def __call__(self, event: Any, context: Any) -> "StreamedAnswer | None":
        """Return when status and headers are known; raise NoAnswer."""
        if not is_request(event):
            return None
        answer = StreamedAnswer(self._app, translated(event, context), self._loop)
        self._loop.run_until_complete(answer.begin())
        return answer


class StreamedAnswer:
    """One request in the app, which waits until its last message has been taken."""

    def __init__(self, app: ASGIApp, request: APIGateway, loop: asyncio.AbstractEventLoop) -> None:
        self._app, self._loop = app, loop
        self._scope: Scope = {**request.scope, "extensions": {TRAILERS: {}}}
        self._body: bytes | None = request.body
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue(1)
        self._gone = asyncio.Event()
        self._has_ended = False

    async def begin(self) -> None:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(_note)
        start = await self._next()
        if start is None:
            await asyncio.wait({self._task})
            raise NoAnswer
        self._start = start

    async def _next(self) -> Message | None:
        message = await self._messages.get()
        self._has_ended = message is None
        return message

    async def _run(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._messages.put)
        finally:
            await self._messages.put(None)

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    def send_to(self, address: str, invoke_id: str, invocation_id: str | None) -> None:
        """Post the answer to the Runtime API at `address`, host:port; return when the app has ended. Raise OSError."""
        self._loop.run_until_complete(self._send(address, invoke_id, invocation_id))

    async def _send(self, address: str, invoke_id: str, invocation_id: str | None) -> None:
        try:
            async with _post(address, invoke_id, invocation_id) as post:
                await self._deliver(post, invoke_id)
        finally:
            self._gone.set()
            while not self._has_ended:  # the app, now disconnected from its client
                await self._next()
            await asyncio.wait({self._task})

    async def _deliver(self, post: "_Post", invoke_id: str) -> None:
        """Stop making the answer when the Runtime API hangs up: no one receives the rest."""
        writing = asyncio.ensure_future(self._write(post))
        await asyncio.wait({writing, post.answered}, timeout=self._left(), return_when=asyncio.FIRST_COMPLETED)
        if writing.done():
            writing.result()
            await asyncio.wait({post.answered}, timeout=self._left())
            if post.status != 202:
                logger.warning("answer rejected by the Runtime API", status=post.status, function_request_id=invoke_id)
            return
        writing.cancel()
        await asyncio.wait({writing})
        if post.answered.done():
            logger.info("stream closed by the gateway", status=post.status, function_request_id=invoke_id)
        else:
            logger.warning("stream given up, the client is too slow", function_request_id=invoke_id)

    async def _write(self, post: "_Post") -> None:
        post.put(h11.Data(data=self._prelude()))
        code = "internal_error"  # if the app ends before its answer
        while message := await self._next():
            if message["type"] == TRAILERS:
                code = dict(message["headers"]).get(FAILURE_TRAILER, b"").decode() or code
                continue
            if message.get("body"):
                post.put(h11.Data(data=message["body"]))
                await post.flushed()
            code = code if message.get("more_body") else ""
        post.put(h11.EndOfMessage(headers=_trailers(code) if code else []))

    def _prelude(self) -> bytes:
        given = Headers(raw=self._start["headers"])
        headers = {name: ", ".join(given.getlist(name)) for name in given}
        headers.pop("content-length", None)  # the gateway frames what is streamed
        return json.dumps({"statusCode": self._start["status"], "headers": headers}).encode() + END_OF_PRELUDE

    def _left(self) -> float:
        """Return the seconds in which the answer can still be sent."""
        milliseconds: int = self._scope["aws.context"].get_remaining_time_in_millis()
        return max(0, milliseconds / 1000 - LAST_SECONDS)


def _note(task: "asyncio.Task[None]") -> None:
    """Log the class and place of the error that ended the app, without its text."""
    if not task.cancelled() and (error := task.exception()):
        logger.error("the app failed", error=type(error).__name__, place=place(error))


def _trailers(code: str) -> list[tuple[str, str]]:
    """Return the runtime's error trailers, for an answer that broke off or reports a failed run."""
    body = json.dumps({"errorType": code, "errorMessage": "The run ended early; its log lines say why."})
    return [(ERROR_TYPE, f"Turnkeep.{code}"), (ERROR_BODY, base64.b64encode(body.encode()).decode())]


@asynccontextmanager
async def _post(address: str, invoke_id: str, invocation_id: str | None) -> AsyncIterator["_Post"]:
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port or 80))
    headers = {
        "Host": address,
        "Content-Type": "application/vnd.awslambda.http-integration-response",
        "Transfer-Encoding": "chunked",
        "Lambda-Runtime-Function-Response-Mode": "streaming",
        "Trailer": f"{ERROR_TYPE}, {ERROR_BODY}",
    }
    if invocation_id:
        headers[INVOCATION_ID] = invocation_id  # lets the Runtime API distinguish a late answer from the current one
    target = f"/2018-06-01/runtime/invocation/{invoke_id}/response"
    post = _Post(reader, writer, h11.Request(method="POST", target=target, headers=list(headers.items())))
    try:
        yield post
    finally:
        post.answered.cancel()
        writer.transport.abort()  # close() would wait until a gateway that stalls has taken the rest


class _Post:
    """One chunked POST to the Runtime API. `answered` is done when the Runtime API answers or hangs up."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: h11.Request) -> None:
        self._writer = writer
        self._wire = h11.Connection(h11.CLIENT)
        self.answered = asyncio.ensure_future(_answer(reader, self._wire))
        self.put(request)

    @property
    def status(self) -> int | None:
        """None if the Runtime API has not answered or hung up."""
        return self.answered.result() if self.answered.done() else None

    async def flushed(self) -> None:
        try:
            await self._writer.drain()
        except ConnectionError:
            await asyncio.wait({self.answered})

    def put(self, event: Any) -> None:
        self._writer.write(self._wire.send(event) or b"")


async def _answer(reader: asyncio.StreamReader, wire: h11.Connection) -> int | None:
    """Return the status from the Runtime API, None if it hung up."""
    try:
        while not isinstance(event := wire.next_event(), h11.Response):
            if event is h11.NEED_DATA:
                wire.receive_data(await reader.read(4096))
    except (ConnectionError, h11.RemoteProtocolError):
        return None
    return event.status_code
