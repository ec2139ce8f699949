"""`turnkeep regulations load`: replaces the bundled articles and answered questions with a user's own."""

import argparse
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeep_local import LocalError
from turnkeep_local.home import open_home, write_atomically

if TYPE_CHECKING:
    from turnkeep.records import JSON


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    regulations = commands.add_parser(
        "regulations", help="the knowledge base of the agent `regulations`"
    ).add_subparsers(required=True, metavar="COMMAND")
    load = regulations.add_parser("load", help="use your own articles and FAQ, from the next start on")
    load.add_argument(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="Markdown, cut at its headings, or JSONL (id, law, article, title, text, ...); faq*.jsonl holds the FAQ",
    )
    load.set_defaults(run=_load)


def _load(options: argparse.Namespace) -> None:
    """Check the folder and write its contents as JSONL where the server looks for them; raises LocalError."""
    from turnkeep_agents.regulations.knowledge.folder import load_knowledge, rows_of  # noqa: PLC0415

    knowledge = load_knowledge(options.folder)
    if knowledge.is_empty:
        raise LocalError(f"{options.folder}: holds no articles; put Markdown or JSONL there")
    articles, answers = rows_of(knowledge)
    kept = open_home(os.environ).path / "regulations"
    kept.mkdir(mode=0o700, exist_ok=True)
    # In this order a crash leaves articles without a FAQ, never a FAQ that cites missing articles.
    (kept / "faq.jsonl").unlink(missing_ok=True)
    _write(kept / "articles.jsonl", articles)
    if answers:
        _write(kept / "faq.jsonl", answers)
    print(
        f"{len(articles)} articles and {len(answers)} answers in {kept}. The server uses them from its next start on."
    )


def _write(file: Path, rows: Iterable["JSON"]) -> None:
    write_atomically(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
