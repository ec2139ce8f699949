"""`turnkeep chat`: what is typed, what a slash does, and what stands under an answer."""

import sys
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote

import httpx

from turnkeep_local import LocalError
from turnkeep_local.chat import Chat, Payload
from turnkeep_local.screen import Screen

LISTED = 20


def converse(client: httpx.Client, agent: str | None, thread_id: str | None, read_line: Callable[[], str]) -> None:
    """Talks until the input ends. Raises LocalError where the server does not answer or the thread is unknown."""
    chat = Chat(client, "", agent, Screen(sys.stdout))
    _enter(chat, chat.call("GET", f"/threads/{quote(thread_id, safe='')}")) if thread_id else _new(chat)
    chat.screen.dim("/help lists commands, Ctrl-C stops an answer, Ctrl-D ends.")
    with suppress(EOFError):
        while True:
            _take(chat, read_line)
    chat.screen.say(f"\nGo on with: turnkeep chat --thread {chat.thread_id}")


def _take(chat: Chat, read_line: Callable[[], str]) -> None:
    line = ""
    try:
        if line := read_line().strip():
            _obey(chat, line) if line.startswith("/") else _add(chat, chat.ask(line))
    except KeyboardInterrupt:  # an answer's stream is closed by now, which cancels its turn
        chat.screen.say("Stopped. The turn is given up, unless it had just been stored." if line else "")
    except LocalError as error:
        chat.screen.say(str(error), "red")


def _obey(chat: Chat, line: str) -> None:
    name, _, given = line.partition(" ")
    if name not in COMMANDS:
        raise LocalError(f"{name} is no command. /help lists them.")
    COMMANDS[name](chat, given.strip())


def _add(chat: Chat, turn: Payload) -> None:
    """Beside the text of an answer: rows that it does not show itself, sources, warnings."""
    if "| --" not in turn["reply"] and any(result.get("rows") for result in _results(chat)):
        _rows(chat)
    _list_sources(chat, [source for source in turn.get("sources", ()) if source.get("cited")])
    if turn.get("warnings"):
        chat.screen.dim(", ".join(turn["warnings"]))
    persisted = turn.get("persisted")
    if persisted is not True:
        known = "It is not known whether this turn was" if persisted is None else "This turn could not be"
        chat.screen.say(f"  {known} stored. Send the same message again: it makes one turn.")


def _results(chat: Chat) -> list[Payload]:
    details = chat.last.get("details") or {}
    return [details, *details.get("further_results", ())]


def _list_sources(chat: Chat, found: list[Payload]) -> None:
    for source in found:
        chat.screen.dim(f"[{source['id']}] {source.get('title') or ''}  {source.get('url') or ''}")


def _enter(chat: Chat, thread: Payload) -> None:
    chat.thread_id, chat.agent, chat.last = thread["thread_id"], thread.get("agent") or chat.agent, {}
    chat.screen.say(f"Thread {chat.thread_id}{': ' if thread.get('title') else ''}{thread.get('title') or ''}")


def _help(chat: Chat, _: str) -> None:
    """This list"""
    chat.screen.rows(["Command", "What it does"], [[name, command.__doc__] for name, command in COMMANDS.items()])


def _new(chat: Chat, _: str = "") -> None:
    """A new thread"""
    _enter(chat, chat.call("POST", "/threads", {}))


def _threads(chat: Chat, given: str) -> None:
    """Your newest threads; /threads 2 goes on with the second"""
    found = chat.call("POST", "/threads/search", {"limit": LISTED})
    if given:
        if not given.isdecimal() or not 0 < int(given) <= len(found):
            raise LocalError(f"The list has no thread {given}. /threads shows it.")
        _enter(chat, found[int(given) - 1])
        return
    names = ("title", "agent", "turn_count")
    rows = [[at, *(thread.get(name) for name in names)] for at, thread in enumerate(found, 1)]
    chat.screen.rows(["", "Thread", "Agent", "Turns"], rows)


def _agent(chat: Chat, given: str) -> None:
    """The agents; /agent papers begins a thread with that one"""
    found = {agent["name"]: agent["description"] for agent in chat.call("GET", "/agents")}
    if not given:
        rows = [[">" if name == chat.agent else "", name, told] for name, told in found.items()]
        chat.screen.rows(["", "Agent", "What it does"], rows)
        return
    if given not in found:
        raise LocalError(f"There is no agent {given}. There are: {', '.join(found)}.")
    chat.agent = given
    _new(chat)


def _rows(chat: Chat, _: str = "") -> None:
    """The next rows of the last answer"""
    for result in _results(chat):
        if rows := result.get("rows"):
            result["rows"] = rows[chat.screen.page :]
            chat.screen.rows(result["columns"], rows[: chat.screen.page])
            if result["rows"]:
                chat.screen.dim(f"{len(result['rows'])} more: /rows")
            return
    chat.screen.say("The last answer has no more rows.")


def _sql(chat: Chat, _: str) -> None:
    """The SQL of the last answer"""
    written = [result["sql"] for result in _results(chat) if result.get("sql")]
    for statement in written:
        chat.screen.code(statement, "sql")
    if not written:
        chat.screen.say("The last answer has no SQL.")


def _sources(chat: Chat, _: str) -> None:
    """What the last answer was made from, cited or not"""
    found = chat.last.get("sources") or []
    _list_sources(chat, found)
    if not found:
        chat.screen.say("The last answer has no sources.")


def _quit(chat: Chat, _: str) -> None:
    """Ends; so does Ctrl-D"""
    raise EOFError


_ALL = (_help, _new, _threads, _agent, _rows, _sql, _sources, _quit)
COMMANDS: dict[str, Callable[[Chat, str], None]] = {f"/{each.__name__.strip('_')}": each for each in _ALL}
