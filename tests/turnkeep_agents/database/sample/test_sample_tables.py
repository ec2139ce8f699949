import pytest
from sqlalchemy import create_engine, inspect

from turnkeep_agents.database.sample.access import CANARY_TENANT, KEY_TABLES, SAMPLE_ACCESS
from turnkeep_agents.database.sample.tables import AREAS, metadata
from turnkeep_agents.database.sample.tables.columns import AUDITS, COMPANY_COLUMN
from turnkeep.records import Principal

TABLES = list(metadata.tables.values())
MAPPED = {"user", "employee", "workOrder", "customer", "customerLocation", "customerContact"}


def test_there_are_at_least_122_tables_in_several_areas() -> None:
    assert len(TABLES) >= 122
    assert len(AREAS) > 10


def test_every_table_says_what_it_holds() -> None:
    assert [table.name for table in TABLES if not table.comment] == []


def test_tables_are_made_on_sqlite_at_once() -> None:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    assert set(inspect(engine).get_table_names()) == set(metadata.tables)
    engine.dispose()


def test_parallel_links_to_people_are_there() -> None:
    links = {
        column.name: key.column.table.name for column in metadata.tables["workOrder"].c for key in column.foreign_keys
    }
    assert {name for name, to in links.items() if to == "employee"} == {"assignedTo", "dispatcherId"}
    assert {name for name, to in links.items() if to == "user"} == {"approvedBy", "createdBy", "updatedBy"}


def test_most_tables_say_who_entered_a_row() -> None:
    audited = [table for table in TABLES if AUDITS[0] in table.columns]
    assert len(audited) > 100
    assert all(set(AUDITS) <= set(table.columns.keys()) for table in audited)


def test_some_keys_are_composite_and_some_names_have_to_be_quoted() -> None:
    assert sum(len(table.primary_key) > 1 for table in TABLES) > 10
    assert {"order", "group", "3rdPartySystem"} < metadata.tables.keys()
    assert {"from", "to"} < set(metadata.tables["message"].columns.keys())


@pytest.mark.parametrize("table", [table for table in TABLES if COMPANY_COLUMN in table.columns], ids=str)
def test_a_table_of_a_company_has_a_secure_view(table: object) -> None:
    assert SAMPLE_ACCESS.view_of[str(table)] == f"secure_{str(table).lower()}"


def test_only_tables_that_all_companies_share_have_no_view() -> None:
    shared = {table.name for table in TABLES} - SAMPLE_ACCESS.view_of.keys()
    linked = {key.column.table.name for name in shared for key in metadata.tables[name].foreign_keys}
    assert linked <= shared
    assert "company" not in shared


def test_the_six_tables_of_people_and_places_are_encrypted_and_no_others() -> None:
    encrypted = {view.table: view.encrypted for view in SAMPLE_ACCESS.views if view.encrypted}
    assert encrypted.keys() == MAPPED
    assert {"firstName", "lastName", "email", "phone"} <= set(encrypted["employee"])
    assert {"name", "email", "phone", "billingStreet", "notes"} == set(encrypted["customer"])


def test_nobody_may_read_keys() -> None:
    names = [table.name for table in TABLES]
    for tenant in ("local", CANARY_TENANT):
        allowed = SAMPLE_ACCESS.allowed(Principal(tenant, "ann"), names)
        assert set(names) - allowed == set(KEY_TABLES)
