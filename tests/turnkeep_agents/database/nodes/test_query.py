"""The SQL graph with a scripted model and a recording database: what reaches the database, and what happens to
statements that are refused, fail or return nothing."""

from collections.abc import Callable

import pytest
from talk import ANSWER, CORRECT, COUNT, NONE, READ, SEVEN, WRITE, Talk, ask, correct, read, write

from turnkeep.errors import ModelError
from turnkeep.records import Principal
from turnkeep_agents.database.results import Result
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged

QUESTION = "How many employees are active?"
STAFF = read(ask(QUESTION, "employee"))
ANSWERED = (ANSWER, "There are 7.")
MINUTES = "SELECT SUM(visit.minutes) AS minutes FROM visit JOIN visitPhoto ON visitPhoto.visitId = visit.id"
MISJOINED = "SELECT COUNT(*) AS n FROM visit JOIN employee ON employee.id = visit.crewId"

type Start = Callable[..., Talk]


async def test_the_checked_statement_over_secure_views_runs(talk: Talk) -> None:
    reply = await talk.say(QUESTION, STAFF, write(f"{COUNT} -- by hand"), ANSWERED, plays=[SEVEN])
    assert (reply.route, reply.warnings, reply.text) == ("sql", (), "There are 7.")
    assert talk.database.ran == [reply.details["sql"]]
    assert "secure_employee" in talk.database.ran[0]
    assert "by hand" not in talk.database.ran[0]
    assert reply.details["tables"] == ["employee"]
    assert (reply.details["columns"], reply.details["rows"]) == (["employees"], [[7]])
    assert reply.details["page"] == {"size": 1, "has_more": False, "offset": 0}


async def test_the_caller_reads_only_what_it_may(start: Start) -> None:
    talk = start(Principal("local", "guest"))
    allowed = correct("SELECT COUNT(*) AS employees FROM crew")
    reply = await talk.say(QUESTION, STAFF, write(COUNT), allowed, ANSWERED, plays=[SEVEN])
    assert talk.database.callers == [Principal("local", "guest")]
    assert "employee" not in reply.details["tables"]
    assert "employee (" not in talk.script.prompt(WRITE)


async def test_prompts_can_omit_values(start: Start) -> None:
    talk = start(sample_rows=0)
    await talk.say(QUESTION, STAFF, write(COUNT), ANSWERED, plays=[SEVEN])
    assert "inactive" not in talk.script.prompt(WRITE)


async def test_tables_are_ranked_by_words_if_none_was_named(talk: Talk) -> None:
    unnamed = read(ask("Quante visite ci sono?", "sqlite_master", "wall_key", words=["visit", "minutes"]))
    counted = write("SELECT COUNT(*) AS visite FROM visit")
    reply = await talk.say("Quante visite ci sono?", unnamed, counted, (ANSWER, "Sono 7."), plays=[SEVEN])
    assert "Tables: visit" in reply.details["reasoning_steps"][1]
    assert "wall_key" not in talk.script.prompt(WRITE)


@pytest.mark.parametrize(
    ("tables", "wrong", "reason"),
    [
        (["employee"], "SELECT first_name AS who FROM employee", "first_name"),
        (["employee"], "SELECT id FROM employee WHERE status = 'employed'", "all its values are active, inactive"),
        (["visit", "employee"], MISJOINED, "visit.crewId points at crew.id, not at employee.id."),
    ],
)
async def test_a_wrong_statement_goes_back_with_the_reason(
    talk: Talk, tables: list[str], wrong: str, reason: str
) -> None:
    """An unknown name, which no rule repairs; a text that a column never holds; a foreign key joined to the wrong
    column."""
    reply = await talk.say(QUESTION, read(ask("x", *tables)), write(wrong), correct(COUNT), ANSWERED, plays=[SEVEN])
    assert wrong in talk.script.prompt(CORRECT)
    assert reason in talk.script.prompt(CORRECT).partition("What is wrong with it:")[2]
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == [wrong]
    assert reply.details["rows"] == [[7]]


async def test_rules_repair_a_dialect(talk: Talk) -> None:
    foreign = write("SELECT CONCAT(firstName, ' ', status) AS who FROM employee")
    assert (await talk.say(QUESTION, STAFF, foreign, ANSWERED, plays=[SEVEN])).details["attempts"] == []


async def test_only_a_select_reaches_the_database(talk: Talk) -> None:
    attacks = ["DROP TABLE employee", "SELECT 1; DELETE FROM crew", "SELECT * FROM sqlite_master", "PRAGMA a(crew)"]
    answered = (ANSWER, "Nothing could be looked up.")
    reply = await talk.say(QUESTION, STAFF, write(attacks[0]), *map(correct, attacks[1:]), answered)
    assert talk.database.ran == []
    assert set(reply.warnings) == {"sql_refused", "nothing_changed"}
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == attacks
    assert reply.details["rows"] == []


async def test_an_error_of_the_database_goes_back_to_the_model(talk: Talk) -> None:
    faults = [QueryFailed("misuse of aggregate"), SEVEN]
    await talk.say(QUESTION, STAFF, write(COUNT), correct(COUNT), ANSWERED, plays=faults)
    assert "misuse of aggregate" in talk.script.prompt(CORRECT)


@pytest.mark.parametrize("fault", [DatabaseDown("It cannot be reached."), DatabaseSlow("It took too long.")])
async def test_the_answer_reports_a_database_that_is_down_or_slow(talk: Talk, fault: Exception) -> None:
    reply = await talk.say(QUESTION, STAFF, write(COUNT), (ANSWER, "I could not look it up."), plays=[fault])
    assert reply.warnings == ("database_down" if isinstance(fault, DatabaseDown) else "database_slow",)
    assert str(fault) in talk.script.prompt(ANSWER)


async def test_a_changed_or_unreadable_schema_is_reported(start: Start) -> None:
    talk = start(max_corrections=1)
    changed = [SchemaChanged("no such column")] * 2
    reply = await talk.say(QUESTION, STAFF, write(COUNT), correct(COUNT), (ANSWER, "It has changed."), plays=changed)
    assert set(reply.warnings) == {"schema_changed", "sql_refused"}
    talk = start()
    talk.database.fault = DatabaseDown("The database cannot be reached.")
    assert (await talk.say(QUESTION, STAFF, (ANSWER, "I could not."))).warnings == ("database_down",)


async def test_a_caller_without_rights_gets_an_answer_without_a_query(start: Start) -> None:
    talk = start(Principal("local", "nobody"))
    reply = await talk.say(QUESTION, STAFF, (ANSWER, "There is nothing that you may read."))
    assert reply.text == "There is nothing that you may read."
    assert "no tables that the user may read" in talk.script.prompt(ANSWER)


async def test_no_rows_are_answered_with_near_misses(talk: Talk) -> None:
    names = Result(("firstName",), (("Søren Janssen",), ("Ada Wolf",)))
    without_name = Result(("firstName",), (("Ada Wolf",),) * 5)
    sql = "SELECT firstName AS who FROM employee WHERE firstName LIKE '%Jansen%' AND status = 'active'"
    answered = (ANSWER, "There is none. Do you mean Søren Janssen?")
    reply = await talk.say("Is a Jansen active?", STAFF, write(sql), answered, plays=[NONE, without_name, names, NONE])
    assert "without firstName LIKE '%Jansen%': 5 rows (nearest: Søren Janssen)" in talk.script.prompt(ANSWER)
    assert reply.text == "There is none. Do you mean Søren Janssen?"


async def test_repeated_rows_are_reported_to_the_model_then_to_the_user(talk: Talk) -> None:
    repeated, rows = Result(("all_rows", "own_rows"), ((9, 5),)), Result(("minutes",), ((90,),))
    asked = read(ask("Minutes", "visit", "visitPhoto"))
    answered = (ANSWER, "At most 90.")
    steps = asked, write(MINUTES), correct(MINUTES), answered
    reply = await talk.say("Minutes?", *steps, plays=[repeated, repeated, rows])
    assert "counts rows of visit several times" in talk.script.prompt(CORRECT)
    assert "Doubtful: rows of visit may count several times" in talk.script.prompt(ANSWER)
    assert reply.warnings == ("rows_repeated",)
    alone = Result(("all_rows", "own_rows"), ((5, 5),))
    assert (await talk.say("Minutes?", asked, write(MINUTES), answered, plays=[alone, rows])).warnings == ()


async def test_a_missing_table_is_added_once(talk: Talk) -> None:
    missed = write(kind="need_tables", need_tables=["photos of visits"])
    counted = write("SELECT COUNT(*) AS n FROM visitPhoto")
    asked = read(ask("Visits by crew", "crew"))
    reply = await talk.say("How many photos?", asked, missed, counted, ANSWERED, plays=[SEVEN])
    assert "visitPhoto\n" in talk.script.prompt(WRITE)
    assert reply.details["tables"] == ["visitPhoto"]


async def test_missing_data_is_left_out_of_the_answer(talk: Talk) -> None:
    half = write(COUNT, left_out=["their shoe size"])
    await talk.say("Active, and their shoe size?", STAFF, half, (ANSWER, "There are 7."), plays=[SEVEN])
    assert "Nothing is held of: their shoe size" in talk.script.prompt(ANSWER)
    nothing = write(kind="not_in_database", left_out=["shoes"])
    reply = await talk.say("How many shoes?", STAFF, nothing, (ANSWER, "Nothing is held of shoes."))
    assert (reply.warnings, reply.route) == (("nothing_found",), "sql")


async def test_a_clarifying_question_is_the_reply(talk: Talk) -> None:
    reply = await talk.say("Chi guida?", STAFF, write(kind="ask_back", ask_back="Il piano o il capo?"))
    assert (reply.text, reply.route) == ("Il piano o il capo?", "clarify")


async def test_a_model_without_a_statement_or_a_correction_is_reported(talk: Talk) -> None:
    reply = await talk.say(QUESTION, STAFF, (WRITE, "I cannot."), (WRITE, "No."), (ANSWER, "It was not possible."))
    assert reply.warnings == ("sql_refused",)
    wrong, silent = "SELECT shoeSize FROM employee", [(CORRECT, "I cannot.")] * 2
    reply = await talk.say(QUESTION, STAFF, write(wrong), *silent, (ANSWER, "It was not possible."))
    assert (reply.warnings, reply.details["rows"]) == (("sql_refused",), [])
    assert [one["sql"] for one in reply.details["attempts"]] == [wrong]


async def test_an_unusable_reading_is_an_error(talk: Talk) -> None:
    with pytest.raises(ModelError):
        await talk.say(QUESTION, (READ, "I cannot."), (READ, "No."))
