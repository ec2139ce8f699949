"""A user's own catalogue: what is taken, and how a bad line is told."""

from pathlib import Path

import pytest

from turnkeep.kit.documents import CorpusError
from turnkeep_agents.products.catalogue.loading import load_catalogue, load_products
from turnkeep_agents.products.catalogue.measures import Measure, money, read_measure

CSV = "id,name,price,category,brand,description,availability,weight_kg,Colour\n"
JSONL = '{"id": "a", "name": "Tent", "price": 100, "category": "tents"}\n'
TENT = 'a,Trail Tent,"$1,299.50",tents,Alpina,"Light, dry.",3 left,2.1,"green, red"\n'


def write(folder: Path, text: str | bytes, name: str = "mine.csv") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def complaint(file: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        load_products(file)
    return str(caught.value)


def test_a_csv_is_read_with_its_other_columns_as_attributes(tmp_path: Path) -> None:
    [tent] = load_products(write(tmp_path, CSV + TENT))
    assert (tent.id, tent.name, tent.price, tent.category, tent.brand) == ("a", "Trail Tent", 1299.5, "tents", "Alpina")
    assert (tent.stock.state, tent.stock.left, tent.description) == ("in", 3, "Light, dry.")
    assert tent.attributes == {"weight": ("2.1 kg",), "colour": ("green", "red")}
    assert tent.measure("weight") == Measure(2100.0, "g")


def test_jsonl_holds_lists_numbers_and_flags(tmp_path: Path) -> None:
    row = '{"id": "a", "name": "Stove", "price": 49.9, "category": "stoves", "sizes": ["S", 2], "folds": true}\n'
    [stove] = load_products(write(tmp_path, row, "mine.jsonl"))
    assert (stove.price, stove.stock.state) == (49.9, "unknown")
    assert stove.attributes == {"sizes": ("S", "2"), "folds": ("yes",)}


HEADINGS = "id;name;price;category"


@pytest.mark.parametrize(
    ("heading", "cells", "shown"),
    [
        ("Launched in", ["2023"], ["launched in: 2023"]),
        ("temp_min", ["5"], ["temp min: 5"]),
        ("Available W", ["4"], ["available w: 4"]),
        ("Class (G)", ["1"], ["class g: 1"]),
        ("Weight [kg]", ["2,5", "1.250"], ["weight: 2.5 kg", "weight: 1250 kg"]),
        ("screen_cm", ["12.5", "1,250"], ["screen: 12.5 cm", "screen: 1250 cm"]),
        ("battery", ["5.300 mAh", "0,5 mAh", "none"], ["battery: 5300 mAh", "battery: 0.5 mAh", "battery: none"]),
        ("model", ["1.250", "X2"], ["model: 1.250", "model: X2"]),
    ],
)
def test_a_unit_is_in_brackets_or_behind_an_underscore_and_a_column_has_one_decimal_sign(
    tmp_path: Path, heading: str, cells: list[str], shown: list[str]
) -> None:
    rows = [f"{number};Lamp;20;lamps;{cell}" for number, cell in enumerate(cells)]
    products = load_products(write(tmp_path, "\n".join([f"{HEADINGS};{heading}", *rows])))
    assert [f"{name}: {value}" for one in products for name, (value,) in one.attributes.items()] == shown


def test_a_price_with_a_point_between_thousands_is_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path, f"{HEADINGS}\na;Lamp;1.299;lamps\nb;Oven;0,125;ovens\n")
    assert [one.price for one in load_products(file)] == [1299, 0.125]
    file = write(tmp_path, f"{HEADINGS}\na;Lamp;1.299;lamps\n")
    assert 'column "price": its numbers, such as 1.299, can be read in two ways; add --decimal' in complaint(file)
    assert [load_catalogue(file, sign).products[0].price for sign in (".", ",")] == [1.299, 1299]
    assert "its prices are in EUR" in complaint(write(tmp_path, f"{HEADINGS}\na;Lamp;1.299,00 €;lamps\n"))


def test_lines_that_are_no_products_are_left_out_and_numbered(tmp_path: Path) -> None:
    text = f"Price list;;;\n{HEADINGS};\na;Lamp;20;lamps;\nTotal;;20;;\n;;;;\nPrices without tax;;;;\n"
    loaded = load_catalogue(write(tmp_path, text))
    assert ([one.id for one in loaded.products], loaded.above, loaded.left_out) == (["a"], 1, [4, 6])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "b,Stove,,stoves,,,,,\n",
            '"price" must be an amount in US dollars, such as 499 or 1299.95; correct or add it',
        ),
        ("b,Stove,-5,stoves,,,,,\n", '"price" must be an amount'),
        ("b,Stove,999999999999,stoves,,,,,\n", '"price" is too large'),
        ("b, ,49,stoves,,,,,\n", '"name" is missing; every product needs id, name, price, category'),
        ("a,Stove,49,stoves,,,,,\n", 'id "a" is also on line 2; change one'),
        ("b,Stove,49,stoves,,,perhaps,,\n", '"availability" cannot be read; write "in stock", "3 left"'),
        ("b,Stove,49,stoves,,,back on 2027-02-30,,\n", '"availability" is not a date that exists'),
        ("b,Stove,49,stoves,,,,,,,x\n", "more cells than headings; put cells with commas in quotes"),
        ('b,"Stove,49,stoves\n', "unexpected end of data; put cells with quotes or commas in quotes"),
        (f"b,{'x' * 121},49,stoves,,,,,\n", '"name" has over 120 characters'),
        (f"b,Stove,49,stoves,,,,{'x' * 301},\n", '"weight" has over 300 characters; move it to the description'),
    ],
)
def test_a_bad_line_is_reported_with_file_line_and_remedy(tmp_path: Path, line: str, expected: str) -> None:
    said = complaint(write(tmp_path, CSV + TENT + line))
    assert said.startswith(f"{tmp_path}/mine.csv:3: ")
    assert expected in said.replace('"weight_kg"', '"weight"')


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("id,name\na,Tent\n", "mine.csv", "mine.csv:1: no heading price, category"),
        ("id,name,price,category,Name\n", "mine.csv", 'heading "name" occurs twice'),
        (CSV, "mine.csv", "contains no products"),
        ("", "mine.csv", "has no headings"),
        (
            JSONL + JSONL.replace('"a"', '"b"').replace("100", '{"usd": 3}'),
            "mine.jsonl",
            'mine.jsonl:2: "price" must be',
        ),
        (JSONL + JSONL, "mine.jsonl", 'id "a" is also on line 1'),
    ],
)
def test_a_bad_file_is_reported(tmp_path: Path, text: str, name: str, reason: str) -> None:
    assert reason in complaint(write(tmp_path, text, name))


def test_an_absent_file_is_reported(tmp_path: Path) -> None:
    assert "cannot be read (No such file or directory); check the path" in complaint(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("in stock", "in"),
        ("only 2 left", "in"),
        ("250", "in"),
        ("0", "out"),
        ("sold out", "out"),
        ("back on 2027-01-31", "back"),
        ("no longer made", "gone"),
        ("", "unknown"),
    ],
)
def test_availability_is_read_in_many_forms(tmp_path: Path, said: str, state: str) -> None:
    [one] = load_products(write(tmp_path, CSV + f"a,Tent,100,tents,,,{said},,\n"))
    assert one.stock.state == state


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("256 GB", Measure(256, "GB")),
        ("1 TB", Measure(1000, "GB")),
        ("90 min", Measure(1.5, "h")),
        ("6 weeks", Measure(1008, "h")),
        ("4K", None),
        ("1/1.9 inch", None),
        ("9" * 400, None),
    ],
)
def test_a_text_that_is_one_number_is_a_measure(text: str, measure: Measure | None) -> None:
    assert read_measure(text) == measure


def test_money_is_formatted_like_a_price_tag() -> None:
    assert [money(amount) for amount in (499, 1299.5, -5)] == ["$499", "$1,299.50", "-$5"]
