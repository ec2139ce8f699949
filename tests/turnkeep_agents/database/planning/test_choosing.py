"""The tables of a statement, and how a prompt shows them."""

from dataclasses import replace

from join_graphs import graph, link, table

from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import Column, JoinGraph
from turnkeep_agents.database.planning.choosing import choose, described, ways_between, within
from turnkeep_agents.database.planning.ranking import TableRanker
from turnkeep_agents.database.planning.schema_text import main_date, neighbours, schema_text

AUDIT = "createdBy integer, createdAt datetime, companyId integer"
PLAIN = graph(
    f"""
    job: id* integer, crewId integer, doneOn date, state text=new, {AUDIT}
    crew: id* integer, name text, {AUDIT}
    crewMember: id* integer, crewId integer, personId integer, {AUDIT}
    stateChange: id* integer, jobId integer, changedBy integer, changedAt datetime, {AUDIT}
    weather: id* integer, day date, {AUDIT}
    """,
    "job.crewId > crew.id",
    "crewMember.crewId > crew.id",
    link("crewMember.personId > person.id", role="is a"),
    "stateChange.jobId > job.id",
    "stateChange.changedBy > person.id",
)
PERSON = table(f"person: id* integer, {AUDIT}", synonyms=("worker",))
NAME = Column("name", "text", comment="As on\npapers.")
GRAPH = JoinGraph(
    {**PLAIN.tables, "person": replace(PERSON, columns={**PERSON.columns, "name": NAME})}, PLAIN.relationships
)
FINDER, RANKER, EVERY = PathFinder(GRAPH), TableRanker(GRAPH), frozenset(GRAPH.tables)


def shown(*tables: str, **others: object) -> str:
    given = {"allowed": EVERY, "hidden": {"job": "companyId"}, "spans": {}, "asked": ""}
    return schema_text(GRAPH, tables, **{**given, "has_values": True, "max_columns": 50, **others})  # type: ignore[arg-type]


def test_named_tables_come_before_ranked_ones() -> None:
    assert choose(RANKER, FINDER, ["job"], "crews and weather", EVERY, most=5) == ["job", "crew"]
    assert choose(RANKER, FINDER, [], "workers", EVERY, most=3)[0] == "person"
    assert "crew" not in choose(RANKER, FINDER, ["job"], "crew", EVERY - {"crew"}, most=5)


def test_described_tables_are_found_by_name_or_words() -> None:
    assert described(RANKER, ["stateChanges"], EVERY) == ["stateChange"]
    assert described(RANKER, ["members of a crew"], EVERY)[0] == "crewMember"


def test_tables_in_between_are_added_and_unreachable_ones_are_noted() -> None:
    assert ways_between(FINDER, ["crew", "person"], EVERY) == (("crewMember",), [])
    _, notes = ways_between(FINDER, ["job", "weather"], EVERY)
    assert notes == ["No foreign key leads to weather from the others: do not join it."]
    assert ways_between(FINDER, ["crew", "person"], {"crew", "person"})[0] == ()
    assert within(FINDER, EVERY) is FINDER


def test_every_link_is_shown_with_its_role_and_audit_columns_are_not() -> None:
    text = shown("crewMember", "job")
    assert "crewId -> crew.id; personId -> person.id [is a]" in text
    assert "createdBy" not in text
    assert "companyId" not in shown("job")
    assert "state = new" in shown("job")
    assert "new" not in shown("job", has_values=False)


def test_a_forbidden_table_is_no_target_and_a_rare_audit_column_is_shown() -> None:
    assert "changedBy -> person.id" in shown("stateChange")
    assert "-> person" not in shown("crewMember", allowed=EVERY - {"person"})


def test_comments_stay_on_one_line_and_dates_show_their_span() -> None:
    assert "name (As on papers)" in shown("person")
    spans = {"job.doneOn": ("2026-01-01", "2026-11-01")}
    assert "doneOn date from 2026-01-01 to 2026-11-01" in shown("job", spans=spans)
    dates = [main_date(GRAPH.tables[name]) for name in ("job", "crew", "stateChange")]
    assert dates == ["doneOn", "createdAt", "changedAt"]


def test_a_wide_table_shows_keys_and_requested_columns() -> None:
    text = shown("job", max_columns=3, asked="the state")
    assert "state" in text
    assert "doneOn" not in text
    assert "and " in text


def test_tables_that_point_at_the_named_ones_are_listed() -> None:
    assert neighbours(GRAPH, ["job"], ["job"], EVERY) == ["stateChange"]
    assert neighbours(GRAPH, ["job", "stateChange"], ["job"], EVERY) == []
