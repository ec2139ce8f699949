"""What rules read out of a message. Which products fit is computed here from the rows, not by the agent's filters."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.products.catalogue.products import BUNDLED, Catalogue, open_catalogue
from turnkeep_agents.products.filters import find
from turnkeep_agents.products.reading.contradictions import find_contradiction
from turnkeep_agents.products.reading.wishes import Wishes, read_wishes

type Row = dict[str, Any]

ROWS: list[Row] = [json.loads(line) for line in BUNDLED.read_text().splitlines()]
CATALOGUE = open_catalogue(None)
FACTORS = {"TB": 1000.0, "GB": 1.0, "kg": 1000.0, "g": 1.0, "min": 1 / 60, "h": 1.0, "weeks": 168.0}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return CATALOGUE


def read(message: str, near: tuple[str, ...] = ()) -> Wishes:
    return read_wishes(message, CATALOGUE, near)


def of(kind: str) -> Callable[[Row], bool]:
    return lambda row: bool(row["category"] == kind)


def number(row: Row, name: str) -> float:
    """In GB, g, h or the unit that is written; below all limits where there is none."""
    value, _, unit = str(row.get(name, "-1")).partition(" ")
    return float(value) * FACTORS.get(unit, 1.0)


def has(row: Row, name: str, value: str) -> bool:
    values = row.get(name, [])
    return any(one.lower().startswith(value) for one in (values if isinstance(values, list) else [values]))


FITTING: dict[str, Callable[[Row], bool]] = {
    "Any phones under $500?": lambda r: of("phones")(r) and r["price"] < 500,
    "phones below $449": lambda r: of("phones")(r) and r["price"] < 449,
    "phones that cost at most 499": lambda r: of("phones")(r) and r["price"] <= 499,
    "televisions, nothing over 700 dollars": lambda r: of("televisions")(r) and r["price"] <= 700,
    "tablets between 300 and 600": lambda r: of("tablets")(r) and 300 <= r["price"] <= 600,
    "laptops from $1k up": lambda r: of("laptops")(r) and abs(r["price"] - 1000) >= 0 and r["price"] >= 1000,
    "speakers for around $100": lambda r: of("speakers")(r) and 85 <= r["price"] <= 115,
    "Samsung phones": lambda r: of("phones")(r) and r["brand"] == "Samsung",
    "cameras by Sony or Nikon": lambda r: of("cameras")(r) and r["brand"] in ("Sony", "Nikon"),
    "phones, not Samsung or Apple": lambda r: of("phones")(r) and r["brand"] not in ("Samsung", "Apple"),
    "headphones other than Sony": lambda r: of("headphones")(r) and r["brand"] != "Sony",
    "I don't want an Apple laptop": lambda r: of("laptops")(r) and r["brand"] != "Apple",
    "notebooks with 16 GB of RAM": lambda r: of("laptops")(r) and number(r, "memory") == 16,
    "phones with storage of 256GB or more": lambda r: of("phones")(r) and number(r, "storage") >= 256,
    "laptops with at least 1 TB": lambda r: of("laptops")(r) and number(r, "storage") >= 1000,
    "laptops lighter than 1.3 kg": lambda r: of("laptops")(r) and 0 < number(r, "weight") < 1300,
    "TVs bigger than 55 inches": lambda r: of("televisions")(r) and number(r, "screen") > 55,
    'a 65" tv': lambda r: of("televisions")(r) and abs(number(r, "screen") - 65) <= 0.5,
    "vacuums that run at least an hour": lambda r: of("vacuum cleaners")(r) and number(r, "battery life") >= 1,
    "smartwatches rated above 4.5": lambda r: of("watches")(r) and r["rating"] > 4.5,
    "headphones with 4.6 stars or better": lambda r: of("headphones")(r) and r["rating"] >= 4.6,
    "phones released after 2023": lambda r: of("phones")(r) and r["year"] > 2023,
    "waterproof phones with a headphone jack": lambda r: (
        of("phones")(r) and has(r, "features", "waterproof") and has(r, "features", "headphone jack")
    ),
    "headphones without noise cancelling": lambda r: of("headphones")(r) and not has(r, "features", "noise cancelling"),
    "noise canceling earbuds in white": lambda r: (
        of("headphones")(r) and has(r, "features", "noise cancelling") and has(r, "colours", "white")
    ),
    "black or blue tablets": lambda r: of("tablets")(r) and (has(r, "colours", "black") or has(r, "colours", "blue")),
    "black and blue tablets": lambda r: of("tablets")(r) and has(r, "colours", "black") and has(r, "colours", "blue"),
    "5G laptops": lambda r: of("laptops")(r) and has(r, "connectivity", "5g"),
    "4K OLED televisions": lambda r: of("televisions")(r) and r["resolution"] == "4K" and r["panel"] == "OLED",
    "robot vacuums with mopping": lambda r: r.get("type") == "robot" and has(r, "features", "mopping"),
    "air fryers below 120": lambda r: r.get("type") == "air fryer" and r["price"] < 120,
    "monitors in stock": lambda r: (
        of("monitors")(r) and ("in stock" in r["availability"] or "left" in r["availability"])
    ),
    "iPads with more than 64 GB": lambda r: "iPad" in r["name"] and number(r, "storage") > 64,
    "Galaxy phones under $1000": lambda r: of("phones")(r) and "Galaxy" in r["name"] and r["price"] < 1000,
}


@pytest.mark.parametrize("message", FITTING)
def test_the_products_that_fit_are_those_of_the_rows(message: str) -> None:
    expected = {row["id"] for row in ROWS if FITTING[message](row)}
    assert expected
    assert {product.id for product in find(read(message).filters, CATALOGUE)} == expected


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("the galaxy a55", ["samsung-galaxy-a55"]),
        ("Samsung A55 or pixel8a", ["samsung-galaxy-a55", "google-pixel-8a"]),
        ("WH1000XM5", ["sony-wh-1000xm5"]),
        ("the iPhone 15", ["apple-iphone-15"]),
        ("iphone 15 pro", ["apple-iphone-15-pro"]),
        ("S24 ultra vs S24", ["samsung-galaxy-s24-ultra", "samsung-galaxy-s24"]),
        ("a kindle", ["amazon-kindle"]),
        ("delonghi dedica", ["delonghi-dedica"]),
    ],
)
def test_products_are_known_by_parts_of_their_names(message: str, ids: list[str]) -> None:
    assert list(read(message).ids) == ids


@pytest.mark.parametrize("message", ["kindles", "the iPad", "QuietComfort", "galaxy"])
def test_a_name_that_several_products_share_is_a_line(message: str) -> None:
    wishes = read(message)
    assert (wishes.ids, len(wishes.filters["lines"])) == ((), 1)


@pytest.mark.parametrize(
    ("message", "unknown"),
    [
        ("do you have the iPhone 27?", "iPhone 27"),
        ("Galaxy S27 Ultra", "Galaxy S27 Ultra"),
        ("is the OnePlus Nord 5 out?", "OnePlus Nord 5"),
        ("I would like a PlayStation 5", "PlayStation 5"),
        ("huawei phones", "huawei"),
        ("do you sell bicycles?", "bicycles"),
    ],
)
def test_what_is_called_like_a_product_and_is_none_is_unknown(message: str, unknown: str) -> None:
    wishes = read(message)
    assert ([one.text for one in wishes.unknown], wishes.ids) == ([unknown], ())


def test_ordinary_words_are_no_names() -> None:
    for message in ("a 55 inch tv on the edge", "the best value for a student in 2024", "can I charge it on the move"):
        wishes = read(message)
        assert (wishes.ids, wishes.filters["lines"], wishes.unknown) == ((), [], ())


def test_a_misspelt_word_of_the_catalogue_is_read_and_said() -> None:
    wishes = read("a labtop by Samsng")
    assert (wishes.filters["categories"], wishes.filters["brands"]) == (["laptops"], ["Samsung"])
    assert wishes.misspelt == (("labtop", "laptop"), ("Samsng", "samsung"))


@pytest.mark.parametrize(
    ("message", "by", "descending"),
    [
        ("the cheapest tablet", "price", False),
        ("most expensive TV", "price", True),
        ("best rated headphones", "rating", True),
        ("the best camera", "rating", True),
        ("newest Samsung phone", "year", True),
        ("lightest laptop", "weight", False),
        ("phone with the most storage", "storage", True),
        ("which phone has the best camera", "camera", True),
        ("laptop with the longest battery life", "battery life", True),
        ("a cheap phone", "price", False),
        ("a light laptop", "weight", False),
    ],
)
def test_superlatives_and_plain_adjectives_order_by_what_they_are_about(
    message: str, by: str, descending: bool
) -> None:
    order = read(message).filters["order"]
    assert order is not None
    assert (order["by"][0], order["descending"]) == (by, descending)


def test_a_comparative_is_no_order_but_wants_a_measure() -> None:
    wishes = read("something lighter")
    assert wishes.is_relative
    assert wishes.filters["order"] is None
    assert not read("lighter than 1.3 kg").is_relative


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("phones under $100 and over $500", "Nothing can cost under $100 and over $500 at once."),
        ("a Samsung iPhone", "iPhone is not made by Samsung."),
        ("phones under $0", "Nothing can cost under $0."),
        ("a tablet for -5 dollars", "Nothing can cost up to -$5."),
        ("phones with at least 512 GB and less than 128 GB of storage", "Nothing can have storage at least 512 GB and"),
    ],
)
def test_wishes_that_exclude_each_other_are_said(message: str, told: str) -> None:
    found = find_contradiction(read(message))
    assert found is not None
    assert found.startswith(told)
    assert found.endswith("?")


def test_wishes_that_fit_together_contradict_nothing() -> None:
    assert [message for message in FITTING if find_contradiction(read(message))] == []


def test_numbers_that_no_attribute_has_and_other_currencies_are_kept_to_be_said() -> None:
    assert read("phones with 100 W charging").ignored == ("100 W",)
    assert read("phones under €300").has_foreign_money


def test_of_another_language_only_names_and_words_of_the_catalogue_are_read() -> None:
    wishes = read("Quanto costa il Samsung Galaxy A55, e ne avete uno sotto 300?")
    assert (wishes.ids, wishes.filters["conditions"], wishes.filters["words"]) == (("samsung-galaxy-a55",), [], [])


@given(st.text(max_size=300))
def test_any_text_can_be_read(message: str) -> None:
    wishes = read(message)
    assert len(json.dumps(wishes.filters)) < 4_000


VOCABULARY = [
    "under",
    "$500",
    "not",
    "Samsung",
    "phones",
    "the",
    "Galaxy",
    "S24",
    "or",
    "and",
    "in",
    "black",
    "55",
    "inch",
]
VOCABULARY += [
    "cheaper",
    "than",
    "best",
    "between",
    "GB",
    "16",
    "without",
    "-",
    "iPhone",
    "27",
    "battery",
    "most",
    "k",
    "$",
]


@given(st.lists(st.sampled_from(VOCABULARY), max_size=25))
def test_any_row_of_the_catalogues_words_can_be_read(said: list[str]) -> None:
    wishes = read(" ".join(said))
    assert set(wishes.ids) <= CATALOGUE.by_id.keys()
    assert len(wishes.filters["conditions"]) <= 8
    find_contradiction(wishes)
