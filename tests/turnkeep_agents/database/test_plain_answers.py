"""What is answered without a query: wishes for a change, what there is to ask about, what says nothing, what is too
much. The conversation goes on from where it was."""

from typing import Any

import pytest
from query_talk import PlayedDatabase, Talk, desk_on, table, talk_to
from scripted_model import ScriptedModel

from turnkeep.agents import build_agent
from turnkeep_agents.database.demo import demo_rules
from turnkeep_agents.database.joins.records import JoinGraph, Relationship
from turnkeep_agents.database.nodes.notices import NOTHING_ASKED
from turnkeep_agents.database.nodes.replies import READS_ONLY
from turnkeep_agents.database.prompts import Statement, TableChoice
from turnkeep.databases.results import Result
from turnkeep.models.chat import Models, chat_models
from turnkeep.records import Principal, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.database.settings import DatabaseSettings

AGENT = build_agent("database", Settings(model="demo"))
COUNTED = "How many vehicles are there?"
SELECT = ("database.select_tables", TableChoice(tables=["employee"]))
UPDATE = "UPDATE employee SET status = 'inactive'"
LISTED = "SELECT firstName FROM employee"


class Bare(PlayedDatabase):
    """Without any table."""

    def graph(self) -> JoinGraph:
        return JoinGraph(tables={}, relationships=())


class Unlinked(PlayedDatabase):
    """With tables of which one points at itself."""

    def graph(self) -> JoinGraph:
        own = Relationship("pond", "partOf", "pond", "id")
        return JoinGraph(tables={name: table(name) for name in ("self", "jetty", "pond")}, relationships=(own,))


@pytest.fixture
def demo(context: RunContext) -> Talk:
    return Talk(AGENT.graph, context)


def served(database: PlayedDatabase, script: ScriptedModel, context: RunContext) -> Talk:
    return talk_to(database, Models(script, script, "openai", "m"), context, DatabaseSettings())


def written(sql: str) -> tuple[str, Statement]:
    return "database.write_sql", Statement(sql=sql)


def corrected(sql: str) -> tuple[str, Statement]:
    return "database.correct_sql", Statement(sql=sql)


@pytest.mark.parametrize("wish", ["Delete all invoices", "Set invoice INV-088019 to paid", "Drop table invoice"])
async def test_a_wish_for_a_change_is_answered_with_it_that_nothing_was(wish: str, demo: Talk) -> None:
    reply = await demo.say(wish)

    assert reply.text.startswith(READS_ONLY)
    assert (reply.route, reply.details["sql"], "nothing_changed" in reply.warnings) == ("general", None, True)


async def test_how_it_would_be_done_is_told_where_no_record_is_named(demo: Talk) -> None:
    reply = await demo.say("cancel an appointment")

    assert reply.text.startswith(READS_ONLY)
    assert (reply.route, any(source.cited for source in reply.sources)) == ("rag", True)


async def test_a_model_is_not_asked_about_such_a_wish(script: ScriptedModel, context: RunContext) -> None:
    database = PlayedDatabase()

    reply = await served(database, script, context).say("Delete all employees")

    assert (reply.text.startswith(READS_ONLY), database.ran) == (True, [])


@pytest.mark.parametrize("mended", [True, False])
async def test_a_statement_that_was_to_change_something_is_never_taken_for_done(
    mended: bool, script: ScriptedModel, context: RunContext
) -> None:
    database = PlayedDatabase(plays=[Result(("firstName",), (("Ann",),))])
    script.play(SELECT, written(UPDATE), *[corrected(UPDATE)] * (1 if mended else 3))
    if mended:
        script.play(corrected(LISTED), ("database.answer", "All employees are inactive now."))

    reply = await served(database, script, context).say("Which employees do you make inactive today?")

    assert reply.text.startswith(READS_ONLY)
    assert ("nothing_changed" in reply.warnings, len(database.ran)) == (True, int(mended))


async def test_what_there_is_to_ask_about_is_what_the_caller_may_read(
    script: ScriptedModel, context: RunContext
) -> None:
    database = PlayedDatabase()
    mine = await served(database, script, context).say("Which tables are there?")
    theirs = await served(database, script, guest(context)).say("What is in the database?")

    assert "3 tables that I can read: crew, employee, visit." in mine.text
    assert "2 tables that I can read: crew, visit." in theirs.text


def guest(context: RunContext) -> RunContext:
    return RunContext(conversation_window=5, now=context.now, principal=Principal("acme", "guest"))


async def test_a_greeting_names_no_table_that_the_caller_may_not_read(context: RunContext) -> None:
    said = await talk_to(PlayedDatabase(), build_demo(), guest(context), DatabaseSettings()).say("Hello!")

    assert "crew" in said.text
    assert "employee" not in said.text


def build_demo(database: PlayedDatabase | None = None) -> Models:
    return chat_models(Settings(model="demo"), demo_rules(desk_on(database or PlayedDatabase(), DatabaseSettings())))


async def test_main_tables_are_named_of_many_and_all_of_them_when_they_are_asked_for(demo: Talk) -> None:
    overview, every = await demo.say("What is in the database?"), await demo.say("list all tables")

    count = len(every.text.split(", "))
    assert f"{count} tables" in overview.text
    assert f"{count} tables" in every.text
    assert len(overview.text) < len(every.text)


async def test_an_empty_database_is_told_as_such(context: RunContext) -> None:
    talk = talk_to(Bare(), build_demo(), context, DatabaseSettings())

    assert "no tables" in (await talk.say("What is in the database?")).text
    assert "no tables" in (await talk.say("How many crews are there?")).text


async def test_tables_without_links_are_named_too(context: RunContext) -> None:
    talk = talk_to(Unlinked(), build_demo(Unlinked()), context, DatabaseSettings())

    reply = await talk.say("What can you do?")

    assert "pond, self, jetty" in reply.text


async def test_a_database_that_does_not_answer_is_told_where_its_contents_are_asked_for(context: RunContext) -> None:
    settings: Any = {"url": "sqlite:////nowhere/at/all.sqlite"}
    talk = Talk(build_agent("database", Settings(model="demo", database=settings)).graph, context)

    reply = await talk.say("What is in the database?")

    assert (reply.route, "database_down" in reply.warnings) == ("sql", True)
    assert "SQLITE" not in reply.text
    assert "database_down" in (await talk.say("How do I close a job in the app?")).warnings
    assert (await talk.say("Hello!")).text.endswith("ask me about the data.")


@pytest.mark.parametrize("said", ["??", "Why?", "you mean what?"])
async def test_what_says_nothing_puts_no_question_again_and_loses_none(said: str, demo: Talk) -> None:
    counted = await demo.say(COUNTED)
    reply = await demo.say(said)
    further = await demo.say("and by fuel?")

    assert (reply.text, reply.details["rows"]) == (NOTHING_ASKED, [])
    assert sum(row[-1] for row in further.details["rows"]) == counted.details["rows"][0][0]


@pytest.mark.parametrize("said", ["asdf qwer zxcv", "Thank you!", "Wie viele Mitarbeiter haben wir denn?", "x" * 5_000])
async def test_what_cannot_be_placed_is_forgotten_by_what_comes_next(said: str, demo: Talk) -> None:
    counted = await demo.say(COUNTED)
    reply = await demo.say(said)
    further = await demo.say("and by fuel?")

    assert reply.details["rows"] == []
    assert sum(row[-1] for row in further.details["rows"]) == counted.details["rows"][0][0]


async def test_pages_can_still_be_turned_after_thanks(demo: Talk) -> None:
    await demo.say("List all work orders")
    await demo.say("thanks")

    assert (await demo.say("next page")).details["page"]["number"] == 2


async def test_the_end_of_a_message_that_is_too_long_is_told_to_be_unread(demo: Talk) -> None:
    reply = await demo.say(f"{COUNTED}{' ' * 1_000}Only those of Leeds, please.")

    assert "message_cut" in reply.warnings
    assert "first 1,000 characters" in reply.text
    assert "1,000" not in (await demo.say(COUNTED)).text


async def test_too_many_tables_at_once_are_refused_and_one_of_them_is_not(demo: Talk) -> None:
    names = "employees, crews, customers, invoices, vehicles, work orders, inspections, contracts, payments"
    reply = await demo.say(f"List the {names} and branches")
    assert demo.kept["chain"] == []
    one = await demo.say("invoices")

    assert ("too_many_tables" in reply.warnings, "10 tables" in reply.text) == (True, True)
    assert one.details["tables"][0] == "invoice"
    assert one.details["rows"]


async def test_a_condition_is_taken_back(demo: Talk) -> None:
    every = await demo.say(COUNTED)
    await demo.say("only diesel")
    back = await demo.say("without that filter")
    nothing = await demo.say("forget the filter")

    assert back.details["rows"] == every.details["rows"]
    assert "nothing to take back" in nothing.text
