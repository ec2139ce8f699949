"""POST /internal/chat/stream: request and events of the seed."""

import json
from typing import Any

import pytest
from echoing import ROWS
from httpx import ASGITransport, AsyncClient, Response
from scripted import ScriptedTurns, Step, complete, token

from bare_app import bare_app
from turnkeep.http.native.internal import rows_of
from turnkeep.records import Event, Usage
from turnkeep.settings import Settings

ROUTE, BODY = "/internal/chat/stream", {"input": {"message": "ping"}, "conversation": {"id": "c1"}}


def data_of(answer: Response) -> list[dict[str, Any]]:
    """Return the objects of a stream that has only `data:` lines, comments and empty lines."""
    lines = [line for line in answer.text.split("\n") if line and not line.startswith(":")]
    assert all(line.startswith("data: {") for line in lines), answer.text
    return [json.loads(line.removeprefix("data: ")) for line in lines]


async def play(*steps: Step, heartbeat_seconds: float = 5) -> Response:
    settings = Settings(turn={"heartbeat_seconds": heartbeat_seconds})  # type: ignore[arg-type]
    app = bare_app(turns=ScriptedTurns(list(steps)), settings=settings)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        return await client.post(ROUTE, json=BODY)


async def test_the_five_events_have_the_format_of_the_seed() -> None:
    answer = await play(
        Event("route_decision", {"route": "sql"}),
        Event("tool_start", {"tool": "sql"}),
        token("There"),
        token(" are 10"),
        complete(usage=Usage(input_tokens=400, output_tokens=15), details=ROWS, number=3),
    )
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert data_of(answer) == [
        {"event": "route_decision", "route": "sql"},
        {"event": "tool_start", "tool": "sql_agent"},
        {"event": "token", "channel": "final", "content": "There"},
        {"event": "token", "channel": "final", "content": " are 10"},
        {
            "event": "complete",
            "stats": {"tokens": 15},
            "data": [{"name": "Ann", "hours": 7.5}, {"name": "Bo", "hours": None}],
            "persisted": True,
            "turn_number": 3,
            "conversation": {"id": "t1"},
        },
    ]


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("tool", "sql", "sql_agent"),
        ("tool", "manual", "rag_agent"),
        ("tool", "general", "general_agent"),
        ("route", "rag", "rag"),
        ("route", "general", "general"),
        ("route", "clarify", "sql"),
    ],
)
async def test_tools_and_routes_have_the_names_of_the_seed(name: str, ours: str, theirs: str) -> None:
    event: Any = {"tool": "tool_start", "route": "route_decision"}[name]
    [shown, _] = data_of(await play(Event(event, {name: ours}), complete()))
    assert shown == {"event": event, name: theirs}


async def test_events_unknown_to_the_seed_are_omitted_and_do_not_delay_the_heartbeat() -> None:
    hidden: list[Step] = [step for _ in range(8) for step in (Event("node", {"node": "run_sql"}), 0.03)]
    unstored = complete(details={"steps": []}, persisted=False, number=0)
    answer = await play(*hidden, Event("custom", {"data": 1}), unstored, heartbeat_seconds=0.1)
    assert answer.text.count(": heartbeat\n\n") in (1, 2)
    [done] = data_of(answer)
    assert (done["data"], done["persisted"], done["turn_number"]) == ([], False, None)


def test_repeated_column_names_are_numbered() -> None:
    found = rows_of({"columns": ["name", "name", "name_2", "name"], "rows": [[1, 2, 3, 4]]})
    assert found == [{"name": 1, "name_2": 2, "name_2_2": 3, "name_3": 4}]
