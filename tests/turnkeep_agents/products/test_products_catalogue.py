"""The bundled catalogue: names, vectors, and that it loads like a file of one's own."""

from pathlib import Path

import pytest

from turnkeep.demo import sample
from turnkeep.kit.dense import digest, load_vectors, passages_of
from turnkeep.models.minilm import SentenceEncoder
from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_agents.products.catalogue.product import read_product, row_of
from turnkeep_agents.products.catalogue.products import SAMPLE, VECTORS, Catalogue, named, open_catalogue

BUNDLED = sample(SAMPLE, "")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue(None)


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


def test_a_users_catalogue_stores_its_vectors_next_to_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "k", "name": "Duo Kettle", "price": 30, "category": "kettles"}\n')
    bundled = BUNDLED.with_suffix(VECTORS).read_bytes()
    open_catalogue(str(file), is_dense=True)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.jsonl", "mine.vectors.npz"}
    assert BUNDLED.with_suffix(VECTORS).read_bytes() == bundled


def test_a_single_product_of_a_kind_is_in_the_singular(catalogue: Catalogue) -> None:
    phones = [product for product in catalogue.products if product.category == "phones"]
    assert Catalogue([*phones[:2], catalogue.by_id["dyson-v15-detect"]]).summary == "2 phones, 1 vacuum cleaner"
