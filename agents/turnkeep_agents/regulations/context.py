"""Selects the results that an answer is shown: 3,500 tokens and 500 for each result, at most 8,000, filled in an order
that depends on the question's composition. Omitted results are listed, and cannot be cited."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from turnkeep.kit.documents import Document
from turnkeep.kit.prompting import CUT_MARK, PromptBuilder
from turnkeep.kit.words import words
from turnkeep.records import JSON
from turnkeep.tokens import estimate_tokens
from turnkeep_agents.regulations.state import Composition

BASE_TOKENS, TOKENS_A_RESULT, MOST_TOKENS = 3_500, 500, 8_000
LEAST_TOKENS = 120  # of a shortened document: fewer are useless
LARGEST_TOKENS = 2_000  # of one document, to leave room for others
SAME = 0.9  # share of common words above which one of two texts is left out
STEM_LETTERS = 5  # "detrazione" is covered by "detrazioni"
QUALITY = "share of the searches' words of four letters and more that stand in what was shown, by their first five"

KNOWLEDGE, FACTS, DOCUMENTS, CONVERSATION = "knowledge", "facts", "documents", "conversation"
ORDERS: dict[Composition, tuple[str, ...]] = {
    "pure_kb": (KNOWLEDGE, FACTS, DOCUMENTS),
    "pure_doc": (DOCUMENTS, FACTS, KNOWLEDGE),
    "hybrid": (FACTS, KNOWLEDGE, DOCUMENTS),  # the last two take turns, so that each gets about half
    "chat": (CONVERSATION, FACTS, KNOWLEDGE, DOCUMENTS),
}


@dataclass
class Context:
    """The selected results, in order, and the omitted ones: ids, or the texts of facts."""

    budget: int
    documents: list[Document] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    conversation: str = ""
    tokens: dict[str, int] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)

    @property
    def left(self) -> int:
        return self.budget - sum(self.tokens.values())

    def spend(self, source: str, tokens: int) -> None:
        self.tokens[source] = self.tokens.get(source, 0) + tokens

    def metadata(self, composition: Composition, searches: Sequence[str], results: int) -> JSON:
        """Return the context as stored with the turn; tokens are estimates."""
        count = sum(self.tokens.values())
        return {
            "composition": composition,
            "budget_tokens": self.budget,
            "token_count": count,
            "tokens": self.tokens,
            "source_distribution": {name: round(spent / count, 3) for name, spent in self.tokens.items() if spent},
            "results": results,
            "truncated": bool(self.cut or self.left_out),
            "cut": self.cut,
            "left_out": self.left_out,
            "duplicates": self.duplicates,
            "quality_score": self._quality(searches),
            "quality_definition": QUALITY,
        }

    def _quality(self, searches: Sequence[str]) -> float:
        sought = {word[:STEM_LETTERS] for search in searches for word in words(search) if len(word) > 3}
        held = {word[:STEM_LETTERS] for one in self.documents for word in words(f"{one.title} {one.text}")}
        held |= {word[:STEM_LETTERS] for word in words(self.conversation)}
        return round(len(sought & held) / len(sought), 2) if sought else 0.0


def build_context(
    composition: Composition,
    *,
    knowledge: Sequence[Document],
    documents: Sequence[Document],
    facts: Sequence[str],
    conversation: str = "",
) -> Context:
    """Sources are sorted by relevance; passages are shown last, in reading order. `conversation` is for chat only."""
    context = Context(min(BASE_TOKENS + TOKENS_A_RESULT * (len(knowledge) + len(documents)), MOST_TOKENS))
    if composition == "chat":
        context.conversation = conversation
        context.spend(CONVERSATION, estimate_tokens(conversation))
    sources = {KNOWLEDGE: list(knowledge), DOCUMENTS: list(documents)}
    for source, item in _in_order(composition, sources, facts, context):
        if isinstance(item, str):
            size = estimate_tokens(item) + 1
            if size > context.left:
                context.left_out.append(item)
            else:
                context.facts.append(item)
                context.spend(FACTS, size)
        elif _is_repeated(item, context.documents):
            context.duplicates.append(item.id)
        else:
            _take(context, source, item)
    own = {one.id for one in documents}

    def place(one: Document) -> tuple[str, int]:
        """Return the document and the number of a passage such as "doc-3f9a1c-12", to sort them in reading order."""
        document, _, number = one.id.rpartition("-")
        return (document, int(number) if number.isdigit() else 0) if one.id in own else ("", 0)

    context.documents.sort(key=place)
    return context


def size_of(document: Document) -> int:
    """Return the tokens of a document in a prompt."""
    return estimate_tokens(PromptBuilder("").with_retrieval_context([document]).build()[1])


def _in_order(
    composition: Composition, sources: dict[str, list[Document]], facts: Sequence[str], context: Context
) -> Iterator[tuple[str, Document | str]]:
    for source in ORDERS[composition]:
        if source == FACTS:
            yield from ((FACTS, fact) for fact in facts)
        elif composition == "hybrid":
            while any(sources.values()):  # from the source that has used fewer tokens so far
                name = min((name for name in sources if sources[name]), key=lambda name: context.tokens.get(name, 0))
                yield name, sources[name].pop(0)
        else:
            yield from ((source, item) for item in sources.get(source, []))


def _take(context: Context, source: str, document: Document) -> None:
    size, most = size_of(document), min(context.left, LARGEST_TOKENS)
    if size > most:
        document = _shortened(document, most)
        size = size_of(document)
        if size > context.left or size < LEAST_TOKENS:
            context.left_out.append(document.id)
            return
        context.cut.append(document.id)
    context.documents.append(document)
    context.spend(source, size)


def _shortened(document: Document, tokens: int) -> Document:
    """Return the longest beginning, cut between words, with which the document fits."""
    sizes = range(1, len(document.text) + 1)
    return _begin(document, bisect_right(sizes, tokens, key=lambda size: size_of(_begin(document, size))))


def _begin(document: Document, characters: int) -> Document:
    return replace(document, text=document.text[:characters].rpartition(" ")[0] + CUT_MARK)


def _is_repeated(document: Document, taken: Sequence[Document]) -> bool:
    """Return whether the passage was taken already, such as from a contract that was attached again."""
    own = set(words(document.text))
    return any(len(own & other) >= SAME * len(own | other) for other in (set(words(one.text)) for one in taken))
