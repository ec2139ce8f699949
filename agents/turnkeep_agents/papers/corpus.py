"""The agent's papers: a user's JSONL, or the bundled ones. Authors, year and id are searchable too; a prompt shows them
as facts next to the text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

from turnkeep.demo import sample
from turnkeep.kit.documents import Document, load_documents, read_address
from turnkeep.kit.lexical import LexicalRetriever
from turnkeep.records import JSON

BUNDLED_FIELD = "machine learning and artificial intelligence"
OWN_FIELD = "the subjects of this collection"
FAINT = 0.4  # of the best score: weaker matches share a word by chance
TITLES_SHOWN = 6  # of all titles, in prompts, to show subjects and language


class Corpus:
    """The papers with their index. `about` describes them as a whole, for prompts."""

    def __init__(self, papers: Sequence[Document], *, field: str):
        """`field` is the subject of the papers, for prompts."""
        self.by_id = {paper.id: paper for paper in papers}
        self.titles = [paper.title for paper in papers[:: max(1, len(papers) // TITLES_SHOWN)]][:TITLES_SHOWN]
        years = sorted(paper.metadata["year"] for paper in papers if paper.metadata["year"])
        by_year = ", ".join(f"{year}: {count}" for year, count in Counter(years).items())
        self.newest = [paper for paper in papers if paper.metadata["year"] == (years or [0])[-1]][:TITLES_SHOWN]
        self.about = {"field": field, "count": len(papers), "titles": titled(self.titles), "by_year": by_year}
        self.about["newest"] = "; ".join(f"“{paper.title}” [{paper.id}]" for paper in self.newest)
        facts = [[*one.metadata["authors"], str(one.metadata["year"] or ""), one.id] for one in papers]
        texts = (" ".join([one.text, *own]) for one, own in zip(papers, facts, strict=True))
        self._retriever = LexicalRetriever(replace(one, text=text) for one, text in zip(papers, texts, strict=True))

    def search(self, queries: Sequence[str], limit: int, years: Sequence[int] = ()) -> list[Document]:
        """Return the best `limit` papers, of several queries in turns, from the first to the last of `years`."""
        in_turns = zip_longest(*(self._search(query, limit, years) for query in queries))
        found: dict[str, Document] = {}
        for document in filter(None, chain.from_iterable(in_turns)):
            found.setdefault(document.id, document)
        return list(found.values())[: max(limit, len(queries))]

    def _search(self, query: str, limit: int, years: Sequence[int]) -> list[Document]:
        found = self._retriever.search(query, len(self.by_id) if years else limit)
        best = [one for one in found if not years or years[0] <= (one.metadata["year"] or 0) <= years[-1]][:limit]
        enough = FAINT * (best[0].score or 0.0) if best else 0.0
        scores = {one.id: one.score for one in best if one.score and one.score >= enough}
        return [replace(self.by_id[id_], score=round(score, 3)) for id_, score in scores.items()]


def open_corpus(path: str | None) -> Corpus:
    """Return the corpus at `path`, or the bundled one; raises CorpusError with file, line and remedy."""
    if path:
        return Corpus(load_documents(Path(path), read_paper), field=OWN_FIELD)
    return Corpus(load_documents(sample("papers.jsonl", "PAPERS__CORPUS"), read_paper), field=BUNDLED_FIELD)


def titled(titles: Iterable[str]) -> str:
    return "; ".join(f"“{title}”" for title in titles)


def read_paper(row: JSON) -> Document:
    """Read a line with `id`, `title`, `abstract` (or `text`) and optional `authors`, `year`, `url`, `categories`."""
    abstract = row.get("abstract", row.get("text"))
    for name, value in (("id", row.get("id")), ("title", row.get("title")), ("abstract", abstract)):
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f'"{name}" must be a non-empty string; correct or add it')
    authors, year = row.get("authors", []), row.get("year")
    if not isinstance(authors, list) or not all(isinstance(name, str) for name in authors):
        raise ValueError('"authors" must be a list of names')
    if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
        raise ValueError('"year" must be a whole number')
    return Document(
        id=row["id"].strip(),
        title=row["title"].strip(),
        text=str(abstract).strip(),
        url=read_address(row),
        metadata={"authors": authors, "year": year},
    )
