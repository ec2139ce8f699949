"""The campaigns agent as a caller meets it with a served model: every edge of its graph, what a turn keeps, what it
says when its warehouse is down."""

from collections.abc import Sequence
from typing import Any

from whole_site import Site, edges_of, edges_taken, nodes_of
from wire import Answer, WireServer, calls, says

from turnkeep_agents.campaigns.requests import SPECIALISTS

CLICKS = "Show me the clicks of Quiz last month"
ADVICE = "Why are budgets overspending this month, and what should we change?"


def reading(specialist: str, intent: str = "figures", **more: object) -> dict[str, Any]:
    asked = {"names": [], "metrics": [], "by": [], "period": {"named": "none"}, **more}
    return {
        "reasoning": "It is asked for.",
        "language": "en",
        "standalone": "The whole question",
        "kind": "specialists",
        "week": "open",
        "requests": [{"specialist": specialist, "intent": intent, **asked}],
        "reply": "",
        "confidence": 0.9,
    }


def analysis(action: str, cause: str = "It spends too fast.") -> dict[str, Any]:
    advice = {
        "priority": "high",
        "change": "decrease",
        "subject": "Brightway City Breaks",
        "action": action,
        "reason": "It is too fast.",
    }
    return {"causes": [cause], "links": [], "recommendations": [advice], "confidence": 0.7}


PERFORMANCE = reading("performance_diagnosis", names=["Quiz"], metrics=["clicks"], period={"named": "last_month"})
BUDGETS = reading("budget_risk", "advice")
READ, READ_BUDGETS = calls("Reading", PERFORMANCE), calls("Reading", BUDGETS)
TOLD = says("There they are.")
ASKS = calls("Reading", {**PERFORMANCE, "kind": "clarify", "requests": [], "reply": "Which campaigns do you mean?"})
ADVISED = (READ_BUDGETS, calls("Analysis", analysis("Slow Brightway City Breaks down.")), TOLD)
ONE_EACH = tuple((calls("Reading", reading(name)), TOLD) for name in SPECIALISTS)
WAYS: Sequence[tuple[Answer, ...]] = ((ASKS,), *ONE_EACH, ADVISED)
"""What a model says in one turn; together they take every edge but one: no reading can name nobody that is known."""
NEVER_READ = ("check_gate", "respond")


async def test_every_edge_of_the_graph_is_taken(site: Site, model: WireServer) -> None:
    taken: set[tuple[str, str]] = set()
    for way in WAYS:
        model.script += way
        answer = await (await site.serve(model)).http.post(
            "/chat/stream", json={"message": CLICKS, "agent": "campaigns"}
        )
        taken |= edges_taken(nodes_of(answer), SPECIALISTS)
    assert taken == edges_of("campaigns") - {NEVER_READ}


async def test_a_turn_keeps_specialists_gate_requests_figures_and_diagnosis(site: Site, model: WireServer) -> None:
    model.script += ADVISED
    said = await (await site.serve(model)).say(ADVICE, "c1", agent="campaigns")
    kept = await (await site.open()).get("/threads/c1/turns/1")
    assert {name: kept[name] for name in said if name in kept} == {name: said[name] for name in said if name in kept}
    details = kept["details"]
    assert details["gate"]["valid"]
    assert {one["status"] for one in details["specialists"]} == {"ok"}
    assert {one["specialist"] for one in details["figures"]} == {one["name"] for one in details["specialists"]}
    assert details["diagnosis"]["severity"] in ("medium", "high", "critical")
    assert {"priority", "action", "reason", "expected_impact"} <= details["recommendations"][0].keys()
    assert kept["confidence"] == 0.7
