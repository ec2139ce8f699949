from dataclasses import replace

import pytest
from join_graphs import graph, link

from turnkeep_agents.database.joins.inference import infer
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, JoinGraph, Kind, Relationship, merged


def told(joined: JoinGraph) -> dict[str, Relationship]:
    """The links that a join may use."""
    return {
        f"{each.from_table}.{each.from_column} > {each.to_table}.{each.to_column}": each
        for each in infer(joined.tables, joined.relationships)
        if each.confidence >= CONFIDENCE_THRESHOLD
    }


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("employee: id*", "visit: id*, employeeId", "visit.employeeId > employee.id"),
        ("employees: id*", "visit: id*, employee_id", "visit.employee_id > employees.id"),
        ("EMPLOYEES: ID*", "VISITS: ID*, EMPLOYEE_ID", "VISITS.EMPLOYEE_ID > EMPLOYEES.ID"),
        ("employee: employee_id*", "visit: visit_id*, employee_id", "visit.employee_id > employee.employee_id"),
        ("building: building_key*", "room: room_key*, building_key", "room.building_key > building.building_key"),
        ("employee: id*", "visit: id*, leadEmployeeId", "visit.leadEmployeeId > employee.id"),
        ("category: id*", "item: id*, categoryId", "item.categoryId > category.id"),
        ("shop_pools: id*", "shop_members: id*, pool_id", "shop_members.pool_id > shop_pools.id"),
        ("securitygroups: id*", "rule: id*, security_group_id", "rule.security_group_id > securitygroups.id"),
        ("vm: id*, uuid", "disk: id*, vm_uuid", "disk.vm_uuid > vm.uuid"),
        ("straße: id*", "haus: id*, straßeId", "haus.straßeId > straße.id"),
    ],
)
def test_a_column_that_names_a_table_points_at_its_key(one: str, other: str, wanted: str) -> None:
    found = told(graph(f"{one}\n{other}"))

    assert list(found) == [wanted]
    assert found[wanted].confidence < 1
    assert found[wanted].type == "inferred"
    assert found[wanted].cardinality == "N:1"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("employee: id*", "visit: id*, number"),
        ("employee: id*, name", "visit: id*, name"),
        ("employee: id*, createdAt", "visit: id*, createdAt"),
        ("employee: id*", "visit: id*, employee"),
        ("shop_pools: id*", "bank_members: id*, pool_id"),
    ],
)
def test_what_says_less_is_no_link(one: str, other: str) -> None:
    assert told(graph(f"{one}\n{other}")) == {}


def test_better_evidence_gives_more_confidence() -> None:
    tables = "pool: id*\nshop_area: id*\nshop_visit: id*, poolId, oldPoolId, areaId"

    found = told(graph(tables))

    grades = [
        found[f"shop_visit.{column}"].confidence
        for column in ("poolId > pool.id", "oldPoolId > pool.id", "areaId > shop_area.id")
    ]
    assert grades == sorted(grades, reverse=True)
    assert len(set(grades)) == 3


def test_a_unique_column_is_one_to_one() -> None:
    assert told(graph("user: id*\nprofile: id*, userId!"))["profile.userId > user.id"].cardinality == "1:1"


def test_a_parent_is_in_the_same_table() -> None:
    assert "area.parentId > area.id" in told(graph("area: id*, parentId\nshop: id*"))


def test_declared_columns_are_not_guessed_at() -> None:
    declared = graph("user: id*\nperson: id*\nvisit: id*, userId", "visit.userId > person.id")

    assert told(declared) == {}


def test_a_database_that_declares_keys_is_still_asked_where_it_is_silent() -> None:
    joined = graph("user: id*\nshop: id*\nvisit: id*, userId, shopId", "visit.userId > user.id")

    assert list(told(joined)) == ["visit.shopId > shop.id"]


def test_a_key_that_is_a_foreign_key_itself_is_no_target() -> None:
    joined = graph("net: id*\nextra_net: net_id*\nport: id*, net_id", "extra_net.net_id > net.id")

    assert list(told(joined)) == ["port.net_id > net.id"]


WAREHOUSE = """
    BUILDINGS: BUILDING_KEY, BUILDING_NAME
    ROOMS: ROOM_KEY, BUILDING_KEY, TERM_CODE
    ADDRESSES: ADDRESS_KEY, OLD_BUILDING_KEY, DEPT_CODE
    DEPARTMENTS: DEPARTMENT_CODE, FULL_NAME
    COURSES: COURSE_KEY, TERM_CODE, DEPARTMENT
    PEOPLE: FULL_NAME, AGE
"""


@pytest.mark.parametrize(
    "wanted",
    [
        "ROOMS.BUILDING_KEY > BUILDINGS.BUILDING_KEY",
        "ADDRESSES.OLD_BUILDING_KEY > BUILDINGS.BUILDING_KEY",
        "ROOMS.TERM_CODE > COURSES.TERM_CODE",
        "COURSES.DEPARTMENT > DEPARTMENTS.DEPARTMENT_CODE",
        "DEPARTMENTS.FULL_NAME > PEOPLE.FULL_NAME",
    ],
)
def test_a_database_without_any_key_is_joined_by_names(wanted: str) -> None:
    assert wanted in told(graph(WAREHOUSE))


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
def test_where_tables_without_keys_share_none_a_weaker_sign_will_do(one: str, other: str, wanted: str) -> None:
    found = told(graph(f"{one}\n{other}"))

    assert list(found) == [wanted]
    assert found[wanted].cardinality == "N:N"
    shared = told(graph(f"{one}, SHIP_CODE\n{other}, SHIP_CODE"))
    assert wanted not in shared
    assert len(shared) == 1


def test_weaker_signs_count_for_nothing_where_tables_have_keys() -> None:
    assert told(graph("rooms: roomId*\nstaff: id*, office_location, fiscal_year\nunits: id*, fiscal_year")) == {}


def test_a_shared_column_joins_many_to_many_and_is_less_sure_than_a_key() -> None:
    found = told(graph(WAREHOUSE))
    shared, key = found["ROOMS.TERM_CODE > COURSES.TERM_CODE"], found["ROOMS.BUILDING_KEY > BUILDINGS.BUILDING_KEY"]

    assert (shared.cardinality, key.cardinality) == ("N:N", "N:1")
    assert shared.confidence < key.confidence


def test_tables_with_keys_are_not_joined_by_what_they_share() -> None:
    assert told(graph("a: id*, term_code\nb: id*, term_code")) == {}


def test_a_name_that_many_tables_share_says_less() -> None:
    few = told(graph("a: x, term_code\nb: x, term_code"))
    many = told(graph("\n".join(f"t{number}: x, term_code" for number in range(9))))

    assert max(each.confidence for each in many.values()) < min(each.confidence for each in few.values())


@pytest.mark.parametrize(("kind", "is_less"), [("text", True), ("number", False), ("other", False)])
def test_columns_of_different_kinds_are_less_sure(kind: Kind, is_less: bool) -> None:
    plain = graph("user: id*\nvisit: id*, userId")
    user, visit = plain.tables["user"], plain.tables["visit"]
    key = replace(user.columns["id"], kind="integer")
    pointing = replace(visit.columns["userId"], kind=kind)
    tables = {
        "user": replace(user, columns={"id": key}),
        "visit": replace(visit, columns={**visit.columns, "userId": pointing}),
    }

    (found,) = infer(tables)

    assert (found.confidence < infer(plain.tables)[0].confidence) is is_less


def test_no_link_is_told_in_both_directions() -> None:
    found = infer(graph("a: thing_id, x\nb: thing_id, x\nthing: thing_id, y").tables)

    assert len(merged(found)) == len(found)


# Several sources


def test_the_most_trusted_source_says_what_a_link_is_and_the_surest_how_sure() -> None:
    guess = link("a.bId > b.id", type="inferred", confidence=0.9, cardinality="N:N")
    said = link("a.bId > b.id", type="association", confidence=0.8, role="belongs to")
    declared = link("a.bId > b.id", confidence=1.0)

    assert merged([guess], [said]) == (replace(said, confidence=0.9),)
    assert merged([guess], [said], [declared]) == (replace(declared, role="belongs to"),)


def test_what_a_person_rated_stays() -> None:
    rated = link("a.bId > b.id", type="manual", confidence=0.2)

    assert merged([link("a.bId > b.id")], [rated]) == (rated,)


def test_parallel_links_stay_apart_and_turned_ones_are_the_same() -> None:
    one, other = link("a.bId > b.id"), link("a.oldBId > b.id")

    assert merged([one, other], [one]) == (one, other)
    assert merged([one], [link("b.id > a.bId", type="inferred", confidence=0.8)]) == (one,)


def test_composite_links_are_the_same_only_whole() -> None:
    whole = link("a.x > b.x", others=(("y", "y"),))

    assert merged([whole], [link("a.x > b.x")]) == (whole, link("a.x > b.x"))
    assert merged([whole], [link("a.y > b.y", others=(("x", "x"),))]) == (whole,)
