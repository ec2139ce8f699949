"""The user's documents: how the thread's active ones are named to a model, and which of their passages match a
question."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from turnkeep.kit.checked_replies import units
from turnkeep.kit.documents import Document
from turnkeep.kit.retrieval import open_retriever
from turnkeep.records import JSON, Documents

LABEL_LETTERS = 6
CLAUSE_WORDS, CLAUSE_CHARACTERS = 4, 300
SPEAKS_TO_MODEL = "document_speaks_to_model"


def listed(documents: Documents) -> list[JSON]:
    """Return the active documents, oldest first; a label never changes when others are attached or removed."""
    return [
        {"id": one.id, "label": f"doc-{one.id[:LABEL_LETTERS]}", "name": one.name, "pages": one.pages}
        for one in documents.all()
    ]


def named(active: Sequence[JSON]) -> str:
    """Format documents for a prompt: "“contratto.pdf” (doc-3f9a1c, 4 pages)"."""
    pages = (f", {one['pages']} pages" if one["pages"] else "" for one in active)
    return "; ".join(f"“{one['name']}” ({one['label']}{of})" for one, of in zip(active, pages, strict=True))


def search(documents: Documents, active: Sequence[JSON], queries: Sequence[str], limit: int) -> list[Document]:
    """Return the best `limit` passages, then the first ones that no query finds, as for a summary."""
    labels = {one["id"]: one["label"] for one in active}
    passages = []
    for one in (one for one in documents.all() if one.id in labels):
        for at, piece in enumerate(documents.read(one.id), 1):
            title = filter(None, [one.name, piece.heading, f"p. {piece.page}" if piece.page else ""])
            passages.append(Document(f"{labels[one.id]}-{at}", ", ".join(title), piece.text))
    if not passages:
        return []
    retriever = open_retriever(passages, language="it")
    found: dict[str, Document] = {}
    for query in queries:
        for passage in retriever.search(query, limit):
            found.setdefault(passage.id, passage)
    best = sorted(found.values(), key=lambda one: -(one.score or 0.0))[:limit]
    rest = [one for one in passages if one.id not in found]
    return [replace(one, score=round(one.score or 0.0, 3)) for one in best] + rest[: limit - len(best)]


def clauses(passages: Sequence[Document], most: int) -> list[str]:
    """Return sentences and list items: the first of each passage, then the second of each, and so on."""
    long = [[unit for unit in units(one.text) if len(unit.split()) >= CLAUSE_WORDS] for one in passages]
    in_turns = chain.from_iterable(zip_longest(*long))
    return [clause.strip()[:CLAUSE_CHARACTERS] for clause in in_turns if clause][:most]
