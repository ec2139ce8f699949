"""AWS as a function and its callers meet it: Lambda's Runtime API on one port, a REST API of API Gateway on another,
events and answers in between. It runs in a thread of its own and records every invocation."""

import asyncio
import base64
import json
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Self

import h11

from deployed_function import gateway_event

NEXT = "/2018-06-01/runtime/invocation/next"
END_OF_PRELUDE = bytes(8)
PATIENCE_SECONDS = 30
LAST = {"Connection": "close"}

type Authorize = Callable[[dict[str, str]], dict[str, str] | None]


def known_by_header(headers: dict[str, str]) -> dict[str, str] | None:
    """The authorizer's context of the caller; without the header x-user there is none."""
    user = headers.get("x-user")
    return {"tenant": "t", "user": user, "acts_for": "false", "credential": "k1"} if user else None


@dataclass(eq=False)
class Invocation:
    """One event, and the function's response."""

    event: Any
    deadline: float
    """In epoch seconds."""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    nonce: str = field(default_factory=lambda: uuid.uuid4().hex)
    headers: dict[str, str] = field(default_factory=dict)
    """Of the function's post."""
    trailers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    ended_at: float = 0
    """When the post was over, in epoch seconds."""
    ended: threading.Event = field(default_factory=threading.Event)
    is_given_up: asyncio.Event = field(default_factory=asyncio.Event)
    pieces: asyncio.Queue[bytes | None] = field(default_factory=lambda: asyncio.Queue(1))

    async def body(self) -> AsyncIterator[bytes]:
        while (piece := await self.pieces.get()) is not None:
            yield piece

    def end(self) -> None:
        self.ended_at = time.time()
        self.ended.set()

    @property
    def streams(self) -> bool:
        return self.headers.get("lambda-runtime-function-response-mode") == "streaming"


class Peer:
    """One connection on which requests come in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._wire = h11.Connection(h11.SERVER)

    async def next(self) -> Any:
        while (event := self._wire.next_event()) is h11.NEED_DATA:
            self._wire.receive_data(await self._reader.read(65536))
        return event

    async def body(self) -> AsyncIterator[bytes]:
        """The data of the current request; its trailers afterwards in `trailers`."""
        while not isinstance(event := await self.next(), h11.EndOfMessage):
            yield bytes(event.data)
        self.trailers = names_of(event.headers)

    async def send(self, *events: Any) -> None:
        for event in events:
            self._writer.write(self._wire.send(event) or b"")
        await self._writer.drain()

    async def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        lines = [*headers.items(), ("Content-Length", str(len(body)))]
        await self.send(h11.Response(status_code=status, headers=lines), h11.Data(data=body), h11.EndOfMessage())

    def start_next(self) -> None:
        self._wire.start_next_cycle()

    async def gone(self) -> None:
        """Returns when the other side has hung up; it must not send anything before."""
        await self._reader.read(1)

    def abort(self) -> None:
        self._writer.transport.abort()


class Front:
    """`seconds` is the time limit of the function, `authorize` stands for the authorizer."""

    def __init__(self, *, seconds: float = 60, authorize: Authorize = known_by_header) -> None:
        self.seconds, self.authorize = seconds, authorize
        self.more_headers: dict[str, str] = {}  # further headers of every invocation
        self.invocations: list[Invocation] = []
        self._is_up, self._thread = threading.Event(), threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._is_up.wait(5)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(5)

    def invoke(self, event: Any) -> bytes:
        """Hands an event to the function past the gateway; returns what it posted."""

        async def collect() -> bytes:
            return b"".join([piece async for piece in self._start(event).body()])

        return asyncio.run_coroutine_threadsafe(collect(), self._loop).result(PATIENCE_SECONDS)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._waiting: asyncio.Queue[Invocation] = asyncio.Queue()
        runtime = await asyncio.start_server(self._on_runtime, "127.0.0.1", 0)
        public = await asyncio.start_server(self._on_client, "127.0.0.1", 0)
        self.runtime_address = f"127.0.0.1:{runtime.sockets[0].getsockname()[1]}"
        self.url = f"http://127.0.0.1:{public.sockets[0].getsockname()[1]}"
        self._is_up.set()
        await self._stop.wait()

    def _start(self, event: Any) -> Invocation:
        invocation = Invocation(event, time.time() + self.seconds)
        self.invocations.append(invocation)
        self._waiting.put_nowait(invocation)
        return invocation

    # The Runtime API

    async def _on_runtime(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        while isinstance(request := await peer.next(), h11.Request):
            path = request.target.decode()
            if path == NEXT:
                await self._hand_out(peer)
            elif not await self._take_back(peer, request, path):
                break
            peer.start_next()
        peer.abort()

    async def _hand_out(self, peer: Peer) -> None:
        assert [piece async for piece in peer.body()] == []
        invocation = await self._waiting.get()
        headers = {
            "Content-Type": "application/json",
            "Lambda-Runtime-Aws-Request-Id": invocation.id,
            "Lambda-Runtime-Invocation-Id": invocation.nonce,
            "Lambda-Runtime-Deadline-Ms": str(int(invocation.deadline * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-1:123456789012:function:front",
            **self.more_headers,
        }
        await peer.answer(200, json.dumps(invocation.event).encode(), headers)

    async def _take_back(self, peer: Peer, request: h11.Request, path: str) -> bool:
        """False where the client has gone and so the function was hung up on."""
        *_, invocation_id, kind = path.split("/")
        invocation = next(each for each in self.invocations if each.id == invocation_id)
        invocation.headers = names_of(request.headers)
        giving_up = asyncio.ensure_future(invocation.is_given_up.wait())
        taking = asyncio.ensure_future(self._pass_on(peer, invocation, kind))
        await asyncio.wait({giving_up, taking}, return_when=asyncio.FIRST_COMPLETED)
        if not taking.done():
            taking.cancel()
            invocation.end()
            return False
        giving_up.cancel()
        taking.result()
        await peer.answer(202, b'{"status":"OK"}\n', {})
        return True

    async def _pass_on(self, peer: Peer, invocation: Invocation, kind: str) -> None:
        if kind == "error":
            invocation.error = json.loads(b"".join([piece async for piece in peer.body()]))
        else:
            async for piece in peer.body():
                await invocation.pieces.put(piece)
        invocation.trailers = peer.trailers
        invocation.end()
        await invocation.pieces.put(None)

    # API Gateway

    async def _on_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        request = await peer.next()
        invocation = self._start(self._event(request, b"".join([piece async for piece in peer.body()])))
        answering, leaving = asyncio.ensure_future(answer(peer, invocation)), asyncio.ensure_future(peer.gone())
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            answering.cancel()
            invocation.is_given_up.set()
        leaving.cancel()
        writer.close()

    def _event(self, request: h11.Request, body: bytes) -> dict[str, Any]:
        headers = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Port", "443")]
        headers += [(name.decode(), value.decode()) for name, value in request.headers.raw_items()]
        caller = self.authorize({name.lower(): value for name, value in headers})
        return gateway_event(request.method.decode(), request.target.decode(), body, headers=headers, authorizer=caller)


def names_of(headers: Any) -> dict[str, str]:
    return {name.decode().lower(): value.decode() for name, value in headers}


async def answer(peer: Peer, invocation: Invocation) -> None:
    pieces, held = invocation.body(), b""
    async for piece in pieces:
        held += piece
        if invocation.streams and END_OF_PRELUDE in held:
            return await stream(peer, invocation, pieces, held)
    if invocation.error is not None or not held.startswith(b"{"):
        return await peer.answer(502, b'{"message": "Internal server error"}', LAST)
    whole = json.loads(held)
    text = whole["body"]
    body = base64.b64decode(text) if whole["isBase64Encoded"] else text.encode()
    headers = {name: value for name, value in whole["headers"].items() if name != "content-length"}
    return await peer.answer(whole["statusCode"], body, headers | LAST)


async def stream(peer: Peer, invocation: Invocation, pieces: AsyncIterator[bytes], held: bytes) -> None:
    """Every piece goes on as soon as it is there, the function's error trailers at the end."""
    prelude, _, first = held.partition(END_OF_PRELUDE)
    head = json.loads(prelude)
    lines = head["headers"] | LAST | {"Transfer-Encoding": "chunked"}
    await peer.send(h11.Response(status_code=head["statusCode"], headers=list(lines.items())), h11.Data(data=first))
    async for piece in pieces:
        await peer.send(h11.Data(data=piece))
    await peer.send(h11.EndOfMessage(headers=list(invocation.trailers.items())))
