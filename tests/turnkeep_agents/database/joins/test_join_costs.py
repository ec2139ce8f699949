import pytest
from join_graphs import SERVICE, graph, link

from turnkeep_agents.database.joins.costs import CHOICE_TOLERANCE, HUB, PLAIN, Costs, hub_surcharges, is_audit_column
from turnkeep_agents.database.joins.naming import is_key_like, name_words, thing_words

AUDIT = """created_by createdBy CREATED_BY creator creator_id changed_by lastModifiedById voided_by retired_by
deletedByUserId modifier update_user user_created enteredBy last_editor_id"""
PLAIN_KEYS = "assignedTo approved_by reportedBy managerId user_id createdAt author_id changeRequestId"


def test_who_made_or_changed_a_row_is_an_audit_column_and_what_a_row_is_about_is_none() -> None:
    assert [name for name in AUDIT.split() if not is_audit_column(name)] == []
    assert [name for name in ("", *PLAIN_KEYS.split()) if is_audit_column(name)] == []


def test_an_audit_link_is_as_long_as_three_and_says_why() -> None:
    costs = Costs(SERVICE)

    cost = costs.of(link("workOrder.createdBy > employee.id"))

    assert cost.total == 3 * PLAIN
    assert cost.because == ("it says who made or changed the row",)
    assert costs.of(link("workOrder.assignedTo > employee.id")).because == ()


def test_doubt_and_rows_that_multiply_cost() -> None:
    costs = Costs(SERVICE)
    totals = [costs.of(link("invoice.customerId > customer.id", confidence=each)).total for each in (1.0, 0.9, 0.7)]
    assert totals == [100, 110, 130]
    assert totals[1] - totals[0] <= CHOICE_TOLERANCE < totals[2] - totals[0]
    assert costs.of(link("a.x > b.x", cardinality="N:N")).total > PLAIN


def test_what_nearly_everything_points_at_costs_more_and_audit_links_make_no_such_table() -> None:
    parts = [f"part{number}" for number in range(12)]
    tables = "\n".join([*(f"{part}: id*, companyId, createdBy" for part in parts), "company: id*", "user: id*"])
    links = [f"{part}.companyId > company.id" for part in parts] + [f"{part}.createdBy > user.id" for part in parts]

    assert hub_surcharges(graph(tables, *links)) == {"company": HUB}


def test_many_to_many_links_make_no_hub() -> None:
    parts = [f"part{number}" for number in range(12)]
    tables = "\n".join([*(f"{part}: term" for part in parts), "year: term"])

    assert hub_surcharges(graph(tables, *(link(f"{part}.term > year.term", cardinality="N:N") for part in parts))) == {}


def test_a_table_that_some_point_at_is_a_smaller_hub() -> None:
    parts = [f"part{number}" for number in range(20)]
    tables = "\n".join([*(f"{part}: id*, branchId" for part in parts), "branch: id*"])
    links = [f"{part}.branchId > branch.id" for part in parts[:8]]

    (surcharge,) = hub_surcharges(graph(tables, *links)).values()
    assert 0 < surcharge < HUB


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


def test_a_table_is_called_by_one_of_its_rows_and_a_key_says_of_what() -> None:
    assert [thing_words(name) for name in ("work_orders", "inspections")] == [("work", "order"), ("inspection",)]
    assert [is_key_like(name) for name in ("BUILDING_KEY", "id", "building")] == [True, False, False]
