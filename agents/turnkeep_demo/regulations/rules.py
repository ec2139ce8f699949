"""What the demo says for each inner call of `regulations`: an article that is named is quoted, else sentences that hold
all that is asked. What it does not understand it says; in Italian where the message is Italian, else in English."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from turnkeep.blocks.documents import Document
from turnkeep.blocks.prompting import MEANING
from turnkeep.records import JSON
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.knowledge.articles import norm_of
from turnkeep_agents.regulations.knowledge.folder import open_knowledge
from turnkeep_agents.regulations.knowledge.references import Reference, references
from turnkeep_agents.regulations.passages import LABEL_LETTERS
from turnkeep_demo.model import Rule
from turnkeep_demo.regulations import forms
from turnkeep_demo.regulations.computing import RATES, plan
from turnkeep_demo.regulations.quoting import SENTENCES, nearest, quote, quote_passage, sentences_of, titles, told
from turnkeep_demo.regulations.reading import read, without
from turnkeep_demo.regulations.sayings import SAYINGS
from turnkeep_demo.regulations.vocabulary import content, language_of, stems

MOST_LISTED, KNOWN_QUESTIONS = 5, 2
_NOTED = {name.lower(): getattr(prompts, name) for name in ("EMPTY", "NOT_ATTACHED", "NOT_COMPUTED", "UNREAD")}
_PARAGRAPH = re.compile(r"\b(?:comm[ai]|paragraphs?|c\.) ?(\d+)", re.IGNORECASE)
_PASSAGE = re.compile(rf"doc-[0-9a-f]{{{LABEL_LETTERS}}}-\d+")


def rules() -> Mapping[str, Rule]:
    return {
        "regulations.read": read,
        "regulations.calculate": plan,
        "regulations.answer": _answer,
        "regulations.answer.repair": lambda parts: {"sentences": []},
        "regulations.respond": _respond,
        "regulations.refuse": _refuse,
    }


def _answer(parts: JSON) -> str:
    notes, documents, message = parts["notes"], parts["documents"], parts["query"]
    language = language_of(message)
    say, question = SAYINGS[language], (_noted(MEANING, notes) or [message])[0]
    said = [say[name] for name, begin in _NOTED.items() if _noted(begin, notes)]
    if documents and not _noted(prompts.NOT_COMPUTED, notes):
        said += _told(question, documents, _noted(prompts.COMPUTED, notes), language)
    said = said or [_not_understood(question, documents, language)]
    return "\n\n".join([*said, *([say["professional"]] if prompts.PROFESSIONAL in notes else [])])


def _noted(begin: str, notes: Sequence[str]) -> list[str]:
    return [note.removeprefix(begin) for note in notes if note.startswith(begin)]


def _told(question: str, documents: Sequence[JSON], computed: Sequence[str], language: str) -> list[str]:
    """Nothing where it does not understand it whole."""
    passages = [one for one in documents if _PASSAGE.fullmatch(one["id"])]
    articles, say = [one for one in documents if one not in passages], SAYINGS[language]
    if computed:
        begin = say["computed"].format(next(one["id"] for one in articles if RATES.search(one["text"])))
        return ["\n".join([begin, *(f"- {step}" for step in computed[0].split("; "))])]
    if passages and forms.action_of(question, is_named=False) == "summarise":
        return [say["begins"], told(passages[0], sentences_of(passages[0])[:SENTENCES])]
    if named := references(question):
        return _named(question, named, articles, language)
    bare = forms.POINTING.sub(" ", question) if passages else question  # "in the contract" is not of what is asked
    for name in {one["title"].split(", ")[0] for one in passages}:
        bare = bare.replace(name, " ")
    lines = [*quote(bare, articles, language), *quote_passage(bare, passages, language)]
    return [*lines, say["compare"]] if lines and passages and articles else lines


def _named(question: str, named: Sequence[Reference], articles: Sequence[JSON], language: str) -> list[str]:
    """Each article that is named, of a law alone the articles that were found; and what is not among them."""
    say, lines, rest = SAYINGS[language], [], without(question, named)
    for norm in named:
        held = _held(norm, question, articles)
        written = question[norm.start : norm.end]
        if not norm.law:
            lines.append(say["which"].format(written, titles(held or articles[:1])))
        elif not held:
            lines.append(say["not_held"].format(written))
        elif norm.article and len(held) == 1:
            lines.append(told(held[0], sentences_of(held[0])))
        else:
            lines += quote(rest, held, language) or [say["of_law"].format(written, titles(held[:MOST_LISTED]))]
    if len(content(rest, language)) > 1 and any(norm.article for norm in named):
        lines.append(say["whole_article"])
    return list(dict.fromkeys(lines))


def _held(norm: Reference, question: str, articles: Sequence[JSON]) -> list[JSON]:
    """The articles that a reference may mean: of one in pieces, that of the paragraph."""
    held = [one for one in articles if norm.is_in([norm_of(Document(**one))])]
    paragraphs = _PARAGRAPH.findall(question[norm.start : norm.end + 20])
    exact = [one for one in held if one["id"].rpartition("-")[2] in paragraphs]
    return exact if len(held) > 1 and exact else held


def _not_understood(question: str, documents: Sequence[JSON], language: str) -> str:
    say, found = SAYINGS[language], nearest(question, documents, language)
    title = say["nearest"].format(titles(found)) if found else ""
    return " ".join(filter(None, [say["unknown"], title, _known(question, language)]))


def _known(question: str, language: str) -> str:
    """The nearest questions among those of the FAQ that it knows."""
    said = set(content(question, language))
    asked = [one for one in _asked() if language_of(one) == language]
    known = sorted(asked, key=lambda one: -len(said & stems(one, language)))[:KNOWN_QUESTIONS]
    return SAYINGS[language]["known"].format("; ".join(f"“{one}”" for one in known))


@cache
def _asked() -> tuple[str, ...]:
    """Questions of the bundled FAQ that name no law and no figure."""
    every = [question for one in open_knowledge(None).faq.answers for question in one.metadata["questions"]]
    return tuple(one for one in every if not references(one) and not any(map(str.isdigit, one)))


def _respond(parts: JSON) -> str:
    message, language = parts["query"], language_of(parts["query"])
    say, talk = SAYINGS[language], forms.talk_of(message)
    if prompts.NOT_ATTACHED in parts["notes"]:
        return say["not_attached"]
    return f"{say.get(talk or '', '')}{say['can']} {_known('', language)}"


def _refuse(parts: JSON) -> str:
    language = language_of(parts["query"])
    return f"{SAYINGS[language]['outside']} {_known(parts['query'], language)}"
