"""Answers in the formats of servers and models: each is read as the same prose, calls and result, whole and streamed in
random pieces."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from asking import MODES, asked, model_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel
from wire import Answer, Body, WireServer, answers, calls, chunk, completion, fails, says

from turnkeep.errors import ModelError, ModelTruncated
from turnkeep.models.calls import TextCall, ToolsCall, TypedCall, ask_text, ask_tools, ask_typed
from turnkeep.models.written import Habit, Prose, calls_in


class Search(BaseModel):
    """Finds things."""

    wish: str
    most: int = 9


class Price(BaseModel):
    names: list[str]


TOOLS = ToolsCall("agent.read", (Search, Price), max_tokens=50)
TYPED = TypedCall("agent.read", Search, max_tokens=50)
TEXT = TextCall("agent.answer", temperature=0.0, max_tokens=50)
ASKED = [HumanMessage("x")]
PHONES = {"wish": "phones", "most": 3}
THOUGHT = "The customer greets.\nMy instructions say <b>nothing</b>."


def piecewise(*deltas: Body, finish: str | None = "stop", done: bool = True, usage: int = 0) -> Answer:
    """These deltas as a stream, or one body of the whole."""
    counted = {"prompt_tokens": 1, "completion_tokens": usage, "total_tokens": usage + 1}

    def play(exchange: Any) -> None:
        if not exchange.streams:
            [delta] = deltas
            return exchange.send_whole("200 OK", {**completion(delta, finish), "usage": counted if usage else None})
        exchange.start_stream()
        for delta in deltas:
            exchange.send_event(chunk(delta))
        exchange.send_event(chunk({}, finish))
        if usage:
            exchange.send_event({**chunk({}), "choices": [], "usage": counted})
        if done:
            exchange.send_event("[DONE]")
        return exchange.end_stream()

    return play


async def streamed(model: Any) -> AIMessage:
    found: Any = None
    async for piece in model.astream(ASKED):
        found = piece if found is None else found + piece
    return found


async def answer_of(model: Any, mode: str) -> AIMessage:
    return await (model.ainvoke(ASKED) if mode == "ainvoke" else streamed(model))


# Arguments

ARGUMENTS: dict[str, Any] = {
    "an object": PHONES,
    "a text": json.dumps(PHONES),
    "a text of a text": json.dumps(json.dumps(PHONES)),
}


def with_arguments(arguments: Any) -> Answer:
    return answers(
        {"tool_calls": [{"id": "t", "type": "function", "function": {"name": "Search", "arguments": arguments}}]}
    )


@pytest.mark.parametrize("mode", ["ainvoke", "astream"])
@pytest.mark.parametrize("form", ARGUMENTS)
async def test_arguments_may_be_an_object_or_encoded_once_or_twice(form: str, mode: str) -> None:
    with WireServer([with_arguments(ARGUMENTS[form])]) as server:
        message = await answer_of(model_of(server), mode)
    assert [(each["name"], each["args"], each["id"]) for each in message.tool_calls] == [("Search", PHONES, "t")]
    assert message.invalid_tool_calls == []


@pytest.mark.parametrize("wrong", [[PHONES], 7, '"phones"', "[1]", '{"wish": "pho', None, ""])
async def test_arguments_that_are_not_an_object_are_retried(wrong: Any) -> None:
    with WireServer([with_arguments(wrong), calls("Search", PHONES)]) as server:
        assert (await ask_tools(model_of(server), TOOLS, ASKED)).calls == (Search(**PHONES),)
    with WireServer([with_arguments(wrong), calls("Search", PHONES)]) as server:
        assert await ask_typed(model_of(server), TYPED, ASKED) == Search(**PHONES)


@pytest.mark.parametrize("place", [{"index": 0}, {}, {"index": None}])
async def test_streamed_calls_with_one_index_are_separated_by_id(place: Body) -> None:
    pieces = [
        {"tool_calls": [{**place, "id": wish, "function": {"name": "Search", "arguments": f'{{"wish": "{wish}"}}'}}]}
        for wish in ("a", "b")
    ]
    with WireServer([piecewise(*pieces)]) as server:
        message = await streamed(model_of(server))
    assert [each["args"] for each in message.tool_calls] == [{"wish": "a"}, {"wish": "b"}]
    assert message.invalid_tool_calls == []


@pytest.mark.parametrize("mode", ["ainvoke", "astream"])
async def test_a_call_in_the_old_field_is_read(mode: str) -> None:
    function = {"name": "Search", "arguments": json.dumps(PHONES)}
    with WireServer([piecewise({"function_call": function}, finish="function_call")]) as server:
        message = await answer_of(model_of(server), mode)
    assert [(each["name"], each["args"]) for each in message.tool_calls] == [("Search", PHONES)]


# Endings

WHOLE, AWAITED = "a whole answer", ("ainvoke", "astream")
WHOLE_WORDS = ["stop", "STOP", "eos", "eos_token", "stop_sequence", "end_turn", "tool_use", "COMPLETE"]
CUT_WORDS = {"length": True, "MAX_TOKENS": True, "model_length": True, "content_filter": False, "abort": False}


def ending(finish: str | None, text: str = WHOLE, **more: Any) -> Answer:
    return piecewise({"content": text}, finish=finish, **more)


COMPLETE = [(ending(word), mode) for word in WHOLE_WORDS for mode in MODES]
COMPLETE += [(ending(word), mode) for word in (None, "", "null") for mode in ("stream", "astream")]  # by its end mark
COMPLETE += [(ending(""), mode) for mode in ("invoke", "ainvoke")]
TRUNCATED = [(ending(word), mode, at_limit) for word, at_limit in CUT_WORDS.items() for mode in MODES]
TRUNCATED += [(ending(None), mode, False) for mode in ("invoke", "ainvoke")]
TRUNCATED += [
    (ending(word, "half an answer data: [DONE]\n", done=False, usage=usage), "astream", False)
    for word in (None, "")
    for usage in (0, 7)
]
TRUNCATED += [(ending("", "half", usage=50), mode, False) for mode in AWAITED]
TRUNCATED += [(ending("", "half " * 40), mode, False) for mode in AWAITED]


@pytest.mark.parametrize(("answer", "mode"), COMPLETE)
async def test_an_answer_is_complete_by_its_finish_reason_or_end_mark(answer: Answer, mode: str) -> None:
    with WireServer([answer]) as server:
        assert await asked(model_of(server), mode) == WHOLE


@pytest.mark.parametrize(("answer", "mode", "at_limit"), TRUNCATED)
async def test_an_answer_without_them_or_at_its_limit_is_truncated(answer: Answer, mode: str, at_limit: bool) -> None:
    with WireServer([answer]) as server, pytest.raises(ModelTruncated) as caught:
        await asked(model_of(server).bind(max_tokens=50), mode)
    assert caught.value.at_limit is at_limit


# Reasoning

REASONED = {
    "tags": f"<think>\n{THOUGHT}\n</think>\n\nHello!",
    "other tags": f"[THINK]{THOUGHT}[/THINK]Hello!",
    "a closing tag alone": f"{THOUGHT}\n</think>\n\nHello!",
    "nothing between": "\n<think>\n\n</think>\n\nHello!",
    "a mention": "<think>I write `</think>` next.</think>Hello!",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", REASONED)
async def test_reasoning_in_tags_is_removed(form: str, mode: str) -> None:
    pieces = cut(REASONED[form], 3) if "stream" in mode else [REASONED[form]]
    with WireServer([piecewise(*({"content": each} for each in pieces))] * 2) as server:
        model = model_of(server)
        if form == "a closing tag alone" and "stream" in mode:  # its beginning was streamed before the tag
            with pytest.raises(ModelError):
                await asked(model, mode)
        else:
            assert (await asked(model, mode)).strip() == "Hello!"
        assert (await asked(model, mode)).strip() == "Hello!"


@pytest.mark.parametrize(
    "text", ["Write <think> and </think>.", "The tag `</think>` ends it.", "a < b", "<p>Hello</p>", "<"]
)
@pytest.mark.parametrize("mode", MODES)
async def test_an_answer_about_tags_is_kept(text: str, mode: str) -> None:
    with WireServer([says(text)]) as server:
        assert (await asked(model_of(server), mode)).strip() == text


@pytest.mark.parametrize("text", ["<think>I go on and", "<think>"])
async def test_reasoning_without_an_answer_is_an_empty_answer(text: str) -> None:
    with WireServer([says(text)]) as server, pytest.raises(ModelError):
        await ask_text(model_of(server), TEXT, ASKED)


async def test_a_model_without_reasoning_streams_from_its_first_answer() -> None:
    with WireServer([says("one two three")] * 2) as server:
        model = model_of(server)
        counts = [len([piece async for piece in model.astream(ASKED) if piece.text]) for _ in "12"]
    assert counts == [3, 3]


# Calls as text


def xml(name: str, arguments: Body) -> str:
    written = {key: each if isinstance(each, str) else json.dumps(each) for key, each in arguments.items()}
    parts = [f"<parameter={key}>\n{each}\n</parameter>\n" for key, each in written.items()]
    return f"<tool_call>\n<function={name}>\n{''.join(parts)}</function>\n</tool_call>"


def dumped(**fields: Any) -> str:
    return json.dumps(fields)


FORMS: dict[str, Callable[[str, Body], str]] = {
    "bare": lambda name, given: dumped(name=name, arguments=given),
    "parameters": lambda name, given: dumped(name=name, parameters=given),
    "encoded": lambda name, given: dumped(name=name, arguments=json.dumps(given)),
    "as on the wire": lambda name, given: dumped(type="function", function={"name": name, "arguments": given}),
    "by its key": lambda name, given: json.dumps({name: given}) if name not in given else dumped(name=name, args=given),
    "tag": lambda name, given: f"<tool_call>\n{dumped(name=name, arguments=given)}\n</tool_call>",
    "open tag": lambda name, given: f"<tool_call>{dumped(name=name, arguments=given)}",
    "fence": lambda name, given: f"```json\n{dumped(name=name, arguments=given)}\n```",
    "remarks": lambda name, given: f"I look.\n```\n{dumped(name=name, arguments=given)}\n```\nThat is all.",
    "comma": lambda name, given: dumped(name=name, arguments=given)[:-2] + ",}\n}",
    "list": lambda name, given: json.dumps([{"name": name, "arguments": given}]),
    "field": lambda name, given: dumped(tool_calls=[{"name": name, "arguments": given}]),
    "function": lambda name, given: f"<function={name}>{json.dumps(given)}</function>",
    "mistral": lambda name, given: f"[TOOL_CALLS]{name}[ARGS]{json.dumps(given)}",
    "mistral list": lambda name, given: f"[TOOL_CALLS] {json.dumps([{'name': name, 'arguments': given}])}",
    "deepseek": lambda name, given: (
        f"<\uff5ctool_call_begin\uff5c>function<\uff5ctool_sep\uff5c>{name}\n```json\n{json.dumps(given)}\n```"
    ),
    "kimi": lambda name, given: f"<|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{json.dumps(given)}",
    "python": lambda name, given: f"functions.{name}({json.dumps(given)})",
}
WORDS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12)
VALUES = st.recursive(
    st.integers() | st.booleans() | WORDS, lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner), max_leaves=5
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}[A-Za-z]", fullmatch=True)
GIVEN = st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), VALUES, min_size=1, max_size=4)


def cut(text: str, seed: int) -> list[str]:
    places = sorted(random.Random(seed).choices(range(len(text) + 1), k=min(9, len(text))))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@settings(max_examples=400, deadline=None)
@example("python", "A-0-A", {"_": {}})
@given(st.sampled_from(sorted(FORMS)), NAMES, GIVEN)
def test_any_call_is_read_back_from_any_form(form: str, name: str, arguments: Body) -> None:
    assert list(calls_in(FORMS[form](name, arguments), {name, "other"})) == [(name, arguments)]


@settings(max_examples=200, deadline=None)
@given(
    NAMES,
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        st.from_regex(r"[a-z][a-z <>=]{0,9}[a-z]", fullmatch=True),
        min_size=1,
    ),
)
def test_any_call_is_read_from_parameters_in_tags(name: str, arguments: Body) -> None:
    assert list(calls_in(xml(name, arguments), {name})) == [(name, arguments)]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(FORMS)),
    GIVEN,
    st.sampled_from(["", "<think>{a}</think>\n", "Hm. {b}\n</think>\n\n"]),
    st.integers(),
)
def test_a_stream_contains_nothing_of_a_call_or_of_reasoning(form, arguments, reasoning, seed):
    prose = Prose(Habit(waits=True), has_tools=True)
    text = FORMS[form]("look_up", arguments)
    shown = "".join(map(prose.see, cut(reasoning + text, seed)))
    assert shown in text.partition("{")[0]
    assert list(calls_in(shown + prose.rest(), {"look_up"})) == [("look_up", arguments)]


TAGS = ["<think>", "</think>", "[THINK]", "[/THINK]", "<", "</thi", "`", " ", "\n", "{", "}", "a", "Well. "]


@pytest.mark.parametrize("mention", ["Models end it by </think>.", "```\n<think>\nHm.\n</think>\n```"])
def test_an_answer_that_mentions_tags_is_streamed_complete(mention: str) -> None:
    text = f"{'Some words. ' * 30}{mention}{' More words.' * 30}"
    prose = Prose(Habit(), has_tools=False)
    assert "".join(map(prose.see, text)) + prose.rest() == text


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(TAGS)).map("".join), st.booleans(), st.booleans(), st.integers())
def test_streamed_prose_equals_the_whole(text: str, waits: bool, has_tools: bool, seed: int) -> None:
    whole, pieces = (Prose(Habit(waits), has_tools=has_tools) for _ in "12")
    expected = whole.see(text) + whole.rest()
    try:
        assert "".join(map(pieces.see, cut(text, seed))) + pieces.rest() == expected
    except ModelError:
        assert not waits


@pytest.mark.parametrize("mode", ["ainvoke", "astream"])
@pytest.mark.parametrize("form", ["tag", "remarks", "mistral list"])
async def test_a_call_written_as_text_is_a_tool_call_of_the_message(form: str, mode: str) -> None:
    text = FORMS[form]("Search", PHONES)
    pieces = [text] if mode == "ainvoke" else cut(text, 7)
    with WireServer([piecewise(*({"content": each} for each in pieces))]) as server:
        message = await answer_of(model_of(server).bind_tools([Search]), mode)
    assert [(each["name"], each["args"]) for each in message.tool_calls] == [("Search", PHONES)]
    assert "{" not in message.text


async def test_several_calls_as_text_keep_their_order() -> None:
    text = "".join(FORMS["tag"](name, given) for name, given in (("Search", PHONES), ("Price", {"names": ["a"]})))
    with WireServer([says(text)]) as server:
        assert (await ask_tools(model_of(server), TOOLS, ASKED)).calls == (Search(**PHONES), Price(names=["a"]))


UNUSABLE = [
    '<tool_call>\n{"name": "Search", "arguments": {"wish": "ph',
    '{"category": "phones"}',
    '{"name": "Buy", "arguments": {"what": "it"}}',
    "[TOOL_CALLS]",
]


@pytest.mark.parametrize("text", UNUSABLE)
async def test_an_unusable_call_as_text_is_retried_and_never_returned(text: str) -> None:
    with WireServer([says(text), says(FORMS["bare"]("Search", PHONES)), says(text), says(text)]) as server:
        assert (await ask_tools(model_of(server), TOOLS, ASKED)).calls == (Search(**PHONES),)
        with pytest.raises(ModelError):
            await ask_tools(model_of(server), TOOLS, ASKED)


RESULTS = [
    f"Here it is:\n```json\n{json.dumps(PHONES)}\n```\nTell me if you need more.",
    f"[{json.dumps(PHONES)}]",
    json.dumps(PHONES)[:-1] + ", }",
    json.dumps(json.dumps(PHONES)),
    f'{{"Search": {json.dumps(PHONES)}}}',
    f'An example is {{"most": 1}}, so {json.dumps(PHONES)}',
]


@pytest.mark.parametrize("text", RESULTS)
async def test_a_result_is_read_from_the_text_around_it(text: str) -> None:
    with WireServer([says(text)]) as server:
        assert await ask_typed(model_of(server), TYPED, ASKED) == Search(**PHONES)


def test_hostile_text_is_read_in_time() -> None:
    for text in ('{"a":' * 20_000, "{" * 60_000, '{"a": "' * 9_000, "<function=" * 6_000, "[" * 60_000, "{a," * 20_000):
        assert list(calls_in(text, {"a"})) == []


# A server without tools

NO_TOOLS: Sequence[Answer] = [
    fails("400 Bad Request"),
    fails("422 Unprocessable Entity"),
    lambda exchange: exchange.send_whole(
        "500 Internal Server Error", {"error": {"message": "tools param requires --jinja flag"}}
    ),
    lambda exchange: exchange.send_whole(
        "404 Not Found", {"error": {"message": "No endpoints found that support tool use"}}
    ),
]


@pytest.mark.parametrize("refusal", NO_TOOLS)
async def test_a_server_that_rejects_tools_gets_them_in_the_prompt(refusal: Answer) -> None:
    with WireServer(
        [refusal, says(FORMS["bare"]("Search", PHONES)), refusal, says("Hello, what do you look for?")]
    ) as server:
        assert (await ask_tools(model_of(server), TOOLS, ASKED)).calls == (Search(**PHONES),)
        assert (await ask_tools(model_of(server), TOOLS, ASKED)).text == "Hello, what do you look for?"
        again = server.bodies[1]
    assert "tools" not in again
    assert '"wish": {"type": "string"}' in again["messages"][-1]["content"]
    assert (again["temperature"], again["max_tokens"]) == (0.0, 50)
