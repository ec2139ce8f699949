"""Answers in the wire format of Bedrock's Converse and ConverseStream, for the server in wire.py: JSON for a whole
answer, AWS event-stream frames for a stream."""

import binascii
import json
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

from wire import Answer, Body, Exchange

USAGE = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}
SECRET = "secret upstream text"


def is_stream(exchange: Exchange) -> bool:
    return exchange.path.endswith("/converse-stream")


def frame(kind: str, name: str, payload: object) -> bytes:
    """One event-stream message: lengths, their checksum, headers, payload, the checksum of it all."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    fields = {":message-type": kind, f":{kind}-type": name, ":content-type": "application/json"}
    headers = b"".join(_header(key, value) for key, value in fields.items())
    lengths = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    head = lengths + struct.pack(">I", binascii.crc32(lengths)) + headers + data
    return head + struct.pack(">I", binascii.crc32(head))


def _header(name: str, value: str) -> bytes:
    return struct.pack("B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()


def event(name: str, payload: object) -> bytes:
    return frame("event", name, payload)


def start_stream(exchange: Exchange) -> None:
    exchange.send_head("200 OK", "application/vnd.amazon.eventstream", {"Transfer-Encoding": "chunked"})


def send(exchange: Exchange, data: bytes) -> None:
    exchange.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def says(text: str, ending: str | None = "end_turn") -> Answer:
    """An answer with this stop reason; None ends a stream without one."""
    return answers([{"text": text}], ending)


def calls(name: str, arguments: object, ending: str = "tool_use") -> Answer:
    return answers([{"toolUse": {"toolUseId": "t1", "name": name, "input": arguments}}], ending)


def answers(content: list[Body], ending: str | None) -> Answer:
    def play(exchange: Exchange) -> None:
        if not is_stream(exchange):
            return exchange.send_whole("200 OK", whole(content, ending))
        start_stream(exchange)
        for part in events(content, ending):
            send(exchange, part)
        return exchange.end_stream()

    return play


def whole(content: list[Body], ending: str | None) -> Body:
    message = {"role": "assistant", "content": content}
    ended = {"stopReason": ending} if ending else {}
    return {"output": {"message": message}, "usage": USAGE, "metrics": {"latencyMs": 5}, **ended}


def events(content: list[Body], ending: str | None) -> Iterator[bytes]:
    yield event("messageStart", {"role": "assistant"})
    for index, block in enumerate(content):
        if tool := block.get("toolUse"):
            start = {"toolUse": {"toolUseId": tool["toolUseId"], "name": tool["name"]}}
            yield event("contentBlockStart", {"start": start, "contentBlockIndex": index})
        for delta in _deltas(block):
            yield event("contentBlockDelta", {"delta": delta, "contentBlockIndex": index})
        yield event("contentBlockStop", {"contentBlockIndex": index})
    if ending:
        yield event("messageStop", {"stopReason": ending})
        yield event("metadata", {"usage": USAGE, "metrics": {"latencyMs": 5}})


def _deltas(block: Body) -> Iterator[Body]:
    if tool := block.get("toolUse"):
        given = tool["input"]
        yield {"toolUse": {"input": given if isinstance(given, str) else json.dumps(given)}}
    for word in block.get("text", "").split():
        yield {"text": word + " "}


def fails(status: str, code: str) -> Answer:
    def play(exchange: Exchange) -> None:
        exchange.send_whole(status, {"message": SECRET}, {"x-amzn-ErrorType": code})

    return play


def too_long(exchange: Exchange) -> None:
    message = {"message": f"Input is too long for requested model. {SECRET}"}
    exchange.send_whole("400 Bad Request", message, {"x-amzn-ErrorType": "ValidationException"})


def fails_midway(code: str, status: str) -> Answer:
    """An exception as an event of the stream; whole answers fail with its status."""

    def play(exchange: Exchange) -> None:
        if not is_stream(exchange):
            return fails(status, code[0].upper() + code[1:])(exchange)
        start_stream(exchange)
        send(exchange, event("messageStart", {"role": "assistant"}))
        send(exchange, event("contentBlockDelta", {"delta": {"text": "half "}, "contentBlockIndex": 0}))
        send(exchange, frame("exception", code, {"message": SECRET}))
        return exchange.end_stream()

    return play


def sends(payload: object) -> Answer:
    """A whole answer of any shape, or one event of that payload."""

    def play(exchange: Exchange) -> None:
        if not is_stream(exchange):
            return exchange.send_whole("200 OK", payload)
        start_stream(exchange)
        send(exchange, event("contentBlockDelta", payload))
        return exchange.end_stream()

    return play


def garbles(exchange: Exchange) -> None:
    """Bytes that are no JSON, or a frame whose checksum is wrong."""
    if not is_stream(exchange):
        return exchange.send_whole("200 OK", b'{"output": {"mess')
    start_stream(exchange)
    good = event("messageStart", {"role": "assistant"})
    send(exchange, good[:-1] + bytes([good[-1] ^ 1]))
    return exchange.end_stream()


def resets(exchange: Exchange) -> None:
    """The connection is reset in the middle of the answer."""
    if is_stream(exchange):
        start_stream(exchange)
        send(exchange, event("contentBlockDelta", {"delta": {"text": "half "}, "contentBlockIndex": 0}))
    else:
        exchange.send_head("200 OK", "application/json", {"Content-Length": "1000"})
        exchange.send(b'{"output": {')
    time.sleep(0.1)
    exchange.reset()


def stalls(seconds: float) -> Answer:
    """Half a stream, or nothing, and then silence."""

    def play(exchange: Exchange) -> None:
        if is_stream(exchange):
            start_stream(exchange)
            send(exchange, event("contentBlockDelta", {"delta": {"text": "half "}, "contentBlockIndex": 0}))
        time.sleep(seconds)

    return play


def trickles(interval: float, closed: threading.Event) -> Answer:
    """Endless words, one each `interval` seconds; sets `closed` when the client has gone."""

    def play(exchange: Exchange) -> None:
        start_stream(exchange)
        delta: Any = {"delta": {"text": "word "}, "contentBlockIndex": 0}
        try:
            for _ in range(200):
                send(exchange, event("contentBlockDelta", delta))
                time.sleep(interval)
        except OSError:
            closed.set()

    return play
