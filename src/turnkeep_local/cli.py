"""The command `turnkeep`. Commands load what they need when they run, so that `--help` is fast."""

import argparse
import os
import pkgutil
import re
import sys
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from turnkeep import __version__
from turnkeep.entries import entries
from turnkeep.graphfile import UnusableGraphFile
from turnkeep_local import LocalError

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

PORT = 8000
GRAPHS = Path("langgraph.json")
EXTRAS = {"httpx": "dev", "uvicorn": "dev", "watchfiles": "dev"}
EXTRAS |= {"langgraph_checkpoint_aws": "import", "langgraph_checkpoint_dynamodb": "import"}
NO_GRAPHS = "There is no langgraph.json here. Create a project with `turnkeep new NAME`, or install turnkeep[agents]."
ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(/\S*)?", re.ASCII)
SAVERS = ("langgraph-checkpoint-aws", "langgraph-checkpoint-dynamodb")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 1 after an error message."""
    try:
        options = _parser().parse_args(arguments)  # an unusable file of graphs ends here
        _prepare(os.environ)
        (pkgutil.resolve_name(options.run) if isinstance(options.run, str) else options.run)(options)
        sys.stdout.flush()  # here, where a closed pipe is not an error
    except (LocalError, UnusableGraphFile) as error:
        return _fail(str(error))
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in EXTRAS:
            raise
        return _fail(f'this command needs {name}: pip install "turnkeep[{EXTRAS[name]}]"')
    except UnicodeError:
        return _fail("A name in the command, the environment or a file is not valid text.")
    except ValueError as error:
        module = sys.modules.get("turnkeep.settings")  # loaded by the commands that read settings
        if module is None or not isinstance(error, (*module.UNUSABLE, module.UnusableFile)):
            raise
        where = "" if isinstance(error, module.UnusableFile) else "A setting in the environment is invalid. "
        return _fail(f"{where}{module.explain(error)}")
    except OSError as error:
        return _fail_on(error)
    except KeyboardInterrupt:
        pass
    return 0


def _fail(message: str) -> int:
    print(f"turnkeep: {message}", file=sys.stderr)
    return 1


def _fail_on(error: OSError) -> int:
    """Report a file that cannot be used. An error without a file is of standard output: `| head`, or a full disk."""
    if not error.filename:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest of the output would fail again
    place = error.filename or "The output"
    return 0 if isinstance(error, BrokenPipeError) else _fail(f"{place} cannot be used: {error.strerror or error}.")


def _prepare(environ: MutableMapping[str, str]) -> None:
    """Check addresses, and let no proxy stand between this command and servers of this machine. Raise LocalError."""
    for name, value in environ.items():
        if name.startswith("AWS_ENDPOINT_URL") and value and not ADDRESS.fullmatch(value):
            raise LocalError(f"{name}={value} is not an address. Use http://host:port.")
    given = environ.get("no_proxy") or environ.get("NO_PROXY")
    environ["no_proxy"] = environ["NO_PROXY"] = ",".join(filter(None, [given, "127.0.0.1", "localhost", "::1"]))
    if region := environ.get("AWS_REGION"):  # which boto3 does not read
        environ["AWS_DEFAULT_REGION"] = region


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("turnkeep", description="Serve, build and deploy LangGraph agents.")
    parser.add_argument("--version", action="version", version=f"turnkeep {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    dev = commands.add_parser("dev", help="run the server on this machine, with a durable store")
    dev.add_argument("--port", type=int, help=f"default: PORT, else {PORT}; 0 takes a free one")
    dev.add_argument("-c", "--config", type=Path, metavar="FILE", help=f"default: TURNKEEP_GRAPHS, ./{GRAPHS}")
    dev.set_defaults(run=_dev)

    new = commands.add_parser("new", help="create a project with an agent, its tests and its deployment")
    new.add_argument("name", metavar="NAME", help="of the folder and of the stack")
    new.set_defaults(run="turnkeep_local.project.new:new")

    build = commands.add_parser("build", help="build the graphs of a langgraph.json for `sam deploy`")
    build.add_argument("-c", "--config", type=Path, default=GRAPHS, metavar="FILE", help=f"default: {GRAPHS}")
    build.add_argument("--arch", help="x86_64 or arm64, as the parameter Architecture; default: ARCH, else x86_64")
    build.add_argument("--extra", action="append", metavar="NAME", help="of turnkeep, such as bedrock; default: EXTRAS")
    build.set_defaults(run="turnkeep_local.project.build:run")

    _add_keys(commands)
    _add_import(commands)
    for entry in entries().values():
        if entry.add_commands:
            pkgutil.resolve_name(entry.add_commands)(commands)
    return parser


def _add_keys(commands: "Commands") -> None:
    place = argparse.ArgumentParser(add_help=False)
    where = place.add_mutually_exclusive_group()
    where.add_argument("--stack", metavar="NAME", help="a deployed stack; default: TABLE_NAME, else turnkeep")
    where.add_argument("--table", metavar="NAME", help="a table")
    place.add_argument("--seal-key", metavar="NAME", help="SSM parameter of the signing key; default: the stack's")
    keys = commands.add_parser("keys", help="API keys of a deployment").add_subparsers(required=True, metavar="COMMAND")

    create = keys.add_parser("create", parents=[place], help="create a key and print it, once")
    create.add_argument("--tenant", required=True, help="whose data: a company, a team")
    create.add_argument("--user", required=True, help="whose threads, within the tenant")
    create.add_argument(
        "--acts-for", choices=("tenant", "any"), default="", help="for servers: may act for users of its tenant, or any"
    )
    create.add_argument("--days", type=int, metavar="N", help="how long it is valid; default: until it is revoked")
    create.add_argument("--label", default="", metavar="TEXT", help="a note for operators")
    create.set_defaults(run="turnkeep_local.keys:create")

    listing = keys.add_parser("list", parents=[place], help="list all keys, without their secrets")
    listing.add_argument("--tenant", help="only keys of this tenant")
    listing.set_defaults(run="turnkeep_local.keys:list_keys")

    revoke = keys.add_parser("revoke", parents=[place], help="revoke a key for good, within a minute")
    revoke.add_argument("key_id", metavar="KEY_ID", help="as printed by `turnkeep keys list`")
    revoke.set_defaults(run="turnkeep_local.keys:revoke")


def _add_import(commands: "Commands") -> None:
    parser = commands.add_parser("import", help="import threads from a table of another LangGraph saver")
    old = parser.add_argument_group("the old table")
    old.add_argument("--from", dest="package", required=True, choices=SAVERS, help="the package that wrote it")
    old.add_argument("--table", dest="old", required=True, metavar="NAME")
    old.add_argument("--writes-table", metavar="NAME", help="the second table (langgraph-checkpoint-dynamodb)")
    old.add_argument("--s3-bucket", metavar="NAME", help="large states (langgraph-checkpoint-aws)")
    old.add_argument("--s3-prefix", metavar="PREFIX")
    old.add_argument("--endpoint-url", type=_address, metavar="URL", help="if it is not on AWS")
    new = parser.add_argument_group("the destination; default: the store of this machine, TURNKEEP_HOME")
    place = new.add_mutually_exclusive_group()
    place.add_argument("--to-stack", dest="stack", metavar="NAME", help="a deployed stack")
    place.add_argument("--to", dest="table", metavar="TABLE", help="a table, with the bucket BUCKET_NAME")
    new.add_argument("--seal-key", metavar="NAME", help="SSM parameter of its signing key; default: the stack's")
    owners = parser.add_argument_group("the owners of the threads, and the graph that continues them")
    owners.add_argument("--owner", type=Path, metavar="FILE.csv", help="columns thread_id, tenant, user")
    owners.add_argument("--tenant", help="with --user: the owner of all other threads")
    owners.add_argument("--user")
    owners.add_argument("--agent", required=True, metavar="NAME", help="the graph")
    parser.add_argument("--dry-run", action="store_true", help="read and count everything, write nothing")
    parser.set_defaults(run="turnkeep_local.moving.command:import_threads")


def _address(text: str) -> str:
    if ADDRESS.fullmatch(text):
        return text
    raise argparse.ArgumentTypeError("use http://host:port")


def _dev(options: argparse.Namespace) -> None:
    from turnkeep_local.dev import serve  # noqa: PLC0415

    config = options.config or os.environ.get("TURNKEEP_GRAPHS") or (GRAPHS if GRAPHS.is_file() else None)
    if not config and not entries():
        raise LocalError(NO_GRAPHS)
    serve(os.environ, _port(options.port), Path(config).resolve() if config else None)


def _port(given: int | None) -> int:
    port = given if given is not None else os.environ.get("PORT") or PORT
    if not str(port).isdigit() or int(port) > 65535:
        raise LocalError(f"PORT={port} is not a port. Use a number from 0 to 65535.")
    return int(port)


if __name__ == "__main__":
    sys.exit(main())
