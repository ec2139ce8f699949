"""nDCG@10 and recall@10 of our retriever on collections in BEIR's shape, beside plain BM25 (bm25s) where installed.
nDCG has linear gain and log2 discount, as trec_eval has it; queries without a judgement are left out. Last line: JSON.

    python benchmarks/retrieval.py --data ../shared/data --set cranfield
"""

import argparse
import importlib
import importlib.util
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from turnkeep.blocks.followups import standalone_query
from turnkeep.blocks.retrieval import Document, LexicalRetriever, load_documents
from turnkeep.records import JSON

DEPTH = 10
DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")

type Search = Callable[[str], list[str]]
type Judgements = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class System:
    name: str
    search: Search
    index_ms: float


@dataclass(frozen=True)
class Row:
    set: str
    system: str
    queries: int
    ndcg_at_10: float
    recall_at_10: float
    ms_per_query: float
    index_ms: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="a collection, or a folder of them")
    arguments.add_argument("--set", action="append", dest="sets", help="a sub-folder; repeatable; default: all")
    options = arguments.parse_args()
    folders = [options.data / name for name in options.sets or []] or _collections(options.data)
    if not folders:
        sys.exit(f"no collection with {', '.join(FILES)} in {options.data} or its sub-folders; name one with --data")
    try:
        rows = [row for folder in folders for row in measure(folder)]
    except (OSError, ValueError) as error:
        sys.exit(f"cannot measure: {error}")
    _print(rows)


def measure(folder: Path) -> Iterator[Row]:
    """One row for each system over the collection in `folder`."""
    documents = load_documents(folder / "corpus.jsonl", _read)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines() if line.strip()]
    judgements = _judgements(folder / "qrels.tsv")
    started = time.perf_counter()
    retriever = LexicalRetriever(documents)
    ours = _milliseconds(started)

    def search(query: str) -> list[str]:
        return [document.id for document in retriever.search(query, DEPTH)]

    yield _score(System("turnkeep", search, ours), folder.name, queries, judgements)
    if any(query.get("history") for query in queries):
        standalone = [{**q, "text": standalone_query(q["text"], q.get("history", []))} for q in queries]
        yield _score(System("turnkeep, standalone query", search, ours), folder.name, standalone, judgements)
    if importlib.util.find_spec("bm25s"):
        started = time.perf_counter()
        reference = System("bm25s, plain", _bm25s(documents), _milliseconds(started))
        yield _score(reference, folder.name, queries, judgements)


def ndcg(ranking: list[str], relevance: Mapping[str, int]) -> float:
    """Normalised discounted cumulative gain at 10, linear gain."""
    best = _gain(sorted(relevance.values(), reverse=True))
    return _gain([relevance.get(id_, 0) for id_ in ranking]) / best if best else 0.0


def recall(ranking: list[str], relevance: Mapping[str, int]) -> float:
    relevant = {id_ for id_, grade in relevance.items() if grade > 0}
    return len(relevant & set(ranking[:DEPTH])) / len(relevant) if relevant else 0.0


def _gain(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:DEPTH], 1))


def _score(system: System, name: str, queries: list[JSON], judgements: Judgements) -> Row:
    judged = [query for query in queries if any(grade > 0 for grade in judgements.get(query["_id"], {}).values())]
    if not judged:
        raise ValueError(f"{name}: no query has a judgement; compare the ids of queries.jsonl and qrels.tsv")
    started = time.perf_counter()
    rankings = [system.search(query["text"]) for query in judged]
    elapsed = _milliseconds(started)
    pairs = [(ranking, judgements[query["_id"]]) for ranking, query in zip(rankings, judged, strict=True)]
    count = len(pairs)
    return Row(
        name,
        system.name,
        count,
        round(sum(ndcg(*pair) for pair in pairs) / count, 4),
        round(sum(recall(*pair) for pair in pairs) / count, 4),
        round(elapsed / count, 2),
        round(system.index_ms, 1),
    )


def _bm25s(documents: list[Document]) -> Search:
    """Reference: bm25s as it comes (Lucene's BM25, k1 1.5, b 0.75), English stop words, no stemmer."""
    bm25s = importlib.import_module("bm25s")
    index = bm25s.BM25()
    texts = [f"{document.title} {document.text}" for document in documents]
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    depth = min(DEPTH, len(documents))

    def search(query: str) -> list[str]:
        tokens = bm25s.tokenize([query], stopwords="en", show_progress=False)
        found, scores = index.retrieve(tokens, k=depth, show_progress=False)
        return [documents[int(n)].id for n, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def _read(row: JSON) -> Document:
    """Collections hold documents without text; here they stay in, as in every published figure."""
    return Document(str(row["_id"]), row.get("title") or "", row["text"])


def _judgements(path: Path) -> Judgements:
    judgements: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        judgements.setdefault(query, {})[document] = int(grade)
    return judgements


def _collections(data: Path) -> list[Path]:
    """The folder itself, or those of its sub-folders that hold a collection."""
    places = sorted([data, *data.glob("*")])
    return [place for place in places if all((place / name).is_file() for name in FILES)]


def _milliseconds(since: float) -> float:
    return (time.perf_counter() - since) * 1000


def _print(rows: list[Row]) -> None:
    print(f"{'set':26}{'system':29}{'queries':>8}{'nDCG@10':>9}{'recall@10':>11}{'ms/query':>10}{'index ms':>10}")
    for row in rows:
        print(
            f"{row.set:26}{row.system:29}{row.queries:>8}{row.ndcg_at_10:>9.4f}{row.recall_at_10:>11.4f}"
            f"{row.ms_per_query:>10.2f}{row.index_ms:>10.1f}"
        )
    print(json.dumps({"benchmark": "retrieval", "gain": "linear", "rows": [asdict(row) for row in rows]}))


if __name__ == "__main__":
    main()
