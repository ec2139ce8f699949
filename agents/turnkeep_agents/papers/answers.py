"""Limits of a reply: it may cite, link to and take figures from its papers only."""

from collections.abc import Collection, Mapping, Sequence

from turnkeep.kit.citations import ARXIV, Citing, check_citations
from turnkeep.kit.documents import Document
from turnkeep.kit.prompting import PromptBuilder
from turnkeep.kit.verification import Sources


def citing(papers: Sequence[Document], known_ids: Collection[str], sources: Sources) -> Citing:
    """Return the judge of a reply from `papers`; `known_ids` are those of the whole corpus."""
    facts = [[*one.metadata["authors"], str(one.metadata["year"] or ""), one.url or ""] for one in papers]
    texts = ["\n".join([f"{one.title} [{one.id}]", *own, one.text]) for one, own in zip(papers, facts, strict=True)]
    return Citing(papers, texts, known_ids, ARXIV, sources)


def cited_in(prompt: PromptBuilder, corpus: Mapping[str, Document]) -> list[Document]:
    """Return the papers cited in the replies of a prompt, newest reply first."""
    replies = [one["content"] for one in reversed(prompt.trimmed.messages) if one["role"] == "assistant"]
    ids = dict.fromkeys(id_ for reply in replies for id_ in check_citations(reply, corpus, ARXIV).cited)
    return [corpus[id_] for id_ in ids]
