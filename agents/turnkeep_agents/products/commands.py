"""`turnkeep products load`: replaces the bundled products with a user's own."""

import argparse
import json
import os
from datetime import UTC, datetime
from pathlib import Path

from turnkeep_local.home import open_home, write_atomically

SHOWN = 3


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
    load.add_argument("--decimal", choices=(".", ","), help="the decimal sign, if a column is ambiguous")
    load.set_defaults(run=_load)


def _load(options: argparse.Namespace) -> None:
    """Check the file, print how it was read, and write it as JSONL where the server looks for it."""
    from turnkeep_agents.products.catalogue.loading import load_catalogue  # noqa: PLC0415
    from turnkeep_agents.products.catalogue.product import row_of  # noqa: PLC0415
    from turnkeep_agents.products.tools import card  # noqa: PLC0415

    kept = open_home(os.environ).path / "products.jsonl"
    loaded = load_catalogue(options.file, options.decimal)
    today = datetime.now(UTC).date()
    print("\n".join(["Read as:", *(f"  {card(product, today)}" for product in loaded.products[:SHOWN])]))
    if loaded.above or loaded.left_out:
        numbers = ", ".join(map(str, loaded.left_out[:SHOWN])) + (" ..." if len(loaded.left_out) > SHOWN else "")
        which = f" (line {numbers})" if loaded.left_out else ""
        remarks = f"{len(loaded.left_out)} of totals or remarks{which}"
        print(f"Left out: {loaded.above} lines above the headings, {remarks}.")
    lines = [json.dumps(row_of(product), ensure_ascii=False) + "\n" for product in loaded.products]
    write_atomically(kept, "".join(lines).encode())
    print(f"{len(loaded.products)} products in {kept}. The server uses them from its next start on.")
