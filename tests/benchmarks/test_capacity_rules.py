"""The arithmetic of capacity, against AWS's published rules."""

import base64
from typing import Any

import pytest

from capacity_rules import (
    TRANSACTION,
    Budget,
    Cost,
    Index,
    Schema,
    index_units,
    item_bytes,
    item_units,
    query_units,
    read_schema,
    read_units,
    value_bytes,
    write_units,
)

BY_DAY = Index(keys=("day",), projected=frozenset({"pk", "day"}))
SCHEMA = Schema(("pk",), (BY_DAY,))


def item(size: int, **more: str) -> dict[str, Any]:
    """An item of exactly `size` bytes."""
    attributes = {"pk": {"S": "a"}, **{name: {"S": value} for name, value in more.items()}}
    return attributes | {"x": {"S": "." * (size - item_bytes(attributes) - 1)}}


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "abc"}, 3),
        ({"S": "é€"}, 5),
        ({"B": base64.b64encode(b"12345").decode()}, 5),
        ({"N": "7"}, 2),
        ({"N": "1234"}, 3),
        ({"N": "12345"}, 4),
        ({"N": "-12345"}, 5),
        ({"N": "12000"}, 2),
        ({"N": "0.0012"}, 2),
        ({"N": "0"}, 1),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"N": "7"}]}, 3 + 1 + 2 + 1 + 2),
        ({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2),
        ({"SS": ["ab", "c"]}, 3),
        ({"BS": [base64.b64encode(b"1234").decode()]}, 4),
    ],
)
def test_a_value_has_the_size_that_aws_documents(value: dict[str, Any], size: int) -> None:
    assert value_bytes(value) == size


def test_attribute_names_count_in_utf8() -> None:
    assert item_bytes({"name": {"S": "x"}, "é": {"S": "y"}}) == 4 + 1 + 2 + 1
    assert item_bytes(None) == 0


@pytest.mark.parametrize(
    ("before", "after", "units"), [(0, 1024, 1), (0, 1025, 2), (5000, 100, 5), (100, 5000, 5), (3000, 0, 3), (0, 0, 1)]
)
def test_a_write_costs_the_larger_of_before_and_after(before: int, after: int, units: int) -> None:
    assert write_units(item(before) if before else None, item(after) if after else None) == units


def test_a_transaction_costs_the_item_twice() -> None:
    assert item_units(Schema(("pk",)), None, item(2500), factor=TRANSACTION) == 6
    assert read_units(5000, consistent=True, factor=TRANSACTION) == 4


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        (None, item(500, day="mon"), 1),
        (item(500, day="mon"), None, 1),
        (item(500, day="mon"), item(500, day="tue"), 2),
        (item(500, day="mon"), item(900, day="mon"), 0),
        (item(500), item(900), 0),
        (item(500), item(900, day="mon"), 1),
    ],
)
def test_an_index_entry_is_paid_for_when_it_is_put_deleted_or_moved(before: Any, after: Any, units: int) -> None:
    assert index_units(BY_DAY, before, after) == units


def test_an_index_of_everything_pays_for_every_change_by_its_size() -> None:
    everything = Index(keys=("day",), projected=None)

    assert index_units(everything, item(2500, day="mon"), item(1500, day="mon")) == 3
    assert index_units(everything, item(2500, day="mon"), item(1500, day="tue")) == 3 + 2


def test_an_item_is_paid_for_with_all_its_entries() -> None:
    assert item_units(SCHEMA, item(900, day="mon"), item(1100, day="tue")) == 2 + 2


@pytest.mark.parametrize(
    ("size", "consistent", "units"),
    [(0, True, 1), (0, False, 0.5), (4096, True, 1), (4097, True, 2), (9000, False, 1.5)],
)
def test_a_read_is_rounded_to_four_kilobytes(size: int, consistent: bool, units: float) -> None:
    assert read_units(size, consistent=consistent) == units


def test_a_query_adds_up_before_it_rounds() -> None:
    assert query_units([item(1500)] * 3, consistent=True) == 2
    assert query_units([], consistent=False) == 0.5


def test_a_schema_is_read_from_the_tables_description() -> None:
    description = {
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [
            {"KeySchema": [{"AttributeName": "day"}], "Projection": {"ProjectionType": "KEYS_ONLY"}},
            {
                "KeySchema": [{"AttributeName": "day"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
            },
            {"KeySchema": [{"AttributeName": "day"}], "Projection": {"ProjectionType": "ALL"}},
        ],
    }

    keys_only, some, everything = read_schema(description).indexes

    assert keys_only == BY_DAY
    assert some.projected == {"pk", "day", "x"}
    assert everything.projected is None


def test_a_budget_names_every_limit_that_is_missed() -> None:
    budget = Budget(requests=4, wcu=16, rcu=8)

    assert budget.misses("turn 10", Cost(4, 16, 8)) == []
    assert budget.misses("turn 10", Cost(5, 16.5, 9)) == [
        "turn 10: 5 requests, allowed 4",
        "turn 10: 16.5 WCU, allowed 16",
        "turn 10: 9 RCU, allowed 8",
    ]
