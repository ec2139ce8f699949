"""What search gains from making a follow-up stand alone by rules, with our retriever and with plain BM25 (bm25s) where
installed, and how many words the text shares with what people wrote in its place. Last line: JSON.

    python benchmarks/reformulation.py --data ../shared/data
"""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from conversations import SETS, Said, data_option, load
from retrieval import DEPTH, FILES, Judgements, Search, as_published, ndcg, plain_bm25, read_judgements, recall
from turnkeep.blocks.documents import Document
from turnkeep.blocks.reformulation import standalone_query
from turnkeep.blocks.retrieval import LexicalRetriever, load_documents
from turnkeep.blocks.words import STOP_WORDS, singular, words
from turnkeep.records import JSON

COLLECTIONS = ("mtrag_rewrite_retrieval", "mtragun_ragchat")

type Reformulation = Callable[[str, Sequence[str]], str]


@dataclass(frozen=True)
class Found:
    set: str
    retriever: str
    query: str
    queries: int
    ndcg_at_10: float
    recall_at_10: float


@dataclass(frozen=True)
class Shared:
    """`word_f1` is the mean over the follow-ups of the set."""

    set: str
    query: str
    messages: int
    word_f1: float


def last(message: str, _history: Sequence[str]) -> str:
    return message


def weighted(message: str, history: Sequence[str]) -> str:
    return "\n".join([message] * 3 + list(history[-2:]))


def everything(message: str, history: Sequence[str]) -> str:
    return "\n".join([*history, message])


REFORMULATIONS: Mapping[str, Reformulation] = {
    "last message": last,
    "turnkeep": standalone_query,
    "last x3 + two before": weighted,
    "whole history": everything,
}


def main() -> None:
    data = data_option(__doc__)
    folders = [data / name for name in COLLECTIONS if all((data / name / file).is_file() for file in FILES)]
    sets = {name: said for name in SETS if (said := load(data / name))}
    if not folders and not sets:
        sys.exit(f"none of {', '.join((*COLLECTIONS, *SETS))} in {data}; name a folder with --data")
    found = [row for folder in folders for row in search(folder)]
    _print(found, [row for name, said in sets.items() for row in compare(name, said)])


def search(folder: Path) -> Iterator[Found]:
    """One row for each retriever and query text over the collection in `folder`."""
    documents = load_documents(folder / "corpus.jsonl", as_published)
    judgements = read_judgements(folder / "qrels.tsv")
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines() if line.strip()]
    judged = [query for query in queries if any(judgements.get(query["_id"], {}).values())]
    for retriever, find in _retrievers(documents):
        for name, texts in _texts(judged).items():
            yield _found((folder.name, retriever, name), find, texts, judgements)


def compare(name: str, said: Sequence[Said]) -> Iterator[Shared]:
    """One row for each query text: how close it comes to what people wrote."""
    follow_ups = [one for one in said if one.is_follow_up]
    for query, reformulate in REFORMULATIONS.items():
        scores = [word_f1(reformulate(one.message, one.history), one.rewrite) for one in follow_ups]
        yield Shared(name, query, len(scores), round(sum(scores) / max(1, len(scores)), 4))


def word_f1(text: str, other: str) -> float:
    """Harmonic mean of the shares of either text's words that the other has too: each counts once, stop words never."""
    one, two = _content(text), _content(other)
    return 2 * len(one & two) / (len(one) + len(two)) if one or two else 1.0


def _content(text: str) -> set[str]:
    return {singular(word) for word in words(text) if word not in STOP_WORDS}


def _retrievers(documents: list[Document]) -> Iterator[tuple[str, Search]]:
    ours = LexicalRetriever(documents)
    yield "turnkeep", lambda query: [found.id for found in ours.search(query, DEPTH)]
    if importlib.util.find_spec("bm25s"):
        yield "bm25s, plain", plain_bm25(documents)


def _texts(queries: Sequence[JSON]) -> dict[str, dict[str, str]]:
    """For each way to put a query, its text by the query's id."""
    texts = {
        name: {query["_id"]: reformulate(query["text"], query.get("history", [])) for query in queries}
        for name, reformulate in REFORMULATIONS.items()
    }
    rewritten = {query["_id"]: query["gold_rewrite"] for query in queries if query.get("gold_rewrite")}
    return texts | ({"people's rewrite": rewritten} if rewritten else {})


def _found(names: tuple[str, str, str], find: Search, texts: Mapping[str, str], judgements: Judgements) -> Found:
    pairs = [(find(text), judgements[id_]) for id_, text in texts.items()]
    gains, recalls = [ndcg(*pair) for pair in pairs], [recall(*pair) for pair in pairs]
    count = max(1, len(pairs))
    return Found(*names, len(pairs), round(sum(gains) / count, 4), round(sum(recalls) / count, 4))


def _print(found: Sequence[Found], shared: Sequence[Shared]) -> None:
    print(f"{'set':26}{'retriever':15}{'query':24}{'queries':>8}{'nDCG@10':>9}{'recall@10':>11}")
    for row in found:
        print(
            f"{row.set:26}{row.retriever:15}{row.query:24}{row.queries:>8}{row.ndcg_at_10:>9.4f}{row.recall_at_10:>11.4f}"
        )
    print(f"\n{'set':26}{'query':24}{'follow-ups':>11}{'word F1 with the rewrite':>27}")
    for one in shared:
        print(f"{one.set:26}{one.query:24}{one.messages:>11}{one.word_f1:>27.4f}")
    rows = {"search": [asdict(row) for row in found], "words": [asdict(one) for one in shared]}
    print(json.dumps({"benchmark": "reformulation", **rows}))


if __name__ == "__main__":
    main()
