"""Commands that run something: a server, a conversation."""

import argparse
import os
import pkgutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from turnkeep.entries import entries
from turnkeep.graphfile import UnusableGraphFile
from turnkeep_local import LocalError
from turnkeep_local.cli.keys import add_keys
from turnkeep_local.cli.moving import add_import
from turnkeep_local.cli.projects import add_projects

PORT = 8000
GRAPHS = "langgraph.json"
OF_DEV = {"httpx", "uvicorn", "watchfiles"}
NO_GRAPHS = "There is no langgraph.json here. Begin with `turnkeep new NAME`, or install turnkeep[agents]."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 1 after a message that names what is missing."""
    try:
        _run(_parser().parse_args(arguments))
    except (LocalError, UnusableGraphFile) as error:
        print(f"turnkeep: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name not in OF_DEV:
            raise
        print(f'turnkeep: this command needs {error.name}: pip install "turnkeep[dev]"', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:  # such as `| head`, which closes early
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


def _run(options: argparse.Namespace) -> None:
    options.run(options)
    sys.stdout.flush()  # here, where a closed pipe is not an error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("turnkeep", description="Conversational agents with memory.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    dev = commands.add_parser("dev", help="run the server on this machine, with a durable store")
    dev.add_argument("--port", type=int, help=f"default: PORT, else {PORT}; 0 takes a free one")
    dev.add_argument("-c", "--config", type=Path, metavar="FILE", help="default: TURNKEEP_GRAPHS, ./langgraph.json")
    dev.set_defaults(run=_dev)

    chat = commands.add_parser("chat", help="chat in the terminal; starts a server if none runs")
    chat.add_argument("agent", nargs="?", metavar="AGENT", help="default: the server's default agent")
    chat.add_argument("--url", help="default: where `dev` listens; a deployed one takes its key from TURNKEEP_KEY")
    chat.add_argument("--thread", metavar="ID", help="continue this thread")
    chat.add_argument("--insecure", action="store_true", help="also over plain http to another machine")
    chat.set_defaults(run=_chat)

    add_projects(commands)
    add_keys(commands)
    add_import(commands)

    for entry in entries().values():
        if entry.add_commands:
            pkgutil.resolve_name(entry.add_commands)(commands)
    return parser


def _dev(options: argparse.Namespace) -> None:
    from turnkeep_local.server import serve  # noqa: PLC0415

    named = options.config or os.environ.get("TURNKEEP_GRAPHS") or GRAPHS
    is_there = named != GRAPHS or Path(GRAPHS).is_file()
    if not is_there and not entries():
        raise LocalError(NO_GRAPHS)
    serve(os.environ, _port(options.port), Path(named).resolve() if is_there else None)


def _port(given: int | None = None) -> int:
    port = given if given is not None else os.environ.get("PORT") or PORT
    if not str(port).isdigit() or int(port) > 65535:
        raise LocalError(f"PORT={port} is no port. Use a number from 0 to 65535.")
    return int(port)


def _chat(options: argparse.Namespace) -> None:
    from turnkeep_local.chat import a_server, converse, open_client  # noqa: PLC0415

    url = options.url or f"http://127.0.0.1:{_port()}"
    with a_server(url, os.environ), open_client(url, os.environ, insecure=options.insecure) as client:
        converse(client, options.agent, options.thread, _read_line)


def _read_line() -> str:
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - arrow keys and input history, if Python was built with it
    print()
    line = input("> ")
    if not sys.stdin.isatty():
        print(line)  # as if it had been typed
    return line
