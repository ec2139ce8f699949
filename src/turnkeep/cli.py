"""The command `turnkeep`. Each command imports what it needs when it runs, so that `--help` answers at once."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from turnkeep.local import LocalError

URL = "http://127.0.0.1:8000"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit code: 1 with one clear message where something is missing."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except LocalError as error:
        print(f"turnkeep: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("turnkeep", description="Conversational agents with memory.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    dev = commands.add_parser("dev", help="run the server on this machine, with a durable store")
    dev.add_argument("--port", type=int, help="default: PORT, else 8000; 0 takes a free one")
    dev.set_defaults(run=_dev)

    chat = commands.add_parser("chat", help="talk in the terminal; starts a server if none runs")
    chat.add_argument("agent", nargs="?", metavar="AGENT", help="default: the server's default agent")
    chat.add_argument("--url", default=URL, help=f"default: {URL}")
    chat.add_argument("--thread", metavar="ID", help="go on with this thread")
    chat.set_defaults(run=_chat)

    papers = commands.add_parser("papers", help="the corpus of the agent `papers`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = papers.add_parser("load", help="use your own papers from a JSONL file, from the next start on")
    load.add_argument(
        "file", type=Path, metavar="FILE.jsonl", help="one object a line: id, title, abstract, authors, year, url"
    )
    load.set_defaults(run=_load)
    return parser


def _dev(options: argparse.Namespace) -> None:
    from turnkeep.local.server import serve  # noqa: PLC0415

    port = options.port if options.port is not None else os.environ.get("PORT", "8000")
    if not str(port).isdigit() or int(port) > 65535:
        raise LocalError(f"PORT={port} is no port. Use a number from 0 to 65535.")
    serve(os.environ, int(port))


def _chat(options: argparse.Namespace) -> None:
    import httpx  # noqa: PLC0415

    from turnkeep.local.chat import PATIENCE, converse  # noqa: PLC0415
    from turnkeep.local.companion import a_server  # noqa: PLC0415

    with a_server(options.url, os.environ), httpx.Client(base_url=options.url, timeout=PATIENCE) as client:
        converse(client, options.agent, options.thread, _read_line)


def _read_line() -> str:
    return input("\n> ")


def _load(options: argparse.Namespace) -> None:
    from turnkeep.local.home import open_home  # noqa: PLC0415
    from turnkeep.local.papers import load_papers  # noqa: PLC0415

    home = open_home(os.environ)
    print(f"{load_papers(home, options.file)} papers in {home.papers}. The server uses them from its next start on.")


if __name__ == "__main__":
    sys.exit(main())
