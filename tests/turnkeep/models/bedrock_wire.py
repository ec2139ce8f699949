"""Answers in the wire format of Bedrock's Converse and ConverseStream, for the server in wire.py: JSON for a whole
answer, AWS event-stream frames for a stream."""

import binascii
import json
import struct
from collections.abc import Iterator
from typing import Any

from wire import Answer, Body, Exchange

USAGE = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}
SECRET = "secret upstream text"


class BedrockExchange(Exchange):
    @property
    def streams(self) -> bool:
        return self.path.endswith("/converse-stream")

    def start_stream(self) -> None:
        self.send_head("200 OK", "application/vnd.amazon.eventstream", {"Transfer-Encoding": "chunked"})

    def send_frame(self, data: bytes) -> None:
        self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def send_event(self, payload: object, name: str = "contentBlockDelta") -> None:
        self.send_frame(frame("event", name, payload))

    def send_word(self, text: str) -> None:
        self.send_event({"delta": {"text": text}, "contentBlockIndex": 0})

    def send_garbled(self) -> None:
        good = frame("event", "messageStart", {"role": "assistant"})
        self.send_frame(good[:-1] + bytes([good[-1] ^ 1]))  # the checksum is wrong


def frame(kind: str, name: str, payload: object) -> bytes:
    """One event-stream message: lengths, their checksum, headers, payload, the checksum of it all."""
    data = json.dumps(payload).encode()
    fields = {":message-type": kind, f":{kind}-type": name, ":content-type": "application/json"}
    headers = b"".join(_header(key, value) for key, value in fields.items())
    lengths = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    head = lengths + struct.pack(">I", binascii.crc32(lengths)) + headers + data
    return head + struct.pack(">I", binascii.crc32(head))


def _header(name: str, value: str) -> bytes:
    return struct.pack("B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()


def says(text: str, ending: str | None = "end_turn") -> Answer:
    """An answer with this stop reason; None ends a stream without one."""
    return answers([{"text": text}], ending)


def calls(name: str, arguments: object, ending: str = "tool_use") -> Answer:
    return answers([{"toolUse": {"toolUseId": "t1", "name": name, "input": arguments}}], ending)


def answers(content: list[Body], ending: str | None) -> Answer:
    def play(exchange: Any) -> None:
        if not exchange.streams:
            message = {"role": "assistant", "content": content}
            ended = {"stopReason": ending} if ending else {}
            whole = {"output": {"message": message}, "usage": USAGE, "metrics": {"latencyMs": 5}, **ended}
            return exchange.send_whole("200 OK", whole)
        exchange.start_stream()
        for name, payload in events(content, ending):
            exchange.send_event(payload, name)
        return exchange.end_stream()

    return play


def events(content: list[Body], ending: str | None) -> Iterator[tuple[str, Body]]:
    yield "messageStart", {"role": "assistant"}
    for index, block in enumerate(content):
        if tool := block.get("toolUse"):
            start = {"toolUse": {"toolUseId": tool["toolUseId"], "name": tool["name"]}}
            yield "contentBlockStart", {"start": start, "contentBlockIndex": index}
        for delta in _deltas(block):
            yield "contentBlockDelta", {"delta": delta, "contentBlockIndex": index}
        yield "contentBlockStop", {"contentBlockIndex": index}
    if ending:
        yield "messageStop", {"stopReason": ending}
        yield "metadata", {"usage": USAGE, "metrics": {"latencyMs": 5}}


def _deltas(block: Body) -> Iterator[Body]:
    if tool := block.get("toolUse"):
        given = tool["input"]
        yield {"toolUse": {"input": given if isinstance(given, str) else json.dumps(given)}}
    for word in block.get("text", "").split():
        yield {"text": word + " "}


def fails(status: str, code: str, message: str = "") -> Answer:
    error = {"message": f"{message} {SECRET}"}
    return lambda exchange: exchange.send_whole(status, error, {"x-amzn-ErrorType": code})


def fails_midway(code: str, status: str) -> Answer:
    """An exception as an event of the stream; whole answers fail with its status."""

    def play(exchange: Any) -> None:
        if not exchange.streams:
            return fails(status, code[0].upper() + code[1:])(exchange)
        exchange.start_stream()
        exchange.send_event({"role": "assistant"}, "messageStart")
        exchange.send_word("half ")
        exchange.send_frame(frame("exception", code, {"message": SECRET}))
        return exchange.end_stream()

    return play
