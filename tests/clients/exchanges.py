"""Requests in LangGraph's protocol, and answers in a comparable form: without ids, times and addresses."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import httpx

type Json = Any
type Answer = dict[str, Any]

AGENT = "parcels"
HEADERS = ("content-type", "location", "content-location", "cache-control", "x-accel-buffering", "x-pagination-total")
HEADERS += ("x-pagination-next",)
ONE_EACH = httpx.Limits(max_keepalive_connections=0)
NOBODY = "00000000-0000-4000-8000-000000000000"

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
HEX = re.compile(r"\b[0-9a-f]{32}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
WRITTEN = re.compile(r"^lc_run--<uuid>-0$")
"""The id of a complete message. Its pieces have the id without the number."""
MINTED = re.compile(r"^m-(\d+-\d+|<hex>)-\d+$")
"""The id that this server generates for a message; the reference uses a UUID."""
OWN = re.compile(r"http://127\.0\.0\.1:\d+")
NAMES = ((UUID, "<uuid>"), (HEX, "<hex>"), (TIME, "<time>"), (OWN, "<server>"))
NAMES += ((WRITTEN, "lc_run--<uuid>"), (MINTED, "<uuid>"))


def plain(value: Json) -> Json:
    """Replace ids, times and addresses."""
    if isinstance(value, dict):
        return {plain(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if not isinstance(value, str):
        return value
    for pattern, name in NAMES:
        value = pattern.sub(name, value)
    return value


def outlined(body: Json) -> Json:
    """Reduce JSON schemas to names, because the texts are LangChain's."""
    if not isinstance(body, dict):
        return body
    if "$defs" in body or body.get("type") == "object":
        return {"title": body.get("title"), "type": body.get("type"), "properties": sorted(body.get("properties", {}))}
    return {name: outlined(inner) for name, inner in body.items()}


def frames(text: str) -> list[list[Any]]:
    """Return name, data and id of each event, without comments."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if fields:
            data, number = fields.get("data"), fields.get("id")
            found.append([fields.get("event"), json.loads(data) if data else data, "<id>" if number else None])
    return found


@dataclass
class Wire:
    """Sends requests and stores the answers by name."""

    http: httpx.Client
    kept: dict[str, Answer] = field(default_factory=dict)
    scene: str = ""

    def __call__(self, name: str, method: str, path: str, body: Json = None, **more: Any) -> Any:
        """Return the body: JSON, or the frames of a stream."""
        given = {"json": body} if body is not None else {}
        answer = self.http.request(method, path, **given, **more)
        self.keep(name, answer_of(answer))
        return payload(answer)

    def keep(self, name: str, answer: Answer) -> None:
        self.kept[f"{self.scene}: {name}"] = answer

    def stream(self, name: str, body: Json, thread: str | None = None) -> Any:
        """Run on a new thread if none is given."""
        return self(name, "POST", f"/threads/{thread or self.thread()}/runs/stream", body)

    def wait(self, name: str, body: Json, thread: str | None = None) -> Any:
        return self(name, "POST", f"/threads/{thread or self.thread()}/runs/wait", body)

    def quietly(self, method: str, path: str, body: Json = None) -> Any:
        answer = self.http.request(method, path, json=body)
        assert answer.status_code < 400, answer.text
        return payload(answer)

    def thread(self, *texts: str, **more: Any) -> str:
        """Create a thread with a run for each message."""
        made: str = self.quietly("POST", "/threads", more)["thread_id"]
        for text in texts:
            self.quietly("POST", f"/threads/{made}/runs/wait", run(text))
        return made


def payload(answer: httpx.Response) -> Any:
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        return frames(answer.text)
    try:
        return answer.json()
    except json.JSONDecodeError:
        return answer.text


def answer_of(answer: httpx.Response) -> Answer:
    headers = {name: answer.headers[name] for name in HEADERS if name in answer.headers}
    body = payload(answer)
    body = outlined(body) if "schema" in str(answer.url) or "subgraphs" in str(answer.url) else body
    kept: Answer = plain({"status": answer.status_code, "headers": headers, "body": body})
    return kept


def run(text: str | None = None, **more: Any) -> dict[str, Any]:
    texts = {} if text is None else {"input": {"messages": [{"role": "user", "content": text}]}}
    return {"assistant_id": AGENT, **texts, **more}
