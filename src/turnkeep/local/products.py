"""A user's own products in place of the bundled ones."""

import json
from pathlib import Path

from turnkeep.agents.products.catalogue.loading import load_products
from turnkeep.agents.products.catalogue.product import row_of
from turnkeep.blocks.documents import CorpusError
from turnkeep.local import LocalError
from turnkeep.local.home import Home, write_atomically


def keep_products(home: Home, file: Path) -> int:
    """Checks a CSV or JSONL file and writes it as JSONL to where the server looks; says how many products it holds."""
    try:
        products = load_products(file)
    except CorpusError as error:
        raise LocalError(str(error)) from error
    lines = [json.dumps(row_of(product), ensure_ascii=False) + "\n" for product in products]
    write_atomically(home.products, "".join(lines).encode())
    return len(products)
