"""Lexical search: BM25F over title and text, on an in-memory FTS5 index of SQLite. FTS5's own bm25 uses the combined
length of title and text, so a long section would outrank the short one that is meant."""

import math
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import pairwise
from threading import Lock

from turnkeep.kit import italian
from turnkeep.kit.documents import Document
from turnkeep.kit.words import STOP_WORDS, paired, words

MAX_QUERY_WORDS = 256
MAX_QUERY_PAIRS = 64
MAX_WORD_WEIGHT = 4
TITLE_WEIGHT = 2.0  # weight of a word in the title, relative to the text
SATURATION = 1.5  # BM25's k1: how much a word's second occurrence still counts
FORM = "_"  # marks a full word in the index, so that no stem is mistaken for it
# Adds half a word's weight for two adjacent words of the query within three places of each other in a document.
PAIR_WEIGHT = 0.5
PAIR_GAP = 2
RARE_ENOUGH = 1.0  # inverse document frequency: a pair with a word in over a third of all documents means nothing


@dataclass(frozen=True)
class Analyzer:
    """How texts of a language are indexed."""

    stop_words: frozenset[str]
    stem: Callable[[str], str] = str  # FTS5's `tokenizer` may stem as well
    tokenizer: str = f"unicode61 remove_diacritics 2 tokenchars {FORM}"
    length_share: float = 0.75  # BM25's b: how much a long field reduces the weight of its words
    form_weight: float = 0.5  # of a full word relative to its stem; if 0, only stems are indexed


ANALYZERS = {
    "en": Analyzer(STOP_WORDS, tokenizer="porter unicode61 remove_diacritics 2", length_share=0.5, form_weight=0),
    "it": Analyzer(italian.STOP_WORDS, italian.stem),
}


@dataclass(frozen=True)
class Postings:
    rarity: float
    documents: Sequence[int]
    impacts: Sequence[float]


class LexicalRetriever:
    """Ranks by BM25F. A word is found by its stem and counts more in its exact form. A repeated word of a query
    counts that many times: a standalone query uses this to favour the newest message."""

    def __init__(self, documents: Iterable[Document], *, language: str = "en"):
        self._documents = list(documents)
        self._analyzer = ANALYZERS[language]
        self._postings: dict[str, Postings] = {}
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.executescript(
            f"""
            CREATE VIRTUAL TABLE document USING fts5(title, text, tokenize = '{self._analyzer.tokenizer}');
            CREATE VIRTUAL TABLE occurrence USING fts5vocab(document, instance);
            CREATE VIRTUAL TABLE asked USING fts5(word, content = '', tokenize = '{self._analyzer.tokenizer}');
            CREATE VIRTUAL TABLE asked_term USING fts5vocab(asked, instance);
            """
        )
        titles = [self._indexed(document.title) for document in self._documents]
        texts = [self._indexed(document.text) for document in self._documents]
        rows = zip(range(len(titles)), titles, texts, strict=True)
        self._database.executemany("INSERT INTO document(rowid, title, text) VALUES (?, ?, ?)", rows)
        self._database.commit()
        share = self._analyzer.length_share
        self._weights = {"title": _weights(titles, TITLE_WEIGHT, share), "text": _weights(texts, 1.0, share)}

    def search(self, query: str, limit: int) -> list[Document]:
        asked = [word for word in words(query) if word not in self._analyzer.stop_words]
        if not asked or limit < 1:
            return []
        with self._lock:
            scores = self._score(asked)
        best = nlargest(limit, scores.items(), key=lambda item: (item[1], -item[0]))
        return [replace(self._documents[row], score=score) for row, score in best]

    def _indexed(self, text: str) -> str:
        """Return the stems of the words, followed by all full words."""
        if not self._analyzer.form_weight:
            return paired(text, with_letters=True).encode(errors="replace").decode()
        found = words(paired(text, with_letters=True))
        return " ".join([*map(self._analyzer.stem, found), *(f"{word}{FORM}" for word in found)])

    def _score(self, asked: Sequence[str]) -> dict[int, float]:
        """Return the score of each row: the sum over the words, plus a bonus for adjacent pairs of words."""
        scores: dict[int, float] = {}
        rarity: dict[str, float] = {}
        forms = [f"{word}{FORM}" for word in asked] if self._analyzer.form_weight else []
        stems = [self._analyzer.stem(word) for word in asked]
        for word, count, term in [*self._terms(Counter(stems)), *self._terms(Counter(forms))]:
            postings = self._find(term)
            rarity[word] = postings.rarity
            weight = count * self._analyzer.form_weight if word.endswith(FORM) else count
            for row, impact in zip(postings.documents, postings.impacts, strict=True):
                scores[row] = scores.get(row, 0.0) + weight * impact
        for one, other, count in _pairs(stems, rarity):
            near = f'NEAR("{one}" "{other}", {PAIR_GAP})'
            for (row,) in self._database.execute("SELECT rowid FROM document WHERE document MATCH ?", (near,)):
                scores[row] += count * PAIR_WEIGHT * min(rarity[one], rarity[other])
        return scores

    def _terms(self, counts: Counter[str]) -> list[tuple[str, int, str]]:
        """Return each word with its weight and index term. FTS5's tokenizer makes the terms: no word is syntax."""
        asked = counts.most_common(MAX_QUERY_WORDS)
        rows = ((n, word) for n, (word, _) in enumerate(asked))
        self._database.executemany("INSERT INTO asked(rowid, word) VALUES (?, ?)", rows)
        found = self._database.execute("SELECT doc, term FROM asked_term").fetchall()
        self._database.execute("INSERT INTO asked(asked) VALUES ('delete-all')")
        self._database.commit()
        return [(asked[n][0], min(asked[n][1], MAX_WORD_WEIGHT), term) for n, term in found]

    def _find(self, term: str) -> Postings:
        """Return the postings of a term, cached; all of them together are no larger than the index."""
        if term not in self._postings:
            weights: Counter[int] = Counter()
            for row, field in self._database.execute("SELECT doc, col FROM occurrence WHERE term = ?", (term,)):
                weights[row] += self._weights[field][row]
            if not weights:
                return Postings(0.0, (), ())
            rarity = math.log(1 + (len(self._documents) - len(weights) + 0.5) / (len(weights) + 0.5))
            impacts = [rarity * weight * (SATURATION + 1) / (weight + SATURATION) for weight in weights.values()]
            self._postings[term] = Postings(rarity, array("l", weights), array("d", impacts))
        return self._postings[term]


def _weights(texts: Sequence[str], weight: float, share: float) -> list[float]:
    """Return the weight of one occurrence in each text, lower in texts that are longer than average."""
    lengths = [len(text.split()) for text in texts]
    average = sum(lengths) / len(lengths) if any(lengths) else 1.0
    return [weight / (1 - share + share * length / average) for length in lengths]


def _pairs(asked: Sequence[str], rarity: dict[str, float]) -> list[tuple[str, str, int]]:
    """Return adjacent words of the query that are both rare enough, with their number of occurrences."""
    counts = Counter(
        (one, other)
        for one, other in pairwise(asked)
        if one != other and min(rarity.get(one, 0.0), rarity.get(other, 0.0)) >= RARE_ENOUGH
    )
    return [(*pair, min(count, MAX_WORD_WEIGHT)) for pair, count in list(counts.items())[:MAX_QUERY_PAIRS]]
