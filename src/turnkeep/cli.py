"""The command `turnkeep`. Each command imports what it needs when it runs, so that `--help` answers at once."""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import MAXYEAR, UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeep.local import LocalError

if TYPE_CHECKING:
    from turnkeep.aws.keys import KeyDesk

PORT = 8000


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit code: 1 with one clear message where something is missing."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except LocalError as error:
        print(f"turnkeep: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("turnkeep", description="Conversational agents with memory.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    dev = commands.add_parser("dev", help="run the server on this machine, with a durable store")
    dev.add_argument("--port", type=int, help=f"default: PORT, else {PORT}; 0 takes a free one")
    dev.set_defaults(run=_dev)

    chat = commands.add_parser("chat", help="talk in the terminal; starts a server if none runs")
    chat.add_argument("agent", nargs="?", metavar="AGENT", help="default: the server's default agent")
    chat.add_argument("--url", help="default: where `dev` listens; a deployed one takes its key from TURNKEEP_KEY")
    chat.add_argument("--thread", metavar="ID", help="go on with this thread")
    chat.set_defaults(run=_chat)

    _add_keys(commands)

    invoke = commands.add_parser("invoke", help="one event through one function, on Lambda's runtime emulator")
    invoke.add_argument("function", metavar="FUNCTION", help="the name of its folder: api, stream ...")
    invoke.add_argument("event", type=Path, metavar="EVENT.json", help="such as events/api-chat.json")
    invoke.set_defaults(run=_invoke)

    papers = commands.add_parser("papers", help="the corpus of the agent `papers`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = papers.add_parser("load", help="use your own papers from a JSONL file, from the next start on")
    load.add_argument(
        "file", type=Path, metavar="FILE.jsonl", help="one object a line: id, title, abstract, authors, year, url"
    )
    load.set_defaults(run=_load)

    _add_campaigns(commands)
    _add_products(commands)
    _add_joins(commands)
    return parser


def _add_keys(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    place = argparse.ArgumentParser(add_help=False)
    where = place.add_mutually_exclusive_group()
    where.add_argument("--stack", metavar="NAME", help="the deployed stack; default: turnkeep")
    where.add_argument("--table", metavar="NAME", help="the table itself; default: TABLE_NAME, else that of the stack")
    keys = commands.add_parser("keys", help="API keys of a deployment").add_subparsers(required=True, metavar="COMMAND")

    create = keys.add_parser("create", parents=[place], help="make a key; it is shown this once")
    create.add_argument("--tenant", required=True, help="whose data: a company, a team")
    create.add_argument("--user", required=True, help="whose threads, within the tenant")
    create.add_argument("--acts-for", action="store_true", help="for servers: may name other users, in any tenant")
    create.add_argument("--days", type=int, metavar="N", help="how long it is valid; default: until it is revoked")
    create.add_argument("--label", default="", metavar="TEXT", help="for people")
    create.set_defaults(run=_keys, act=_create_key)

    listing = keys.add_parser("list", parents=[place], help="all keys, without their secrets")
    listing.add_argument("--tenant", help="those of one tenant")
    listing.set_defaults(run=_keys, act=_list_keys)

    revoke = keys.add_parser("revoke", parents=[place], help="take a key back for good, within a minute")
    revoke.add_argument("key_id", metavar="KEY_ID", help="as `turnkeep keys list` shows it")
    revoke.set_defaults(run=_keys, act=_revoke_key)


def _add_products(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    products = commands.add_parser("products", help="the catalogue of the agent `products`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = products.add_parser("load", help="use your own products from a CSV or JSONL file, from the next start on")
    load.add_argument(
        "file",
        type=Path,
        metavar="FILE.csv|FILE.jsonl",
        help="columns id, name, price, category, brand, description, availability; all others are attributes",
    )
    load.set_defaults(run=_load_products)


def _add_campaigns(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    campaigns = commands.add_parser("campaigns", help="the warehouse of the agent `campaigns`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = campaigns.add_parser("load", help="use your own daily figures from a CSV, from the next start on")
    load.add_argument(
        "file",
        type=Path,
        metavar="FILE.csv",
        help="one row for each day, campaign and what else: impressions, clicks, cost, conversions, revenue",
    )
    load.add_argument("--year", type=int, metavar="YYYY", help="for dates without one; default: the newest that fits")
    load.add_argument("--advertiser", metavar="NAME", help="whose campaigns they are, where no column says it")
    load.add_argument(
        "--map",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=HEADING",
        help="which column to take, such as audience=device",
    )
    load.add_argument(
        "--repeats",
        choices=["keep", "drop"],
        help="what becomes of equal rows; default: drop, but keep where the dates have no year",
    )
    load.set_defaults(run=_load_campaigns)


def _add_joins(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    joins = commands.add_parser("joins", help="the join graph of the agent `database`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    graph = argparse.ArgumentParser(add_help=False)
    graph.add_argument("--graph", type=Path, metavar="FILE", help="default: DATABASE__JOINS, else that of the sample")

    build = joins.add_parser("build", help="make it from a live database")
    build.add_argument("url", nargs="?", default="", metavar="URL", help="default: DATABASE__URL, else the sample")
    build.add_argument("--out", type=Path, required=True, metavar="FILE.json")
    build.add_argument("--associations", type=Path, metavar="FILE.json", help="what the application's models say")
    build.add_argument("--overrides", type=Path, metavar="FILE.json", help="corrections written by hand")
    build.add_argument("--values", action="store_true", help="read what stands in columns that hold few texts")
    build.add_argument("--model", action="store_true", help="let the model name relationships that it doubts")
    build.set_defaults(run=_build_joins)

    check = joins.add_parser("check", help="what is wrong or doubtful in a graph")
    check.add_argument("file", type=Path, metavar="FILE.json")
    check.set_defaults(run=_check_joins)

    show = joins.add_parser("show", parents=[graph], help="why two tables are joined as they are")
    show.add_argument("a", metavar="TABLE")
    show.add_argument("b", metavar="TABLE")
    show.set_defaults(run=_show_joins)

    draw = joins.add_parser("draw", parents=[graph], help="a drawing of some tables and those next to them, or of all")
    draw.add_argument("tables", nargs="*", metavar="TABLE")
    draw.add_argument("--out", type=Path, required=True, metavar="FILE.html|FILE.svg|FILE.mmd")
    draw.set_defaults(run=_draw_joins)


def _keys(options: argparse.Namespace) -> None:
    from turnkeep.aws.keys import AwsError, open_desk  # noqa: PLC0415

    try:
        options.act(open_desk(os.environ, stack=options.stack, table=options.table), options)
    except AwsError as error:
        raise LocalError(str(error)) from error


def _create_key(desk: "KeyDesk", options: argparse.Namespace) -> None:
    """The key goes to standard output and all else beside it, so that a script can take it."""
    key, told = desk.create(
        options.tenant, options.user, acts_for=options.acts_for, days=options.days, label=options.label
    )
    print(key, flush=True)
    print(told, file=sys.stderr)


def _list_keys(desk: "KeyDesk", options: argparse.Namespace) -> None:
    print(desk.list(options.tenant))


def _revoke_key(desk: "KeyDesk", options: argparse.Namespace) -> None:
    print(desk.revoke(options.key_id))


def _dev(options: argparse.Namespace) -> None:
    from turnkeep.local.server import serve  # noqa: PLC0415

    serve(os.environ, _port(options.port))


def _port(given: int | None = None) -> int:
    port = given if given is not None else os.environ.get("PORT") or PORT
    if not str(port).isdigit() or int(port) > 65535:
        raise LocalError(f"PORT={port} is no port. Use a number from 0 to 65535.")
    return int(port)


def _chat(options: argparse.Namespace) -> None:
    from turnkeep.local.chat import converse, open_client  # noqa: PLC0415
    from turnkeep.local.companion import a_server  # noqa: PLC0415

    url = options.url or f"http://127.0.0.1:{_port()}"
    with a_server(url, os.environ), open_client(url, os.environ) as client:
        converse(client, options.agent, options.thread, _read_line)


def _read_line() -> str:
    return input("\n> ")


def _invoke(options: argparse.Namespace) -> None:
    from turnkeep.local.invoke import invoke  # noqa: PLC0415

    invoke(options.function, options.event, os.environ)


def _load(options: argparse.Namespace) -> None:
    from turnkeep.local.home import open_home  # noqa: PLC0415
    from turnkeep.local.papers import load_papers  # noqa: PLC0415

    home = open_home(os.environ)
    print(f"{load_papers(home, options.file)} papers in {home.papers}. The server uses them from its next start on.")


def _load_products(options: argparse.Namespace) -> None:
    from turnkeep.local.home import open_home  # noqa: PLC0415
    from turnkeep.local.products import keep_products  # noqa: PLC0415

    home = open_home(os.environ)
    count = keep_products(home, options.file)
    print(f"{count} products in {home.products}. The server uses them from its next start on.")


def _load_campaigns(options: argparse.Namespace) -> None:
    from turnkeep.agents.campaigns.warehouse.lines import Options  # noqa: PLC0415
    from turnkeep.local.campaigns import load_campaigns  # noqa: PLC0415
    from turnkeep.local.home import open_home  # noqa: PLC0415

    if wrong := [pair for pair in options.map if not all(pair.partition("="))]:
        raise LocalError(f"--map {wrong[0]}: write FIELD=HEADING, such as audience=device.")
    mapped = dict(pair.split("=", 1) for pair in options.map)
    if options.year is not None and not 1 <= options.year <= MAXYEAR:
        raise LocalError(f"--year {options.year} is no year.")
    wanted = Options(options.year, options.advertiser, mapped, options.repeats)
    print(load_campaigns(open_home(os.environ), options.file, wanted, datetime.now(UTC).date()))
    print("The server uses them from its next start on.")


def _build_joins(options: argparse.Namespace) -> None:
    from turnkeep.local.joins import Wanted, build_joins  # noqa: PLC0415

    wanted = Wanted(options.out, options.url, options.associations, options.overrides, options.values, options.model)
    print(build_joins(wanted))


def _check_joins(options: argparse.Namespace) -> None:
    from turnkeep.local.joins import check_joins  # noqa: PLC0415

    told, is_sound = check_joins(options.file)
    print(told)
    if not is_sound:
        raise LocalError("The graph has errors.")


def _show_joins(options: argparse.Namespace) -> None:
    from turnkeep.local.joins import show_joins  # noqa: PLC0415

    print(show_joins(options.a, options.b, options.graph))


def _draw_joins(options: argparse.Namespace) -> None:
    from turnkeep.local.joins import draw_joins  # noqa: PLC0415

    print(draw_joins(options.tables, options.out, options.graph))


if __name__ == "__main__":
    sys.exit(main())
