from dataclasses import replace

import pytest
from join_graphs import SERVICE, graph, link

from scripted_model import ScriptedModel
from turnkeep_agents.database.joins.judging import BATCH, VALIDATE_JOINS, Doubt, Judgement, judge
from turnkeep_agents.database.joins.lint import parts_of, validate
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

APART = "a: id*, bId\nb: id*\nc: id*, dId\nd: id*\ne: id*\nf: id*, bId"
PARTS = graph(APART, "a.bId > b.id", "c.dId > d.id", "f.bId > b.id")
KEYLESS = "a: id*, bName\nb: id*, name"


def of_kinds(one: str, other: str) -> JoinGraph:
    return graph(f"a: id {one}\nb: id {other}", "a.id > b.id")


def with_links(*links: str) -> JoinGraph:
    return replace(SERVICE, relationships=(*SERVICE.relationships, *map(link, links)))


@pytest.mark.parametrize(
    ("code", "joined", "edges"),
    [
        ("dangling", with_links("crew.gone > user.id", "x.y > z.id"), ["crew.gone = user.id", "x.y = z.id"]),
        ("empty", JoinGraph(), ["the graph"]),
        ("case", graph("order: id*, a, A\nOrder: id*\nitem: id*, ID2"), ["order, Order", "order.a, order.A"]),
        ("duplicate", with_links("crew.id > workOrder.crewId"), ["workOrder.crewId = crew.id"]),
        ("types", of_kinds("text", "integer"), ["a.id = b.id"]),
        ("types", of_kinds("integer", "number"), []),
        ("types", of_kinds("other", "text"), []),
        ("types", of_kinds("text", "text"), []),
        ("types", of_kinds("date", "datetime"), []),
        ("not_unique", graph(KEYLESS, link("a.bName > b.name", type="inferred")), ["a.bName = b.name"]),
        ("not_unique", graph(KEYLESS, link("a.bName > b.name", type="inferred", cardinality="N:N")), []),
        ("not_unique", graph("a: id*, y\nc: x, y", link("a.y > c.y", type="inferred")), []),
        ("disconnected", PARTS, ["c, d"]),
        ("alone", PARTS, ["e"]),
    ],
)
def test_an_issue_is_reported_with_its_place(code: str, joined: JoinGraph, edges: list[str]) -> None:
    assert [issue.edge for issue in validate(joined) if issue.code == code] == edges


def test_errors_come_before_doubts() -> None:
    issues = validate(with_links("x.y > z.id"))
    assert [(one.severity, one.code) for one in issues][:2] == [("error", "dangling"), ("note", "low_confidence")]
    assert issues[0].message == "the graph has no table x, table z"
    assert {one.code for one in validate(SERVICE)} == {"low_confidence", "alone"}
    assert sorted(map(len, parts_of(PARTS))) == [1, 2, 3]


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
