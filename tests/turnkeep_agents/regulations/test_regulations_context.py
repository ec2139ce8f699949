"""The context of an answer never grows over its budget, is filled in the order of its composition, and says what it
left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.kit.documents import Document
from turnkeep.kit.prompting import CUT_MARK, PromptBuilder
from turnkeep.tokens import estimate_tokens
from turnkeep_agents.regulations.context import Context, build_context

WORDS = st.text("abcdefghilmnopqrstuvz <>&0123456789.\n", max_size=9_000)
COMPOSITIONS = st.sampled_from(["pure_kb", "pure_doc", "hybrid", "chat"])


def piece(id_: str, text: str) -> Document:
    return Document(id_, f"Title {id_}", text, metadata={"law": "L. 1/2000"})


def pieces(name: str, count: int, words: int = 900) -> list[Document]:
    """Each with other words."""
    return [piece(f"{name}{at}", " ".join(f"{name}{at}w{n}" for n in range(words))) for at in range(count)]


def size_of(context: Context) -> int:
    prompt = PromptBuilder("").with_retrieval_context(context.documents).build()[1]
    return estimate_tokens(prompt) + estimate_tokens("\n".join(context.facts)) + estimate_tokens(context.conversation)


@given(
    COMPOSITIONS, st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8), st.lists(st.text(max_size=60), max_size=6)
)
def test_it_is_never_over_its_budget_and_nothing_is_lost_silently(
    composition: str, laws: list[str], own: list[str], facts: list[str]
) -> None:
    knowledge = [piece(f"K{at}", text) for at, text in enumerate(laws)]
    documents = [piece(f"doc{at}", text) for at, text in enumerate(own)]
    context = build_context(composition, knowledge=knowledge, documents=documents, facts=facts)  # type: ignore[arg-type]
    metadata = context.metadata(composition, ["anything"], len(knowledge) + len(documents))  # type: ignore[arg-type]
    assert size_of(context) <= metadata["token_count"] + 2 <= context.budget + 2 <= 8_002
    shown = [one.id for one in context.documents]
    assert sorted([*shown, *context.duplicates, *(each for each in context.left_out if each not in facts)]) == sorted(
        one.id for one in (*knowledge, *documents)
    )
    assert set(context.cut) <= set(shown)
    assert all(one.text.endswith(CUT_MARK) for one in context.documents if one.id in context.cut)


@pytest.mark.parametrize(("results", "budget"), [(0, 3_500), (1, 4_000), (9, 8_000), (30, 8_000)])
def test_each_result_adds_500_tokens_up_to_8000(results: int, budget: int) -> None:
    context = build_context("pure_kb", knowledge=pieces("K", results, 1), documents=[], facts=[])
    assert context.budget == budget


@pytest.mark.parametrize(("composition", "whole", "other"), [("pure_kb", "K", "doc"), ("pure_doc", "doc", "K")])
def test_what_the_composition_is_named_for_has_its_room_first(composition: str, whole: str, other: str) -> None:
    context = build_context(
        composition,  # type: ignore[arg-type]
        knowledge=pieces("K", 6, 300),
        documents=pieces("doc", 6, 300),
        facts=["2026-03-31"],
    )
    shown = [one.id for one in context.documents]
    assert f"{whole}0" in shown
    assert context.facts == ["2026-03-31"] or context.left_out
    assert sum(each.startswith(whole) for each in shown) > sum(each.startswith(other) for each in shown)


def test_passages_are_shown_as_they_are_read() -> None:
    own = [piece(f"doc-3f9a1c-{at}", f"passage {'x' * at}") for at in (10, 2, 1)]
    context = build_context("pure_doc", knowledge=pieces("K", 1, 20), documents=own, facts=[])
    assert [one.id for one in context.documents] == ["K0", "doc-3f9a1c-1", "doc-3f9a1c-2", "doc-3f9a1c-10"]


def test_the_same_passage_is_shown_once() -> None:
    again = [piece("a", "the notice is thirty days"), piece("b", "The notice is thirty days.")]
    context = build_context("pure_doc", knowledge=[], documents=again, facts=[])
    assert [one.id for one in context.documents] == ["a"]
    assert context.duplicates == ["b"]


def test_quality_is_the_share_of_sought_words_that_are_held() -> None:
    context = build_context("pure_kb", knowledge=[piece("a", "detrazioni per spese mediche")], documents=[], facts=[])
    assert context.metadata("pure_kb", ["detrazione spese", "veterinarie"], 1)["quality_score"] == 0.67
