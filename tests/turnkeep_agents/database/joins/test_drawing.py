import pytest
from join_graphs import SERVICE, graph, link

from turnkeep_agents.database.joins.drawing import MOST_NEIGHBOURS, around, draw, mermaid
from turnkeep_agents.database.joins.explaining import explain
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph

MEAN = graph('a<b&"c": id*\n</svg><script>: id*, aId', '</svg><script>.aId > a<b&"c".id')


def test_names_are_text_whatever_they_hold() -> None:
    text = draw(MEAN)

    assert '"a_b&_c_"' in text
    assert "<" not in text


def test_around_a_table_are_those_next_to_it_but_for_who_made_a_row() -> None:
    assert set(around(SERVICE, ["customer"]).tables) == {"customer", "workOrder", "invoice"}


def test_of_very_many_neighbours_only_some_are_drawn() -> None:
    parts = [f"part{number}" for number in range(60)]
    star = graph(
        "\n".join(["hub: id*", *(f"{part}: hubId" for part in parts)]), *(f"{p}.hubId > hub.id" for p in parts)
    )

    assert len(around(star, ["hub"]).tables) == MOST_NEIGHBOURS + 1


def test_an_unknown_table_cannot_be_drawn() -> None:
    with pytest.raises(KeyError, match="gone"):
        draw(SERVICE, ["gone"])


def test_mermaid_shows_keys_and_cardinality() -> None:
    odd = link("employee.userId > user.id", cardinality="1:1", role='is "the"\nuser')
    text = mermaid(graph("user: id*, name\nemployee: id*, userId\nTag Liste: wert 1*\n9live: id*", odd))

    assert text.startswith("erDiagram\n")
    assert "        other id PK\n" in text
    assert "name" not in text
    assert '    employee |o--|| user : "is _the__user"' in text
    assert '    "Tag Liste" {\n        other wert_1 PK' in text
    assert '    "9live" {' in text


def test_an_empty_graph_can_be_drawn() -> None:
    assert mermaid(JoinGraph()) == "erDiagram\n"


# In words


def told(a: str, b: str, finder: PathFinder | None = None) -> str:
    return "\n".join(explain(finder or PathFinder(SERVICE), a, b))


def test_a_path_is_told_join_by_join() -> None:
    text = told("invoice", "crew")

    assert text.startswith("invoice - workOrder - crew: 2 joins, cost 2.00\n")
    assert "  1. invoice.workOrderId = workOrder.id (foreign key, N:1, confidence 1.00), cost 1.00\n" in text
    assert "  2. workOrder.crewId = crew.id" in text


def test_parallel_links_are_told_with_the_reason_why_they_were_not_taken() -> None:
    text = told("workOrder", "employee")

    assert text.count("workOrder.approvedBy = employee.id") == 1
    assert "     as good: workOrder.assignedTo = employee.id" in text
    assert "     not taken: workOrder.createdBy = employee.id" in text
    assert "cost 3.00, because it says who made or changed the row" in text


def test_other_ways_are_told() -> None:
    assert "Other ways:\n  workOrder - crew - employee: 2 joins, cost 2.00" in told("workOrder", "employee")


def test_links_that_cannot_be_used_are_told() -> None:
    direct = graph("a: id*, bId, oldId\nb: id*", "a.bId > b.id", link("a.oldId > b.id", confidence=0.2))

    assert "     not usable: a.oldId = b.id (foreign key, confidence 0.20)" in told("a", "b", PathFinder(direct))


def test_where_no_path_leads_it_is_told_what_would_help() -> None:
    doubt = graph("a: id*, bId\nb: id*", link("a.bId > b.id", confidence=0.5, type="inferred"))

    assert told("crew", "holiday").startswith("crew and holiday: no path of at most 4 joins.\nAdd the relationship")
    assert "A longer one: invoice - workOrder - crew" in told("invoice", "crew", PathFinder(SERVICE, max_hops=1))
    assert "One over doubtful relationships: a - b\n  a.bId = b.id (" in told("a", "b", PathFinder(doubt))


def test_a_table_and_itself_need_no_join() -> None:
    assert told("employee", "employee").startswith(
        "employee: one table, no join.\n  to itself: employee.supervisorId = employee.id"
    )
