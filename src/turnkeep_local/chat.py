"""What the terminal chat says to a server, over the same HTTP that every client uses. Each message has a key: when the
connection breaks the request is sent again with it, and the turn is made once."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from turnkeep_local import LocalError
from turnkeep_local.home import open_home
from turnkeep_local.hosts import is_this_machine
from turnkeep_local.processes import end, is_listening, spawn, wait_until
from turnkeep_local.screen import Answer, Screen

Payload: TypeAlias = dict[str, Any]

PATIENCE = httpx.Timeout(10, read=30)  # seconds; a server says something every 5
RETRY_SECONDS = (1, 2, 4, 8, 15, 15, 15)
LONGEST_WAIT = 30  # seconds that a server may ask for
START_SECONDS = 90.0  # the first start fetches the database


@contextmanager
def a_server(url: str, environ: Mapping[str, str]) -> Iterator[None]:
    """One for the time of a chat, where none listens at a URL of this machine."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise LocalError(f"{url} is no URL. Give one such as http://127.0.0.1:8000")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if parts.hostname not in ("127.0.0.1", "localhost") or is_listening(port):
        yield
        return
    print(f"No server at {url}: starting one for this chat ...")
    log = open_home(environ).log("server")
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
    server = spawn(command, log=log, environ=environ, at_our_death=signal.SIGTERM)
    try:
        wait_until(partial(_is_up, url), server, log=log, name="The server", seconds=START_SECONDS)
        yield
    finally:
        end(server, patience_seconds=20)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ok", timeout=2).is_success
    except httpx.HTTPError:
        return False


def open_client(url: str, environ: Mapping[str, str], *, insecure: bool = False) -> httpx.Client:
    """A client of the server at `url`; where it is a deployed one, with the key of its environment. Raises LocalError
    for plain http to another machine, unless `insecure`."""
    if not insecure and urlsplit(url).scheme == "http" and not is_this_machine(urlsplit(url).hostname):
        raise LocalError(f"{url} would carry messages and key in clear. Use https://, or --insecure if you mean it.")
    key = environ.get("TURNKEEP_KEY")
    return httpx.Client(base_url=url, timeout=PATIENCE, headers={"x-api-key": key} if key else {})


class _Again(Exception):
    """The same request is to be sent again, after `seconds` where the server says how many."""

    def __init__(self, reason: str, seconds: int | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass
class Chat:
    """One thread in one terminal; `thread_id` and `agent` may change. `pause` takes seconds."""

    client: httpx.Client
    thread_id: str
    agent: str | None
    screen: Screen
    pause: Callable[[float], None] = time.sleep
    last: Payload = field(default_factory=dict)
    """The newest turn, as the server told it."""
    _unsettled: dict[tuple[str, str | None, str], str] = field(default_factory=dict)
    """Keys of messages whose fate is not known: the same message sent again makes one turn."""

    def call(self, method: str, path: str, body: object = None) -> Any:
        """What the server answers, as JSON; raises LocalError."""
        try:
            response = self.client.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise LocalError(f"{self.client.base_url} does not answer: {error}") from error
        if response.is_error:
            raise LocalError(_complaint(_problem(response)))
        return response.json()

    def ask(self, message: str) -> Payload:
        """Sends a message and shows the answer as it comes; gives the turn. Raises LocalError where none is made."""
        key = self._unsettled.setdefault((self.thread_id, self.agent, message), uuid4().hex)
        with Answer(self.screen) as answer:
            self.last = self._turn(message, key, answer)
            answer.finish(self.last["reply"])
        if self.last.get("persisted"):
            self._unsettled.clear()
        return self.last

    def _turn(self, message: str, key: str, answer: Answer) -> Payload:
        for seconds in RETRY_SECONDS:
            try:
                return self._attempt(message, key, answer)
            except _Again as again:
                answer.step(f"{again} Asking again ...")
                answer.begin_again()
                self.pause(seconds if again.seconds is None else again.seconds)
        raise LocalError("The server gave no answer. Send the same message again: it makes one turn.")

    def _attempt(self, message: str, key: str, answer: Answer) -> Payload:
        body = {"message": message} | ({"agent": self.agent} if self.agent else {})
        url, headers = f"/threads/{self.thread_id}/turns/stream", {"Idempotency-Key": key}
        try:
            with self.client.stream("POST", url, json=body, headers=headers) as response:
                if response.is_error:
                    response.read()
                    raise _refusal(response)
                return _listen(read_events(response.iter_lines()), answer)
        except httpx.TransportError as error:
            raise _Again(f"The connection broke ({type(error).__name__}).") from error


def _refusal(response: httpx.Response) -> Exception:
    wait, problem = response.headers.get("retry-after", ""), _problem(response)
    if response.status_code in (409, 429, 503) and wait.isdecimal() and int(wait) <= LONGEST_WAIT:
        return _Again(f"{problem.get('title')}.", int(wait))
    return LocalError(_complaint(problem))


def _listen(events: Iterable[tuple[str, Payload]], answer: Answer) -> Payload:
    for name, data in events:
        match name:
            case "token":
                answer.feed(data["content"])
            case "complete":
                return data
            case "error":
                raise LocalError(_complaint(data))
            case _:
                told = [str(value) for key, value in data.items() if key != "event" and isinstance(value, str | float)]
                answer.step(f"{name.replace('_', ' ')}: {', '.join(told)}")
    raise _Again("The connection ended before the turn was complete.")


def read_events(lines: Iterable[str]) -> Iterator[tuple[str, Payload]]:
    """Server-sent events as (name, data); comments, which keep the line open, are passed over."""
    name, data = "", ""
    for line in lines:
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line and data:
            yield name, json.loads(data)
            name, data = "", ""


def _problem(response: httpx.Response) -> Payload:
    try:
        problem: Payload = response.json()
    except ValueError:
        return {"title": f"Status {response.status_code}", "code": "unreadable", "detail": response.text[:200]}
    return problem


def _complaint(problem: Payload) -> str:
    return f"{problem.get('title')}: {problem.get('detail')} ({problem.get('code')})"
