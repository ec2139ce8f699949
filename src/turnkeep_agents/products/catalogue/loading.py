"""A catalogue from its file: JSONL, or CSV with commas, semicolons or tabs. A file with a bad line is refused whole."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from turnkeep.blocks.documents import CorpusError, Document, load_documents, read_text
from turnkeep.records import JSON
from turnkeep_agents.products.catalogue.product import NEEDED, Product, read_product

TABLES = (".csv", ".tsv", ".txt")
MOST_PRODUCTS = 10_000  # which take five seconds at a start
MOST_COLUMNS = 200  # empty ones as well


def load_products(path: Path) -> list[Product]:
    """Raises CorpusError with file, line and remedy."""
    return _from_table(path) if path.suffix.lower() in TABLES else _from_jsonl(path)


def _from_jsonl(path: Path) -> list[Product]:
    products: list[Product] = []

    def keep(row: JSON) -> Document:
        return _add(products, {name.strip().lower(): value for name, value in row.items()}).searchable()

    load_documents(path, keep)
    return products


def _from_table(path: Path) -> list[Product]:
    products: list[Product] = []
    lines: dict[str, int] = {}
    for line, row in _rows(path, read_text(path)):
        try:
            product = _add(products, row)
        except ValueError as error:
            raise CorpusError(f"{path}:{line}: {error}") from error
        if product.id in lines:
            raise CorpusError(f'{path}:{line}: id "{product.id}" is also on line {lines[product.id]}; change one')
        lines[product.id] = line
    if not products:
        raise CorpusError(f"{path}: holds no products; write one a line below the headings")
    return products


def _add(products: list[Product], row: JSON) -> Product:
    if len(products) == MOST_PRODUCTS:
        raise ValueError(f"more than {MOST_PRODUCTS:,} products; load a part of them")
    products.append(read_product(row))
    return products[-1]


def _rows(path: Path, text: str) -> Iterator[tuple[int, JSON]]:
    """Each row with the line that it begins on."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    headings: list[str] = []
    begins = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise CorpusError(f"{path}:{begins}: {error}; put cells with quotes or commas in quotes") from error
        if cells is None:
            return
        if headings and any(cell.strip() for cell in cells):
            yield begins, _row(path, begins, headings, cells)
        elif not headings:
            headings = _headings(path, begins, cells)
        begins = reader.line_num + 1


def _headings(path: Path, line: int, cells: list[str]) -> list[str]:
    if len(cells) > MOST_COLUMNS:
        raise CorpusError(f"{path}:{line}: {len(cells):,} columns, {MOST_COLUMNS} at most; leave some out")
    headings = [cell.strip().lower() for cell in cells]
    missing = [name for name in NEEDED if name not in headings]
    if missing:
        raise CorpusError(f"{path}:{line}: no heading {', '.join(missing)}; the first line names the columns")
    twice = [name for name in headings if name and headings.count(name) > 1]
    if twice:
        raise CorpusError(f'{path}:{line}: heading "{twice[0]}" stands there twice; rename one')
    return headings


def _row(path: Path, line: int, headings: list[str], cells: list[str]) -> JSON:
    if len(cells) > len(headings):
        raise CorpusError(f"{path}:{line}: more cells than headings; put cells with commas in quotes")
    return {name: cell for name, cell in zip(headings, cells, strict=False) if name}
