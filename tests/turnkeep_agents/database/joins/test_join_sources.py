"""Associations of the application and corrections by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from join_graphs import SERVICE, graph

from turnkeep.settings import UnusableFile
from turnkeep_agents.database.joins.associations import CONFIDENCE, with_associations
from turnkeep_agents.database.joins.overrides import with_overrides
from turnkeep_agents.database.joins.records import JoinGraph

SHOP = graph(
    """
    customer: id*, name
    orders: id*, customerId, approverId
    profile: id*, customer_id!
    tag: id*
    orderTag: orderId*, tagId*
    """
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "models.json"


def roles(joined: JoinGraph) -> dict[str, tuple[str, str]]:
    return {link.condition: (link.cardinality, link.role) for link in joined.relationships}


def associated(file: Path, *associations: dict[str, Any]) -> tuple[JoinGraph, list[str]]:
    file.write_text(json.dumps({"associations": associations}))
    return with_associations(SHOP, file)


def association(kind: str, source: str, target: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "source": source, "target": target, **more}


OF_CUSTOMER = {"orders.customerId = customer.id": ("N:1", "")}
OF_PROFILE = {"profile.customer_id = customer.id": ("1:1", "")}
OF_TAGS = {"orderTag.orderId = orders.id": ("N:1", ""), "orderTag.tagId = tag.id": ("N:1", "")}
BELONGS = association("belongsTo", "orders", "customer", foreignKey="customerId")
BELONGS_AS = association("belongsTo", "Order", "Customer", foreignKey="approverId", **{"as": "approver"})
HAS = association("hasMany", "customer", "orders", foreignKey="customerId")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (BELONGS, OF_CUSTOMER),
        (HAS, OF_CUSTOMER),
        (association("hasOne", "customer", "profile", foreignKey={"name": "customer_id"}), OF_PROFILE),
        (BELONGS_AS, {"orders.approverId = customer.id": ("N:1", "approver")}),
        (association("belongsTo", "orders", "customer"), OF_CUSTOMER),
        (association("hasOne", "customer", "profile"), OF_PROFILE),
        (association("belongsToMany", "orders", "tag", through="orderTag"), OF_TAGS),
    ],
)
def test_an_association_is_a_link(file: Path, given: dict[str, Any], wanted: dict[str, tuple[str, str]]) -> None:
    joined, left_out = associated(file, given)
    assert (roles(joined), left_out) == (wanted, [])
    assert {(link.type, link.confidence) for link in joined.relationships} == {("association", CONFIDENCE)}


def test_both_sides_of_an_association_are_one_link(file: Path) -> None:
    assert len(associated(file, BELONGS, HAS)[0].relationships) == 1


def test_associations_that_do_not_match_are_reported(file: Path) -> None:
    joined, left_out = associated(
        file,
        association("belongsTo", "orders", "planet", foreignKey="planetId"),
        association("belongsTo", "orders", "customer", foreignKey="gone"),
        association("belongsToMany", "orders", "tag", through="gone"),
    )
    assert joined.relationships == ()
    left = ["orders belongsTo planet", "orders belongsTo customer", "orders belongsToMany tag"]
    assert left_out == [f"associations[{at}]: {each}" for at, each in enumerate(left)]


# Corrections


def corrected(file: Path, **wanted: Any) -> JoinGraph:
    file.write_text(json.dumps(wanted))
    return with_overrides(SERVICE, file)


def ends(start: str, end: str) -> dict[str, Any]:
    (one, a), (other, b) = start.split("."), end.split(".")
    return {"from_table": one, "from_column": a, "to_table": other, "to_column": b}


@pytest.mark.parametrize(
    ("start", "end", "changes", "wanted"),
    [
        ("holiday.day", "user.name", {"confidence": 0.8, "role": "named"}, ("manual", 0.8, "named")),
        ("invoice.customerId", "customer.id", {"confidence": 0.95}, ("manual", 0.95, "")),
        ("workOrder.assignedTo", "employee.id", {"role": "works on"}, ("foreign_key", 1.0, "works on")),
    ],
    ids=["added", "rated", "described"],
)
def test_a_relationship_is_added_or_changed(file: Path, start: str, end: str, changes: Any, wanted: Any) -> None:
    """A role alone leaves the origin."""
    joined = corrected(file, relationships=[ends(start, end) | changes])
    (changed,) = set(joined.relationships) - set(SERVICE.relationships)
    assert changed.condition == f"{start} = {end}"
    assert (changed.type, changed.confidence, changed.role) == wanted
    assert len(joined.relationships) == len(SERVICE.relationships) + (start == "holiday.day")


def test_relationships_are_removed_one_or_all_between_two_tables(file: Path) -> None:
    one = corrected(file, remove=[ends("workOrder.createdBy", "employee.id")])
    every = corrected(file, remove=[{"from_table": "workOrder", "to_table": "employee"}])
    assert len(SERVICE.relationships) - len(one.relationships) == 1
    assert len(SERVICE.relationships) - len(every.relationships) == 3


def test_tables_and_columns_are_described(file: Path) -> None:
    notes = {"comment": "a job", "synonyms": ["job"], "comments": {"crewId": "who goes"}}
    notes["column_synonyms"] = {"assignedTo": ["technician"]}
    table = corrected(file, tables={"workOrder": notes}).tables["workOrder"]
    assert (table.comment, table.synonyms) == ("a job", ("job",))
    assert table.columns["crewId"].comment == "who goes"
    assert table.columns["assignedTo"].synonyms == ("technician",)
    assert table.primary_key == ("id",)


def test_a_hidden_table_is_gone_with_its_relationships(file: Path) -> None:
    joined = corrected(file, hidden=["employee*", "holiday"])
    assert {"employee", "employeeCrew", "holiday"}.isdisjoint(joined.tables)
    assert all(not link.to_table.startswith("employee") for link in joined.relationships)


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"relationships": [ends("crew.gone", "user.id")]}, "relationships[0]: the database has no column crew.gone"),
        ({"relationships": [ends("holidays.day", "user.id")]}, "relationships[0]: the database has no table holidays"),
        ({"remove": [ends("user.id", "crew.id")]}, "remove[0]: there is no such relationship"),
        ({"tables": {"gone": {}}}, "tables.gone: the database has no table gone"),
        ({"tables": {"crew": {"comments": {"gone": ""}}}}, "tables.crew: it has no column gone"),
        ({"hidden": ["tmp_*", "holydays"]}, "hidden[1]: the database has no table holydays"),
    ],
)
def test_a_mistake_in_the_corrections_is_reported_with_its_place(
    file: Path, wanted: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UnusableFile) as caught:
        corrected(file, **wanted)
    assert f"{file}: {complaint}" in str(caught.value)
