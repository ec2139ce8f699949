from dataclasses import replace
from typing import Any

import pytest
from join_graphs import SERVICE, graph, link

from scripted_model import ScriptedModel
from turnkeep_agents.database.joins.judging import BATCH, VALIDATE_JOINS, Doubt, Judgement, judge
from turnkeep_agents.database.joins.lint import LinkIssue, parts_of, validate
from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table


def found(joined: JoinGraph, code: str) -> list[LinkIssue]:
    return [finding for finding in validate(joined) if finding.code == code]


def test_a_dangling_link_is_an_error() -> None:
    broken = replace(SERVICE, relationships=(*SERVICE.relationships, link("crew.gone > user.id"), link("x.y > z.id")))

    first, second = found(broken, "dangling")
    assert (first.severity, first.edge) == ("error", "crew.gone = user.id")
    assert first.message == "the graph has no column crew.gone"
    assert second.message == "the graph has no table x, table z"
    assert [finding.severity for finding in validate(broken)][:3] == ["error", "error", "note"]


def test_a_graph_without_tables_is_an_error() -> None:
    (finding,) = validate(JoinGraph())
    assert (finding.severity, finding.code) == ("error", "empty")
    assert found(SERVICE, "empty") == []


def test_names_that_differ_only_in_case_are_reported() -> None:
    alike = graph("order: id*, total, Total\nOrder: id*\nitem: id*, ID2")

    assert [finding.edge for finding in found(alike, "case")] == ["order, Order", "order.total, order.Total"]
    assert found(SERVICE, "case") == []


def test_a_duplicate_is_reported_once() -> None:
    doubled = replace(SERVICE, relationships=(*SERVICE.relationships, link("crew.id > workOrder.crewId")))

    (finding,) = found(doubled, "duplicate")
    assert finding.edge == "workOrder.crewId = crew.id"
    assert "2 times" in finding.message


def test_columns_that_cannot_be_equal_are_reported() -> None:
    def with_kinds(*kinds: Any) -> JoinGraph:
        tables = {name: Table(name, {"id": Column("id", kind)}) for name, kind in zip("ab", kinds, strict=True)}
        return JoinGraph(tables, (link("a.id > b.id"),))

    assert found(with_kinds("text", "integer"), "types")[0].edge == "a.id = b.id"
    for fine in (("integer", "number"), ("other", "text"), ("text", "text"), ("date", "datetime")):
        assert found(with_kinds(*fine), "types") == []


def test_a_target_without_a_key_is_reported() -> None:
    joined = graph("a: id*, bName\nb: id*, name\nc: x, y", link("a.bName > b.name", type="inferred"))

    assert "name does not identify the rows of b" in found(joined, "not_unique")[0].message
    assert found(graph("a: id*, y\nc: x, y", link("a.y > c.y", type="inferred")), "not_unique") == []
    many = link("a.bName > b.name", type="inferred", cardinality="N:N")
    assert found(replace(joined, relationships=(many,)), "not_unique") == []


def test_doubtful_links_are_noted() -> None:
    (finding,) = found(SERVICE, "low_confidence")

    assert (finding.severity, finding.edge) == ("note", "invoice.customerId = customer.id")


def test_disconnected_parts_are_reported() -> None:
    apart = graph(
        "a: id*, bId\nb: id*\nc: id*, dId\nd: id*\ne: id*\nf: id*, bId", "a.bId > b.id", "c.dId > d.id", "f.bId > b.id"
    )

    (part,), (alone,) = found(apart, "disconnected"), found(apart, "alone")
    assert part.edge == "c, d"
    assert alone.edge == "e"
    assert sorted(map(len, parts_of(apart))) == [1, 2, 3]


# By a model


GUESSES = tuple(link(f"a.x{number} > b.id", type="inferred", confidence=0.9) for number in range(BATCH + 2))


def doubting(script: ScriptedModel, *batches: list[Doubt]) -> ScriptedModel:
    script.play(*((VALIDATE_JOINS.name, Judgement(doubts=doubts)) for doubts in batches))
    return script


async def test_a_model_sees_all_links_in_batches_and_lowers_what_it_doubts(script: ScriptedModel) -> None:
    doubt = Doubt(number=2, confidence=0.3, remark="x1 is\na count")
    judged, remarks = await judge(doubting(script, [doubt], []), JoinGraph({}, GUESSES))
    assert judged.relationships[1].confidence == 0.3
    assert [each for each in judged.relationships if each.confidence == 0.9] == [GUESSES[0], *GUESSES[2:]]
    assert [remark.edge for remark in remarks] == ["a.x1 = b.id"]
    assert "x1 is a count" in remarks[0].message
    assert [messages[-1].text.count("b.id") for _, messages, _ in script.asked] == [BATCH, 2]


@pytest.mark.parametrize("number", [0, -1, BATCH + 1, 999])
async def test_a_model_cannot_judge_a_link_that_it_was_not_shown(script: ScriptedModel, number: int) -> None:
    doubt = Doubt(number=number, confidence=0, remark="no")
    assert await judge(doubting(script, [doubt], []), JoinGraph({}, GUESSES)) == (JoinGraph({}, GUESSES), [])


@pytest.mark.parametrize(
    ("one", "doubt", "sure"),
    [
        (GUESSES[0], Doubt(number=1, confidence=1.0, remark="fine"), 0.9),
        (link("a.x > b.id"), Doubt(number=1, confidence=0.1, remark="odd"), 1.0),
        (link("a.x > b.id", type="manual"), Doubt(number=1, confidence=0.1, remark="odd"), 1.0),
    ],
)
async def test_a_model_raises_no_confidence_and_declared_links_keep_theirs(
    script: ScriptedModel, one: Relationship, doubt: Doubt, sure: float
) -> None:
    judged, remarks = await judge(doubting(script, [doubt]), JoinGraph({}, (one,)))
    assert judged.relationships[0].confidence == sure
    assert remarks[0].severity == ("warning" if one.type == "inferred" else "note")
