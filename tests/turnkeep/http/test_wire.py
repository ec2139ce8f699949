"""The application on a real server: large bodies, unusual paths, a stop."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from httpx import AsyncClient
from scripted import ScriptedTurns, complete

from awaiting import until
from bare_app import bare_app

MESSAGE = b'{"message": "ping"}'


@asynccontextmanager
async def served(turns: ScriptedTurns, stop_seconds: int | None = None) -> AsyncIterator[str]:
    app = bare_app(turns=turns)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=stop_seconds)
    )
    task = asyncio.create_task(server.serve([listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()


async def send_raw(url: str, head: bytes, body: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a request as bytes on a connection that the test can close."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    length = f"Host: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head + b" HTTP/1.1\r\n" + length.encode() + body)
    return reader, writer


async def test_a_body_that_is_too_large_gets_a_response_and_a_live_connection() -> None:
    turns = ScriptedTurns()
    async with served(turns) as url, AsyncClient(base_url=url) as client:
        answer = await client.post("/chat", json={"message": "x" * 5 * 1024 * 1024})
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        assert (await client.get("/ok")).status_code == 200
    assert turns.requests == []


async def test_unusual_paths_are_problems() -> None:
    async with served(ScriptedTurns()) as url:
        for path, status in ((b"/threads/%ff", 422), (b"/threads/%ed%a0%80", 422), (b"/%2e%2e/%2e%2e", 404)):
            reader, writer = await send_raw(url, b"GET " + path)
            answer = await asyncio.wait_for(reader.readuntil(b"}"), 120)
            writer.close()
            assert answer.startswith(f"HTTP/1.1 {status} ".encode())
            assert b"application/problem+json" in answer


async def test_a_server_that_stops_answers_waiting_clients() -> None:
    turns = ScriptedTurns([60.0, complete()])
    async with served(turns, stop_seconds=1) as url:
        reader, writer = await send_raw(url, b"POST /chat", MESSAGE)
        await until(lambda: turns.runs and turns.runs[0].ending)
    answer = await asyncio.wait_for(reader.read(), 120)
    writer.close()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b'"code":"server_stopping"' in answer
