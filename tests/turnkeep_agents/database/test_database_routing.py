"""Messages go to the database, the manual or a general answer, with the history; and how sure the rules are."""

import json
from pathlib import Path

import pytest

from turnkeep_agents.database.joins.records import Column, JoinGraph, Table
from turnkeep_agents.database.manual.manual import open_manual
from turnkeep_agents.database.routing import SURE, route_by_rules
from turnkeep_agents.database.vocabulary import Vocabulary, vocabulary_of
from turnkeep.blocks.rarity import stem_of

LEAST_ACCURACY = 0.95
LEAST_ACCURACY_WHERE_SURE = 0.98
LEAST_SURE = 0.8


def table(name: str, *columns: str, synonyms: tuple[str, ...] = (), **values: tuple[str, ...]) -> Table:
    return Table(name, {one: Column(one, values=values.get(one, ())) for one in columns}, synonyms=synonyms)


@pytest.fixture(scope="module")
def names() -> Vocabulary:
    tables = (
        table("employee", "id", "firstName", "lastName", "hireDate", "jobTitle", synonyms=("technician", "worker")),
        table("crew", "id", "name"),
        table("workOrder", "number", "status", "priority", "dueDate", "crewId", status=("on_hold", "completed")),
        table("customer", "name", "city", "creditLimit", synonyms=("client",)),
        table("inspections", "result", "score"),
        table("invoice", "total", "status", status=("paid", "overdue")),
        table("vehicle", "plate", "mileage"),
    )
    return vocabulary_of(JoinGraph({one.name: one for one in tables}), open_manual(None))


@pytest.mark.parametrize(
    ("message", "route"),
    [
        ("How many technicians are on duty?", "sql"),
        ("Which crews have no lead?", "sql"),
        ("status of work order WO-10482", "sql"),
        ("overdue invoices", "sql"),
        ("top 5 customers by credit limit", "sql"),
        ("average mileage per vehicle last year", "sql"),
        ("employees hired in 2024", "sql"),
        ("list the vehicles with more than 100000 km", "sql"),
        ("Which work orders are on hold?", "sql"),
        ("Do we have clients in Springfield?", "sql"),
        ("Has invoice 1042 been paid?", "sql"),
        ("Give me the phone number of Maria Lopez", "sql"),
        ("customers without work orders", "sql"),
        ("For each crew, show the number of inspections", "sql"),
        ("How do I create a work order?", "rag"),
        ("Can I reopen a closed work order?", "rag"),
        ("How many members may a crew have?", "rag"),
        ("where do I see overdue work orders?", "rag"),
        ("I can't publish the schedule", "rag"),
        ("does the app work offline?", "rag"),
        ("Who can close work orders?", "rag"),
        ("explain the roles", "rag"),
        ("What does utilization mean?", "rag"),
        ("reset password", "rag"),
        ("Is there a way to merge customers?", "rag"),
        ("error FM-310", "rag"),
        ("What is the default notice period of a contract?", "rag"),
        ("hi there", "general"),
        ("thanks a lot, bye", "general"),
        ("What can you do for me?", "general"),
        ("Are you a real person?", "general"),
        ("Tell me a joke about plumbers", "general"),
        ("what is 12 * 7", "general"),
        ("Translate good morning into Italian", "general"),
        ("Write a poem about crews", "general"),
        ("What's the weather like today?", "general"),
        ("What is the capital of Mongolia?", "general"),
        ("How many moons does Jupiter have?", "general"),
        ("define ambivalence", "general"),
    ],
)
def test_a_message_goes_where_its_answer_lies(names: Vocabulary, message: str, route: str) -> None:
    assert route_by_rules(message, names=names, last_route=None, is_follow_up=False).route == route


@pytest.mark.parametrize(
    ("message", "last", "route"),
    [
        ("and last month?", "sql", "sql"),
        ("show them by crew", "sql", "sql"),
        ("only those without a plate", "sql", "sql"),
        ("and the same for 2023", "sql", "sql"),
        ("what about inspections?", "sql", "sql"),
        ("what about inspections?", "rag", "rag"),
        ("and for the mobile app?", "rag", "rag"),
        ("why?", "rag", "rag"),
        ("why?", "sql", "sql"),
        ("How do I export that?", "sql", "rag"),
        ("and how do I close one?", "sql", "rag"),
        ("How many of those were urgent last week?", "rag", "sql"),
        ("thank you", "sql", "general"),
        ("thank you", "rag", "general"),
    ],
)
def test_a_follow_up_stays_on_its_route_unless_it_plainly_changes_it(
    names: Vocabulary, message: str, last: str, route: str
) -> None:
    assert route_by_rules(message, names=names, last_route=last, is_follow_up=True).route == route


def test_without_a_schema_grammar_alone_decides() -> None:
    assert route_by_rules("How many llamas live in Peru?").route == "sql"
    assert route_by_rules("How do I shear a llama?").route == "rag"


def test_what_neither_data_nor_manual_speaks_of_is_general(names: Vocabulary) -> None:
    message = "What is the habitat of the llama?"
    assert route_by_rules(message, names=names).route == "general"
    assert route_by_rules(message).route == "rag"


def test_a_quoted_wish_is_a_value(names: Vocabulary) -> None:
    assert route_by_rules("Which customers wrote 'thank you, goodbye'?", names=names).route == "sql"


@pytest.mark.parametrize("message", ["", " ", "?!", "\u4f60\u597d\u5417", "xyzzy"])
def test_a_message_that_says_nothing_is_unsure(message: str) -> None:
    found = route_by_rules(message)
    assert found.confidence < SURE
    assert found.reason


def test_a_plain_message_is_sure_and_says_why(names: Vocabulary) -> None:
    found = route_by_rules("How many invoices are overdue?", names=names)
    assert found.confidence > SURE
    assert found.reason == "it counts"


def test_an_unknown_last_route_counts_for_nothing() -> None:
    plain = route_by_rules("and then?")
    assert route_by_rules("and then?", last_route="clarify", is_follow_up=True) == plain


@pytest.mark.parametrize(
    "text", ["a, b, ", "for a, ", "how many ", "which a ", "'", '"', "tell me ", "say a ", "1+", "in 9 days ", "Aa "]
)
@pytest.mark.timeout(20)  # a pattern that backtracks would take minutes
def test_a_hostile_message_is_read_at_once(names: Vocabulary, text: str) -> None:
    route_by_rules(text * 20_000, names=names)


def test_names_are_read_apart_and_values_as_they_are_said(names: Vocabulary) -> None:
    assert {"credit", "limit", "client", "technician"} <= names.data
    assert not {"id", "name", "creditlimit"} & names.data
    assert names.names_value("Those that are on hold?")
    assert not names.names_value("Those that are held?")
    assert {stem_of("checklists"), stem_of("overtime")} <= names.manual


def test_most_questions_of_real_people_go_where_people_sent_them(shared_data: Path) -> None:
    lines = (shared_data / "routing" / "dev.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    found = [(route_by_rules(row["text"]), row["route"].lower()) for row in rows]
    sure = [one for one in found if one[0].confidence >= SURE]
    right, right_where_sure = (sum(one.route == route for one, route in some) for some in (found, sure))
    assert right / len(found) >= LEAST_ACCURACY
    assert len(sure) / len(found) >= LEAST_SURE
    assert right_where_sure / len(sure) >= LEAST_ACCURACY_WHERE_SURE


def test_questions_to_other_databases_are_taken_for_what_they_are(shared_data: Path) -> None:
    lines = (shared_data / "bird_minidev_sql" / "gold_sqlite.jsonl").read_text().splitlines()
    found = [route_by_rules(json.loads(line)["question"]).route for line in lines]
    assert found.count("sql") / len(found) >= 0.9
