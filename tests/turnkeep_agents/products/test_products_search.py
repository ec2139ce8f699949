"""What a search finds, in which order, and what it says where nothing fits; on a few lamps that are easy to survey."""

from typing import Any

import pytest

from turnkeep_agents.products.catalogue.product import read_product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.planning.plans import Plan, look_for
from turnkeep_agents.products.reading.wishes import read_wishes
from turnkeep_agents.products.search import Finder, Found


def lamp(id_: str, price: float, rating: float, **more: Any) -> dict[str, Any]:
    row = {"id": id_, "name": f"Lumo {id_}", "category": "lamps", "brand": "Lumo", "availability": "in stock"}
    return {**row, "price": price, "rating": rating, "description": "It shines.", **more}


ROWS = [
    lamp("Alba", 40, 4.2, colour=["red", "white"], power="40 W"),
    lamp("Bora", 90, 4.8, colour=["black"], power="60 W"),
    lamp("Cima", 60, 4.5, colour=["red"], power="25 W", description="It shines on pages at night."),
    lamp("Duna", 30, 4.9, colour=["red"], power="60 W", availability="discontinued"),
    lamp("Etna", 200, 4.5, colour=["white"], power="10 W", availability="back on 2090-01-01"),
    lamp("Faro", 50, 4.0, category="lanterns", brand="Orto", colour=["black"]),
]
CATALOGUE = Catalogue([read_product(row) for row in ROWS])


def run(message: str, **more: Any) -> Found:
    wishes = read_wishes(message, CATALOGUE)
    plan: Plan = look_for(wishes.filters, "", uses_history=False, is_best_only=wishes.is_superlative, **more)
    return Finder(CATALOGUE, 3).run(plan)


def test_the_best_rated_comes_first_and_what_is_not_made_any_more_last() -> None:
    assert run("lamps").ids == ("Bora", "Cima", "Etna")
    assert run("lamps", left_out=["Bora", "Cima"]).ids == ("Etna", "Alba", "Duna")


def test_an_order_that_is_asked_for_comes_before_all() -> None:
    assert run("cheap lamps").ids == ("Duna", "Alba", "Cima")


def test_a_heading_counts_all_and_says_what_is_shown() -> None:
    [heading] = run("lamps").said
    assert heading == "I found 5 matches for lamps, from $30 to $200. Here are 3 of them, the best rated first:"
    assert run("black lamps").said == ("I found 1 match for lamps in black:",)


def test_a_superlative_names_its_winner_and_all_that_share_it() -> None:
    cheapest, strongest = run("the cheapest lamp"), run("the lamp with the most power")
    assert (cheapest.winners, cheapest.ids[0]) == (("Duna",), "Duna")
    assert cheapest.said == ("The Lumo Duna is the cheapest of 5 lamps: $30.",)
    assert set(strongest.winners) == {"Bora", "Duna"}
    assert strongest.said[0].endswith("share the most power of 5 lamps: 60 W.")


def test_a_superlative_of_what_no_product_tells_is_said() -> None:
    found = run("the lantern with the most power")
    assert found.winners == ()
    assert found.said == ("I found 1 match for lanterns:",)


def test_words_beside_filters_say_what_comes_first_and_alone_what_is_found() -> None:
    found = run("lamps for reading pages")
    assert found.ids == ("Cima", "Bora", "Etna")
    assert "; 1 mentions “pages” and comes first. Here are 3 of them:" in found.said[0]
    assert run("something for pages").ids == ("Cima",)


def test_words_that_none_of_the_products_mentions_are_said() -> None:
    found = run("lanterns for the night")
    assert (found.ids, found.said) == (("Faro",), ("I found 1 match for lanterns; none mentions “night”:",))


@pytest.mark.parametrize(
    ("message", "given_up", "ids"),
    [
        ("lamps under $25", "Without “under $25”, the nearest are:", ("Duna", "Alba", "Cima")),
        ("black lamps under $50", "Without “under $50”, the nearest is:", ("Bora",)),
        ("white lamps with at least 60 W", "Without “white”, the nearest are:", ("Bora", "Duna")),
        ("lamps by Orto", "Without “Orto”, the nearest are:", ("Bora", "Cima", "Etna")),
        ("red lanterns", "Without “red”, the nearest is:", ("Faro",)),
    ],
)
def test_where_nothing_fits_the_nearest_misses_one_filter_and_that_is_said(
    message: str, given_up: str, ids: tuple[str, ...]
) -> None:
    found = run(message)
    assert (found.ids, found.is_nearest) == (ids, True)
    assert found.said[-1].startswith("Nothing in the catalogue matches ")
    assert found.said[-1].endswith(given_up)


def test_a_number_of_results_is_kept_to() -> None:
    assert len(run("lamps", limit=2).ids) == 2
    assert len(run("lamps", limit=99).ids) == 5


def test_a_kind_that_is_unknown_is_said_with_those_that_there_are() -> None:
    found = run("sofas", unknown=["sofas"], is_strange=True, remarks=["No sofas."])
    assert (found.ids, found.said) == ((), ("No sofas.", "The catalogue holds lamps and lanterns."))
