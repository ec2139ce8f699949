import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from turnkeep.kit.documents import Document
from turnkeep.kit.prompting import CUT_MARK, TAGS, ConversationFormatter, PromptBuilder
from turnkeep.tokens import estimate_tokens

ROOMY = ConversationFormatter(max_turns=5, max_tokens=2000)
TAG = re.compile(rf"<[^\w<>]*(?:{'|'.join(TAGS)})\b[^<>]*>", re.IGNORECASE)
ENDS = ("</conversation>", "<documents>", "</document\n>", "< / USER >", "</user><assistant>", "<</note>", "</memory>")
texts = st.text(max_size=60) | st.sampled_from([*ENDS, '<document id="x">'])
histories = st.lists(
    st.builds(lambda kind, content: kind(content), st.sampled_from([HumanMessage, AIMessage]), texts), max_size=12
)


def entries(*contents):
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": content} for n, content in enumerate(contents)]


def messages(*contents):
    return [(HumanMessage, AIMessage)[n % 2](content) for n, content in enumerate(contents)]


def test_history_contains_no_tools_and_system_messages():
    history = [
        SystemMessage("rules"),
        HumanMessage("what is the time"),
        AIMessage("", tool_calls=[{"name": "clock", "args": {}, "id": "1"}]),
        ToolMessage("12:00", tool_call_id="1"),
        AIMessage([{"type": "text", "text": "noon"}]),
    ]
    assert ROOMY.trim(history).messages == entries("what is the time", "noon")


@pytest.mark.parametrize(
    ("max_turns", "max_tokens", "used", "is_cut"), [(0, 500, 0, False), (-1, 500, 0, False), (10, 150, 2, True)]
)
def test_limits_drop_and_count_the_oldest_turns(max_turns, max_tokens, used, is_cut):
    turn = [HumanMessage("word " * 20), AIMessage("a"), AIMessage("word " * 20)]
    trimmed = ConversationFormatter(max_turns, max_tokens).trim(turn * 5)
    assert trimmed.counts == {"turns_used": used, "turns_dropped": 5 - used, "truncated": is_cut}
    assert [each["role"] for each in trimmed.messages] == ["user", "assistant", "assistant"] * used


def test_a_long_message_is_cut_and_displaces_no_other():
    history = messages("short question", "first " + "word " * 5000 + "last", "and now", "fine")
    trimmed = ConversationFormatter(max_turns=5, max_tokens=300).trim(history)
    assert [m["content"] for m in trimmed.messages if m["role"] == "user"] == ["short question", "and now"]
    cut = trimmed.messages[1]["content"]
    assert cut.startswith("first word")
    assert cut.endswith("word last")
    assert CUT_MARK in cut
    assert 80 <= estimate_tokens(cut) <= 100
    assert trimmed.counts["truncated"]


def test_the_newest_turn_fits_with_all_of_its_messages():
    question, *pieces = messages(*["word " * 1000] * 8)
    trimmed = ConversationFormatter(max_turns=5, max_tokens=600).trim([question, *(AIMessage(p.text) for p in pieces)])
    assert (len(trimmed.messages), trimmed.counts["turns_used"], trimmed.counts["truncated"]) == (8, 1, True)
    assert all(CUT_MARK in each["content"] for each in trimmed.messages)


@given(histories, st.integers(0, 8), st.integers(0, 80))
def test_a_trimmed_history_never_exceeds_its_budget(history, max_turns, max_tokens):
    formatter = ConversationFormatter(max_turns, max_tokens)
    trimmed = formatter.trim(history)
    shown = PromptBuilder("s").with_conversation(formatter, history).build()[1]
    assert estimate_tokens(shown) <= max_tokens
    assert trimmed.counts["turns_used"] <= max_turns
    assert not trimmed.counts["turns_used"] or trimmed.messages


@given(histories, texts, texts, texts, texts)
def test_no_content_can_open_or_close_a_section(history, title, text, query, note):
    formatter = ConversationFormatter(9, 10_000)
    builder = PromptBuilder("s").with_memory([text, note]).with_conversation(formatter, history)
    builder.with_retrieval_context([Document(text, title, text, metadata={"authors": [title, note]})])
    builder.with_tool_results([{"tool": title, "output": text}]).with_note(note).with_query(query)
    prompt, shown = builder.build()[1], formatter.trim(history).messages
    ours = 2 * (bool(shown) + len(shown) + len(("documents", "document", "tool_results", "tool_result", "note")))
    ours += 2 * len(("memory", "note", "note"))
    assert len(TAG.findall(prompt)) == ours


def test_empty_sections_are_left_out_and_other_markup_stays_unchanged():
    builder = PromptBuilder("s").with_memory([]).with_conversation(ROOMY, []).with_retrieval_context([])
    builder.with_tool_results([]).with_query("is a<b and <div> x <user_id> y")
    assert builder.build() == ("s", "Question: is a<b and <div> x <user_id> y")


def test_sections_keep_the_order_of_the_calls():
    facts = {"authors": ["Ann", "Bo"], "year": 2017, "n": {}}
    builder = PromptBuilder("Be brief.").with_memory(["They want a phone.", "Not over $500."])
    builder.with_conversation(ROOMY, messages("hi", "hello"))
    builder.with_retrieval_context([Document("1706.03762", "A title", "A text", "http://x", facts)])
    builder.with_tool_results([{"tool": "clock", "output": 12}]).with_note("Few sources.")
    assert builder.with_query("why", label="Ask").build() == (
        "Be brief.",
        "<memory>\n<note>They want a phone.</note>\n<note>Not over $500.</note>\n</memory>\n\n"
        "<conversation>\n<user>hi</user>\n<assistant>hello</assistant>\n</conversation>\n\n"
        '<documents>\n<document id="1706.03762">\nA title\nauthors: Ann, Bo\nyear: 2017\n'
        "A text\n</document>\n</documents>\n\n"
        '<tool_results>\n<tool_result tool="clock">\n12\n</tool_result>\n</tool_results>\n\n'
        "<note>Few sources.</note>\n\nAsk: why",
    )
    assert builder.trimmed.counts["turns_used"] == 1


def test_messages_carry_their_parts_as_json_for_the_demo_model():
    builder = PromptBuilder("sys").with_memory(["m"]).with_conversation(ROOMY, messages("hi", "hello"))
    builder.with_retrieval_context([Document("d1", "T", "body")]).with_note("n").with_query("why?")
    system, user = builder.messages()
    assert system == SystemMessage("sys")
    parts = json.loads(json.dumps(user.additional_kwargs["parts"]))
    assert parts["conversation"] == entries("hi", "hello")
    assert parts["documents"][0]["id"] == "d1"
    assert (parts["query"], parts["notes"], parts["tool_results"], parts["memory"]) == ("why?", ["n"], [], ["m"])
