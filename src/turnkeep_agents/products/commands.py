"""`turnkeep products load`: a user's own products in place of the bundled ones."""

import argparse
import json
import os
from pathlib import Path

from turnkeep_local import LocalError
from turnkeep_local.home import open_home, write_atomically


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
    """Checks the file and writes it as JSONL to where the server looks; raises LocalError."""
    from turnkeep.blocks.documents import CorpusError  # noqa: PLC0415
    from turnkeep_agents.products.catalogue.loading import load_products  # noqa: PLC0415
    from turnkeep_agents.products.catalogue.product import row_of  # noqa: PLC0415

    kept = open_home(os.environ).path / "products.jsonl"
    try:
        products = load_products(options.file)
    except CorpusError as error:
        raise LocalError(str(error)) from error
    lines = [json.dumps(row_of(product), ensure_ascii=False) + "\n" for product in products]
    write_atomically(kept, "".join(lines).encode())
    print(f"{len(products)} products in {kept}. The server uses them from its next start on.")
