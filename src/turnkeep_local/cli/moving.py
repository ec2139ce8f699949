"""The command that takes threads out of tables of other savers."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeep.entries import entries
from turnkeep_local import LocalError
from turnkeep_local.cli.deployments import named_deployment

if TYPE_CHECKING:
    from turnkeep_local.moving.arrivals import Arrivals
    from turnkeep_local.moving.savers import OldTable

PACKAGES = ("langgraph-checkpoint-aws", "langgraph-checkpoint-dynamodb")
_ADVICE = {
    "ResourceNotFoundException": "There is no table {old} here, or not the one of writes, or none to go to",
    "AccessDeniedException": (
        "These AWS credentials may not do that. To read they need dynamodb:DescribeTable, Scan, Query, GetItem and"
        " BatchGetItem, and s3:GetObject; to write PutItem, UpdateItem, DeleteItem and BatchWriteItem, and s3:PutObject"
    ),
}


def add_import(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("import", help="take threads out of a table that another saver of LangGraph wrote")
    old = parser.add_argument_group("the old table")
    old.add_argument("--from", dest="package", required=True, choices=PACKAGES, help="what wrote it")
    old.add_argument("--table", dest="old", required=True, metavar="NAME")
    old.add_argument(
        "--writes-table", default="", metavar="NAME", help="its second one (langgraph-checkpoint-dynamodb)"
    )
    old.add_argument("--s3-bucket", default="", metavar="NAME", help="its large states (langgraph-checkpoint-aws)")
    old.add_argument("--s3-prefix", metavar="PREFIX")
    old.add_argument("--endpoint-url", metavar="URL", help="where it is, if not on AWS")
    new = parser.add_argument_group("where they go; default: the folder of this machine, TURNKEEP_HOME")
    place = new.add_mutually_exclusive_group()
    place.add_argument("--to-stack", dest="stack", metavar="NAME", help="a deployed stack")
    place.add_argument("--to", dest="table", metavar="TABLE", help="the table of a deployment")
    new.add_argument("--to-bucket", metavar="NAME", help="its bucket; default: that of the stack, else BUCKET_NAME")
    new.add_argument("--seal-key", metavar="NAME", help="the SSM parameter of its seal key; default: that of the stack")
    who = parser.add_argument_group("whose they are, and what goes on with them")
    who.add_argument("--owner", type=Path, metavar="FILE", help="CSV or JSON: thread_id, tenant, user")
    who.add_argument("--tenant", help="with --user: of all that the file does not name")
    who.add_argument("--user")
    who.add_argument("--agent", metavar="NAME", help="the graph; default: DEFAULT_AGENT, or the only one there is")
    parser.add_argument("--dry-run", action="store_true", help="read and count all, write nothing")
    parser.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> None:
    from turnkeep_local.moving.moves import Moves, summary  # noqa: PLC0415
    from turnkeep_local.moving.owners import checked, read_owners  # noqa: PLC0415

    owners = read_owners(options.owner) if options.owner else {}
    rest = checked(options.tenant, options.user, "--tenant, --user") if options.tenant or options.user else None
    if not owners and rest is None:
        raise LocalError("Whose are the threads? --tenant NAME --user NAME, or a file: --owner FILE")
    agent = _agent(options.agent)
    with _explained(options):
        old = _old(options)
        with _here(options, agent) as here:
            tally = Moves(old, here, owners, rest, agent, tell=print, dry_run=options.dry_run).run(_progress)
    print(summary(tally, here.hours, dry_run=options.dry_run), flush=True)
    if tally.left:
        raise LocalError(f"{tally.left} of {tally.threads.total()} threads were left; the same line again tries them.")


def _old(options: argparse.Namespace) -> "OldTable":
    from turnkeep_local.moving.savers import KINDS, Place  # noqa: PLC0415

    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    large = (options.s3_bucket, options.s3_prefix)
    try:
        return KINDS[options.package](Place(options.old, region, options.endpoint_url, options.writes_table, *large))
    except ModuleNotFoundError as error:
        raise LocalError(
            f'{options.package}, which reads its table, is not installed: pip install "turnkeep[import]"'
        ) from error


def _here(options: argparse.Namespace, agent: str) -> AbstractContextManager["Arrivals"]:
    from turnkeep_local.moving.arrivals import deployed, on_this_machine  # noqa: PLC0415

    if not (options.stack or options.table):
        return on_this_machine(os.environ, agent)
    with named_deployment(options) as deployment:
        return nullcontext(deployed(deployment, os.environ, options.to_bucket, agent))


def _agent(named: str | None) -> str:
    known = list(entries())
    name = named or os.environ.get("DEFAULT_AGENT") or (known[0] if len(known) == 1 else "")
    if not name:
        raise LocalError(f"Which graph goes on with the threads? --agent NAME. Here are: {', '.join(known)}")
    if name not in known:
        print(f"There is no agent {name} here; where the threads go there has to be one.", file=sys.stderr)
    return name


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def _explained(options: argparse.Namespace) -> Iterator[None]:
    """What a store has against it."""
    from botocore.exceptions import ClientError  # noqa: PLC0415

    from turnkeep_local.deployed.account import FAULTS, words  # noqa: PLC0415

    try:
        yield
    except FAULTS as error:
        code = error.response["Error"]["Code"] if isinstance(error, ClientError) else ""
        told = _ADVICE.get(code, words(error)).format(old=options.old).rstrip(".")
        raise LocalError(f"{told}. What was moved stays; the same line again goes on.") from error
