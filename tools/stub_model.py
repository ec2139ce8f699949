"""A model on loopback whose answers follow from the request alone: OpenAI's chat completions and embeddings, and
Anthropic's messages. It never streams, because a run that is waited for does not."""

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

JSON = dict[str, Any]


class Script:
    """The tools that the model calls after each user message, in order, and arguments by the name of a tool or schema.
    A missing argument is the smallest that its schema allows."""

    def __init__(self, calls: Sequence[str], arguments: JSON):
        self.calls, self.arguments = calls, arguments

    def answer(self, body: JSON) -> tuple[str, str, JSON]:
        """Return the text, or the name and arguments of the tool to call."""
        tools = {tool["name"]: tool for tool in (each.get("function", each) for each in body.get("tools", ()))}
        choice, called = body.get("tool_choice"), _called(body["messages"])
        wanted = [name for name in self.calls if name in tools and f'"name": "{name}"' not in called]
        if isinstance(choice, dict) and (forced := choice.get("function", choice).get("name")):
            wanted = [forced]
        elif not wanted and choice in ("required", "any", {"type": "any"}):
            wanted = [name for name in self.calls if name in tools][-1:] or [*tools][:1]
        for name in wanted:
            schema = tools[name].get("parameters") or tools[name].get("input_schema") or {}
            return "", name, self._instance(name, schema)
        form = body.get("response_format") or {}
        if schema := form.get("json_schema") or body.get("output_config", {}).get("format"):
            return json.dumps(self._instance(schema.get("name", ""), schema["schema"])), "", {}
        if form.get("type") == "json_object":
            return json.dumps(self.arguments.get("json", {})), "", {}
        last = re.sub("[0-9a-f-]{32,}", "", json.dumps(body["messages"][-1].get("content")))
        return f"Answer {hashlib.sha256(last.encode()).hexdigest()[:8]}.", "", {}

    def _instance(self, name: str, schema: JSON) -> JSON:
        return {**_smallest(schema, schema), **self.arguments.get(name, {})}


def _smallest(schema: JSON, root: JSON) -> Any:
    if ref := schema.get("$ref"):
        return _smallest(root["$defs"][ref.rsplit("/", 1)[-1]], root)
    if options := schema.get("anyOf") or schema.get("allOf") or schema.get("oneOf"):
        return _smallest(options[0], root)
    if "const" in schema or "enum" in schema or "default" in schema:
        return schema.get("const", schema.get("default", next(iter(schema.get("enum", [None])))))
    if "properties" in schema or schema.get("type") == "object":
        return {key: _smallest(schema["properties"][key], root) for key in schema.get("required", ())}
    if schema.get("type") == "array":
        return [_smallest(schema.get("items", {}), root)] * schema.get("minItems", 0)
    return {"string": "one", "integer": 1, "number": 1.0, "boolean": False}.get(str(schema.get("type")))


def _called(messages: Sequence[JSON]) -> str:
    """Return the messages after the last one of a user, as JSON."""
    texts = [json.dumps(message) for message in messages]
    users = [n for n, text in enumerate(texts) if messages[n]["role"] == "user" and '"tool_result"' not in text]
    return "".join(texts[users[-1] + 1 if users else 0 :])


def _openai(body: JSON, text: str, name: str, arguments: JSON) -> JSON:
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = {"tool_calls": [{"id": f"call_{uuid.uuid4()}", "type": "function", "function": function}]} if name else {}
    message = {"role": "assistant", "content": text or None, **calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if name else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": f"chatcmpl-{uuid.uuid4()}", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**head, "choices": [choice], "usage": usage}


def _anthropic(body: JSON, text: str, name: str, arguments: JSON) -> JSON:
    call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4()}", "name": name, "input": arguments}
    head = {"id": f"msg_{uuid.uuid4()}", "type": "message", "role": "assistant", "model": body["model"]}
    usage = {"input_tokens": 1, "output_tokens": 1}
    stop = {"stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None}
    return {**head, **stop, "content": [call if name else {"type": "text", "text": text}], "usage": usage}


@contextmanager
def stub_model(script: Script) -> Iterator[str]:
    """Serve the script; the value is the URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/embeddings"):
                count = len(body["input"]) if isinstance(body["input"], list) else 1
                made = [{"object": "embedding", "index": n, "embedding": [1.0] * 1536} for n in range(count)]
                answer: JSON = {"object": "list", "data": made, "model": "m", "usage": {}}
            else:
                make = _anthropic if self.path.endswith("/messages") else _openai
                answer = make(body, *script.answer(body))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
