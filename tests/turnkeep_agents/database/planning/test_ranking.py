"""The tables that a question is about, by words alone."""

from collections.abc import Iterable

import pytest

from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.planning.ranking import TableRanker


def table(name: str, *columns: str | Column, comment: str = "", synonyms: tuple[str, ...] = ()) -> Table:
    made = [column if isinstance(column, Column) else Column(column) for column in columns]
    return Table(name, {column.name: column for column in made}, comment=comment, synonyms=synonyms)


def graph(*tables: Table, links: Iterable[str] = ()) -> JoinGraph:
    """`links` are written "one.column other.column"."""
    ends = [[end.split(".") for end in link.split()] for link in links]
    return JoinGraph({one.name: one for one in tables}, tuple(Relationship(a, b, c, d) for (a, b), (c, d) in ends))


BOATS = graph(
    table("boat", "id", "name", "harbourId", "ownerId", Column("kind", values=("ketch", "dinghy"))),
    table("harbour", "id", "name", "city", "waterDepth"),
    table("harbourMaster", "id", "harbourId", "fullName"),
    table("boatOwner", "boatId", "personId"),
    table("person", "id", "name", "email"),
    table("mooringFee", "id", "boatId", "amount", "paidOn", synonyms=("berth charge",)),
    table("mooringFee_hist", "id", "boatId", "amount", "paidOn"),
    table("weatherReport", "id", "text", comment="gales and fog near the coast"),
    table("seasons", "id", "name"),
    links=[
        "boat.harbourId harbour.id",
        "harbourMaster.harbourId harbour.id",
        "boatOwner.boatId boat.id",
        "boatOwner.personId person.id",
        "mooringFee.boatId boat.id",
        "mooringFee_hist.boatId boat.id",
    ],
)
RANKER = TableRanker(BOATS)


def names(question: str, ranker: TableRanker = RANKER, **options: object) -> list[str]:
    return ranker.rank(question, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("all boats", "boat"),
        ("who is harbour master where?", "harbourMaster"),
        ("which harbours are there", "harbour"),
        ("how deep is the water depth", "harbour"),
        ("ketches only", "boat"),
        ("berth charges of last year", "mooringFee"),
        ("was there fog", "weatherReport"),
        ("mooringfees over 100", "mooringFee"),
        ("the weahter", "weatherReport"),
        ("emails", "person"),
    ],
    ids=lambda value: value,
)
def test_names_columns_values_comments_and_synonyms_count(question: str, first: str) -> None:
    assert names(question)[0] == first


def test_a_question_without_known_words_finds_nothing() -> None:
    for question in ("", "   ", "?!", "who wrote a symphony for oboe", "what is it about"):
        assert RANKER.rank(question) == []
    assert TableRanker(JoinGraph()).rank("boats") == []


def test_a_forbidden_table_is_neither_found_nor_a_bridge() -> None:
    allowed = {"person", "harbour", "seasons"}
    assert set(names("harbours of boats and their persons", allowed=allowed)) == {"person", "harbour"}
    assert names("boats", allowed={"harbour"}) == []
    assert names("boats") != []
    assert names("boats", allowed=set()) == []


def test_the_limit_is_respected() -> None:
    question = "boats, harbours, persons, fees"
    assert len(names(question, limit=2)) == 2
    assert names(question, limit=2) == names(question, limit=5)[:2]
    assert names(question, limit=0) == []


def test_a_bridge_between_two_matching_tables_is_found() -> None:
    assert "boatOwner" in names("boats of each person", limit=4)
    without = TableRanker(graph(*BOATS.tables.values()))
    assert names("ketches of each person", limit=3) != names("ketches of each person", without, limit=3)


@pytest.mark.parametrize(
    "written", ["workOrderTask", "work_order_task", "WORK_ORDER_TASK", "WorkOrderTask", "tblWorkOrderTask"]
)
@pytest.mark.parametrize("question", ["tasks of work orders", "workorder task", "WorkOrderTasks"])
def test_names_are_read_in_any_spelling(written: str, question: str) -> None:
    ranker = TableRanker(
        graph(table(written, "id"), table("workTime", "id"), table("orderLine", "id"), table("x", "id"))
    )
    assert names(question, ranker)[0] == written


# run-together names, abbreviations, initials; names that are not ASCII, need quotes or are reserved words
ODD = TableRanker(
    graph(
        *(table(name, "id") for name in ("gasstation", "stations", "DEPT_HEAD", "IAP_SESSION", "ORG", "yearmonth")),
        table("gas_type", "station_id", comment="the one that was"),
        table("Größe", "id"),
        table("select", "from"),
        table("état civil", "né le"),
        table("ticket", Column("state", values=("half done",))),
    )
)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("gas stations", "gasstation"),
        ("head of each department", "DEPT_HEAD"),
        ("independent activity periods", "IAP_SESSION"),
        ("organizations", "ORG"),
        ("the year month table", "yearmonth"),
        ("grosse oder große Größe", "Größe"),
        ("the etat civil of all", "état civil"),
        ("a SELECT of something", "select"),
        ("those half done", "ticket"),
    ],
)
def test_abbreviations_and_odd_names_are_understood(question: str, found: str) -> None:
    assert names(question, ODD)[0] == found


@pytest.mark.parametrize("question", ["half of them", "tall houses everywhere"])
def test_part_of_a_value_and_stop_words_of_a_comment_do_not_count(question: str) -> None:
    assert names(question, ODD) == []


def test_audit_links_make_no_neighbours() -> None:
    tables = [table(name, "id", "created_by", "userId") for name in ("kayak", "paddle")]
    audit = graph(*tables, table("user", "id"), links=["kayak.created_by user.id", "paddle.created_by user.id"])
    plain = graph(*tables, table("user", "id"), links=["kayak.userId user.id", "paddle.userId user.id"])
    assert "user" not in names("kayaks and paddles", TableRanker(audit))
    assert "user" in names("kayaks and paddles", TableRanker(plain))


def test_a_hub_is_not_ranked_by_its_neighbours() -> None:
    rooms = [table(f"room{letter}", "id", "ownerId") for letter in "abcdefghijklmnopqrstuvwxyz"]
    hub = graph(
        *rooms, table("owner", "id"), table("zkey", "id", "leftId", "rightId"),
        links=[*(f"{room.name}.ownerId owner.id" for room in rooms), "zkey.leftId rooma.id", "zkey.rightId roomb.id"],
    )  # fmt: skip
    found = names("rooma and roomb", TableRanker(hub), limit=4)
    assert found[2] == "zkey"


@pytest.mark.timeout(120)  # it would take minutes
def test_the_longest_message_is_ranked() -> None:
    assert names("boats " + "gibberish-" * 6_000)[0] == "boat"
