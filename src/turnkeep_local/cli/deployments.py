"""Options that select a deployment, for every command that works on one."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnkeep_local.deployed.account import Deployment


def deployment_options(default: str) -> argparse.ArgumentParser:
    """Return a parent for parsers; `default` describes the deployment if neither stack nor table is given."""
    place = argparse.ArgumentParser(add_help=False)
    where = place.add_mutually_exclusive_group()
    where.add_argument("--stack", metavar="NAME", help=f"a deployed stack; default: {default}")
    where.add_argument("--table", metavar="NAME", help="the table itself")
    place.add_argument("--seal-key", metavar="NAME", help="the SSM parameter of its key; default: that of the stack")
    return place


@contextmanager
def named_deployment(options: argparse.Namespace) -> Iterator["Deployment"]:
    """Yield the deployment that the options select; raise LocalError for AWS's errors, those in the block too."""
    from turnkeep.observability import logger  # noqa: PLC0415
    from turnkeep_local.deployed.account import explained, open_deployment  # noqa: PLC0415

    handler = logger.registered_handler
    before = handler.level
    handler.setLevel("CRITICAL")  # a command reports in words of its own, and scripts read its standard output
    try:
        with explained():
            yield open_deployment(os.environ, stack=options.stack, table=options.table, seal=options.seal_key)
    finally:
        handler.setLevel(before)
