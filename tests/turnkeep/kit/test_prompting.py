"""Prompts keep to their sections and budgets, shortened texts to their bytes; answers cite only their sources."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from turnkeep.kit.citations import ARXIV, check_citations
from turnkeep.kit.documents import Document
from turnkeep.kit.excerpts import cut, pieces
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


def size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


def test_a_long_text_is_cut_between_words() -> None:
    assert cut("  two\n lines\t", 40) == "two lines"
    assert cut("bridges and towers of iron", 20) == "bridges and…"
    assert cut("x" * 50, 20) == "x" * 17 + "…"


@given(st.text(max_size=300), st.integers(10, 200))
def test_a_cut_text_is_within_its_bytes(text: str, most: int) -> None:
    assert size(cut(text, most)) <= most
    assert cut(text, most).isprintable()


@given(st.text("ab. \n\u3002", max_size=300) | st.text(max_size=300), st.integers(1, 60))
def test_pieces_are_within_their_size_and_lose_blanks_only(text: str, most: int) -> None:
    found = list(pieces(text, most))
    assert all(0 < len(piece) <= most for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_pieces_end_between_sentences_if_possible() -> None:
    assert [*pieces("One sentence. " * 5, 30)] == ["One sentence. One sentence."] * 2 + ["One sentence."]


# Citations

SOURCES = {"1706.03762", "doc-7", "hep-th/9901001"}


@pytest.mark.parametrize(
    ("text", "kept", "cited", "removed"),
    [
        ("So it is [1706.03762].", "So it is [1706.03762].", ["1706.03762"], []),
        ("Both [1706.03762, doc-7].", "Both [1706.03762] [doc-7].", ["1706.03762", "doc-7"], []),
        ("No [2301.12345].", "No.", [], ["2301.12345"]),
        ("Half [1706.03762; 2301.12345].", "Half [1706.03762].", ["1706.03762"], ["2301.12345"]),
        ("A [MASK] token, see [1] and [the paper].", "A [MASK] token, see [1] and [the paper].", [], []),
        ("A [2301.12345](https://example.org) link.", "A [2301.12345](https://example.org) link.", [], []),
        ("[doc-7], [1706.03762], [doc-7].", "[doc-7], [1706.03762], [doc-7].", ["doc-7", "1706.03762"], []),
    ],
)
def test_an_answer_cites_only_its_sources(text: str, kept: str, cited: list[str], removed: list[str]) -> None:
    found = check_citations(text, SOURCES, ARXIV)
    assert (found.text, list(found.cited), list(found.removed)) == (kept, cited, removed)


SPELLINGS = ["{}", "{}v2", "arXiv:{}", "arxiv: {}v1", "{} [hep-ph]", "arXiv:{}v1 [hep-ph]"]


@pytest.mark.parametrize("held", SPELLINGS[:3])
@pytest.mark.parametrize("cited", SPELLINGS)
@pytest.mark.parametrize(
    "pair", [("0704.0009", "0704.0009"), ("math/0309136", "math.GT/0309136"), ("cs.AI/0102001", "cs/0102001")]
)
def test_every_spelling_of_an_id_is_recognised(held: str, cited: str, pair: tuple[str, str]) -> None:
    for one, other in (pair, pair[::-1]):
        source = held.format(one)
        found = check_citations(f"So [{cited.format(other)}].", {source}, ARXIV)
        assert (found.text, found.cited, found.removed) == (f"So [{source}].", (source,), ())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("See [1706.03762, p. 3].", "See [1706.03762] (p. 3)."),
        ("See \u30101706.03762\u3011.", "See [1706.03762]."),
        ("See [1706.03762 and hep-th/9901001].", "See [1706.03762] [hep-th/9901001]."),
    ],
)
def test_brackets_may_contain_a_place_or_a_conjunction(text: str, kept: str) -> None:
    assert check_citations(text, SOURCES, ARXIV).text == kept
