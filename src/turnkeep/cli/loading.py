"""The commands that put data of one's own into the agents."""

import argparse
import os
from datetime import MAXYEAR, UTC, datetime
from pathlib import Path

from turnkeep.local import LocalError


def add_loading(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    _add_papers(commands)
    _add_campaigns(commands)
    _add_products(commands)
    _add_manual(commands)


def _add_papers(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    papers = commands.add_parser("papers", help="the corpus of the agent `papers`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = papers.add_parser("load", help="use your own papers from a JSONL file, from the next start on")
    load.add_argument(
        "file", type=Path, metavar="FILE.jsonl", help="one object a line: id, title, abstract, authors, year, url"
    )
    load.set_defaults(run=_load_papers)


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


def _add_manual(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    manual = commands.add_parser("manual", help="the user manual of the agent `database`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = manual.add_parser("load", help="use your own pages from a folder, from the next start on")
    load.add_argument("folder", type=Path, metavar="FOLDER", help="Markdown or text files; sections begin at headings")
    load.set_defaults(run=_load_manual)


def _load_papers(options: argparse.Namespace) -> None:
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


def _load_manual(options: argparse.Namespace) -> None:
    from turnkeep.local.home import open_home  # noqa: PLC0415
    from turnkeep.local.manual import keep_manual  # noqa: PLC0415

    home = open_home(os.environ)
    print(f"{keep_manual(home, options.folder)} in {home.manual}. The server uses them from its next start on.")
