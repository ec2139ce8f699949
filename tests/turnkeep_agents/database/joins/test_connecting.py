import pytest
from join_graphs import SERVICE, graph, link

from turnkeep_agents.database.joins.paths import PathFinder

FINDER = PathFinder(SERVICE)


def columns(tables: list[str]) -> list[str]:
    return [f"{each.from_table}.{each.from_column}" for each in FINDER.connect(tables).joins]


def test_asked_tables_that_are_linked_need_no_other() -> None:
    tree = FINDER.connect(["workOrder", "customer", "crew"])

    assert tree.tables == ("workOrder", "crew", "customer")
    assert tree.added == ()
    assert sorted(columns(["workOrder", "customer", "crew"])) == ["workOrder.crewId", "workOrder.customerId"]


def test_a_table_between_is_added_and_told() -> None:
    tree = FINDER.connect(["customer", "crew"])

    assert tree.added == ("workOrder",)
    assert tree.tables == ("customer", "workOrder", "crew")


def test_one_table_in_the_middle_is_better_than_two_bridges() -> None:
    tree = FINDER.connect(["customer", "crew", "invoice"])

    assert tree.added == ("workOrder",)
    assert set(columns(["customer", "crew", "invoice"])) == {
        "workOrder.customerId",
        "workOrder.crewId",
        "invoice.workOrderId",
    }


def test_a_star_is_found_where_every_pair_has_a_shorter_bridge_of_its_own() -> None:
    spokes = graph(
        """
        a: id*, hubId, abId
        b: id*, hubId, abId, bcId
        c: id*, hubId, bcId, caId
        d: id*, hubId
        hub: id*
        ab: id*
        bc: id*
        """,
        link("a.hubId > hub.id", confidence=0.9),
        link("b.hubId > hub.id", confidence=0.9),
        link("c.hubId > hub.id", confidence=0.9),
        "a.abId > ab.id",
        "b.abId > ab.id",
        "b.bcId > bc.id",
        "c.bcId > bc.id",
    )

    assert PathFinder(spokes).connect(["a", "b", "c"]).added == ("hub",)


def test_a_link_by_who_made_a_row_does_not_spare_a_table() -> None:
    made = graph(
        "order: id*, createdBy\nvisit: id*, orderId, personId\nperson: id*",
        "order.createdBy > person.id",
        "visit.orderId > order.id",
        "visit.personId > person.id",
    )

    assert PathFinder(made).connect(["order", "person"]).added == ("visit",)


def test_links_that_are_as_good_as_each_other_are_a_choice() -> None:
    tree = FINDER.connect(["workOrder", "employee"])

    (choice,) = tree.choices
    assert set(choice.tables) == {"workOrder", "employee"}
    assert {each.from_column for each in choice.relationships} == {"assignedTo", "approvedBy"}
    assert tree.joins[0] in choice.relationships


def test_a_single_good_link_is_no_choice() -> None:
    assert FINDER.connect(["workOrder", "customer"]).choices == ()


def test_what_no_path_reaches_is_told() -> None:
    tree = FINDER.connect(["holiday", "workOrder", "crew"])

    assert tree.unreachable == ("holiday",)
    assert tree.tables == ("workOrder", "crew")


def test_of_equal_parts_the_first_asked_counts() -> None:
    assert FINDER.connect(["holiday", "crew"]).tables == ("holiday",)
    assert FINDER.connect(["crew", "holiday"]).tables == ("crew",)


def test_one_table_or_none_needs_no_join() -> None:
    assert FINDER.connect(["crew"]).tables == ("crew",)
    assert FINDER.connect(["crew", "crew"]).joins == ()
    assert FINDER.connect([]).tables == ()


def test_an_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError, match="nothing"):
        FINDER.connect(["crew", "nothing"])
