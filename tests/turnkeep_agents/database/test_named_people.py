"""Whether somebody by name is so is asked of the database, what a thing is of the manual."""

from query_talk import Talk

from turnkeep.agents import build_agent
from turnkeep.records import RunContext
from turnkeep.settings import Settings

AGENT = build_agent("database", Settings(model="demo"))


async def test_the_state_of_somebody_is_that_of_the_person_of_this_name(context: RunContext) -> None:
    listed = await Talk(AGENT.graph, context).say("List the active technicians")
    at = [listed.details["columns"].index(name) for name in ("first_name", "last_name")]
    first, last = (listed.details["rows"][0][place] for place in at)

    active = await Talk(AGENT.graph, context).say(f"Is {first} {last} active?")
    gone = await Talk(AGENT.graph, context).say(f"Is {first} {last} terminated?")

    assert [reply.route for reply in (active, gone)] == ["sql", "sql"]
    assert active.details["tables"] == gone.details["tables"] == ["employee"]
    assert active.details["rows"][0][0] > gone.details["rows"][0][0] == 0


async def test_what_a_thing_is_is_told_by_the_manual_and_its_rows_are_listed_where_they_are_asked_for(
    context: RunContext,
) -> None:
    meant = await Talk(AGENT.graph, context).say("What is an invoice?")
    listed = await Talk(AGENT.graph, context).say("What are the invoices of last week?")

    assert (meant.route, listed.route) == ("rag", "sql")
    assert meant.text.endswith("[invoices#overview]")
