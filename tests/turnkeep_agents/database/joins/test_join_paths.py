import pytest
from hypothesis import given
from hypothesis import strategies as st
from join_graphs import SERVICE, graph, link

from turnkeep_agents.database.joins.link_costs import Path, cost_of
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

FINDER = PathFinder(SERVICE)


def edges(path: Path | None) -> list[str]:
    return [f"{each.from_table}.{each.from_column}" for each in path or ()]


def shortest(finder: PathFinder, a: str, b: str) -> Path | None:
    return finder.paths_from(a).get(b)


def test_an_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError, match="nothing"):
        FINDER.connect(["crew", "nothing"])


def test_direct_links_are_sorted_by_cost() -> None:
    links = FINDER.links.between("employee", "workOrder")
    keys = [link("a.m > b.m", confidence=0.5), link("a.x > b.x", confidence=0.5, others=(("y", "y"),))]
    shared = PathFinder(graph("a: m, x, y\nb: m, x, y", *keys), confidence_threshold=0.5)
    assert edges(links) == ["workOrder.approvedBy", "workOrder.assignedTo", "workOrder.createdBy"]
    assert edges(shared.links.between("a", "b")) == ["a.x", "a.m"]


def test_an_association_table_is_preferred_among_equal_paths() -> None:
    tables = "crew: id*, branchId\nemployee: id*, branchId\nbranch: id*, bossId\nemployeeCrew: id*, employeeId, crewId"
    links = ["crew.branchId > branch.id", "employee.branchId > branch.id", "branch.bossId > employee.id"]
    bridge = ["employeeCrew.employeeId > employee.id", "employeeCrew.crewId > crew.id"]
    ways = ["a.zId > z.id", "b.zId > z.id", "zz.aId > a.id", "zz.bId > b.id"]
    shared = graph("a: id*, zId\nb: id*, zId\nz: id*\nzz: id*, aId, bId", *map(link, ways))
    over = shortest(PathFinder(graph(tables, *map(link, [*links, *bridge]))), "employee", "crew")
    assert {each.from_table for each in over or ()} == {"employeeCrew"}
    assert {each.from_table for each in shortest(PathFinder(shared), "a", "b") or ()} == {"zz"}


def test_a_common_centre_is_preferred_to_pairwise_bridges() -> None:
    hubs = [link(f"{name}.hubId > hub.id", confidence=0.9) for name in "abc"]
    bridges = ["a.abId > ab.id", "b.abId > ab.id", "b.bcId > bc.id", "c.bcId > bc.id"]
    tables = "a: hubId, abId\nb: hubId, abId, bcId\nc: hubId, bcId\nhub: id*\nab: id*\nbc: id*"
    assert PathFinder(graph(tables, *hubs, *bridges)).connect(["a", "b", "c"]).added == ("hub",)


def test_a_tree_avoids_audit_links() -> None:
    links = ["order.createdBy > person.id", "visit.orderId > order.id", "visit.personId > person.id"]
    made = graph("order: id*, createdBy\nvisit: id*, orderId, personId\nperson: id*", *links)
    assert PathFinder(made).connect(["order", "person"]).added == ("visit",)


def test_the_table_asked_first_wins_among_equal_parts() -> None:
    assert FINDER.connect(["holiday", "crew"]).tables == ("holiday",)
    assert FINDER.connect(["crew", "holiday"]).tables == ("crew",)


# Any graph

NAMES = "abcdef"
COLUMNS = ["id", "one", "two", "created_by"]


@st.composite
def any_graph(draw: st.DrawFn) -> JoinGraph:
    """Some links dangle: they name a table or a column that does not exist."""
    ends = st.tuples(st.sampled_from(NAMES), st.sampled_from([*COLUMNS, "gone"]), st.sampled_from(f"{NAMES}z"))
    drawn = draw(st.lists(ends, max_size=12, unique=True))
    confidences = draw(st.lists(st.sampled_from([1.0, 0.8, 0.7, 0.5]), min_size=len(drawn), max_size=len(drawn)))
    links = [
        Relationship(start, column, end, "id", confidence=confidence)
        for (start, column, end), confidence in zip(drawn, confidences, strict=True)
    ]
    return graph("\n".join(f"{name}: {', '.join(COLUMNS)}" for name in NAMES), *links)


def cheapest(finder: PathFinder, a: str, b: str, hops: int, *, passed: int = 0) -> int | None:
    """Return the cost of the cheapest path by trying all; `passed` is the cost of going on from `a`."""
    if a == b:
        return 0
    if not hops:
        return None
    costs = []
    for neighbour in NAMES:
        for step in finder.links.between(a, neighbour):
            through = finder.links.through(neighbour)
            rest = cheapest(finder, neighbour, b, hops - 1, passed=through) if neighbour != a else None
            costs += [passed + cost_of(step) + rest] if rest is not None else []
    return min(costs, default=None)


@given(any_graph(), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 4))
def test_every_path_is_valid_and_the_cheapest(joined: JoinGraph, a: str, b: str, hops: int) -> None:
    finder = PathFinder(joined, max_hops=hops)
    assert all(step.from_column in COLUMNS for name in NAMES for step in finder.links.between(a, name))
    assert finder.links.between(a, "z") == ()
    path = shortest(finder, a, b)
    wanted = cheapest(finder, a, b, hops)
    if path is None:
        assert wanted is None
        return
    at = a
    for step in path:
        assert step in joined.relationships
        assert step.confidence >= finder.confidence_threshold
        assert at in (step.from_table, step.to_table)
        at = step.to_table if at == step.from_table else step.from_table
    assert at == b
    assert len(path) <= hops
    assert finder.links.length(path) == wanted


@given(any_graph(), st.lists(st.sampled_from(NAMES), max_size=5))
def test_a_tree_spans_the_asked_tables(joined: JoinGraph, asked: list[str]) -> None:
    finder = PathFinder(joined)
    tree = finder.connect(asked)
    assert len(tree.joins) == max(0, len(tree.tables) - 1)
    for place, (name, step) in enumerate(zip(tree.tables[1:], tree.joins, strict=True), 1):
        ends = {step.from_table, step.to_table}
        assert name in ends
        assert ends - {name} <= set(tree.tables[:place])
        assert step in finder.links.between(step.from_table, step.to_table)
    assert set(tree.tables) == (set(asked) | set(tree.added)) - set(tree.unreachable)
    assert set(tree.added).isdisjoint(asked)
    inner = [name for step in tree.joins for name in (step.from_table, step.to_table)]
    assert all(inner.count(name) > 1 for name in tree.added)
    for lost in tree.unreachable:
        assert all(shortest(finder, lost, name) is None for name in tree.tables if name in asked)
