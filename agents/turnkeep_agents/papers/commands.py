"""`turnkeep papers load`: replaces the bundled papers with a user's own."""

import argparse
import os
from pathlib import Path

from turnkeep_local.home import open_home, write_atomically


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    papers = commands.add_parser("papers", help="the corpus of the agent `papers`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = papers.add_parser("load", help="use your own papers from a JSONL file, from the next start on")
    load.add_argument(
        "file", type=Path, metavar="FILE.jsonl", help="one object a line: id, title, abstract, authors, year, url"
    )
    load.set_defaults(run=_load)


def _load(options: argparse.Namespace) -> None:
    from turnkeep.kit.documents import load_documents  # noqa: PLC0415
    from turnkeep_agents.papers.corpus import read_paper  # noqa: PLC0415

    home = open_home(os.environ)
    documents = load_documents(options.file, read_paper)
    write_atomically(home.path / "papers.jsonl", options.file.read_bytes())
    print(f"{len(documents)} papers in {home.path / 'papers.jsonl'}. The server uses them from its next start on.")
