"""The commands about one's own database: its join graph, its secure views, its manual and its verified questions."""

import argparse
from pathlib import Path
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_commands(commands: Commands) -> None:
    _add_joins(_group(commands, "joins", "the join graph of the agent `database`"))
    _add_database(_group(commands, "database", "a database of your own, for the agent `database`"))
    manual = _group(commands, "manual", "the user manual of the agent `database`")
    load = manual.add_parser("load", help="use your own pages from the next start")
    load.add_argument("folder", type=Path, metavar="FOLDER", help="Markdown or text files; sections begin at headings")
    load.set_defaults(run=f"{__name__}.manual:load")


def _group(commands: Commands, name: str, description: str) -> Commands:
    return commands.add_parser(name, help=description).add_subparsers(required=True, metavar="COMMAND")


def _add_joins(joins: Commands) -> None:
    build = joins.add_parser("build", help="make it from a live database")
    build.add_argument("url", nargs="?", default="", metavar="URL", help="default: DATABASE__URL, else the sample")
    build.add_argument("--out", type=Path, required=True, metavar="FILE.json")
    build.add_argument("--associations", type=Path, metavar="FILE.json", help="an extract of the application's models")
    build.add_argument("--overrides", type=Path, metavar="FILE.json", help="corrections written by hand")
    build.add_argument("--values", action="store_true", help="read the texts of columns with few values")
    build.add_argument("--model", action="store_true", help="ask the model which relationships are doubtful")
    build.set_defaults(run=f"{__name__}.joins:build")

    check = joins.add_parser("check", help="list errors and doubts in a graph")
    check.add_argument("file", type=Path, metavar="FILE.json")
    check.set_defaults(run=f"{__name__}.joins:check")


def _add_database(database: Commands) -> None:
    secure = database.add_parser("secure", help="print the SQL that sets up secure views")
    secure.add_argument("--access", type=Path, required=True, metavar="FILE.json", help="the file of DATABASE__ACCESS")
    secure.add_argument(
        "--joins", type=Path, required=True, metavar="FILE.json", help="the join graph, for the columns"
    )
    secure.add_argument(
        "--dialect", choices=["mysql", "postgresql", "sqlite"], default="mysql", help="mysql includes MariaDB"
    )
    secure.add_argument(
        "--database", default="", metavar="NAME", help="the schema on the server; for postgresql public by default"
    )
    secure.add_argument(
        "--reader", default="", metavar="ACCOUNT", help="Turnkeep's login: \"'name'@'host'\", for postgresql a role"
    )
    secure.add_argument("--again", action="store_true", help="views and rights alone, after a change of the schema")
    secure.set_defaults(run=f"{__name__}.security:secure")
    check = database.add_parser("check", help="report what the agent answers from, or why it cannot")
    check.set_defaults(run=f"{__name__}.check:check")
    verified = database.add_parser("verified", help="check questions with their SQL against the database")
    verified.add_argument("file", type=Path, metavar="FILE.jsonl", help="lines of question and sql")
    verified.set_defaults(run=f"{__name__}.verified:check")
