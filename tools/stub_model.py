"""A model on loopback whose answers follow from the request alone: OpenAI's chat completions and embeddings, Anthropic's
messages and Ollama's chat, whole and streamed."""

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

JSON = dict[str, Any]


class Script:
    """The tools that the model calls after each message of a user, in their order, and arguments by the name of a tool or
    schema. Arguments that are not here are the smallest that the schema allows."""

    def __init__(self, calls: Sequence[str], arguments: JSON):
        self.calls, self.arguments = calls, arguments

    def answer(self, body: JSON) -> tuple[str, str, JSON]:
        """Text, or the name and arguments of the tool that is called."""
        tools = {tool["name"]: tool for tool in (each.get("function", each) for each in body.get("tools", ()))}
        called = _called(body["messages"])
        choice = body.get("tool_choice")
        forced = choice.get("function", choice).get("name") if isinstance(choice, dict) else None
        wanted = [name for name in self.calls if name in tools and name not in called]
        if not wanted and choice in ("required", "any", {"type": "any"}):
            wanted = [name for name in self.calls if name in tools][-1:] or [*tools][:1]
        if name := forced or next(iter(wanted), ""):
            schema = tools[name].get("parameters") or tools[name].get("input_schema") or {}
            return "", name, self._instance(name, schema)
        form = body.get("response_format") or {}
        if schema := form.get("json_schema") or body.get("output_config", {}).get("format") or {}:
            name = schema.get("name") or schema["schema"].get("title", "")
            return json.dumps(self._instance(name, schema["schema"])), "", {}
        if form.get("type") == "json_object" or body.get("format") == "json":
            return json.dumps(self.arguments.get("json", {})), "", {}
        return f"Answer {hashlib.sha256(_last_text(body).encode()).hexdigest()[:8]}.", "", {}

    def _instance(self, name: str, schema: JSON) -> JSON:
        return {**_smallest(schema, schema), **self.arguments.get(name, {})}


def _smallest(schema: JSON, root: JSON) -> Any:
    if ref := schema.get("$ref"):
        return _smallest(root["$defs"][ref.rsplit("/", 1)[-1]], root)
    for key in ("anyOf", "allOf", "oneOf"):
        if key in schema:
            return _smallest(schema[key][0], root)
    if "const" in schema or "enum" in schema or "default" in schema:
        return schema.get("const", schema.get("default", next(iter(schema.get("enum", [None])))))
    if schema.get("type") == "object" or "properties" in schema:
        needed = schema.get("required", ())
        return {key: _smallest(each, root) for key, each in schema.get("properties", {}).items() if key in needed}
    if schema.get("type") == "array":
        return [_smallest(schema.get("items", {}), root)] * schema.get("minItems", 0)
    return {"string": "one", "integer": 1, "number": 1.0, "boolean": False}.get(str(schema.get("type")))


def _called(messages: Sequence[JSON]) -> list[str]:
    """The tools that were called since the last message that a user wrote."""
    names: list[str] = []
    for message in messages:
        content = message.get("content")
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        if message["role"] == "user" and not any(part.get("type") == "tool_result" for part in parts):
            names = []
        names += [part["name"] for part in parts if part.get("type") == "tool_use"]
        names += [call["function"]["name"] for call in message.get("tool_calls") or ()]
    return names


def _last_text(body: JSON) -> str:
    content = body["messages"][-1].get("content") or ""
    parts = content if isinstance(content, list) else [content]
    return "".join(str(part.get("text") or part.get("content")) if isinstance(part, dict) else part for part in parts)


def _openai(body: JSON, text: str, name: str, arguments: JSON) -> tuple[JSON, list[JSON]]:
    head = {"id": f"chatcmpl-{uuid.uuid4()}", "created": 1, "model": body["model"]}
    call = {"id": f"call_{uuid.uuid4()}", "type": "function"}
    call["function"] = {"name": name, "arguments": json.dumps(arguments)}  # type: ignore[assignment]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    message = {"role": "assistant", "content": text or None} | ({"tool_calls": [call]} if name else {})
    finish = "tool_calls" if name else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    delta = message | ({"tool_calls": [call | {"index": 0}]} if name else {})
    chunk = head | {"object": "chat.completion.chunk"}
    chunks = [
        chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        chunk | {"choices": [], "usage": usage},
    ]
    return head | {"object": "chat.completion", "choices": [choice], "usage": usage}, chunks


def _anthropic(body: JSON, text: str, name: str, arguments: JSON) -> tuple[JSON, list[JSON]]:
    call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4()}", "name": name}
    block, delta = {"type": "text", "text": text}, {"type": "text_delta", "text": text}
    if name:
        block, delta = call | {"input": arguments}, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    usage, stop = {"input_tokens": 1, "output_tokens": 1}, "tool_use" if name else "end_turn"
    head = {"id": f"msg_{uuid.uuid4()}", "type": "message", "role": "assistant", "model": body["model"], "usage": usage}
    head |= {"stop_reason": None, "stop_sequence": None}
    begun = call | {"input": {}} if name else {"type": "text", "text": ""}
    events = [
        {"type": "message_start", "message": head | {"content": []}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return head | {"content": [block], "stop_reason": stop}, events


def _ollama(body: JSON, text: str, name: str, arguments: JSON) -> tuple[JSON, list[JSON]]:
    message = {"role": "assistant", "content": text}
    whole = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
    return whole, [whole]


@contextmanager
def stub_model(script: Script) -> Iterator[str]:
    """The URL of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/embeddings"):
                texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
                made = [{"object": "embedding", "index": n, "embedding": [1.0] * 1536} for n, _ in enumerate(texts)]
                return self._send([{"object": "list", "data": made, "model": "m", "usage": {}}], "{}")
            anthropic, ollama = self.path.endswith("/messages"), self.path.endswith("/api/chat")
            make = _anthropic if anthropic else _ollama if ollama else _openai
            whole, events = make(body, *script.answer(body))
            if not body.get("stream", ollama):
                return self._send([whole], "{}")
            form = "{}\n" if ollama else "event: {1}\ndata: {0}\n\n" if anthropic else "data: {}\n\n"
            return self._send(events, form, "" if anthropic or ollama else "data: [DONE]\n\n")

        def _send(self, events: Sequence[JSON], form: str, end: str = "") -> None:
            data = "".join(form.format(json.dumps(event), event.get("type")) for event in events) + end
            self.send_response(200)
            self.send_header("Content-Type", "application/json" if form[0] == "{" else "text/event-stream")
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
