"""The command that imports threads from tables of other savers."""

import argparse
from pathlib import Path

PACKAGES = ("langgraph-checkpoint-aws", "langgraph-checkpoint-dynamodb")


def add_import(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("import", help="take threads out of a table that another saver of LangGraph wrote")
    old = parser.add_argument_group("the old table")
    old.add_argument("--from", dest="package", required=True, choices=PACKAGES, help="the package that wrote it")
    old.add_argument("--table", dest="old", required=True, metavar="NAME")
    old.add_argument("--writes-table", metavar="NAME", help="the second one (langgraph-checkpoint-dynamodb)")
    old.add_argument("--s3-bucket", metavar="NAME", help="large states (langgraph-checkpoint-aws)")
    old.add_argument("--s3-prefix", metavar="PREFIX")
    old.add_argument("--endpoint-url", metavar="URL", help="where it is, if not on AWS")
    new = parser.add_argument_group("where the threads go; default: the folder of this machine, TURNKEEP_HOME")
    place = new.add_mutually_exclusive_group()
    place.add_argument("--to-stack", dest="stack", metavar="NAME", help="a deployed stack")
    place.add_argument("--to", dest="table", metavar="TABLE", help="a table, with the bucket BUCKET_NAME")
    new.add_argument("--seal-key", metavar="NAME", help="the SSM parameter of its seal key; default: that of the stack")
    who = parser.add_argument_group("who owns them, and what continues them")
    who.add_argument("--owner", type=Path, metavar="FILE.csv", help="columns thread_id, tenant, user")
    who.add_argument("--tenant", help="with --user: the owner of all other threads")
    who.add_argument("--user")
    who.add_argument("--agent", required=True, metavar="NAME", help="the graph")
    parser.add_argument("--dry-run", action="store_true", help="read and count all, write nothing")
    parser.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> None:
    from turnkeep_local.moving.command import import_threads  # noqa: PLC0415

    import_threads(options)
