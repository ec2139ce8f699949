"""The bundled catalogue as data: enough of it, of one kind, and fit for the conversation of the design."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from turnkeep.blocks.dense import digest, load_vectors, passages_of
from turnkeep.demo import sample
from turnkeep.models.embedding import SentenceEncoder
from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_agents.products.catalogue.names import named
from turnkeep_agents.products.catalogue.product import PRICE, read_product, row_of
from turnkeep_agents.products.catalogue.products import SAMPLE, VECTORS, Catalogue, open_catalogue
from turnkeep_agents.products.catalogue.search import Bound, Wish, find

BUNDLED = sample(SAMPLE, "")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in BUNDLED.read_text().splitlines()]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue(None)


def test_there_are_many_products_of_many_kinds(rows: list[dict[str, Any]]) -> None:
    kinds = Counter(row["category"] for row in rows)
    assert len(rows) >= 150
    assert len(kinds) >= 8
    assert min(kinds.values()) >= 5


def test_no_two_products_are_called_the_same(rows: list[dict[str, Any]]) -> None:
    assert len({row["id"] for row in rows}) == len({row["name"].lower() for row in rows}) == len(rows)


def test_every_product_is_priced_described_and_begins_with_its_brand(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        sentences = re.findall(r"[^.!?]+[.!?](?:\s|$)", row["description"])
        assert 2 <= len(sentences) <= 4, row["id"]
        assert row["name"].startswith(row["brand"])
        assert 40 <= row["price"] <= 3_000
        assert 3.5 <= row["rating"] <= 5


def test_a_product_that_is_back_later_is_back_in_the_future_of_its_release(rows: list[dict[str, Any]]) -> None:
    states = Counter(re.sub(r"[\d-]+", "#", row["availability"]) for row in rows)
    assert set(states) == {"in stock", "# left", "back on #", "discontinued"}
    assert min(states.values()) >= 5


def test_one_of_the_best_phones_below_500_dollars_is_a_samsung(catalogue: Catalogue) -> None:
    found, _ = find(Wish(category="phones", bounds=(Bound(PRICE, most=500),)), catalogue)
    brands = [product.brand for product in found[:5]]
    assert len(found) >= 6
    assert (brands.count("Samsung"), brands[0] == "Samsung") == (1, False)


def test_each_product_is_found_by_its_whole_name(catalogue: Catalogue) -> None:
    missed = [each.name for each in catalogue.products if named(each.name, catalogue.products) != [each]]
    assert missed == []


def test_what_is_written_out_is_read_as_the_same_product(catalogue: Catalogue) -> None:
    assert [read_product(row_of(product)) for product in catalogue.products] == list(catalogue.products)


def test_the_bundled_vectors_are_those_of_all_bundled_products_and_no_others() -> None:
    """After a change of the catalogue: `open_catalogue(None, is_dense=True)` writes the file anew."""
    kept = load_vectors(BUNDLED.with_suffix(VECTORS), SentenceEncoder.name, SentenceEncoder.dimensions)
    passages = [text for product in load_products(BUNDLED) for text in passages_of(product.searchable())]
    assert kept.keys() == {digest(text) for text in passages}


def test_a_users_catalogue_keeps_its_vectors_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "k", "name": "Duo Kettle", "price": 30, "category": "kettles"}\n')
    bundled = BUNDLED.with_suffix(VECTORS).read_bytes()
    open_catalogue(str(file), is_dense=True)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.jsonl", "mine.vectors.npz"}
    assert BUNDLED.with_suffix(VECTORS).read_bytes() == bundled


def test_one_product_of_a_kind_is_told_in_the_singular(catalogue: Catalogue) -> None:
    phones = [product for product in catalogue.products if product.category == "phones"]
    assert Catalogue([*phones[:2], catalogue.by_id["dyson-v15-detect"]]).summary == "2 phones, 1 vacuum cleaner"


def test_a_kind_that_is_many_things_is_told_with_its_types(catalogue: Catalogue) -> None:
    assert "19 kitchen appliances (air fryer, pressure cooker, " in catalogue.summary
    assert "21 headphones, " in catalogue.summary
