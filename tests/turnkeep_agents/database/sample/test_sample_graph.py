import pytest

from turnkeep_agents.database.joins.files import as_json
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.sample.access import CANARY_TENANT, KEY_TABLES
from turnkeep_agents.database.sample.graph import FOLDER, sample_graph
from turnkeep_agents.database.sample.tables import metadata


@pytest.fixture(scope="module")
def graph() -> JoinGraph:
    return sample_graph()


def test_the_bundled_graph_is_what_the_tables_associations_and_overrides_give(graph: JoinGraph) -> None:
    """After a change: `graph.write_joins()`."""
    assert as_json(graph) == (FOLDER / "joins.json").read_text()


def test_it_has_every_table_but_the_keys(graph: JoinGraph) -> None:
    assert graph.tables.keys() == metadata.tables.keys() - set(KEY_TABLES)


def test_every_foreign_key_is_a_relationship(graph: JoinGraph) -> None:
    links = {(link.from_table, link.from_column, link.to_table) for link in graph.relationships}
    declared = {
        (name, column.name, key.column.table.name)
        for name in graph.tables
        for column in metadata.tables[name].columns
        for key in column.foreign_keys
    }
    assert links == declared
    assert len(links) > 500


def test_encrypted_columns_are_texts_to_those_who_ask(graph: JoinGraph) -> None:
    assert graph.tables["employee"].columns["firstName"].kind == "text"
    assert all(column.kind != "binary" for table in graph.tables.values() for column in table.columns.values())


def test_states_and_kinds_are_known(graph: JoinGraph) -> None:
    assert "on_hold" in graph.tables["workOrder"].columns["status"].values
    assert "emergency" in graph.tables["priority"].columns["name"].values
    assert graph.tables["customer"].columns["name"].values == ()


def test_nothing_of_the_second_company_is_told() -> None:
    assert CANARY_TENANT not in (FOLDER / "joins.json").read_text().lower()


def test_links_between_the_same_tables_say_what_they_mean(graph: JoinGraph) -> None:
    roles = {link.from_column: link.role for link in graph.relationships if link.from_table == "workOrder"}
    assert (roles["assignedTo"], roles["dispatcherId"]) == ("assigned to", "dispatched by")


def test_what_people_call_things_is_known(graph: JoinGraph) -> None:
    assert "job" in graph.tables["workOrder"].synonyms
    assert "site" in graph.tables["customerLocation"].synonyms
    assert "bill" in graph.tables["invoice"].synonyms
