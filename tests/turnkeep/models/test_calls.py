"""Calls in which a model may call several tools, returns one result or prose, and the schema that it is sent."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import pytest
from asking import model_of
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, Field
from wire import Answer, WireServer, answers, calls, fails, refuses, says

from turnkeep.errors import ModelError, ModelTruncated
from turnkeep.models.calls import TextCall, ToolsAnswer, ToolsCall, TypedCall, ask_text, ask_tools, ask_typed, tool_of
from turnkeep.models.usage import UsageMeter


class Search(BaseModel):
    """Finds things."""

    wish: str
    limit: int | None = Field(None, ge=1, le=9)


class Price(BaseModel):
    names: list[str] = Field(min_length=1)


CALL = ToolsCall("agent.read", (Search, Price), max_tokens=77)


def several(*asked: tuple[str, Any]) -> Answer:
    sent = [
        {"id": f"t{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for at, (name, arguments) in enumerate(asked)
    ]
    return answers({"tool_calls": sent}, "tool_calls")


async def ask(*script: Answer) -> tuple[ToolsAnswer, list[Any]]:
    with WireServer(list(script)) as server:
        answer = await ask_tools(model_of(server), CALL, [HumanMessage("x")])
        assert len(server.bodies) == len(script)
        return answer, list(server.bodies)


async def test_calls_keep_their_order_and_the_model_may_choose() -> None:
    answer, bodies = await ask(
        several(("Search", {"wish": "a"}), ("Price", {"names": ["b"]}), ("Search", {"wish": "c"}))
    )
    assert answer == ToolsAnswer((Search(wish="a"), Price(names=["b"]), Search(wish="c")))
    assert [tool["function"]["name"] for tool in bodies[0]["tools"]] == ["Search", "Price"]
    assert "tool_choice" not in bodies[0]
    assert (bodies[0]["temperature"], bodies[0]["max_tokens"]) == (0.0, 77)


async def test_arguments_become_storable_text() -> None:
    assert (await ask(several(("Search", {"wish": "a\ud800b\x1bc"}))))[0] == ToolsAnswer((Search(wish="a\ufffdb c"),))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (several(("Price", {"names": []})), "names: List should have at least 1 item"),
        (several(("Search", {"wish": "a", "limit": 99})), "limit: Input should be less than or equal to 9"),
        (several(("Buy", {"what": "a"})), "there is no tool Buy"),
        (calls("Search", '{"wish": "a'), "the arguments were not valid JSON"),
    ],
)
async def test_an_unusable_call_is_retried_with_the_reason(wrong: Answer, why: str) -> None:
    answer, bodies = await ask(wrong, several(("Search", {"wish": "b"})))
    assert answer == ToolsAnswer((Search(wish="b"),))
    assert why in bodies[1]["messages"][-1]["content"]


async def test_valid_calls_are_kept_if_others_stay_invalid() -> None:
    half = several(("Search", {"wish": "a"}), ("Price", {}))
    assert (await ask(half, half))[0] == ToolsAnswer((Search(wish="a"),))
    assert (await ask(half, says("I cannot.")))[0] == ToolsAnswer((Search(wish="a"),))


@pytest.mark.parametrize("last", [several(("Buy", {})), says("")])
async def test_no_usable_answer_is_a_model_error(last: Answer) -> None:
    with pytest.raises(ModelError):
        await ask(several(("Buy", {})), last)


class Kind(BaseModel):
    """What it is."""

    title: str = Field("none", description="of the thing")
    default: Literal["a", "b"]
    size: int | None = Field(None, ge=1, le=9)
    parts: list[Search] = Field(default_factory=list, max_length=2)


def test_a_schema_is_sent_without_defaults_and_bounds() -> None:
    text = {"type": "string"}
    search = {"description": "Finds things.", "type": "object", "required": ["wish"]}
    assert tool_of(Kind)["function"] == {
        "name": "Kind",
        "description": "What it is.",
        "parameters": {
            "type": "object",
            "required": ["default"],
            "properties": {
                "title": {**text, "description": "of the thing"},
                "default": {**text, "enum": ["a", "b"]},
                "size": {"type": "integer"},
                "parts": {
                    "type": "array",
                    "items": {**search, "properties": {"wish": text, "limit": {"type": "integer"}}},
                },
            },
        },
    }


# A call of one result, whole and streamed

TYPED = TypedCall("agent.judge", Kind, max_tokens=55)
GOOD = calls("Kind", {"default": "a"})
UNUSABLE = {
    "invalid JSON": (calls("Kind", '{"default": "'), "the arguments were not valid JSON"),
    "out of bounds": (calls("Kind", {"default": "a", "size": 99}), "size: Input should be less than or equal to 9"),
    "an unknown tool": (calls("DropTables", {}), "there is no tool DropTables"),
    "no tool": (says("It is surely relevant."), "it called no tool"),
    "a refusal": (refuses("I will not judge that."), "it called no tool"),
    "prose without end": (says("It is surely relevant, and", "length"), "it called no tool"),
    "400": (fails("400 Bad Request"), "it called no tool"),
    "422": (fails("422 Unprocessable Entity"), "it called no tool"),
}


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def typed(request: pytest.FixtureRequest) -> Callable[..., Awaitable[Kind]]:
    async def ask(server: WireServer, meter: UsageMeter | None = None) -> Kind:
        model = model_of(server)
        model.streaming, model.callbacks = request.param, [meter] if meter else None
        asked = HumanMessage("x", additional_kwargs={"parts": {"query": "x"}})
        return await ask_typed(model, TYPED, [asked])

    return ask


@pytest.mark.parametrize("fault", UNUSABLE)
async def test_an_unusable_result_is_retried_once_with_the_reason(typed: Any, fault: str) -> None:
    bad, why = UNUSABLE[fault]
    with WireServer([bad, GOOD, bad, says("no")]) as server:
        assert (await typed(server)).default == "a"
        with pytest.raises(ModelError):
            await typed(server)
    first, again = server.bodies[:2]
    assert why in again["messages"][-1]["content"]
    for body in (first, again):
        assert (body["temperature"], body["max_tokens"]) == (0.0, 55)
        assert all(set(message) == {"role", "content"} for message in body["messages"])
    assert first["tool_choice"]["function"]["name"] == "Kind"


@pytest.mark.parametrize("fault", ["no tool", "prose without end", "400", "422"])
async def test_a_server_without_tools_is_asked_for_json_by_schema(typed: Any, fault: str) -> None:
    with WireServer([UNUSABLE[fault][0], says(json.dumps({"default": "b"}))]) as server:
        assert (await typed(server)).default == "b"
    schema = server.bodies[1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["default"]["enum"] == ["a", "b"]
    assert json.dumps(schema) in server.bodies[1]["messages"][-1]["content"]
    assert "tools" not in server.bodies[1]


@pytest.mark.parametrize("status", ["500 Internal Server Error", "401 Unauthorized", "404 Not Found"])
async def test_a_failing_server_is_not_asked_again(typed: Any, status: str) -> None:
    with WireServer([fails(status)]) as server, pytest.raises(ModelError):
        await typed(server)
    assert len(server.bodies) == 1


async def test_a_result_that_stays_truncated_is_a_fault_with_estimated_usage(typed: Any) -> None:
    meter = UsageMeter()
    cut = [calls("Kind", '{"size": 9', "length"), says('{"size": 9', "length")]
    with WireServer(cut) as server, pytest.raises(ModelTruncated, match="ran into its token limit"):
        await typed(server, meter)
    assert (len(meter.calls), meter.usage().estimated, meter.usage().cost_usd) == (2, True, None)


async def test_a_refusal_is_text_with_a_warning_and_an_empty_answer_a_fault() -> None:
    text = TextCall("agent.answer", temperature=0.7, max_tokens=300)
    with WireServer([refuses("I will not."), says("")]) as server:
        found = await ask_text(model_of(server), text, [HumanMessage("x")])
        with pytest.raises(ModelError):
            await ask_text(model_of(server), text, [HumanMessage("x")])
    assert (found.text, found.warnings) == ("I will not.", ("model_refused",))
    assert (server.bodies[0]["temperature"], server.bodies[0]["max_tokens"]) == (0.7, 300)
