import re
from xml.etree import ElementTree

import pytest
from join_graphs import SERVICE, graph, link

from turnkeep_agents.database.joins.drawing import MOST_NEIGHBOURS, around, draw, mermaid
from turnkeep_agents.database.joins.explaining import explain
from turnkeep_agents.database.joins.layout import Box, Link, lay_out
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.picture import detour
from turnkeep_agents.database.joins.records import JoinGraph

SVG = "{http://www.w3.org/2000/svg}"
MEAN = graph('a<b&"c": id*\n</svg><script>: id*, aId', '</svg><script>.aId > a<b&"c".id')


def large() -> JoinGraph:
    names = [f"table{number}" for number in range(122)]
    tables = "\n".join(f"{name}: id*, nextId, otherId" for name in names)
    near = [f"table{number}.nextId > table{(number * 7 + 1) % 122}.id" for number in range(122)]
    return graph(tables, *near, *(f"table{number}.otherId > table{number // 5}.id" for number in range(1, 122)))


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    rects = ElementTree.fromstring(picture).iter(f"{SVG}rect")
    return [tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height")) for rect in rects]  # type: ignore[misc]


def names(picture: str) -> list[str]:
    tables = ElementTree.fromstring(picture).iter(f"{SVG}g")
    return [table.attrib["data-name"] for table in tables]


def test_a_picture_holds_every_table_and_link() -> None:
    picture = draw(SERVICE, "svg")

    assert sorted(names(picture)) == sorted(SERVICE.tables)
    assert len(list(ElementTree.fromstring(picture).iter(f"{SVG}path"))) == len(SERVICE.relationships)


def test_a_link_does_not_run_behind_a_table_that_is_none_of_its_own() -> None:
    boxes = {"a": Box(0, 0, 60, 20), "b": Box(0, 80, 100, 20), "c": Box(0, 160, 60, 20), "d": Box(200, 0, 60, 20)}
    past, beside = detour(boxes["a"], boxes["c"], boxes.values()), detour(boxes["a"], boxes["b"], boxes.values())

    assert past / 2 >= 50  # the link comes half as far as it is drawn aside
    assert beside == detour(boxes["a"], boxes["d"], boxes.values()) == 0


def test_no_box_covers_another_in_a_drawing_of_122_tables() -> None:
    placed = boxes(draw(large(), "svg"))

    assert len(placed) == 122
    for index, (x, y, width, height) in enumerate(placed):
        for left, top, wide, high in placed[index + 1 :]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y


def test_the_same_graph_gives_the_same_drawing() -> None:
    assert draw(SERVICE, "html") == draw(SERVICE, "html")


def test_linked_tables_lie_near_each_other() -> None:
    sizes = {f"t{number}": (100.0, 20.0) for number in range(30)}
    chain = [Link(f"t{number}", f"t{number + 1}") for number in range(29)]

    at = lay_out(sizes, chain)

    def apart(a: Box, b: Box) -> float:
        return abs(a.x - b.x) + abs(a.y - b.y)

    linked = sum(apart(at[each.a], at[each.b]) for each in chain) / 29
    every = sum(apart(a, b) for a in at.values() for b in at.values()) / 30 / 29
    assert linked < every / 2


def test_names_are_text_whatever_they_hold() -> None:
    picture, page, text = draw(MEAN, "svg"), draw(MEAN, "html", ["</svg><script>"]), draw(MEAN, "mmd")

    assert sorted(names(picture)) == sorted(MEAN.tables)
    assert page.count("<script>") == 1
    assert page.count("</svg>") == 1
    assert '"a_b&_c_"' in text
    assert "<" not in text


def test_a_page_loads_nothing_from_elsewhere() -> None:
    page = draw(SERVICE, "html").replace('xmlns="http://www.w3.org/2000/svg"', "")

    assert not re.search(r"https?:|//\w|src=|href=|@import|url\(", page)


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
        draw(SERVICE, "svg", ["gone"])


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
    assert names(draw(JoinGraph(), "svg")) == []
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
