"""Bibliographic facts: who, when, where to read. Questions for them are recognised by their question words."""

import re
from collections.abc import Mapping, Sequence

from turnkeep.records import JSON

_MAKERS = (
    r"(wrote|writes?|written|authors?|authored|invent\w*|creat\w*|propos\w*|introduc\w*|develop\w*|publish\w*"
    r"|stud(y|ied)|came up|behind|made)"
)
_FACTS: Mapping[str, re.Pattern[str]] = {
    "count": re.compile(r"\bhow many (authors|people|researchers|scientists)\b", re.IGNORECASE),
    "authors": re.compile(
        rf"\b(who|whose|whom)\b.*\b{_MAKERS}\b|\b(authors|author|authored by)\b|\bwritten by\b"
        r"|\bwho (is|are|was|were) (they|he|she)\b|\bby whom\b",
        re.IGNORECASE,
    ),
    "year": re.compile(
        r"\bwhen\b.*\b(was|were|did|is|published|written|released|come|appear)\b|\b(what|which) year\b"
        r"|\bhow (old|recent)\b|\b(publication|release) (date|year)\b|\bdate of publication\b|\bwhen\W*$",
        re.IGNORECASE,
    ),
    "title": re.compile(r"\b(title of|full title|exact title|what('s| is) (it|the paper) called)\b", re.IGNORECASE),
    "url": re.compile(
        r"\b(link|url|pdf|arxiv (id|number|page))\b|\bwhere (can|could|do|may) i (read|find|get|download)\b",
        re.IGNORECASE,
    ),
}
_BY_AUTHOR = re.compile(
    r"\b(papers|works?|articles?|studies|else)\b.*\b(by|from|write|wrote|written|author\w*)\b", re.IGNORECASE
)


def asked_facts(question: str) -> list[str]:
    """Which facts a question asks for; none where it asks for papers by an author."""
    if _BY_AUTHOR.search(question) and not re.search(r"\bwho\b", question, re.IGNORECASE):
        return []
    found = [fact for fact, pattern in _FACTS.items() if pattern.search(question)]
    return [fact for fact in found if not (fact == "authors" and "count" in found)]


def fact_sentence(row: JSON, facts: Sequence[str]) -> str:
    """One sentence without its full stop that states `facts` of the document."""
    authors, year = row["metadata"]["authors"], row["metadata"]["year"]
    clauses = {
        "title": f"is the title of arXiv {row['id']}",
        "count": f"has {_count(authors)}",
        "authors": f"was written by {_names(authors)}" if authors else "is listed without its authors",
        "year": f"was published in {year}" if year else "is listed without its year",
        "url": f"can be read at {row['url']}" if row["url"] else "is listed without a link",
    }
    said = [clauses[fact] for fact in ("title", "count", "authors", "year", "url") if fact in facts]
    return f"“{row['title']}” {' and '.join(said)}"


def _names(authors: Sequence[str]) -> str:
    named = [name for name in authors if name != "et al."]
    if len(named) < len(authors):
        return f"{', '.join(named)} and others"
    return " and ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0]


def _count(authors: Sequence[str]) -> str:
    named = [name for name in authors if name != "et al."]
    if len(named) < len(authors):
        return f"more than {len(named)} authors"
    return "one author" if len(named) == 1 else f"{len(named)} authors"
