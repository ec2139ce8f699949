import pytest
from join_graphs import SERVICE, graph, link

from turnkeep_agents.database.joins.drawing import MOST_NEIGHBOURS, around, draw, mermaid
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
