"""Articles in Italian and, if available, English. A search reads both languages and returns the requested one."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from string import ascii_letters, punctuation

from turnkeep.kit.documents import Document
from turnkeep.kit.lexical import LexicalRetriever
from turnkeep_agents.regulations.knowledge.faq import Faq
from turnkeep_agents.regulations.knowledge.references import Reference, references

NO_DIGITS = f"{ascii_letters}{punctuation} "
LANGUAGES = ("it", "en")
DEPTH = 30  # articles from which the best are taken
FAINT = 0.3  # of the best score: weaker matches share a word by chance
DOMAIN_SHARE = 0.2  # bonus for articles of the requested domain
MOST_LAWS = 25  # laws in prompts, those with the most articles
LAW_NAMED, ARTICLE_NAMED = 1.0, 3.0  # added to the score, in which the best match of words has 1


class Knowledge:
    """Articles with their index, and the FAQ. `about` describes them as a whole, for prompts. The metadata of a
    document are `law`, `article`, `domain` and `as_of`, the day of the law's version."""

    def __init__(self, articles: Sequence[Document] = (), faq: Faq | None = None):
        """`articles` as returned by `read_article`."""
        self.by_id = {article.id: article for article in articles}
        self.faq = faq or Faq()
        laws = Counter(article.metadata["law"] for article in articles if article.metadata["law"])
        named = sorted(law for law, _ in laws.most_common(MOST_LAWS))
        self.about = {"count": len(articles), "laws": ", ".join(named), "example": next(iter(self.by_id), "")}
        self._norms = {article.id: norm_of(article) for article in articles}
        self._retrievers = [self._retriever(language) for language in LANGUAGES]

    @property
    def is_empty(self) -> bool:
        return not self.by_id

    @cached_property
    def digest(self) -> str:
        """Return 16 hexadecimal digits that change with any word of an article or of the FAQ."""
        every = (*self.by_id.values(), *self.faq.answers)
        rows = [[one.id, one.title, one.text, one.url, one.metadata] for one in every]
        return sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]

    def search(self, queries: Sequence[str], limit: int, *, domain: str = "", language: str = "it") -> list[Document]:
        """Return the best `limit` articles: first the best of each query (the article it names exactly), then those
        that match all queries best; each query has equal weight."""
        rankings = [ranking for query in queries if (ranking := self._ranked(query, domain))]
        scores: defaultdict[str, float] = defaultdict(float)
        for ranking in rankings:
            for id_, score in ranking.items():
                scores[id_] += score / max(ranking.values())
        firsts = dict.fromkeys(max(ranking, key=lambda id_: ranking[id_]) for ranking in rankings)
        best = [*firsts, *sorted(scores.keys() - firsts.keys(), key=lambda id_: -scores[id_])][: max(limit, 0)]
        return [replace(in_language(self.by_id[id_], language), score=round(scores[id_], 3)) for id_ in best]

    def get(self, ids: Iterable[str], language: str = "it") -> list[Document]:
        """Return the articles in the order of `ids`, without unknown ones."""
        return [in_language(self.by_id[id_], language) for id_ in ids if id_ in self.by_id]

    def holds(self, norm: Reference) -> bool:
        return norm.is_in(self._norms.values())

    def _retriever(self, language: str) -> LexicalRetriever:
        asked = self.faq.questions_by_article(language)
        held = [one for one in self.by_id.values() if language == "it" or one.metadata["text_en"]]
        indexed = []
        for one in (in_language(one, language) for one in held):
            facts = f"{one.metadata['law']} art. {one.metadata['article']}"  # and questions, in the words of users
            indexed.append(replace(one, text=" ".join([one.text, facts, *asked[one.id]])))
        return LexicalRetriever(indexed, language=language)

    def _scores(self, query: str) -> dict[str, float]:
        """Return the sum over both languages; a query finds little in the other language, so its own dominates."""
        found: defaultdict[str, float] = defaultdict(float)
        for one in (one for each in self._retrievers for one in each.search(query, DEPTH)):
            found[one.id] += one.score or 0.0
        best = max(found.values(), default=1.0)
        return {id_: score / best for id_, score in found.items() if score >= FAINT * best}

    def _ranked(self, query: str, domain: str) -> dict[str, float]:
        scores = self._scores(query)
        for id_ in scores:
            scores[id_] *= 1 + DOMAIN_SHARE * (self.by_id[id_].metadata["domain"] == domain)
        named = references(query)
        for id_, norm in self._norms.items():
            if any(one.article and one.is_in([norm]) for one in named if one.law):
                scores[id_] = scores.get(id_, 0.0) + ARTICLE_NAMED
            elif id_ in scores and any(one.is_in([norm]) for one in named if not (one.law and one.article)):
                scores[id_] += LAW_NAMED  # the query names the whole law, or only "art. 18"
        return scores


def in_language(article: Document, language: str) -> Document:
    """Return an article for a prompt or a source: in English if requested and available, else in Italian."""
    facts = {name: article.metadata[name] for name in ("law", "article", "as_of")}
    if language == "en" and article.metadata["text_en"]:
        title = article.metadata["title_en"] or article.title
        return replace(article, title=title, text=article.metadata["text_en"], metadata=facts)
    return replace(article, metadata=facts)


def norm_of(article: Document) -> Reference:
    """Return an article as a norm: the law as citations name it, and the number of "1, comma 54" or "Tariffa, 1"."""
    law, number = article.metadata["law"], article.metadata["article"]
    named = next((norm.law for norm in references(law)), law)
    numbers = references(f"art. {number.lstrip(NO_DIGITS)}")
    return Reference(named, numbers[0].article if numbers else number)
