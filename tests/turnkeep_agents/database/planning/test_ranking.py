"""The tables that a question is about, by words alone."""

from dataclasses import replace

import pytest
from join_graphs import graph, table

from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.planning.ranking import TableRanker

PLAIN_BOATS = graph(
    """
    boat: id, name, harbourId, ownerId, kind=ketch|dinghy
    harbour: id, name, city, waterDepth
    harbourMaster: id, harbourId, fullName
    boatOwner: boatId, personId
    person: id, name, email
    mooringFee: id, boatId, amount, paidOn
    mooringFee_hist: id, boatId, amount, paidOn
    weatherReport: id, text
    seasons: id, name
    """,
    "boat.harbourId > harbour.id",
    "harbourMaster.harbourId > harbour.id",
    "boatOwner.boatId > boat.id",
    "boatOwner.personId > person.id",
    "mooringFee.boatId > boat.id",
    "mooringFee_hist.boatId > boat.id",
)
DESCRIBED = {
    "mooringFee": replace(PLAIN_BOATS.tables["mooringFee"], synonyms=("berth charge",)),
    "weatherReport": replace(PLAIN_BOATS.tables["weatherReport"], comment="gales and fog near the coast"),
}
BOATS = replace(PLAIN_BOATS, tables={**PLAIN_BOATS.tables, **DESCRIBED})
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
    without = TableRanker(replace(BOATS, relationships=()))
    assert names("ketches of each person", limit=3) != names("ketches of each person", without, limit=3)


@pytest.mark.parametrize(
    "written", ["workOrderTask", "work_order_task", "WORK_ORDER_TASK", "WorkOrderTask", "tblWorkOrderTask"]
)
@pytest.mark.parametrize("question", ["tasks of work orders", "workorder task", "WorkOrderTasks"])
def test_names_are_read_in_any_spelling(written: str, question: str) -> None:
    ranker = TableRanker(graph(f"{written}: id\nworkTime: id\norderLine: id\nx: id"))
    assert names(question, ranker)[0] == written


# run-together names, abbreviations, initials; names that are not ASCII, need quotes or are reserved words
NAMES = ("gasstation", "stations", "DEPT_HEAD", "IAP_SESSION", "ORG", "yearmonth", "Größe")
ODD_TABLES = [table(f"{name}: id") for name in NAMES]
ODD_TABLES += [table("gas_type: station_id", comment="the one that was"), table("ticket: state=half done")]
ODD_TABLES += [table("select: from"), table("état civil: né le")]
ODD = TableRanker(JoinGraph({one.name: one for one in ODD_TABLES}))


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
    tables = "kayak: id, created_by, userId\npaddle: id, created_by, userId\nuser: id"
    audit = graph(tables, "kayak.created_by > user.id", "paddle.created_by > user.id")
    plain = graph(tables, "kayak.userId > user.id", "paddle.userId > user.id")
    assert "user" not in names("kayaks and paddles", TableRanker(audit))
    assert "user" in names("kayaks and paddles", TableRanker(plain))


def test_a_hub_is_not_ranked_by_its_neighbours() -> None:
    rooms = [f"room{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    tables = "\n".join([*(f"{room}: id, ownerId" for room in rooms), "owner: id", "zkey: id, leftId, rightId"])
    links = [f"{room}.ownerId > owner.id" for room in rooms]
    hub = graph(tables, *links, "zkey.leftId > rooma.id", "zkey.rightId > roomb.id")
    assert names("rooma and roomb", TableRanker(hub), limit=4)[2] == "zkey"


@pytest.mark.timeout(120)  # it would take minutes
def test_the_longest_message_is_ranked() -> None:
    assert names("boats " + "gibberish-" * 6_000)[0] == "boat"
