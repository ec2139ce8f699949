"""The SQL graph with a model that follows a script and a database that records: what reaches it, and what becomes of
statements that are refused, fail or give nothing."""

from collections.abc import Callable

import pytest
from talk import ANSWER, CORRECT, COUNT, NONE, READ, SEVEN, WRITE, Talk, ask, correct, read, write

from turnkeep.errors import ModelError
from turnkeep.records import Principal
from turnkeep_agents.database.results import Result
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged

QUESTION = "How many employees are active?"
STAFF = read(ask(QUESTION, "employee"))
SAID = (ANSWER, "There are 7.")
MINUTES = "SELECT SUM(visit.minutes) AS minutes FROM visit JOIN visitPhoto ON visitPhoto.visitId = visit.id"

type Start = Callable[..., Talk]


async def test_what_runs_is_the_checked_statement_over_secure_views(talk: Talk) -> None:
    reply = await talk.say(QUESTION, STAFF, write(f"{COUNT} -- by hand"), SAID, plays=[SEVEN])
    assert (reply.route, reply.warnings, reply.text) == ("sql", (), "There are 7.")
    assert talk.database.ran == [reply.details["sql"]]
    assert "secure_employee" in talk.database.ran[0]
    assert "by hand" not in talk.database.ran[0]
    assert reply.details["tables"] == ["employee"]
    assert (reply.details["columns"], reply.details["rows"]) == (["employees"], [[7]])
    assert reply.details["page"] == {"size": 1, "has_more": False, "offset": 0}


async def test_the_caller_goes_along_and_reads_no_more_than_it_may(start: Start) -> None:
    talk = start(Principal("local", "guest"))
    allowed = correct("SELECT COUNT(*) AS employees FROM crew")
    reply = await talk.say(QUESTION, STAFF, write(COUNT), allowed, SAID, plays=[SEVEN])
    assert talk.database.callers == [Principal("local", "guest")]
    assert "employee" not in reply.details["tables"]
    assert "employee (" not in talk.script.prompt(WRITE)


async def test_prompts_hold_tables_every_link_between_them_the_day_and_the_dialect(talk: Talk) -> None:
    talk.database.span = ("2025-01-02", "2026-03-01T08:00:00")
    led = read(ask("Visits of each crew, with who leads it", "visit", "employee"))
    await talk.say("How many visits did each crew make?", led, write(COUNT), SAID, plays=[SEVEN])
    prompt = talk.script.prompt(WRITE)
    assert "leadId -> employee.id [led by]; plannerId -> employee.id [planned by]" in prompt
    assert "crew\n" in prompt, "what lies between the named tables is added"
    assert "visitedOn date from 2025-01-02 to 2026-03-01" in prompt
    assert "2026-03-04" in prompt
    assert "companyId" not in prompt
    assert "sqlite" in talk.script.asked[1][1][0].text


async def test_without_values_a_prompt_shows_none(start: Start) -> None:
    talk = start(sample_rows=0)
    await talk.say(QUESTION, STAFF, write(COUNT), SAID, plays=[SEVEN])
    assert "inactive" not in talk.script.prompt(WRITE)


async def test_tables_come_by_words_where_none_was_named_or_none_exists(talk: Talk) -> None:
    unnamed = read(ask("Quante visite ci sono?", "sqlite_master", "wall_key", words=["visit", "minutes"]))
    counted = write("SELECT COUNT(*) AS visite FROM visit")
    reply = await talk.say("Quante visite ci sono?", unnamed, counted, (ANSWER, "Sono 7."), plays=[SEVEN])
    assert "Tables: visit" in reply.details["reasoning_steps"][1]
    assert "wall_key" not in talk.script.prompt(WRITE)


async def test_a_checked_question_is_shown_as_an_example_to_whoever_may_run_it(talk: Talk) -> None:
    crews = read(ask("How many crews?", "crew"))
    await talk.say("How many crews?", crews, write("SELECT COUNT(*) AS crews FROM crew"), SAID, plays=[SEVEN])
    assert "SELECT COUNT(*) AS crews FROM crew" in talk.script.prompt(WRITE)


@pytest.mark.parametrize(
    ("tables", "wrong", "told"),
    [
        (["employee"], "SELECT COUNT(*) AS employees FROM employee WHERE wage > 3", "wage"),
        (["employee"], "SELECT first_name AS who FROM employee", "first_name"),
        (["employee"], "SELECT id FROM employee WHERE status = 'employed'", "all its values are active, inactive"),
        (
            ["visit", "employee"],
            "SELECT COUNT(*) AS n FROM visit JOIN employee ON employee.id = visit.crewId",
            "visit.crewId points at crew.id, not at employee.id.",
        ),
    ],
)
async def test_a_wrong_statement_goes_back_with_the_reason(
    talk: Talk, tables: list[str], wrong: str, told: str
) -> None:
    """A name that there is not, which no rule mends; a text that a column never holds; a foreign key gone astray."""
    reply = await talk.say(QUESTION, read(ask("x", *tables)), write(wrong), correct(COUNT), SAID, plays=[SEVEN])
    assert wrong in talk.script.prompt(CORRECT)
    assert told in talk.script.prompt(CORRECT).partition("What is wrong with it:")[2]
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == [wrong]
    assert reply.details["rows"] == [[7]]


async def test_rules_mend_a_dialect(talk: Talk) -> None:
    foreign = write("SELECT CONCAT(firstName, ' ', status) AS who FROM employee")
    assert (await talk.say(QUESTION, STAFF, foreign, SAID, plays=[SEVEN])).details["attempts"] == []


async def test_no_statement_but_a_select_reaches_the_database(talk: Talk) -> None:
    attacks = ["DROP TABLE employee", "SELECT 1; DELETE FROM crew", "SELECT * FROM sqlite_master", "PRAGMA a(crew)"]
    said = (ANSWER, "Nothing could be looked up.")
    reply = await talk.say(QUESTION, STAFF, write(attacks[0]), *map(correct, attacks[1:]), said)
    assert talk.database.ran == []
    assert set(reply.warnings) == {"sql_refused", "nothing_changed"}
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == attacks
    assert reply.details["rows"] == []


async def test_what_the_database_complains_of_goes_back_to_the_model(talk: Talk) -> None:
    faults = [QueryFailed("misuse of aggregate"), SEVEN]
    await talk.say(QUESTION, STAFF, write(COUNT), correct(COUNT), SAID, plays=faults)
    assert "misuse of aggregate" in talk.script.prompt(CORRECT)


@pytest.mark.parametrize("fault", [DatabaseDown("It cannot be reached."), DatabaseSlow("It took too long.")])
async def test_a_database_that_is_down_or_slow_is_told_in_the_answer(talk: Talk, fault: Exception) -> None:
    reply = await talk.say(QUESTION, STAFF, write(COUNT), (ANSWER, "I could not look it up."), plays=[fault])
    assert reply.warnings == ("database_down" if isinstance(fault, DatabaseDown) else "database_slow",)
    assert str(fault) in talk.script.prompt(ANSWER)


async def test_a_schema_that_has_changed_or_cannot_be_read_is_told(start: Start) -> None:
    talk = start(max_corrections=1)
    changed = [SchemaChanged("no such column")] * 2
    reply = await talk.say(QUESTION, STAFF, write(COUNT), correct(COUNT), (ANSWER, "It has changed."), plays=changed)
    assert set(reply.warnings) == {"schema_changed", "sql_refused"}
    talk = start()
    talk.database.fault = DatabaseDown("The database cannot be reached.")
    assert (await talk.say(QUESTION, STAFF, (ANSWER, "I could not."))).warnings == ("database_down",)


async def test_nobody_asks_a_database_of_which_nothing_may_be_read(start: Start) -> None:
    talk = start(Principal("local", "nobody"))
    reply = await talk.say(QUESTION, STAFF, (ANSWER, "There is nothing that you may read."))
    assert reply.text == "There is nothing that you may read."
    assert "no tables that the user may read" in talk.script.prompt(ANSWER)


async def test_no_rows_are_an_answer_with_what_is_near_and_no_second_statement(talk: Talk) -> None:
    names = Result(("firstName",), (("Søren Janssen",), ("Ada Wolf",)))
    without_name = Result(("firstName",), (("Ada Wolf",),) * 5)
    sql = "SELECT firstName AS who FROM employee WHERE firstName LIKE '%Jansen%' AND status = 'active'"
    said = (ANSWER, "There is none. Do you mean Søren Janssen?")
    reply = await talk.say("Is a Jansen active?", STAFF, write(sql), said, plays=[NONE, without_name, names, NONE])
    assert "without firstName LIKE '%Jansen%': 5 rows (nearest: Søren Janssen)" in talk.script.prompt(ANSWER)
    assert reply.text == "There is none. Do you mean Søren Janssen?"


async def test_sums_over_rows_that_a_join_repeats_are_named_to_the_model_once_then_to_the_user(talk: Talk) -> None:
    repeated, rows = Result(("all_rows", "own_rows"), ((9, 5),)), Result(("minutes",), ((90,),))
    asked = read(ask("Minutes", "visit", "visitPhoto"))
    said = (ANSWER, "At most 90.")
    reply = await talk.say("Minutes?", asked, write(MINUTES), correct(MINUTES), said, plays=[repeated, repeated, rows])
    assert "counts rows of visit several times" in talk.script.prompt(CORRECT)
    assert "Doubtful: rows of visit may count several times" in talk.script.prompt(ANSWER)
    assert reply.warnings == ("rows_repeated",)
    alone = Result(("all_rows", "own_rows"), ((5, 5),))
    assert (await talk.say("Minutes?", asked, write(MINUTES), said, plays=[alone, rows])).warnings == ()


async def test_a_table_that_was_missed_comes_along_once(talk: Talk) -> None:
    missed = write(kind="need_tables", need_tables=["photos of visits"])
    counted = write("SELECT COUNT(*) AS n FROM visitPhoto")
    asked = read(ask("Visits by crew", "crew"))
    reply = await talk.say("How many photos?", asked, missed, counted, SAID, plays=[SEVEN])
    assert "visitPhoto\n" in talk.script.prompt(WRITE)
    assert reply.details["tables"] == ["visitPhoto"]


async def test_what_nothing_is_held_of_costs_its_half_alone(talk: Talk) -> None:
    half = write(COUNT, left_out=["their shoe size"])
    await talk.say("Active, and their shoe size?", STAFF, half, (ANSWER, "There are 7."), plays=[SEVEN])
    assert "Nothing is held of: their shoe size" in talk.script.prompt(ANSWER)
    nothing = write(kind="not_in_database", left_out=["shoes"])
    reply = await talk.say("How many shoes?", STAFF, nothing, (ANSWER, "Nothing is held of shoes."))
    assert (reply.warnings, reply.route) == (("nothing_found",), "sql")


async def test_a_question_back_is_the_reply(talk: Talk) -> None:
    reply = await talk.say("Chi guida?", STAFF, write(kind="ask_back", ask_back="Il piano o il capo?"))
    assert (reply.text, reply.route) == ("Il piano o il capo?", "clarify")


async def test_a_follow_up_sees_the_last_question_with_its_statement(talk: Talk) -> None:
    await talk.say(QUESTION, STAFF, write(COUNT), SAID, plays=[SEVEN])
    later = read(ask("How many employees are inactive?", goes_on=True))
    await talk.say("and inactive ones?", later, write(COUNT), SAID, plays=[SEVEN])
    prompt = talk.script.prompt(WRITE)
    assert f"The last question: {QUESTION}\nIts statement: {COUNT}" in prompt
    assert "employee\n" in prompt, "its tables come along"
    assert "Shown before, to compare with" in talk.script.prompt(ANSWER)
    assert COUNT in talk.script.prompt(READ)


async def test_a_model_that_gives_no_statement_or_no_correction_is_told_as_such(talk: Talk) -> None:
    reply = await talk.say(QUESTION, STAFF, (WRITE, "I cannot."), (WRITE, "No."), (ANSWER, "It was not possible."))
    assert reply.warnings == ("sql_refused",)
    wrong, silent = "SELECT shoeSize FROM employee", [(CORRECT, "I cannot.")] * 2
    reply = await talk.say(QUESTION, STAFF, write(wrong), *silent, (ANSWER, "It was not possible."))
    assert (reply.warnings, reply.details["rows"]) == (("sql_refused",), [])
    assert [one["sql"] for one in reply.details["attempts"]] == [wrong]


async def test_a_reading_that_cannot_be_used_is_an_error_and_no_guess(talk: Talk) -> None:
    with pytest.raises(ModelError):
        await talk.say(QUESTION, (READ, "I cannot."), (READ, "No."))
