"""The demo's answers to each inner call of `papers`: a question in a known form is looked up by the name in its slot,
and answered with sentences of the paper. For any other question it declines and lists the nearest it knows."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from turnkeep.kit.documents import load_documents
from turnkeep.kit.prompting import MEANING
from turnkeep.kit.words import words
from turnkeep.records import JSON
from turnkeep_agents.papers.corpus import read_paper
from turnkeep_agents.papers.prompts import CITED, FOUND, SEARCHED
from turnkeep_demo.model import Rule
from turnkeep_demo.papers import forms
from turnkeep_demo.papers.forms import Asked, meant_by, named, question_of, talk_of, terms

SAMPLE = Path(__file__).parents[1] / "samples" / "papers.jsonl"
SENTENCES = 3  # of an explained paper
NEAREST = 3
ASKING = ("What is {}?", "Who wrote {}?", "When was {} published?")

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“])")
_LONG_AND_SHORT = re.compile(r"(?P<long>[^.(]{3,60}) \((?P<short>[A-Za-z][\w-]{1,15})\)")
_ARTICLE = re.compile(r"^(?:The|An?) ")
_CITED_PAPER = re.compile(r"\[([^\[\]]+)\] (.+?)(?=; \[|\.$)")


def rules() -> Mapping[str, Rule]:
    return {
        "papers.read": _read,
        "papers.grade": _grade,
        "papers.rewrite": _rewrite,
        "papers.answer": _answer,
        "papers.respond": _respond,
        "papers.refuse": _refuse,
    }


def _read(parts: JSON) -> JSON:
    message, conversation = parts["query"], parts["conversation"]
    if talk_of(message):
        return _reading(message, "conversation", [], 100)
    asked = question_of(message)
    subjects = [meant_by(subject, conversation, _titles(parts)) for subject in asked.subjects] if asked else []
    if asked is None or None in subjects:
        return _reading(message, "question", [], 0)
    question, known = message, [subject for subject in subjects if subject]
    for subject, meant in zip(asked.subjects, known, strict=True):
        question = re.sub(rf"(?<!\w){re.escape(subject)}(?!\w)", meant.replace("\\", r"\\"), question, count=1)
    breadth = "many" if asked.form in (forms.BY, forms.MENTIONS) else "few"
    return _reading(question, "question", [named(subject) for subject in known], 100, breadth=breadth)


def _reading(question: str, kind: str, searches: Sequence[str], score: int, *, breadth: str = "few") -> JSON:
    reason = "One of the forms that the demo knows." if score else "The demo does not understand it whole."
    known = {"question": question or "?", "kind": kind, "searches": list(searches), "years": [], "language": "en"}
    return {**known, "breadth": breadth, "reason": reason, "score": score}


def _titles(parts: JSON) -> dict[str, str]:
    """Return the titles of the cited papers."""
    notes = [note.removeprefix(CITED) for note in parts["notes"] if note.startswith(CITED)]
    return dict(_CITED_PAPER.findall(notes[0])) if notes else {}


def _grade(parts: JSON) -> JSON:
    asked = question_of(parts["query"])
    fitting = _fitting(asked, parts["documents"]) if asked else []
    return {"relevant_ids": [document["id"] for document in fitting]}


def _fitting(asked: Asked, documents: Sequence[JSON]) -> list[JSON]:
    """Return the documents for the question; an explanation needs a name, or the only title that contains it."""
    if asked.form == forms.BY:
        name = set(words(asked.subjects[0]))
        return [one for one in documents if any(name <= set(words(author)) for author in _authors(one))]
    if asked.form == forms.MENTIONS:
        return _mentioning(named(asked.subjects[0]), documents)
    found = [_called(subject, documents) for subject in asked.subjects]
    return [one for paper in found for one in paper] if all(found) else []


def _called(subject: str, documents: Sequence[JSON]) -> list[JSON]:
    """Return the document with this name, or the only one whose title contains a subject of several words."""
    for name in dict.fromkeys([subject.strip(" “”\"'"), named(subject)]):
        if own := [one for one in documents if words(name) in map(words, _names(one)) or _opens_with(name, one)]:
            return own[:1]
    name = " ".join(words(named(subject)))
    held = [one for one in documents if f" {name} " in f" {' '.join(words(one['title']))} "]
    return held if len(held) == 1 and len(terms(name)) > 1 else []


def _mentioning(subject: str, documents: Sequence[JSON]) -> list[JSON]:
    """Return documents that mention the subject, except the paper of this name."""
    own = _called(subject, documents)
    names = [subject, *(name for one in own for name in _names(one))]
    others = [one for one in documents if one not in own]
    return [one for one in others if any(_holds(f"{one['title']} {one['text']}", name) for name in names)]


def _holds(text: str, name: str) -> bool:
    """Return whether a text contains the words, or the exact name if it has a number: "GPT-3.5" is not GPT-3."""
    if not re.search(r"\d", name):
        return set(terms(name)) <= set(words(text))
    whole = r"[\W_]{0,2}".join(map(re.escape, words(name)))
    return re.search(rf"(?<![\w.]){whole}(?!\w|\.\d)", text, re.IGNORECASE) is not None


def _names(document: JSON) -> list[str]:
    """Return the id, the title, its part before a colon, and a name with its short form at the start of the text."""
    title = document["title"]
    found = _LONG_AND_SHORT.match(_ARTICLE.sub("", document["text"]))
    return [document["id"], title, title.split(":")[0], *(found.groups() if found else ())]


def _opens_with(name: str, document: JSON) -> bool:
    """ "Adam is ...", but not "Llama" in "Llama 2 is ..." and not "Big" in "Big Bird is ..."."""
    text = _ARTICLE.sub("", document["text"])
    return text.lower().startswith(name.lower()) and re.match(r",? [a-z(]", text[len(name) :]) is not None


def _authors(document: JSON) -> list[str]:
    authors: list[str] = document["metadata"]["authors"]
    return authors


def _rewrite(parts: JSON) -> JSON:
    """Return the longest untried word of the slot; empty if there is none."""
    tried = {note.removeprefix(SEARCHED).lower() for note in parts["notes"] if not note.startswith(FOUND)}
    asked = question_of(parts["query"])
    every = [word for subject in asked.subjects for word in terms(named(subject))] if asked else []
    left = sorted((word for word in every if word not in tried), key=len, reverse=True)
    return {"query": left[0] if left and len(tried) < 2 else ""}


def _answer(parts: JSON) -> str:
    meant = [note.removeprefix(MEANING) for note in parts["notes"] if note.startswith(MEANING)]
    question = (meant or [parts["query"]])[0]
    asked, documents = question_of(question), parts["documents"]
    if asked is None or not documents:
        return f"This demo does not understand the question well enough to say what answers it. {_known(question)}"
    return _WORDED[asked.form](documents)


def _explained(documents: Sequence[JSON]) -> str:
    return "\n\n".join(_cited(_sentences(one)[:SENTENCES], one) for one in documents)


def _facts(fact_of: Callable[[JSON], object], what: str, documents: Sequence[JSON]) -> str:
    facts = [(one, fact_of(one) or f"is listed without its {what}") for one in documents]
    return " ".join(f"“{one['title']}” {fact} [{one['id']}]." for one, fact in facts)


def _listed(documents: Sequence[JSON]) -> str:
    lines = [f"- “{one['title']}” [{one['id']}]: {_sentences(one)[0]}" for one in documents]
    return "\n".join(["I found these, and there may be others:", *lines])


_WORDED: Mapping[str, Callable[[Sequence[JSON]], str]] = {
    forms.ABOUT: _explained,
    forms.COMPARE: _explained,
    forms.AUTHORS: partial(_facts, lambda one: _authors(one) and f"was written by {_joined(_authors(one))}", "authors"),
    forms.YEAR: partial(_facts, lambda one: (year := one["metadata"]["year"]) and f"was published in {year}", "year"),
    forms.LINK: partial(_facts, lambda one: one["url"] and f"can be read at {one['url']}", "link"),
    forms.MENTIONS: _listed,
    forms.BY: _listed,
}


def _sentences(document: JSON) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.split(document["text"]) if sentence.strip()]


def _cited(sentences: Sequence[str], document: JSON) -> str:
    """Add the citation to each sentence, before the full stop, so that one can be quoted alone."""
    return " ".join(f"{sentence.rstrip('.')} [{document['id']}]." for sentence in sentences)


def _joined(names: Sequence[str]) -> str:
    if names[-1] == "et al.":
        return f"{', '.join(names[:-1])} and others"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _respond(parts: JSON) -> str:
    talk = talk_of(parts["query"])
    replies = [one["content"] for one in parts["conversation"] if one["role"] == "assistant"]
    if talk == "summary" and replies:
        return _SENTENCE.split(replies[-1])[0]
    begin = {"greeting": "Hello! ", "thanks": "With pleasure! ", "summary": "Nothing has been said yet. "}
    return f"{begin.get(talk or '', '')}I answer questions about papers and cite them. {_known('')}"


def _refuse(parts: JSON) -> str:
    return f"I am a demo for questions about papers and do not understand this one. {_known(parts['query'])}"


def _known(question: str) -> str:
    """Return the nearest questions among the known ones."""
    asked = set(terms(question[: forms.LONGEST]))
    nearest = sorted(_heads(), key=lambda head: -len(asked & set(words(head))))[:NEAREST]
    known = "; ".join(f"“{form.format(head)}”" for form, head in zip(ASKING, nearest, strict=False))
    return f"Questions that I know are, for example: {known}."


@cache
def _heads() -> tuple[str, ...]:
    """Return the short titles of the bundled papers."""
    titles = [paper.title for paper in load_documents(SAMPLE, read_paper)]
    heads = [title.split(":")[0] for title in titles if ":" in title]
    return tuple(head for head in heads if not re.search(r"[,\"]", head))
