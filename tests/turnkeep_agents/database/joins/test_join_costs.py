import pytest
from join_graphs import graph, link

from turnkeep_agents.database.joins.link_costs import HUB, PLAIN, cost_of, hub_surcharges, is_audit_column
from turnkeep_agents.database.joins.naming import is_key_like, name_words, thing_words

AUDIT = """created_by createdBy CREATED_BY creator creator_id changed_by lastModifiedById voided_by retired_by
deletedByUserId modifier update_user user_created enteredBy last_editor_id"""
PLAIN_KEYS = "assignedTo approved_by reportedBy managerId user_id createdAt author_id changeRequestId"


def test_audit_columns_are_recognised() -> None:
    assert [name for name in AUDIT.split() if not is_audit_column(name)] == []
    assert [name for name in ("", *PLAIN_KEYS.split()) if is_audit_column(name)] == []


def test_audit_links_doubt_and_many_to_many_cost_more() -> None:
    assert cost_of(link("workOrder.assignedTo > employee.id")) == PLAIN
    assert cost_of(link("workOrder.createdBy > employee.id")) == 3 * PLAIN
    doubtful = [cost_of(link("invoice.customerId > customer.id", confidence=each)) for each in (1.0, 0.9, 0.7)]
    assert doubtful == [100, 110, 130]
    assert cost_of(link("a.x > b.x", cardinality="N:N")) > PLAIN


def surcharges(pointing: int, column: str, **known: object) -> dict[str, int]:
    """Return the surcharges if `pointing` of 20 tables point at another one."""
    parts = [f"part{number}" for number in range(20)]
    tables = "\n".join([*(f"{part}: id*, {column}" for part in parts), "company: id*"])
    return hub_surcharges(graph(tables, *(link(f"{part}.{column} > company.id", **known) for part in parts[:pointing])))


def test_a_hub_costs_more_to_pass() -> None:
    assert surcharges(20, "companyId") == {"company": HUB}
    assert 0 < surcharges(8, "companyId")["company"] < HUB
    assert surcharges(20, "createdBy") == surcharges(20, "companyId", cardinality="N:N") == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("customerLocationId", ("customer", "location", "id")),
        ("CUSTOMER_LOCATION_ID", ("customer", "location", "id")),
        ("HTTPServerURL", ("http", "server", "url")),
        ("3rdPartySystem", ("3", "rd", "party", "system")),
        ("address2", ("address", "2")),
        ("größeCm", ("größe", "cm")),
        ("顧客番号", ("顧客番号",)),
        ("", ()),
    ],
)
def test_names_are_words(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


def test_a_row_is_named_after_its_table() -> None:
    assert [thing_words(name) for name in ("work_orders", "inspections")] == [("work", "order"), ("inspection",)]
    assert [is_key_like(name) for name in ("BUILDING_KEY", "id", "building")] == [True, False, False]
