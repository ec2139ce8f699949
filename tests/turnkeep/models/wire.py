"""A chat completions server on a raw socket: it plays a script of answers, whole or streamed as the request asks, and
records the request bodies. No library stands between the test and the bytes."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

type Body = dict[str, Any]
type Answer = Callable[["Exchange"], None]


@dataclass
class Exchange:
    """One request and the socket to answer it on."""

    connection: socket.socket
    body: Body
    headers: Mapping[str, str]
    path: str = ""

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def send_head(self, status: str, content_type: str, extra: Mapping[str, str] = {}) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in extra.items()]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def send_whole(self, status: str, payload: object, extra: Mapping[str, str] = {}) -> None:
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.send_head(status, "application/json", {**extra, "Content-Length": str(len(data))})
        self.send(data)

    def start_stream(self) -> None:
        self.send_head("200 OK", "text/event-stream", {"Transfer-Encoding": "chunked"})

    def send_event(self, payload: object) -> None:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        data = f"data: {text}\n\n".encode()
        self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def send_word(self, text: str) -> None:
        self.send_event(chunk({"content": text}))

    def send_garbled(self) -> None:
        self.send_event('{"id": "c1", "choi')

    def end_stream(self) -> None:
        self.send(b"0\r\n\r\n")

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


def completion(message: Body, finish: str | None) -> Body:
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def chunk(delta: Body, finish: str | None = None) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def _deltas(message: Body) -> list[Body]:
    if content := message.get("content"):
        return [{"content": word + " "} for word in content.split()]
    if tool_calls := message.get("tool_calls"):
        return [{"tool_calls": [{"index": index, **call} for index, call in enumerate(tool_calls)]}]
    return [dict(message)]


def answers(message: Body, finish: str | None = "stop") -> Answer:
    """A whole answer that ends with `finish`; None ends a stream cleanly without any finish_reason."""

    def play(exchange: Exchange) -> None:
        if not exchange.streams:
            return exchange.send_whole("200 OK", completion(message, finish))
        exchange.start_stream()
        exchange.send_event(chunk({"role": "assistant", "content": ""}))
        for delta in _deltas(message):
            exchange.send_event(chunk(delta))
        if finish:
            exchange.send_event(chunk({}, finish))
            usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
            exchange.send_event({**chunk({}), "choices": [], "usage": usage})
            exchange.send_event("[DONE]")
        return exchange.end_stream()

    return play


def says(text: str, finish: str | None = "stop") -> Answer:
    return answers({"content": text}, finish)


def refuses(text: str) -> Answer:
    return answers({"content": None, "refusal": text})


def calls(name: str, arguments: object, finish: str | None = "tool_calls") -> Answer:
    """Calls a tool; `arguments` that are text are sent as they are, valid or not."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "t1", "type": "function", "function": {"name": name, "arguments": text}}
    return answers({"tool_calls": [call]}, finish)


def fails(status: str, headers: Mapping[str, str] = {}, code: str | None = None) -> Answer:
    error = {"error": {"message": "secret upstream text", "type": "t", "code": code}}
    return lambda exchange: exchange.send_whole(status, error, headers)


def stalls(seconds: float) -> Answer:
    """Half a stream, or nothing, and then silence."""

    def play(exchange: Exchange) -> None:
        if exchange.streams:
            exchange.start_stream()
            exchange.send_word("half ")
        time.sleep(seconds)

    return play


def trickles(interval: float, closed: threading.Event) -> Answer:
    """Endless words, one each `interval` seconds; sets `closed` when the client has gone."""

    def play(exchange: Exchange) -> None:
        if exchange.streams:
            exchange.start_stream()
        else:
            exchange.send_head("200 OK", "application/json", {"Content-Length": "1000000"})
        try:
            for _ in range(200):
                exchange.send_word("word ") if exchange.streams else exchange.send(b" ")
                time.sleep(interval)
        except OSError:
            closed.set()

    return play


def resets(exchange: Exchange) -> None:
    """The connection is reset in the middle of the answer."""
    if exchange.streams:
        exchange.start_stream()
        exchange.send_word("half ")
    else:
        exchange.send_head("200 OK", "application/json", {"Content-Length": "1000"})
        exchange.send(b'{"id": "c1", "choices": [')
    time.sleep(0.1)
    exchange.reset()


def garbles(exchange: Exchange) -> None:
    """The answer is not valid JSON, or a frame of the stream is damaged."""
    if exchange.streams:
        exchange.start_stream()
        exchange.send_garbled()
        exchange.end_stream()
    else:
        exchange.send_whole("200 OK", b'{"id": "c1", "choi')


def sends(payload: object) -> Answer:
    """One JSON body or event of any shape."""

    def play(exchange: Exchange) -> None:
        if not exchange.streams:
            return exchange.send_whole("200 OK", payload)
        exchange.start_stream()
        exchange.send_event(payload)
        return exchange.end_stream()

    return play


@dataclass
class WireServer:
    """Plays `script` in order and to its end, then `otherwise`; `bodies` are the requests."""

    script: list[Answer] = field(default_factory=list)
    otherwise: Answer = field(default_factory=lambda: _run_out)
    bodies: list[Body] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    kind: type[Exchange] = Exchange

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
        assert error or not self.script, f"{len(self.script)} answers were never asked for"

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            exchange = self.kind(*_read_request(connection))
            self.bodies.append(exchange.body)
            self.headers.append(exchange.headers)
            answer = self.script.pop(0) if self.script else self.otherwise
            answer(exchange)
        except OSError:
            pass  # the client has gone
        finally:
            connection.close()


def _run_out(exchange: Exchange) -> None:
    exchange.send_whole("418 I'm a teapot", {"error": {"message": "the script has run out"}})


def _read_request(connection: socket.socket) -> tuple[socket.socket, Body, Mapping[str, str], str]:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    request_line, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    headers = {name.lower(): value for name, value in fields.items()}
    while len(body) < int(headers["content-length"]):
        body += _receive(connection)
    return connection, json.loads(body), headers, request_line.split(" ")[1]


def _receive(connection: socket.socket) -> bytes:
    """Raises where the client hung up before its request was whole, which would otherwise be waited for for ever."""
    data = connection.recv(65536)
    if not data:
        raise ConnectionResetError
    return data
