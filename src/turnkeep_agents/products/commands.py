"""`turnkeep products load`: a user's own products in place of the bundled ones."""

import argparse
import json
import os
from pathlib import Path

from turnkeep.local import LocalError
from turnkeep.local.home import Home, open_home, write_atomically


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
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
    load.set_defaults(run=_load)


def _load(options: argparse.Namespace) -> None:
    home = open_home(os.environ)
    count = keep_products(home, options.file)
    print(f"{count} products in {home.path / 'products.jsonl'}. The server uses them from its next start on.")


def keep_products(home: Home, file: Path) -> int:
    """Checks a CSV or JSONL file and writes it as JSONL to where the server looks; says how many products it holds.
    Raises LocalError."""
    from turnkeep.blocks.documents import CorpusError  # noqa: PLC0415
    from turnkeep_agents.products.catalogue.loading import load_products  # noqa: PLC0415
    from turnkeep_agents.products.catalogue.product import row_of  # noqa: PLC0415

    try:
        products = load_products(file)
    except CorpusError as error:
        raise LocalError(str(error)) from error
    lines = [json.dumps(row_of(product), ensure_ascii=False) + "\n" for product in products]
    write_atomically(home.path / "products.jsonl", "".join(lines).encode())
    return len(products)
