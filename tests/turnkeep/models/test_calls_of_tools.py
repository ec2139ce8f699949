"""A call in which a model may call several tools, and the schema that a model is sent."""

import json
from typing import Any, Literal

import pytest
from asking import model_of
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, Field
from wire import Answer, WireServer, answers, calls, says

from turnkeep.errors import ModelError
from turnkeep.models.calls import ToolsAnswer, ToolsCall, TypedCall, ask_tools, ask_typed, tool_of


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


async def test_text_instead_of_calls_is_an_answer() -> None:
    assert (await ask(says("Hello, what do you look for?")))[0] == ToolsAnswer((), "Hello, what do you look for?")


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


async def test_a_typed_result_out_of_bounds_is_retried() -> None:
    with WireServer([calls("Kind", {"default": "a", "size": size}) for size in (99, 9)]) as server:
        assert (await ask_typed(model_of(server), TypedCall("agent.read", Kind), [HumanMessage("x")])).size == 9
        assert "size: Input should be less than or equal to 9" in server.bodies[1]["messages"][-1]["content"]
