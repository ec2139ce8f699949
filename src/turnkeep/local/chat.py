"""`turnkeep chat`: a conversation in the terminal, over the same HTTP that every client uses. Ctrl-C during an answer
closes the stream, which cancels the turn; the thread stays as it was."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TextIO
from urllib.parse import urlsplit

import httpx

from turnkeep.local import LocalError
from turnkeep.local.hosts import is_this_machine
from turnkeep.texts import printable

type Payload = dict[str, Any]

DIM, PLAIN = "\x1b[2m", "\x1b[0m"
PATIENCE = httpx.Timeout(10, read=120)  # seconds


def open_client(url: str, environ: Mapping[str, str], *, insecure: bool = False) -> httpx.Client:
    """A client of the server at `url`; where it is a deployed one, with the key of its environment. Raises LocalError
    for plain http to another machine, unless `insecure`."""
    if not insecure and urlsplit(url).scheme == "http" and not is_this_machine(urlsplit(url).hostname):
        raise LocalError(f"{url} would carry messages and key in clear. Use https://, or --insecure if you mean it.")
    key = environ.get("TURNKEEP_KEY")
    return httpx.Client(base_url=url, timeout=PATIENCE, headers={"x-api-key": key} if key else {})


class TurnError(Exception):
    """The server did not make a turn of it; the text is one line for the terminal."""


@dataclass
class Chat:
    """One thread in one terminal."""

    client: httpx.Client
    thread_id: str
    agent: str | None
    out: TextIO

    def ask(self, message: str) -> None:
        """Sends a message and writes the answer as it comes; raises TurnError."""
        body = {"message": message} | ({"agent": self.agent} if self.agent else {})
        with self.client.stream("POST", f"/threads/{self.thread_id}/turns/stream", json=body) as response:
            if response.is_error:
                response.read()
                raise TurnError(_complaint(_problem(response)))
            self._show(read_events(response.iter_lines()))

    def _show(self, events: Iterable[tuple[str, Payload]]) -> None:
        written = False
        for name, data in events:
            match name:
                case "token":
                    self.write(data["content"])
                    written = True
                case "complete":
                    self._close(data, written)
                    return
                case "error":
                    raise TurnError(_complaint(data))
                case _:
                    if not written:
                        self._dim(f"  {_progress(name, data)}")
        raise TurnError("The connection ended before the turn was complete. Nothing says that it was kept.")

    def _close(self, turn: Payload, written: bool) -> None:
        self.write("\n" if written else f"{turn['reply']}\n")
        for source in turn.get("sources", []):
            if source.get("cited"):
                self._dim(f"  [{source['id']}] {source['title']}  {source.get('url') or ''}")
        if turn.get("warnings"):
            self._dim(f"  {', '.join(turn['warnings'])}")
        match turn.get("persisted", True):
            case False:
                self.write("  This turn could not be stored: the next one will not know of it.\n")
            case None:
                self.write("  It is not known whether this turn was stored: the next one may not know of it.\n")

    def _dim(self, line: str) -> None:
        dim, plain = (DIM, PLAIN) if self.out.isatty() else ("", "")
        self.out.write(dim)
        self.write(line.rstrip().replace("\n", " "))
        self.out.write(f"{plain}\n")

    def write(self, text: str) -> None:
        """What a server sends steers no terminal, whatever it holds."""
        self.out.write(printable(text))
        self.out.flush()


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


def converse(client: httpx.Client, agent: str | None, thread_id: str | None, read_line: Callable[[], str]) -> None:
    """Talks until the input ends. Raises LocalError where the server does not answer or the thread is unknown."""
    chat = Chat(client, _open_thread(client, thread_id), agent, sys.stdout)
    chat.write(f"Thread {chat.thread_id}. Ctrl-C stops an answer, Ctrl-D ends.\n")
    for message in _messages(read_line):
        _take_turn(chat, message)
    chat.write(f"\nGo on with: turnkeep chat --thread {chat.thread_id}\n")


def _open_thread(client: httpx.Client, thread_id: str | None) -> str:
    try:
        response = client.get(f"/threads/{thread_id}") if thread_id else client.post("/threads", json={})
    except httpx.HTTPError as error:
        raise LocalError(f"{client.base_url} does not answer: {error}") from error
    if response.is_error:
        raise LocalError(printable(_complaint(_problem(response))))
    opened: str = response.json()["thread_id"]
    return opened


def _messages(read_line: Callable[[], str]) -> Iterator[str]:
    while True:
        try:
            line = read_line()
        except EOFError:
            return
        except KeyboardInterrupt:
            print()
            continue
        if line.strip():
            yield line


def _take_turn(chat: Chat, message: str) -> None:
    try:
        chat.ask(message)
    except KeyboardInterrupt:
        chat.write("\nStopped. The thread is as it was before this message.\n")
    except TurnError as error:
        chat.write(f"\n{error}\n")
    except httpx.HTTPError as error:
        chat.write(f"\nThe connection broke ({type(error).__name__}). Send the message again.\n")


def _progress(name: str, data: Payload) -> str:
    told = [str(value) for key, value in data.items() if key != "event" and isinstance(value, str | int | float)]
    return f"{name.replace('_', ' ')}: {', '.join(told)}"


def _problem(response: httpx.Response) -> Payload:
    try:
        problem: Payload = response.json()
    except ValueError:
        return {"title": f"Status {response.status_code}", "code": "unreadable", "detail": response.text[:200]}
    return problem


def _complaint(problem: Payload) -> str:
    return f"{problem.get('title')}: {problem.get('detail')} ({problem.get('code')})"
