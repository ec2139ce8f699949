"""Loads a catalogue file: JSONL, or CSV with commas, semicolons, tabs or bars. A file with a bad line is rejected
whole. In JSONL a point is the decimal sign; in a table each column determines its own."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from turnkeep.kit.documents import CorpusError, Document, load_documents, read_text
from turnkeep.records import JSON
from turnkeep_agents.columns import Doubtful, currency_of, decimal_of, find_table, is_total, naming, plain_number
from turnkeep_agents.products.catalogue.measures import NOT_GIVEN, parts_of
from turnkeep_agents.products.catalogue.product import (
    NEEDED,
    PRICE,
    TEXTS,
    Product,
    columns_of,
    read_heading,
    read_product,
)

TABLES = (".csv", ".tsv", ".txt")
MOST_PRODUCTS = 10_000  # load in five seconds at startup
MOST_COLUMNS = 200  # including empty ones
DOLLARS = ("", "USD")


@dataclass
class Loaded:
    """`left_out` are the line numbers of totals and remarks; `above` counts the lines before the headings."""

    products: list[Product] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    above: int = 0


def load_products(path: Path) -> list[Product]:
    return load_catalogue(path).products


def load_catalogue(path: Path, decimal: str | None = None) -> Loaded:
    """`decimal` is the decimal sign of a table's numbers if a column is ambiguous. Raises CorpusError."""
    return _from_table(path, decimal) if path.suffix.lower() in TABLES else _from_jsonl(path)


def _from_jsonl(path: Path) -> Loaded:
    loaded = Loaded()

    def keep(row: JSON) -> Document:
        return _add(loaded, dict(zip(columns_of(row), row.values(), strict=True))).searchable()

    load_documents(path, keep)
    return loaded


def _from_table(path: Path, decimal: str | None) -> Loaded:
    (line, cells), rows, above = find_table(read_text(path), path, lambda cells: len({*NEEDED} & {*columns_of(cells)}))
    headings, loaded, lines = _headings(path, line, cells), Loaded(above=above), dict[str, int]()
    filled: list[tuple[int, JSON]] = []
    for line, cells in rows:
        if len(cells) > len(headings):
            raise CorpusError(f"{path}:{line}: more cells than headings; put cells with commas in quotes")
        row = {name: cell for name, cell in zip(headings, cells, strict=False) if name}
        if _is_remark(row):
            loaded.left_out.append(line)
        else:
            filled.append((line, row))
    try:
        for name in headings:
            _settle(name, [row for _, row in filled if name in row], decimal)
    except Doubtful as error:
        raise CorpusError(f"{path}: {error}") from error
    for line, row in filled:
        try:
            product = _add(loaded, row)
        except ValueError as error:
            raise CorpusError(f"{path}:{line}: {error}") from error
        if product.id in lines:
            raise CorpusError(f'{path}:{line}: id "{product.id}" is also on line {lines[product.id]}; change one')
        lines[product.id] = line
    if not loaded.products:
        raise CorpusError(f"{path} contains no products; write one a line below the headings")
    return loaded


def _add(loaded: Loaded, row: JSON) -> Product:
    if len(loaded.products) == MOST_PRODUCTS:
        raise ValueError(f"more than {MOST_PRODUCTS:,} products; load a part of them")
    loaded.products.append(read_product(row))
    return loaded.products[-1]


def _is_remark(row: JSON) -> bool:
    """Return whether the row is a total or a line with one text, as at the end of exports."""
    filled = [name for name in NEEDED if row.get(name, "").strip()]
    is_named = any(is_total(row.get(name, "")) for name in ("id", "name"))
    return (is_named and len(filled) < len(NEEDED)) or sum(bool(cell.strip()) for cell in row.values()) < 2


def _settle(name: str, rows: Sequence[JSON], decimal: str | None) -> None:
    """Rewrite the numbers of a column in Python's notation; raises Doubtful."""
    if name in TEXTS:
        return
    cells = [row[name].strip() for row in rows]
    found = {cell: parts for cell in cells if (parts := (cell, "") if name == PRICE else parts_of(cell))}
    are_all = all(cell in found or cell.lower() in NOT_GIVEN for cell in cells)
    are_numbers = name == PRICE or read_heading(name)[1] or are_all
    found = {cell: parts for cell, parts in found.items() if are_numbers or parts[1]}
    with naming(name):
        sign = decimal_of((number for number, _ in found.values()), decimal)
        if name == PRICE and (currency := currency_of(cells)) not in DOLLARS:
            raise Doubtful(f"its prices are in {currency}; the catalogue must be in US dollars")
    for row, cell in zip(rows, cells, strict=True):
        if cell in found:
            number, unit = found[cell]
            with suppress(ValueError):  # reported by the row's reader
                number = plain_number(number, sign)
            row[name] = f"{number} {unit}".strip()


def _headings(path: Path, line: int, cells: list[str]) -> list[str]:
    if len(cells) > MOST_COLUMNS:
        raise CorpusError(f"{path}:{line}: {len(cells):,} columns, {MOST_COLUMNS} at most; leave some out")
    headings = columns_of(cells)
    missing = [name for name in NEEDED if name not in headings]
    if missing:
        raise CorpusError(f"{path}:{line}: no heading {', '.join(missing)}; the first line names the columns")
    plain = [name.lower() for name in headings]
    twice = [name for name in plain if name and plain.count(name) > 1]
    if twice:
        raise CorpusError(f'{path}:{line}: heading "{twice[0]}" occurs twice; rename one')
    return headings
