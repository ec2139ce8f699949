"""The two graphs with a model that follows a script and a database that records: what reaches it, and what becomes of
statements that are refused, fail or give nothing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from query_talk import PlayedDatabase, Talk, talk_to
from scripted_model import ScriptedModel

from turnkeep.agents import build_agent
from turnkeep_agents.database.prompts import RouteResult, Statement, TableChoice
from turnkeep_agents.database.state import LASTING
from turnkeep_agents.database.wall.database import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged
from turnkeep.blocks.understanding import Reading
from turnkeep.databases.results import Result
from turnkeep.models.chat import Models
from turnkeep.records import Principal, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.database.settings import DatabaseSettings

QUESTION = "How many employees are active?"
ROUTE, SELECT, WRITE, CORRECT, ANSWER = (
    f"database.{name}" for name in ("route", "select_tables", "write_sql", "correct_sql", "answer")
)
MANUAL, GENERAL, READ = "database.manual", "database.general", "understand.read"
SEVEN = Result(("employees",), ((7,),))
NONE = Result(("employees",), ())
COUNT = "SELECT COUNT(*) AS employees FROM employee WHERE status = 'active'"
ATTACKS = [
    "DROP TABLE employee",
    "SELECT 1; DELETE FROM crew",
    "SELECT * FROM sqlite_master",
    "PRAGMA table_info(crew)",
]

type Start = Callable[..., Talk]


@pytest.fixture
def database() -> PlayedDatabase:
    return PlayedDatabase()


@pytest.fixture
def start(database: PlayedDatabase, script: ScriptedModel, context: RunContext) -> Start:
    def started(caller: Principal = context.principal, **tuning: Any) -> Talk:
        models = Models(script, script, "openai", "m")
        return talk_to(database, models, replace(context, principal=caller), DatabaseSettings(**tuning))

    return started


def select(*names: str) -> tuple[str, TableChoice]:
    return SELECT, TableChoice(tables=list(names))


def write(sql: str) -> tuple[str, Statement]:
    return WRITE, Statement(sql=sql)


def correct(sql: str) -> tuple[str, Statement]:
    return CORRECT, Statement(sql=sql)


async def test_what_runs_is_the_checked_statement_over_secure_views(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("employee"), write(f"{COUNT} -- by hand"), (ANSWER, "There are 7."))
    reply = await start().say(QUESTION)
    assert (reply.route, reply.warnings) == ("sql", ())
    assert reply.text.startswith("There are 7.")
    assert database.ran == [reply.details["sql"]]
    assert "secure_employee" in database.ran[0]
    assert "by hand" not in database.ran[0]
    assert reply.details["tables"] == ["employee"]
    assert (reply.details["columns"], reply.details["rows"]) == (["employees"], [[7]])
    assert reply.details["page"] == {"number": 1, "size": 1, "has_more": False, "offset": 0}


async def test_the_caller_goes_along_to_the_database(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("employee"), write(COUNT), (ANSWER, "There are 7."))
    caller = Principal("acme", "bob")
    await start(caller).say(QUESTION)
    assert database.callers == [caller]


async def test_prompts_hold_the_tables_the_joins_the_day_and_the_dialect(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("crew", "visit"), write(COUNT), (ANSWER, "There are 7."))
    await start().say("How many visits did each crew make?")
    prompt = script.prompt(WRITE)
    assert '<document id="visit">' in prompt
    assert "visit.crewId = crew.id" in prompt
    assert "2026-03-04" in prompt
    assert "sqlite" in prompt


async def test_without_values_a_prompt_shows_none(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("employee"), write(COUNT), (ANSWER, "There are 7."))
    await start(sample_rows=0).say("How many employees are there?")
    assert "inactive" not in script.prompt(WRITE)


async def test_a_refused_statement_is_corrected_with_the_reason(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    wrong = "SELECT COUNT(*) AS employees FROM employee WHERE wage > 3"
    script.play(select("employee"), write(wrong), correct(COUNT), (ANSWER, "There are 7."))
    reply = await start().say(QUESTION)
    assert "'wage'" in script.prompt(CORRECT) or ".wage'" in script.prompt(CORRECT)
    assert wrong in script.prompt(CORRECT)
    assert [attempt["sql"] for attempt in reply.details["attempts"]] == [wrong]
    assert reply.details["rows"] == [[7]]


async def test_a_name_with_one_meaning_is_mended_without_a_model(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("employee"), write("SELECT first_name FROM employee"), (ANSWER, "Here they are."))
    reply = await start().say("List the employees")
    assert len(reply.details["attempts"]) == 1
    assert "firstName" in database.ran[0]


@pytest.mark.parametrize("attack", ATTACKS)
async def test_an_attack_in_any_correction_is_refused_too(
    attack: str, start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play(select("employee"), write(attack), *[correct(attack)] * 3)
    reply = await start().say(QUESTION)
    assert database.ran == []
    assert set(reply.warnings) - {"nothing_changed"} == {"sql_refused"}
    assert len(reply.details["attempts"]) == 4
    assert reply.details["sql"] is None


async def test_an_attack_that_comes_only_in_the_last_correction_is_refused(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    wrong = "SELECT wage FROM employee WHERE bonus = 1"
    script.play(select("employee"), write(wrong), correct(wrong), correct(wrong), correct(ATTACKS[0]))
    reply = await start().say(QUESTION)
    assert (database.ran, set(reply.warnings)) == ([], {"sql_refused", "nothing_changed"})


async def test_what_the_database_complains_of_is_corrected(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [QueryFailed("misuse of aggregate"), SEVEN]
    script.play(select("employee"), write(COUNT), correct(COUNT), (ANSWER, "There are 7."))
    reply = await start().say(QUESTION)
    assert "misuse of aggregate" in script.prompt(CORRECT)
    assert (reply.details["rows"], len(database.ran)) == ([[7]], 2)


async def test_corrections_come_to_an_end(start: Start, script: ScriptedModel, database: PlayedDatabase) -> None:
    database.plays = [QueryFailed("no")] * 4
    script.play(select("employee"), write(COUNT), *[correct(COUNT)] * 3)
    reply = await start().say(QUESTION)
    assert (reply.warnings, len(database.ran)) == (("sql_refused",), 4)
    assert "no" in reply.text


async def test_no_rows_are_looked_at_once_more_and_then_told(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [NONE, NONE]
    script.play(select("employee"), write(COUNT), write(COUNT), (ANSWER, "None, alas."))
    reply = await start().say(QUESTION)
    assert COUNT in script.prompt(WRITE)
    assert (len(database.ran), reply.details["rows"], reply.warnings) == (2, [], ())


async def test_no_rows_stay_the_answer_where_the_second_look_is_refused(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [NONE]
    script.play(select("employee"), write(COUNT), write(ATTACKS[0]), (ANSWER, "None, alas."))
    reply = await start(max_corrections=0).say(QUESTION)
    assert reply.details["sql"] == database.ran[0]
    assert (reply.details["rows"], reply.route) == ([], "sql")


@pytest.mark.parametrize(
    ("fault", "code"), [(DatabaseDown("It is away."), "database_down"), (DatabaseSlow("It is slow."), "database_slow")]
)
async def test_a_database_without_an_answer_is_said(
    fault: Exception, code: str, start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [fault]
    script.play(select("employee"), write(COUNT))
    reply = await start().say(QUESTION)
    assert reply.text.startswith(str(fault))
    assert reply.warnings == (code,)


async def test_a_schema_that_cannot_be_read_is_said(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.fault = DatabaseDown("It is away.")
    reply = await start().say(QUESTION)
    assert (reply.text, reply.route, reply.warnings) == ("It is away.", "sql", ("database_down",))


@pytest.mark.parametrize("joins", [None, "joins.json"])
async def test_of_a_schema_that_changed_the_user_is_told_and_the_log_has_the_remedy(
    joins: str | None,
    start: Start,
    script: ScriptedModel,
    database: PlayedDatabase,
    output: Callable[[], list[dict[str, Any]]],
) -> None:
    database.plays = [SchemaChanged("no such column: status")] * 4
    script.play(select("employee"), write(COUNT), *[correct(COUNT)] * 3)
    reply = await start(joins=joins).say(QUESTION)
    assert "have changed since" in reply.text
    assert "no such column" not in reply.text
    assert set(reply.warnings) == {"schema_changed", "sql_refused"}
    (line,) = [line for line in output() if line["level"] == "WARNING"]
    assert line["tables"] == ["employee"]
    assert line["remedy"].endswith("start the server anew")
    assert ("turnkeep joins build" in line["remedy"]) == bool(joins)


async def test_tables_that_a_caller_may_not_read_do_not_exist_for_it(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play(select("employee", "crew"), write(COUNT), *[correct(COUNT)] * 3)
    reply = await start(Principal("acme", "guest")).say("How many employees have a crew?")
    assert '<document id="employee">' not in script.prompt(SELECT)
    assert database.ran == []
    assert reply.warnings == ("sql_refused",)


async def test_made_up_tables_give_way_to_the_ranked(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("staff"), write(COUNT), (ANSWER, "There are 7."))
    reply = await start(max_fallback_tables=1).say(QUESTION)
    assert reply.warnings == ("tables_by_rules",)
    assert '<document id="employee">' in script.prompt(WRITE)


async def test_a_question_for_which_the_model_finds_no_table_is_said(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play(select())
    reply = await start().say(QUESTION)
    assert (reply.warnings, database.ran) == (("nothing_found",), [])


async def test_a_choice_of_links_is_asked_and_its_answer_read(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    talk = start()
    script.play(select("employee", "crew"))
    asked = await talk.say("List crews with the names of their employees")
    assert asked.route == "clarify"
    assert "led by" in asked.text
    assert "planned by" in asked.text
    script.play((READ, Reading(depends_on_history=True, standalone_query="the one it is led by")))
    script.play(select("employee", "crew"), write("SELECT name FROM crew"), (ANSWER, "Here."))
    reply = await talk.say("the one it is led by")
    assert reply.route == "sql"
    assert "crew.leadId = employee.id" in script.prompt(WRITE)


async def test_who_does_not_say_which_link_is_asked_once_only(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    talk = start()
    script.play(select("employee", "crew"))
    await talk.say("List crews with the names of their employees")
    script.play((READ, Reading(depends_on_history=True, standalone_query="I do not mind")))
    script.play(select("employee", "crew"), write("SELECT name FROM crew"), (ANSWER, "Here."))
    reply = await talk.say("hm, I am not sure about that")
    assert (reply.route, reply.warnings) == ("sql", ("link_assumed",))


async def test_figures_that_stand_in_no_row_are_taken_back(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(select("employee"), write(COUNT), (ANSWER, "There are 9 of them."))
    reply = await start().say(QUESTION)
    assert reply.warnings == ("figure_removed",)
    assert "9" not in reply.text
    assert "7" in reply.text


async def test_a_page_runs_the_last_statement_again_without_a_model_for_it(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    talk = start(max_rows=2)
    page = Result(("firstName",), (("Ann",), ("Bob",)), is_cut=True)
    database.plays = [page, Result(("firstName",), (("Cid",),)), page]
    script.play(select("employee"), write("SELECT firstName FROM employee"), (ANSWER, "These."))
    first = await talk.say("List all employees")
    assert first.details["page"] == {"number": 1, "size": 2, "has_more": True, "offset": 0}
    script.play((READ, Reading(depends_on_history=True, standalone_query="next page")), (ANSWER, "The last."))
    second = await talk.say("next page")
    assert second.details["page"] == {"number": 2, "size": 1, "has_more": False, "offset": 2}
    assert "OFFSET 2" in database.ran[1]
    assert second.details["rows"] == [["Cid"]]


async def test_a_follow_up_is_written_with_the_statement_before(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    talk = start()
    database.plays = [SEVEN, SEVEN]
    script.play(select("employee"), write(COUNT), (ANSWER, "There are 7."))
    await talk.say(QUESTION)
    meant = "How many employees are inactive?"
    script.play((READ, Reading(depends_on_history=True, standalone_query=meant)))
    script.play(select("employee"), write(COUNT), (ANSWER, "There are 7."))
    reply = await talk.say("what about the inactive ones?")
    assert reply.standalone_query == meant
    assert script.prompt(WRITE).endswith(meant)


async def test_a_question_about_the_software_is_answered_from_the_manual(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play((MANUAL, "Choose New crew [crews#add], see [bogus#page]."))
    reply = await start().say("How do I add a crew?")
    assert reply.route == "rag"
    assert reply.text == "Choose New crew [crews#add], see."
    assert next((source.id, source.cited) for source in reply.sources) == ("crews#add", True)
    assert reply.warnings == ("citation_removed",)
    assert database.ran == []


async def test_small_talk_reaches_neither_database_nor_manual(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play((GENERAL, "Hello!"))
    reply = await start().say("Hello there")
    assert (reply.route, reply.text, reply.sources, database.ran) == ("general", "Hello!", (), [])


async def test_a_route_that_rules_are_unsure_of_is_asked_for(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    script.play((ROUTE, RouteResult(route="general")), (GENERAL, "Well."))
    reply = await start().say("What is a visit?")
    assert reply.route == "general"
    assert "database is about: " in script.prompt(ROUTE)


async def test_the_state_is_plain_and_what_lasts_stays_small(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    talk = start()
    for turn in range(30):
        database.plays.append(SEVEN)
        if turn:
            script.play((READ, Reading(depends_on_history=True, standalone_query=f"employees {'word ' * 190}{turn}")))
        script.play(select("employee"), write(COUNT), (ANSWER, "There are 7."))
        await talk.say(f"and them {'and so on ' * 90}{turn}" if turn else QUESTION)
    lasting = {name: value for name, value in talk.kept.items() if name != "messages"}
    assert set(lasting) <= LASTING - {"messages"}
    assert len(JsonPlusSerializer().dumps_typed(lasting)[1]) < 8_000


async def test_a_long_chain_of_long_follow_ups_stays_small(context: RunContext) -> None:
    agent = build_agent("database", Settings(model="demo"))
    talk = Talk(agent.graph, context)
    await talk.say("How many technicians are active?")
    for number in range(14):
        await talk.say(f"and only those hired before {1990 + number}, please, {'if you would be so kind, ' * 12}")
    assert talk.kept["chain"][0].startswith("How many technicians")
    assert "2003" in talk.kept["chain"][-1]
    assert len(talk.kept["chain"]) < 14
    lasting = {name: value for name, value in talk.kept.items() if name != "messages"}
    assert len(JsonPlusSerializer().dumps_typed(lasting)[1]) < 8_000


async def test_a_database_of_ones_own_goes_without_the_bundled_manual(tmp_path: Path, context: RunContext) -> None:
    own = tmp_path / "own.sqlite"
    with closing(sqlite3.connect(own)) as connection:
        connection.execute("CREATE TABLE pond (id INTEGER PRIMARY KEY, depth INTEGER)")
        connection.commit()
    settings = Settings(model="demo", database={"url": f"sqlite:///{own}"})  # type: ignore[arg-type]
    agent = build_agent("database", settings)
    for message, route in (("How do I close a work order in the app?", "rag"), ("How many ponds are there?", "sql")):
        state = {**agent.new_turn(), "messages": [HumanMessage(message, id="h")]}
        reply = agent.read_reply(await agent.graph.ainvoke(state, context=context))
        assert (reply.route, reply.sources) == (route, ())
        assert ("DATABASE__MANUAL" in reply.text) is (route == "rag")
