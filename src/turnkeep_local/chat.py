"""`turnkeep chat`: one thread in a terminal, over the same HTTP as every client.

A message keeps its idempotency key until its turn is stored: sent again after a fault, it makes one turn.
"""

import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import httpx

from turnkeep.texts import printable
from turnkeep_local import LocalError
from turnkeep_local.home import open_home
from turnkeep_local.hosts import is_this_machine
from turnkeep_local.processes import end, is_listening, spawn, wait_until

TIMEOUT = httpx.Timeout(10, read=30)  # seconds; a server sends a heartbeat every 5
START_SECONDS = 90.0  # the first start fetches the database
AGAIN = "Send the same message again: it makes one turn."


def chat(url: str, environ: Mapping[str, str], agent: str | None, thread_id: str | None, *, insecure: bool) -> None:
    with _server(url, environ), open_client(url, environ, insecure=insecure) as client:
        converse(client, agent, thread_id, _read_line)


@contextmanager
def _server(url: str, environ: Mapping[str, str]) -> Iterator[None]:
    """Start a server for the duration of the chat if `url` names this machine and nothing listens there."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise LocalError(f"{url} is not a URL. Use one such as http://127.0.0.1:8000")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if parts.hostname not in ("127.0.0.1", "localhost") or is_listening(port):
        yield
        return
    print(f"No server at {url}: starting one for this chat ...")
    log = open_home(environ).log("server")
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
    server = spawn(command, log=log, environ=environ, at_our_death=signal.SIGTERM)
    try:
        wait_until(lambda: _is_up(url), server, log=log, name="The server", seconds=START_SECONDS)
        yield
    finally:
        end(server, patience_seconds=20)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ok", timeout=2).is_success
    except httpx.HTTPError:
        return False


def open_client(url: str, environ: Mapping[str, str], *, insecure: bool = False) -> httpx.Client:
    """Return a client that sends TURNKEEP_KEY. Raise LocalError for http to another machine, unless `insecure`."""
    if not insecure and urlsplit(url).scheme == "http" and not is_this_machine(urlsplit(url).hostname):
        raise LocalError(f"{url} would send messages and key unencrypted. Use https://, or allow it with --insecure.")
    key = environ.get("TURNKEEP_KEY")
    return httpx.Client(base_url=url, timeout=TIMEOUT, headers={"x-api-key": key} if key else {})


def _read_line() -> str:
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - arrow keys and input history, if Python was built with it
    line = input("\n> ")
    if not sys.stdin.isatty():
        print(line)  # as if it had been typed
    return line


def converse(client: httpx.Client, agent: str | None, thread_id: str | None, read_line: Callable[[], str]) -> None:
    """Chat until the input ends. Raise LocalError if the server does not answer or the thread is unknown."""
    try:
        response = (
            client.get(f"/threads/{quote(thread_id, safe='')}") if thread_id else client.post("/threads", json={})
        )
    except httpx.HTTPError as error:
        raise LocalError(f"{client.base_url} does not answer: {error}") from error
    _check(response)
    thread = response.json()
    thread_id = thread["thread_id"]
    send = partial(_send, client, thread_id, thread.get("agent") or agent, dict[str, str]())
    _write(f"Thread {thread_id}  {thread.get('title') or ''}\nCtrl-C stops an answer, Ctrl-D ends.\n")
    with suppress(EOFError):
        while True:
            _turn(send, read_line)
    _write(f"\nContinue with: turnkeep chat --thread {thread_id}\n")


def _turn(send: Callable[[str], None], read_line: Callable[[], str]) -> None:
    line = ""
    try:
        if line := read_line().strip():
            send(line)
    except KeyboardInterrupt:  # the answer's stream is already closed, which cancels its turn
        _write("\nStopped. The turn is cancelled, unless it was stored a moment before.\n" if line else "\n")
    except LocalError as error:
        _write(f"\n{error}\n")


def _send(client: httpx.Client, thread_id: str, agent: str | None, keys: dict[str, str], message: str) -> None:
    """Write the answer as it streams; raise LocalError if there is no turn. `keys` has the idempotency keys of messages
    that may be unstored."""
    body = {"message": message} | ({"agent": agent} if agent else {})
    headers = {"Idempotency-Key": keys.setdefault(message, uuid4().hex)}
    try:
        with client.stream("POST", f"/threads/{thread_id}/turns/stream", json=body, headers=headers) as response:
            _check(response)
            turn = _write_answer(read_events(response.iter_lines()))
    except httpx.TransportError as error:
        raise LocalError(f"The connection broke ({type(error).__name__}). {AGAIN}") from error
    if turn["persisted"]:
        keys.clear()
    _write("\n")
    for source in turn.get("sources", ()):
        if source.get("cited"):
            _write_line(f"[{source['id']}] {source.get('title') or ''}  {source.get('url') or ''}")
    if turn.get("warnings"):
        _write_line(f"Warnings: {', '.join(turn['warnings'])}")
    if not turn["persisted"]:
        unsure = "It is unknown whether this turn was" if turn["persisted"] is None else "This turn was not"
        _write_line(f"{unsure} stored. {AGAIN}")


def _write_answer(events: Iterable[tuple[str, Any]]) -> Any:
    """Write an answer and its steps; return the turn."""
    draft = ""
    for name, data in events:
        match name:
            case "token":
                draft += data["content"]
                _write(data["content"])
            case "complete":
                reply = data["reply"]
                _write(reply.removeprefix(draft) if reply.startswith(draft) else f"\n\n{reply}")
                return data
            case "error":
                raise LocalError(_problem(data))
            case _:
                values = [str(each) for key, each in data.items() if key != "event" and isinstance(each, str | float)]
                _write_line(f"[{name.replace('_', ' ')}: {', '.join(values)}]", begins="\n" if draft else "")
    raise LocalError(f"The connection ended before the turn was complete. {AGAIN}")


def _write(text: str) -> None:
    """Write a server's text without anything that could control the terminal."""
    print(printable(text), end="", flush=True)


def _write_line(text: str, begins: str = "") -> None:
    _write(f"{begins}  {' '.join(text.split())}\n")


def read_events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield the name and data of server-sent events, without comments."""
    name, data = "", ""
    for line in lines:
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line and data:
            yield name, json.loads(data)
            name, data = "", ""


def _check(response: httpx.Response) -> None:
    if response.is_error:
        response.read()
        try:
            raise LocalError(_problem(response.json()))
        except (ValueError, TypeError, KeyError):
            raise LocalError(f"Status {response.status_code}: {response.text[:200]}") from None


def _problem(problem: Any) -> str:
    return f"{problem['title']}: {problem['detail']} ({problem['code']})"
