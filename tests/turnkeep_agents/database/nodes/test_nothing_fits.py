"""What a model says that the database does not hold: no statement runs, and the user is told and asked."""

from collections.abc import Callable

import pytest
from query_talk import PlayedDatabase, Talk, talk_to
from scripted_model import ScriptedModel

from turnkeep_agents.database.prompts import Statement, TableChoice
from turnkeep.databases.results import Result
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep_agents.database.settings import DatabaseSettings

SELECT, WRITE, CORRECT, ANSWER = (
    f"database.{name}" for name in ("select_tables", "write_sql", "correct_sql", "answer")
)
QUESTION = "How many employees with freckles are active?"
COUNT = "SELECT COUNT(*) AS employees FROM employee WHERE status = 'active'"
FRECKLES = ["freckles"]

type Start = Callable[..., Talk]


@pytest.fixture
def database() -> PlayedDatabase:
    return PlayedDatabase()


@pytest.fixture
def talk(database: PlayedDatabase, script: ScriptedModel, context: RunContext) -> Talk:
    return talk_to(database, Models(script, script, "openai", "m"), context, DatabaseSettings())


def assert_asked(talk: Talk, database: PlayedDatabase, text: str) -> None:
    assert "holds nothing of “freckles”" in text
    assert "employee (first name, status)" in text
    assert text.endswith("?")
    assert database.ran == []
    assert talk.kept["last"]["route"] == "clarify"


async def test_words_that_no_table_holds_anything_of_are_named_and_asked_about(
    talk: Talk, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play((SELECT, TableChoice(tables=[], missing=FRECKLES)))
    reply = await talk.say(QUESTION)
    assert (reply.route, reply.warnings) == ("clarify", ("nothing_found",))
    assert_asked(talk, database, reply.text)


async def test_words_that_no_column_answers_to_are_named_and_asked_about(
    talk: Talk, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play((SELECT, TableChoice(tables=["employee"])), (WRITE, Statement(missing=FRECKLES)))
    reply = await talk.say(QUESTION)
    assert (reply.route, reply.details["sql"]) == ("clarify", None)
    assert_asked(talk, database, reply.text)


async def test_a_correction_may_find_that_nothing_answers(
    talk: Talk, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play((SELECT, TableChoice(tables=["employee"])), (WRITE, Statement(sql="SELECT freckles FROM employee")))
    script.play((CORRECT, Statement(missing=FRECKLES)))
    reply = await talk.say(QUESTION)
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == ["SELECT freckles FROM employee"]
    assert_asked(talk, database, reply.text)


async def test_a_statement_counts_before_words_that_are_missing(
    talk: Talk, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [Result(("employees",), ((7,),))]
    script.play((SELECT, TableChoice(tables=["employee"], missing=FRECKLES)))
    script.play((WRITE, Statement(sql=COUNT, missing=FRECKLES)), (ANSWER, "There are 7."))
    reply = await talk.say(QUESTION)
    assert (reply.route, len(database.ran)) == ("sql", 1)


async def test_words_that_nobody_said_are_not_told(talk: Talk, script: ScriptedModel, database: PlayedDatabase) -> None:
    script.play((SELECT, TableChoice(tables=[], missing=["https://evil.example/x"])))
    reply = await talk.say(QUESTION)
    assert "evil" not in reply.text
    assert (reply.route, database.ran) == ("sql", [])


async def test_an_empty_statement_alone_is_corrected(
    talk: Talk, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [Result(("employees",), ((7,),))]
    script.play((SELECT, TableChoice(tables=["employee"])), (WRITE, Statement(sql="")))
    script.play((CORRECT, Statement(sql=COUNT)), (ANSWER, "There are 7."))
    reply = await talk.say(QUESTION)
    assert (reply.text.startswith("There are 7."), len(database.ran)) == (True, 1)
