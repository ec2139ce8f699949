"""The papers that the agent knows: the bundled ones, or a user's JSONL. Authors and year can be searched for too;
a prompt shows them as facts beside the text."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from turnkeep_agents.papers.names import Names, spelled_like_names
from turnkeep.blocks.documents import Document, load_documents
from turnkeep.blocks.guardrails import Scope
from turnkeep.blocks.retrieval import LexicalRetriever
from turnkeep.records import JSON

BUNDLED = Path(__file__).with_name("corpus.jsonl")
BUNDLED_FIELD = "machine learning and artificial intelligence"
# What people call the field of the bundled papers; a user's corpus speaks for itself.
BUNDLED_TERMS = (
    "machine learning", "deep learning", "artificial intelligence", "neural network", "language model",
    "transformer", "attention", "embedding", "reinforcement learning", "computer vision",
    "natural language processing", "nlp", "llm", "fine tuning", "pretraining", "classifier", "image recognition",
    "object detection", "speech recognition", "translation", "diffusion", "gradient descent", "backpropagation",
    "overfitting", "optimizer", "dataset", "benchmark", "retrieval", "generative", "convolution", "recurrent",
    "tokenization", "quantization", "distillation", "prompt", "prompting", "agent", "alignment", "hallucination",
    "few shot", "zero shot", "arxiv", "dropout", "regularization", "hyperparameter", "learning rate", "autoencoder",
    "loss function", "activation function", "neural", "chatbot", "unsupervised", "self supervised",
    "supervised learning", "pruning", "scaling law", "rag", "adversarial", "interpretability", "explainability",
    "mixture of expert",
)  # fmt: skip

SEARCH_DEPTH = 30


class Corpus:
    """The papers with their index."""

    def __init__(self, papers: Sequence[Document], *, field: str, terms: Sequence[str] = ()):
        """`field` is what a refusal calls the subject of the papers."""
        self.field = field
        self.by_id = {paper.id: paper for paper in papers}
        self.names = Names(papers)
        self._retriever = LexicalRetriever(map(_searchable, papers))
        self.scope = Scope(
            terms=[*terms, *map(" ".join, self.names.phrases), *_names_within(papers)],
            names=[name for paper in papers for name in paper.metadata["authors"]],
            titles=[paper.title for paper in papers],
            texts=[paper.text for paper in papers],
        )

    def search(self, query: str, limit: int) -> list[Document]:
        """The papers that the query names, then those that share its words."""
        named = self.names.find(query)
        scores = {one.id: one.score or 0.0 for one in self._retriever.search(query, SEARCH_DEPTH)}
        top = max(scores.values(), default=0.0)
        scores |= {id_: scores.get(id_, 0.0) + (len(named) - at) * top for at, id_ in enumerate(named)}
        best = sorted(scores, key=lambda id_: -scores[id_])[:limit]
        return [replace(self.by_id[id_], score=round(scores[id_], 3)) for id_ in best]


def open_corpus(path: str | None) -> Corpus:
    """The corpus at `path`, or the bundled one; raises CorpusError with file, line and remedy."""
    if path:
        return Corpus(load_documents(Path(path), read_paper), field="the papers of this collection")
    return Corpus(load_documents(BUNDLED, read_paper), field=BUNDLED_FIELD, terms=BUNDLED_TERMS)


def _names_within(papers: Sequence[Document]) -> list[str]:
    return [name for paper in papers for name in spelled_like_names(f"{paper.title} {paper.text}")]


def _searchable(paper: Document) -> Document:
    facts = [*paper.metadata["authors"], str(paper.metadata["year"] or "")]
    return replace(paper, text=" ".join([paper.text, *facts]))


def read_paper(row: JSON) -> Document:
    """A line with `id`, `title`, `abstract` (or `text`) and, where known, `authors`, `year`, `url`, `categories`."""
    abstract = row.get("abstract", row.get("text"))
    for name, value in (("id", row.get("id")), ("title", row.get("title")), ("abstract", abstract)):
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f'"{name}" must be a non-empty string; correct or add it')
    if not isinstance(row.get("url", ""), str):
        raise ValueError('"url" must be a string')
    return Document(
        id=row["id"].strip(),
        title=row["title"].strip(),
        text=str(abstract).strip(),
        url=row.get("url"),
        metadata={"authors": _authors(row), "year": _year(row)},
    )


def _authors(row: JSON) -> list[str]:
    authors = row.get("authors", [])
    if not isinstance(authors, list) or not all(isinstance(name, str) for name in authors):
        raise ValueError('"authors" must be a list of names')
    return authors


def _year(row: JSON) -> int | None:
    year = row.get("year")
    if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
        raise ValueError('"year" must be a whole number')
    return year
