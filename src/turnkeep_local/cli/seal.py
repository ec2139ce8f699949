"""The commands about the key that seals what is stored: of a deployment, or of this machine."""

import argparse
import os
from operator import methodcaller

from turnkeep_local import LocalError
from turnkeep_local.cli.deployments import deployment_options, named_deployment

_COMMANDS = {
    "show": "ids and days of its secrets, not the secrets",
    "rotate": "seal with a new secret; older ones open what they sealed, where deployed for 31 days more",
    "forget": "give up a key that is lost, and all that it sealed",
}


def add_seal(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    place = deployment_options("the folder of this machine, TURNKEEP_HOME")
    seal = commands.add_parser("seal", help="the key that seals threads")
    verbs = seal.add_subparsers(required=True, metavar="COMMAND")
    parsers = {verb: verbs.add_parser(verb, parents=[place], help=words) for verb, words in _COMMANDS.items()}
    for verb, parser in parsers.items():
        parser.set_defaults(run=_seal, act=methodcaller(verb))
    parsers["rotate"].add_argument(
        "--drop-older",
        dest="act",
        action="store_const",
        const=methodcaller("rotate", drop_older=True),
        help="somebody has seen the key: shut them out now, at the price of all threads and memories",
    )


def _seal(options: argparse.Namespace) -> None:
    print(_deployed(options) if options.stack or options.table else _here(options))


def _deployed(options: argparse.Namespace) -> str:
    with named_deployment(options) as deployment:
        from turnkeep_local.deployed.seal import SealDesk  # noqa: PLC0415

        return str(options.act(SealDesk(deployment)))


def _here(options: argparse.Namespace) -> str:
    from turnkeep_local.home import open_home  # noqa: PLC0415
    from turnkeep_local.seal import LocalSeal  # noqa: PLC0415

    if os.environ.get("SEAL_KEY"):
        raise LocalError("SEAL_KEY of the environment seals, no file. Put a line before its own: <day> <new secret>")
    return str(options.act(LocalSeal(open_home(os.environ))))
