"""Commands for the API keys of a deployment."""

import argparse
import sys
from typing import TYPE_CHECKING

from turnkeep_local.cli.deployments import deployment_options, named_deployment

if TYPE_CHECKING:
    from turnkeep_local.deployed.keys import KeyDesk


def add_keys(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    place = deployment_options("TABLE_NAME, else turnkeep")
    keys = commands.add_parser("keys", help="API keys of a deployment").add_subparsers(required=True, metavar="COMMAND")

    create = keys.add_parser("create", parents=[place], help="make a key; it is shown this once")
    create.add_argument("--tenant", required=True, help="whose data: a company, a team")
    create.add_argument("--user", required=True, help="whose threads, within the tenant")
    create.add_argument(
        "--acts-for", choices=("tenant", "any"), default="", help="for servers: may name users of its tenant, or of any"
    )
    create.add_argument("--days", type=int, metavar="N", help="how long it is valid; default: until it is revoked")
    create.add_argument("--label", default="", metavar="TEXT", help="for people")
    create.set_defaults(run=_keys, act=_create_key)

    listing = keys.add_parser("list", parents=[place], help="all keys, without their secrets")
    listing.add_argument("--tenant", help="those of one tenant")
    listing.set_defaults(run=_keys, act=lambda desk, options: print(desk.list(options.tenant)))

    revoke = keys.add_parser("revoke", parents=[place], help="take a key back for good, within a minute")
    revoke.add_argument("key_id", metavar="KEY_ID", help="as `turnkeep keys list` shows it")
    revoke.set_defaults(run=_keys, act=lambda desk, options: print(desk.revoke(options.key_id)))


def _keys(options: argparse.Namespace) -> None:
    with named_deployment(options) as deployment:
        from turnkeep_local.deployed.keys import open_desk  # noqa: PLC0415

        options.act(open_desk(deployment), options)


def _create_key(desk: "KeyDesk", options: argparse.Namespace) -> None:
    """Print the key to standard output and everything else to standard error, so that a script can read the key."""
    key, told = desk.create(
        options.tenant, options.user, acts_for=options.acts_for, days=options.days, label=options.label
    )
    print(key, flush=True)
    print(told, file=sys.stderr)
