"""The SQL graph with a model that follows a script and a database that records: what reaches it, and what becomes of
statements that are refused, fail or give nothing."""

from collections.abc import Callable

from scripted_model import ScriptedModel
from talk import ANSWER, CORRECT, COUNT, NONE, SEVEN, WRITE, PlayedDatabase, Talk, ask, correct, read, write

from turnkeep.databases.results import Result
from turnkeep.records import Principal
from turnkeep_agents.database.wall.database import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged

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
