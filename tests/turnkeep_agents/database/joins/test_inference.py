from dataclasses import replace

import pytest
from join_graphs import graph, link

from turnkeep_agents.database.joins.inference import infer
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, JoinGraph, Relationship, merged


def usable(joined: JoinGraph) -> dict[str, Relationship]:
    """Return the links that joins may use."""
    found = [each for each in infer(joined.tables, joined.relationships) if each.confidence >= CONFIDENCE_THRESHOLD]
    return {each.condition.replace(" = ", " > "): each for each in found}


@pytest.mark.parametrize(
    ("tables", "wanted"),
    [
        ("employee: id*; visit: id*, employeeId", "visit.employeeId > employee.id"),
        ("EMPLOYEES: ID*; VISITS: ID*, EMPLOYEE_ID", "VISITS.EMPLOYEE_ID > EMPLOYEES.ID"),
        ("employee: employee_id*; visit: visit_id*, employee_id", "visit.employee_id > employee.employee_id"),
        ("building: building_key*; room: room_key*, building_key", "room.building_key > building.building_key"),
        ("employee: id*; visit: id*, leadEmployeeId", "visit.leadEmployeeId > employee.id"),
        ("category: id*; item: id*, categoryId", "item.categoryId > category.id"),
        ("shop_pools: id*; shop_members: id*, pool_id", "shop_members.pool_id > shop_pools.id"),
        ("securitygroups: id*; rule: id*, security_group_id", "rule.security_group_id > securitygroups.id"),
        ("straße: id*; haus: id*, straßeId", "haus.straßeId > straße.id"),
        ("area: id*, parentId; shop: id*", "area.parentId > area.id"),
        ("user: id*; profile: id*, userId!", "profile.userId > user.id"),
        ("employee: id*; visit: id*, number", ""),
        ("employee: id*, name; visit: id*, name", ""),
        ("employee: id*; visit: id*, employee", ""),
        ("shop_pools: id*; bank_members: id*, pool_id", ""),
        ("rooms: roomId*; staff: id*, office_location, fiscal_year; units: id*, fiscal_year", ""),
    ],
)
def test_a_column_that_names_a_table_points_at_its_key_and_weaker_names_are_no_link(tables: str, wanted: str) -> None:
    found = usable(graph(tables.replace(";", "\n")))
    assert list(found) == [wanted] * bool(wanted)
    for each in found.values():
        assert each.confidence < 1
        assert (each.type, each.cardinality) == ("inferred", "1:1" if "!" in tables else "N:1")


@pytest.mark.parametrize(
    ("tables", "declared", "wanted"),
    [
        ("user: id*\nperson: id*\nvisit: id*, userId", "visit.userId > person.id", []),
        ("user: id*\nshop: id*\nvisit: id*, userId, shopId", "visit.userId > user.id", ["visit.shopId > shop.id"]),
        ("net: id*\nextra_net: net_id*\nport: id*, net_id", "extra_net.net_id > net.id", ["port.net_id > net.id"]),
    ],
)
def test_declared_columns_are_neither_guessed_nor_targets(tables: str, declared: str, wanted: list[str]) -> None:
    assert list(usable(graph(tables, declared))) == wanted


WAREHOUSE = """
    BUILDINGS: BUILDING_KEY, BUILDING_NAME
    ROOMS: ROOM_KEY, BUILDING_KEY, TERM_CODE
    ADDRESSES: ADDRESS_KEY, OLD_BUILDING_KEY, DEPT_CODE
    DEPARTMENTS: DEPARTMENT_CODE, FULL_NAME
    COURSES: COURSE_KEY, TERM_CODE, DEPARTMENT
    PEOPLE: FULL_NAME, AGE
"""


def test_a_database_without_any_key_is_joined_by_names() -> None:
    """Shared columns join many to many, with less confidence."""
    found = usable(graph(WAREHOUSE))
    assert found.keys() >= {
        "ROOMS.BUILDING_KEY > BUILDINGS.BUILDING_KEY",
        "ADDRESSES.OLD_BUILDING_KEY > BUILDINGS.BUILDING_KEY",
        "ROOMS.TERM_CODE > COURSES.TERM_CODE",
        "COURSES.DEPARTMENT > DEPARTMENTS.DEPARTMENT_CODE",
        "DEPARTMENTS.FULL_NAME > PEOPLE.FULL_NAME",
    }
    shared, key = found["ROOMS.TERM_CODE > COURSES.TERM_CODE"], found["ROOMS.BUILDING_KEY > BUILDINGS.BUILDING_KEY"]
    assert (shared.cardinality, key.cardinality) == ("N:N", "N:1")
    assert shared.confidence < key.confidence


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("PLANS: X, TERM_CODE", "DAYS: X, ACADEMIC_TERM_CODE", "DAYS.ACADEMIC_TERM_CODE > PLANS.TERM_CODE"),
        ("PLANS: X, BRANCH", "SUBJECTS: X, BRANCH_CODE", "PLANS.BRANCH > SUBJECTS.BRANCH_CODE"),
        ("ORG_UNIT: X, ORG_UNIT_TITLE", "STAFF: X, ORG_UNIT_TITLE", "ORG_UNIT.ORG_UNIT_TITLE > STAFF.ORG_UNIT_TITLE"),
        ("MONTHS: X, FISCAL_YEAR", "QUARTERS: X, FISCAL_YEAR", "MONTHS.FISCAL_YEAR > QUARTERS.FISCAL_YEAR"),
        ("ROOMS: ROOM_KEY", "STAFF: X, OFFICE_LOCATION", "STAFF.OFFICE_LOCATION > ROOMS.ROOM_KEY"),
    ],
)
def test_tables_without_keys_are_joined_by_weaker_signs(one: str, other: str, wanted: str) -> None:
    found = usable(graph(f"{one}\n{other}"))
    assert [(name, each.cardinality) for name, each in found.items()] == [(wanted, "N:N")]
    shared = usable(graph(f"{one}, SHIP_CODE\n{other}, SHIP_CODE"))
    assert wanted not in shared
    assert len(shared) == 1


def test_no_link_appears_in_both_directions() -> None:
    found = infer(graph("a: thing_id, x\nb: thing_id, x\nthing: thing_id, y").tables)
    assert len(merged(found)) == len(found)


def test_the_most_trusted_source_describes_a_link() -> None:
    guess = link("a.bId > b.id", type="inferred", confidence=0.9, cardinality="N:N")
    associated = link("a.bId > b.id", type="association", confidence=0.8, role="belongs to")
    declared, rated = link("a.bId > b.id"), link("a.bId > b.id", type="manual", confidence=0.2)
    assert merged([guess], [associated]) == (replace(associated, confidence=0.9),)
    assert merged([guess], [associated], [declared]) == (replace(declared, role="belongs to"),)
    assert merged([declared], [rated]) == (rated,)


def test_parallel_and_composite_links_stay_apart_and_reversed_ones_merge() -> None:
    one, other, whole = link("a.bId > b.id"), link("a.oldBId > b.id"), link("a.x > b.x", others=(("y", "y"),))
    assert merged([one, other], [one]) == (one, other)
    assert merged([one], [link("b.id > a.bId", type="inferred", confidence=0.8)]) == (one,)
    assert merged([whole], [link("a.x > b.x")]) == (whole, link("a.x > b.x"))
    assert merged([whole], [link("a.y > b.y", others=(("x", "x"),))]) == (whole,)
