"""The SQL graph with a model that follows a script and a database that records: what reaches it, and what becomes of
statements that are refused, fail or give nothing."""

from collections.abc import Callable

from talk import ANSWER, CORRECT, COUNT, NONE, SEVEN, WRITE, PlayedDatabase, Talk, ask, correct, read, write

from scripted_model import ScriptedModel
from turnkeep.databases.results import Result
from turnkeep.records import Principal
from turnkeep_agents.database.security.database import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged

QUESTION = "How many employees are active?"
STAFF = read(ask(QUESTION, "employee"))
SAID = (ANSWER, "There are 7.")

type Start = Callable[..., Talk]


async def test_what_runs_is_the_checked_statement_over_secure_views(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(STAFF, write(f"{COUNT} -- by hand"), SAID)
    reply = await start().say(QUESTION)
    assert (reply.route, reply.warnings, reply.text) == ("sql", (), "There are 7.")
    assert database.ran == [reply.details["sql"]]
    assert "secure_employee" in database.ran[0]
    assert "by hand" not in database.ran[0]
    assert reply.details["tables"] == ["employee"]
    assert (reply.details["columns"], reply.details["rows"]) == (["employees"], [[7]])
    assert reply.details["page"] == {"size": 1, "has_more": False, "offset": 0}


async def test_the_caller_goes_along_and_reads_no_more_than_it_may(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(STAFF, write(COUNT), correct("SELECT COUNT(*) AS employees FROM crew"), SAID)
    reply = await start(Principal("local", "guest")).say(QUESTION)
    assert database.callers == [Principal("local", "guest")]
    assert "employee" not in reply.details["tables"]
    assert "employee (" not in script.prompt(WRITE)


async def test_prompts_hold_tables_every_link_between_them_the_day_and_the_dialect(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays, database.span = [SEVEN], ("2025-01-02", "2026-03-01T08:00:00")
    script.play(read(ask("Visits of each crew, with who leads it", "visit", "employee")), write(COUNT), SAID)
    await start().say("How many visits did each crew make?")
    prompt = script.prompt(WRITE)
    assert "leadId -> employee.id [led by]; plannerId -> employee.id [planned by]" in prompt
    assert "crew\n" in prompt, "what lies between the named tables is added"
    assert "visitedOn date from 2025-01-02 to 2026-03-01" in prompt
    assert "2026-03-04" in prompt
    assert "companyId" not in prompt
    assert "sqlite" in script.asked[1][1][0].text


async def test_without_values_a_prompt_shows_none(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(STAFF, write(COUNT), SAID)
    await start(sample_rows=0).say(QUESTION)
    assert "inactive" not in script.prompt(WRITE)


async def test_tables_come_by_words_where_none_was_named_or_none_exists(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    unnamed = read(ask("Quante visite ci sono?", "sqlite_master", "wall_key", words=["visit", "minutes"]))
    script.play(unnamed, write("SELECT COUNT(*) AS visite FROM visit"), (ANSWER, "Sono 7."))
    reply = await start().say("Quante visite ci sono?")
    assert "Tables: visit" in reply.details["reasoning_steps"][1]
    assert "wall_key" not in script.prompt(WRITE)


async def test_a_checked_question_is_shown_as_an_example_to_whoever_may_run_it(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(read(ask("How many crews?", "crew")), write("SELECT COUNT(*) AS crews FROM crew"), SAID)
    await start().say("How many crews?")
    assert "SELECT COUNT(*) AS crews FROM crew" in script.prompt(WRITE)


async def test_a_refused_statement_goes_back_with_the_reason(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    wrong = "SELECT COUNT(*) AS employees FROM employee WHERE wage > 3"
    database.plays = [SEVEN]
    script.play(STAFF, write(wrong), correct(COUNT), SAID)
    reply = await start().say(QUESTION)
    assert wrong in script.prompt(CORRECT)
    assert "wage" in script.prompt(CORRECT).partition("What is wrong with it:")[2]
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == [wrong]
    assert reply.details["rows"] == [[7]]


async def test_rules_mend_a_dialect_and_never_a_name(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN, SEVEN]
    talk = start()
    script.play(STAFF, write("SELECT CONCAT(firstName, ' ', status) AS who FROM employee"), SAID)
    assert (await talk.say(QUESTION)).details["attempts"] == []
    script.play(STAFF, write("SELECT first_name AS who FROM employee"), correct(COUNT), SAID)
    assert len((await talk.say(QUESTION)).details["attempts"]) == 1


async def test_a_foreign_key_meets_only_what_it_points_at(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    wrong = "SELECT COUNT(*) AS n FROM visit JOIN employee ON employee.id = visit.crewId"
    database.plays = [SEVEN]
    script.play(
        read(ask("Visits", "visit", "employee")), write(wrong), correct("SELECT COUNT(*) AS n FROM visit"), SAID
    )
    await start().say("How many visits?")
    assert "visit.crewId points at crew.id, not at employee.id." in script.prompt(CORRECT)


async def test_a_text_that_a_column_never_holds_goes_back_with_its_values(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(STAFF, write("SELECT id FROM employee WHERE status = 'employed'"), correct(COUNT), SAID)
    await start().say(QUESTION)
    assert "all its values are active, inactive" in script.prompt(CORRECT)


async def test_no_statement_but_a_select_reaches_the_database(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    attacks = ["DROP TABLE employee", "SELECT 1; DELETE FROM crew", "SELECT * FROM sqlite_master", "PRAGMA a(crew)"]
    script.play(STAFF, write(attacks[0]), *map(correct, attacks[1:]), (ANSWER, "Nothing could be looked up."))
    reply = await start().say(QUESTION)
    assert database.ran == []
    assert set(reply.warnings) == {"sql_refused", "nothing_changed"}
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == attacks
    assert reply.details["rows"] == []


async def test_what_the_database_complains_of_goes_back_to_the_model(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [QueryFailed("misuse of aggregate"), SEVEN]
    script.play(STAFF, write(COUNT), correct(COUNT), SAID)
    await start().say(QUESTION)
    assert "misuse of aggregate" in script.prompt(CORRECT)


async def test_a_database_that_is_down_slow_or_changed_is_told_in_the_answer(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    faults = {
        DatabaseDown("The database cannot be reached."): "database_down",
        DatabaseSlow("It took too long."): "database_slow",
    }
    for fault, code in faults.items():
        database.plays = [fault]
        script.play(STAFF, write(COUNT), (ANSWER, "I could not look it up."))
        reply = await start().say(QUESTION)
        assert reply.warnings == (code,)
        assert str(fault) in script.prompt(ANSWER)
    database.plays = [SchemaChanged("no such column")] * 2
    script.play(STAFF, write(COUNT), correct(COUNT), (ANSWER, "It has changed."))
    reply = await start(max_corrections=1).say(QUESTION)
    assert set(reply.warnings) == {"schema_changed", "sql_refused"}


async def test_a_schema_that_cannot_be_read_is_told_too(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.fault = DatabaseDown("The database cannot be reached.")
    script.play(STAFF, (ANSWER, "I could not look it up."))
    assert (await start().say(QUESTION)).warnings == ("database_down",)


async def test_nobody_asks_a_database_of_which_nothing_may_be_read(start: Start, script: ScriptedModel) -> None:
    script.play(STAFF, (ANSWER, "There is nothing that you may read."))
    reply = await start(Principal("local", "nobody")).say(QUESTION)
    assert reply.text == "There is nothing that you may read."
    assert "no tables that the user may read" in script.prompt(ANSWER)


async def test_no_rows_are_an_answer_with_what_is_near_and_no_second_statement(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    names = Result(("firstName",), (("Søren Janssen",), ("Ada Wolf",)))
    without_status, without_name = NONE, Result(("firstName",), (("Ada Wolf",),) * 5)
    database.plays = [NONE, without_name, names, without_status]
    sql = "SELECT firstName AS who FROM employee WHERE firstName LIKE '%Jansen%' AND status = 'active'"
    script.play(STAFF, write(sql), (ANSWER, "There is none. Do you mean Søren Janssen?"))
    reply = await start().say("Is a Jansen active?")
    assert "without firstName LIKE '%Jansen%': 5 rows (nearest: Søren Janssen)" in script.prompt(ANSWER)
    assert reply.text == "There is none. Do you mean Søren Janssen?"


async def test_sums_over_rows_that_a_join_repeats_are_named_to_the_model_once_then_to_the_user(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    sql = "SELECT SUM(visit.minutes) AS minutes FROM visit JOIN visitPhoto ON visitPhoto.visitId = visit.id"
    repeated, rows = Result(("all_rows", "own_rows"), ((9, 5),)), Result(("minutes",), ((90,),))
    database.plays = [repeated, repeated, rows]
    script.play(read(ask("Minutes", "visit", "visitPhoto")), write(sql), correct(sql), (ANSWER, "At most 90."))
    reply = await start().say("How many minutes?")
    assert "counts rows of visit several times" in script.prompt(CORRECT)
    assert "Doubtful: rows of visit may count several times" in script.prompt(ANSWER)
    assert reply.warnings == ("rows_repeated",)


async def test_a_join_that_repeats_nothing_is_no_doubt(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    sql = "SELECT SUM(visit.minutes) AS minutes FROM visit JOIN visitPhoto ON visitPhoto.visitId = visit.id"
    database.plays = [Result(("all_rows", "own_rows"), ((5, 5),)), Result(("minutes",), ((90,),))]
    script.play(read(ask("Minutes", "visit", "visitPhoto")), write(sql), (ANSWER, "They are 90."))
    assert (await start().say("How many minutes?")).warnings == ()


async def test_a_table_that_was_missed_comes_along_once(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(
        read(ask("Visits by crew", "crew")),
        write(kind="need_tables", need_tables=["photos of visits"]),
        write("SELECT COUNT(*) AS n FROM visitPhoto"),
        SAID,
    )
    reply = await start().say("How many photos?")
    assert "visitPhoto\n" in script.prompt(WRITE)
    assert reply.details["tables"] == ["visitPhoto"]


async def test_what_nothing_is_held_of_costs_its_half_alone(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(STAFF, write(COUNT, left_out=["their shoe size"]), (ANSWER, "There are 7; sizes are not kept."))
    await start().say("How many are active, and their shoe size?")
    assert "Nothing is held of: their shoe size" in script.prompt(ANSWER)
    script.play(STAFF, write(kind="not_in_database", left_out=["shoes"]), (ANSWER, "Nothing is held of shoes."))
    reply = await start().say("How many shoes?")
    assert (reply.warnings, reply.route) == (("nothing_found",), "sql")


async def test_a_question_back_is_the_reply(start: Start, script: ScriptedModel) -> None:
    script.play(STAFF, write(kind="ask_back", ask_back="Il piano o il capo?"))
    reply = await start().say("Chi guida?")
    assert (reply.text, reply.route) == ("Il piano o il capo?", "clarify")


async def test_a_follow_up_sees_the_last_question_with_its_statement(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN, SEVEN]
    talk = start()
    script.play(STAFF, write(COUNT), SAID)
    await talk.say(QUESTION)
    script.play(read(ask("How many employees are inactive?", goes_on=True)), write(COUNT), SAID)
    await talk.say("and inactive ones?")
    assert f"The last question: {QUESTION}\nIts statement: {COUNT}" in script.prompt(WRITE)
    assert "employee\n" in script.prompt(WRITE), "its tables come along"
    assert "Shown before, to compare with" in script.prompt(ANSWER)
    assert COUNT in script.prompt("database.read")


async def test_a_model_that_gives_no_statement_is_told_as_such(start: Start, script: ScriptedModel) -> None:
    script.play(STAFF, (WRITE, "I cannot."), (WRITE, "No."), (ANSWER, "It could not be looked up."))
    assert (await start().say(QUESTION)).warnings == ("sql_refused",)
