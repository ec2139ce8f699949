"""An agent of one model call, and a model's server that says what each call used; for a server with limits."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
from langgraph.graph import START, MessagesState, StateGraph

from turnkeep.agents import Agent
from turnkeep.entries import Entry
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply
from turnkeep.settings import Settings
from turnkeep_local.processes import free_port, spawn, wait_until_listening

TOKENS = 500
ENTRY = Entry("Asks its model once", build="budget_server:build")


def build(settings: Settings) -> Agent:
    models = chat_models(settings, "plain")

    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await models.main.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
    return Agent("plain", graph, lambda values: Reply(values["messages"][-1].text), model=models.name)


@contextmanager
def model_server(seconds: float) -> Iterator[str]:
    """Answers after so many seconds; a message with "never" is not answered. Yields its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(60 if b"never" in asked else seconds)
            usage = {"prompt_tokens": TOKENS - 20, "completion_tokens": 20, "total_tokens": TOKENS}
            facts = {"id": "c1", "created": 1, "model": "gpt-4.1-mini", "usage": usage}
            told = {"index": 0, "delta": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
            if json.loads(asked).get("stream"):
                body = {"object": "chat.completion.chunk", "choices": [told], **facts}
                text, kind = f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n", "text/event-stream"
            else:
                told["message"] = told.pop("delta")
                text, kind = json.dumps({"object": "chat.completion", "choices": [told], **facts}), "application/json"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


@dataclass(frozen=True)
class Client:
    url: str
    user: str = "ann"

    def say(self, thread: str, message: str = "Is it?") -> httpx.Response:
        body = {"session_id": thread, "message": message}
        return httpx.post(f"{self.url}/chat", json=body, headers={"X-Turnkeep-User": self.user}, timeout=30)

    def used(self) -> Mapping[str, Any]:
        told: dict[str, Any] = httpx.get(f"{self.url}/usage", headers={"X-Turnkeep-User": self.user}).json()
        return told


@dataclass(frozen=True)
class LimitedServer:
    """`turnkeep dev` over the table in the store at `store_url`, with `environ` beside."""

    folder: Path
    store_url: str
    table: str
    model_url: str
    environ: Mapping[str, str]

    @contextmanager
    def running(self) -> Iterator[Client]:
        """Ends by SIGKILL."""
        package = self.folder / "plain-0.dist-info"
        package.mkdir(exist_ok=True)
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: plain\nVersion: 0\n")
        (package / "entry_points.txt").write_text("[turnkeep.agents]\nplain = budget_server:ENTRY\n")
        port, log = free_port(), self.folder / "server.log"
        environ = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(self.folder)]),
            "TURNKEEP_HOME": str(self.folder / "home"),
            "AWS_ENDPOINT_URL_DYNAMODB": self.store_url,
            "TABLE_NAME": self.table,
            "MODEL": "openai:gpt-4.1-mini",
            "OPENAI_BASE_URL": self.model_url,
            "DEFAULT_AGENT": "plain",
            **self.environ,
        }
        server = spawn(
            [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)], log=log, environ=environ
        )
        try:
            wait_until_listening(port, server, log=log, name="turnkeep dev", seconds=40)
            yield Client(f"http://127.0.0.1:{port}")
        finally:
            server.kill()
            server.wait()
