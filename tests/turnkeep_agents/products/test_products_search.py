"""What a search finds, in which order, and what is near where nothing fits; on a few lamps that are easy to survey."""

from datetime import date
from typing import Any

import pytest

from turnkeep_agents.products.catalogue.product import read_product
from turnkeep_agents.products.catalogue.products import Catalogue, look_up, shown_in
from turnkeep_agents.products.catalogue.search import Bound, Wish, find, remarks_on
from turnkeep_agents.products.reading import Compare, Price, Search, nearest, wish_of
from turnkeep_agents.products.tools import NEAREST, Tools

TODAY = date(2026, 3, 4)


def lamp(id_: str, price: float, rating: float, **more: Any) -> dict[str, Any]:
    row = {"id": id_, "name": f"Lumo {id_}", "category": "lamps", "brand": "Lumo", "availability": "in stock"}
    return {**row, "price": price, "rating": rating, "description": "It shines.", **more}


ROWS = [
    lamp("Alba", 40, 4.2, colour=["red", "white"], power="40 W"),
    lamp("Bora", 90, 4.8, colour=["black"], power="60 W"),
    lamp("Cima", 60, 4.5, colour=["red"], power="25 W", description="It shines on pages at night. Nothing dims it."),
    lamp("Duna", 30, 4.9, colour=["red"], power="60 W", availability="discontinued"),
    lamp("Etna 2", 200, 4.5, colour=["white"], power="10 W", availability="back on 2090-01-01"),
    lamp("Faro", 50, 4.0, category="lanterns", brand="Orto", name="Orto Faro", colour=["black"]),
]
FAMILIES = {
    "Instant Pot": ["Instant Pot Duo 7-in-1", "Instant Pot Pro Plus"],
    "Galaxy S24": ["Samsung Galaxy S24"],
    "AirPods Pro": ["Apple AirPods Pro 2"],
}
PANELS = {"A": "OLED", "B": "IPS", "C": "VA"}
LAMPS = Catalogue([read_product(row) for row in ROWS])


def found(**wish: Any) -> list[str]:
    return [product.id for product in find(Wish(**wish), LAMPS)[0]]


def texts(**args: Any) -> list[str]:
    return Tools(LAMPS, TODAY, 3).run(Search(**{"wish": "as asked", **args}))[0]


@pytest.mark.parametrize(
    ("wish", "ids"),
    [
        ({}, ["Bora", "Cima", "Etna 2", "Alba", "Duna"]),  # the best rated first, what is not made any more last
        ({"bounds": (Bound("price", 40, 60), Bound("power", least=30))}, ["Alba"]),
        ({"without": ("red",)}, ["Bora", "Etna 2"]),
        ({"in_stock": True, "terms": (("red",),)}, ["Cima", "Alba"]),
    ],
)
def test_limits_stock_and_what_must_not_be_have_to_hold(wish: dict[str, Any], ids: list[str]) -> None:
    assert found(category="lamps", **wish) == ids


def test_brands_have_to_hold_and_an_order_can_descend() -> None:
    assert found(brands=("Orto",)) == found(not_brands=("Lumo",)) == ["Faro"]
    assert found(category="lamps", sort="price")[:2] == ["Duna", "Alba"]
    assert found(category="lamps", sort="power", is_descending=True)[-1] == "Etna 2"


def test_a_property_of_the_description_ranks_below_an_attribute() -> None:
    assert found(category="lamps", terms=(("night",),)) == ["Cima"]
    [remark] = remarks_on(LAMPS.by_id["Cima"], Wish(terms=(("night",),)))
    assert remark == "says: “It shines on pages at night.”"


@pytest.mark.parametrize(
    ("wish", "near", "missed"),
    [
        ({"bounds": (Bound("price", most=25, unit="USD"),)}, ["Duna", "Alba", "Cima"], "price at most 25 USD"),
        ({"terms": (("black",),), "bounds": (Bound("price", most=50),)}, ["Duna", "Alba"], "does not say “black”"),
        ({"terms": (("purple",),), "brands": ("Orto",)}, ["Bora", "Cima", "Etna 2"], "does not say “purple”"),
    ],
)
def test_where_nothing_fits_the_nearest_say_what_they_lack(wish: dict[str, Any], near: list[str], missed: str) -> None:
    fitting, nearby = find(Wish(category="lamps", **wish), LAMPS)
    assert not fitting
    assert {product.id for product in nearby} == set(near)
    assert all(missed in "; ".join(remarks_on(product, Wish(**wish))) for product in nearby)


def test_fewer_than_are_shown_are_followed_by_what_lacks_a_property() -> None:
    said = texts(category="lamps", terms=["white"], price_max=100)
    assert said[0] == "Of lamps 1 fit; 1 shown, the best first:"
    assert said[2] == NEAREST
    assert [each.rpartition("; ")[2] for each in said[3:]] == ["does not say “white”"] * 2


def test_properties_of_which_a_product_has_only_one_are_alternatives() -> None:
    screens = Catalogue(
        [read_product(lamp(id_, 40, 4, panel=panel, features=["hum", "dim"])) for id_, panel in PANELS.items()]
    )
    terms = wish_of(Search(wish="", terms=["OLED", "IPS", "dim"]), screens).terms
    assert terms == (("OLED", "IPS"), ("dim",))
    assert {product.id for product in find(Wish(terms=terms), screens)[0]} == {"A", "B"}
    assert remarks_on(screens.by_id["C"], Wish(terms=terms)) == ["does not say “OLED or IPS”"]


def test_a_kind_alone_shows_the_best_of_each_price_range_before_the_others() -> None:
    assert names_of(texts(category="lamps")[1:]) == ["Lumo Alba", "Lumo Bora", "Lumo Etna 2"]
    assert names_of(texts(category="lamps", page=2)[1:]) == ["Lumo Cima", "Lumo Duna"]


def test_a_search_states_count_prices_and_order() -> None:
    assert texts(category="lamps")[0] == "Of lamps 5 fit, from $30 to $200; 3 shown, the best of each price range:"
    assert texts(category="lamps", price_max=90)[0] == "Of lamps 4 fit, from $30 to $90; 3 shown, the best first:"
    cheap = texts(category="lamps", sort="price", limit=1)
    assert cheap[0] == "Of lamps 5 fit, from $30 to $200; 1 shown, by price, the lowest first:"
    assert cheap[1].startswith("Lumo Duna: $30, discontinued; rating 4.9; colour red; power 60 W")
    assert texts(category="lamps", page=3) == ["Of lamps all 5 that fit were shown."]


def test_a_product_named_in_a_search_is_shown_with_the_results() -> None:
    like = texts(wish="one like the Lumo Bora for less", category="lamps", price_max=80)
    assert like[0].startswith("Named: Lumo Bora (lamps): $90")
    assert names_of(like[2:]) == ["Lumo Cima", "Lumo Alba", "Lumo Duna"]
    assert names_of(texts(wish="is the Orto Faro any good?")) == ["Orto Faro"]
    assert names_of(texts(names=["Faro", "Alba"])) == ["Orto Faro", "Lumo Alba"]


def names_of(cards: list[str]) -> list[str]:
    return [card.partition(": $")[0].partition(" (")[0] for card in cards]


def test_brands_among_the_properties_are_brands_in_either_sense() -> None:
    wish = wish_of(Search(wish="", terms=["orto", "red"], not_terms=["Lumo", "white"]), LAMPS)
    assert (wish.brands, wish.terms, wish.not_brands, wish.without) == (("Orto",), (("red",),), ("Lumo",), ("white",))


def test_a_property_that_no_product_states_is_reported_once() -> None:
    said = texts(category="lamps", terms=["Ikea", "white"])
    assert said[:2] == [
        "Of lamps the catalogue says nothing about “Ikea”.",
        "Of lamps 2 fit, from $40 to $200; 2 shown, the best of each price range:",
    ]
    assert not any("Ikea" in text for text in said[2:])


def test_searches_of_one_message_show_each_price_range_within_their_limits() -> None:
    wish = Search(wish="lamps, as part of 100", category="lamps", price_max=100)
    assert names_of(Tools(LAMPS, TODAY, 2).run(wish)[0][1:]) == ["Lumo Bora", "Lumo Cima"]
    both = Tools(LAMPS, TODAY, 2, is_among_others=True).run(wish)[0]
    assert names_of(both[1:]) == ["Lumo Alba", "Lumo Bora"]


@pytest.mark.parametrize(
    ("said", "order"), [("price", ("price", False)), ("-Powr", ("power", True)), ("best", ("", False))]
)
def test_an_order_is_an_attribute_and_a_minus_turns_it_round(said: str, order: tuple[str, bool]) -> None:
    wish = wish_of(Search(wish="", sort=said), LAMPS)
    assert (wish.sort, wish.is_descending) == order


@pytest.mark.parametrize(
    ("said", "meant"), [("phone", "phones"), ("smartphones", "phones"), ("Televison", "televisions"), ("boats", None)]
)
def test_kinds_are_taken_by_their_nearest_spelling(said: str, meant: str | None) -> None:
    assert nearest(said, ["phones", "televisions", "e-readers"]) == meant


@pytest.mark.parametrize(
    ("name", "ids", "remark"),
    [
        ("alba", ["Alba"], None),
        ("Lumo Abla", ["Alba"], None),
        ("faro", ["Faro"], None),
        ("Etna 3", [], "There is no product called “Etna 3”. Nearest names: Lumo Etna 2."),
        ("Lumo", ["Alba", "Bora", "Cima", "Duna"], "“Lumo” may be Lumo Alba, Lumo Bora, Lumo Cima, Lumo Duna."),
    ],
)
def test_names_are_looked_up_by_words_then_by_spelling_and_a_number_is_never_guessed(
    name: str, ids: list[str], remark: str | None
) -> None:
    meant, remarks = look_up([name], LAMPS)
    assert [product.id for product in meant] == ids
    assert remarks == ([remark] if remark else [])


def test_a_family_is_all_its_products_and_a_name_without_its_brand_is_one(bundled: Catalogue) -> None:
    meant = {said: [product.name for product in look_up([said], bundled)[0]] for said in FAMILIES}
    assert meant == FAMILIES


def test_products_that_a_text_names_come_in_its_order() -> None:
    text = "First the Etna 2, then the Lumo Alba, and never the Etna 20."
    assert [product.id for product in shown_in(text, LAMPS)] == ["Etna 2", "Alba"]


def test_a_comparison_states_differences_price_and_rating() -> None:
    [table] = Tools(LAMPS, TODAY, 5).run(Compare(wish="", names=["Alba", "Bora"]))[0]
    assert "| price | $40 | $90 |" in table
    assert "| power | 40 W | 60 W |" in table
    assert "The Lumo Alba is $50 cheaper than the Lumo Bora. The Lumo Bora has the better rating: 4.8." in table


def test_prices_are_added_up_only_where_each_name_is_one_product() -> None:
    both = Tools(LAMPS, TODAY, 5).run(Price(wish="", names=["Alba", "Bora"], quantities=[2]))[0]
    assert both == ["Lumo Alba: $40", "Lumo Bora: $90", "2 x Lumo Alba + 1 x Lumo Bora: $170 together"]
    unsure = Tools(LAMPS, TODAY, 5).run(Price(wish="", names=["Lumo"], quantities=[2]))[0]
    assert not any("together" in text for text in unsure)
