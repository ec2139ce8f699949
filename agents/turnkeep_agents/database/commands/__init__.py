"""The commands about one's own database: its join graph, its secure views, its manual and its verified questions."""

import argparse
import os
import secrets
from pathlib import Path
from typing import TypeAlias

from turnkeep_local import LocalError

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_commands(commands: Commands) -> None:
    _add_joins(_group(commands, "joins", "the join graph of the agent `database`"))
    _add_database(_group(commands, "database", "a database of your own, for the agent `database`"))
    manual = _group(commands, "manual", "the user manual of the agent `database`")
    load = manual.add_parser("load", help="use your own pages from the next start")
    load.add_argument("folder", type=Path, metavar="FOLDER", help="Markdown or text files; sections begin at headings")
    load.set_defaults(run=_load_manual)


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
    build.set_defaults(run=_build_joins)

    check = joins.add_parser("check", help="list errors and doubts in a graph")
    check.add_argument("file", type=Path, metavar="FILE.json")
    check.set_defaults(run=_check_joins)


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
    secure.set_defaults(run=_secure)
    check = database.add_parser("check", help="report what the agent answers from, or why it cannot")
    check.set_defaults(run=_check_database)
    verified = database.add_parser("verified", help="check questions with their SQL against the database")
    verified.add_argument("file", type=Path, metavar="FILE.jsonl", help="lines of question and sql")
    verified.set_defaults(run=_check_verified)


def _load_manual(options: argparse.Namespace) -> None:
    from turnkeep_agents.database.commands.manual import keep_manual, place_in  # noqa: PLC0415
    from turnkeep_local.home import open_home  # noqa: PLC0415

    home = open_home(os.environ)
    print(f"{keep_manual(home, options.folder)} in {place_in(home)}. The server uses them from its next start.")


def _build_joins(options: argparse.Namespace) -> None:
    from turnkeep_agents.database.commands.joins import Wanted, build_joins  # noqa: PLC0415

    files = options.associations, options.overrides
    print(build_joins(Wanted(options.out, options.url, *files, options.values, options.model)))


def _check_joins(options: argparse.Namespace) -> None:
    from turnkeep_agents.database.commands.joins import check_joins  # noqa: PLC0415

    report, is_sound = check_joins(options.file)
    print(report)
    if not is_sound:
        raise LocalError("The graph has errors.")


def _secure(options: argparse.Namespace) -> None:
    from turnkeep_agents.database.commands.security import Wanted, security_script  # noqa: PLC0415

    key = "" if options.again else secrets.token_hex(32)
    print(
        security_script(Wanted(options.access, options.joins, options.dialect, options.database, options.reader, key))
    )


def _check_database(_: argparse.Namespace) -> None:
    from turnkeep_agents.database.commands.check import check_database  # noqa: PLC0415

    report, is_sound = check_database()
    print(report)
    if not is_sound:
        raise LocalError("Some rules of DATABASE__ACCESS match nothing, so they protect nothing.")


def _check_verified(options: argparse.Namespace) -> None:
    from turnkeep_agents.database.commands.verified import check_verified  # noqa: PLC0415

    report, is_sound = check_verified(options.file)
    print(report)
    if not is_sound:
        raise LocalError("Some statements are wrong; models never see them.")
