"""What of a text answers a question, word for word: of an article whose title the question is of, the sentence that
holds the rest of it; or nothing."""

from collections.abc import Sequence

from turnkeep.blocks.wording import units
from turnkeep.records import JSON
from turnkeep_demo.regulations.forms import action_of
from turnkeep_demo.regulations.sayings import SAYINGS
from turnkeep_demo.regulations.vocabulary import asks_figure, content, has_figure, has_negation, stems

SENTENCES = 3
IN_TITLE = 0.5  # share of the question's words
EQUAL = 0.8  # of the best title's share


def quote(question: str, documents: Sequence[JSON], language: str) -> list[str]:
    """From the documents whose titles are nearest to the question, among those that hold the whole of it: of one, of
    two whose titles hold the same of it, or the titles alone where each is of a part: "NASpI: durata"."""
    asked, found = set(content(question, language)), []
    for document in documents:
        title = set(content(document["title"], language))
        if sentences := _sentences(question, asked, title, document, language):
            share = len(title & asked) / len(title | asked) if len(asked) > 1 else 0.0  # "Che cos'è il TFR?": as found
            found.append((len(title & asked), share, document, sentences))
    best = sorted(found, key=lambda one: one[:2], reverse=True)[:2]
    parts = [one for one in documents if best and _is_part(one["title"], best[0][2]["title"], asked, language)]
    if len(parts) > 1:
        return [SAYINGS[language]["parts"].format(titles(parts))]
    equal = [each for each in best if each[0] == best[0][0] and each[1] >= EQUAL * best[0][1]]
    return [
        told(document, sentences)
        for _, _, document, sentences in equal[: 1 if len(asked) < 2 or asks_figure(question) else 2]
    ]


def _is_part(title: str, best: str, asked: set[str], language: str) -> bool:
    head, _, part = best.partition(":")
    return bool(part) and title.partition(":")[0] == head and asked.isdisjoint(stems(part, language))


def titles(documents: Sequence[JSON]) -> str:
    return "; ".join(f"“{one['title']}” [{one['id']}]" for one in documents)


def quote_passage(question: str, passages: Sequence[JSON], language: str) -> list[str]:
    """The sentences of a user's document that hold most of the question's words, two at least or all of them."""
    asked = set(content(question, language))
    held = [(one, each, len(stems(each, language) & asked)) for one in passages for each in sentences_of(one)]
    most = max((count for _, _, count in held), default=0)
    if most < min(2, len(asked)) or not asked or most <= len(asked) / 2:
        return []
    return [told(one, [each]) for one, each, count in held if count == most][:SENTENCES]


def nearest(question: str, documents: Sequence[JSON], language: str) -> list[JSON]:
    """The one document with the most of the question's words, those of its title twice; none where it has none."""
    asked = set(content(question, language))
    weights = [sum(len(asked & stems(one[part], language)) for part in ("title", "title", "text")) for one in documents]
    return [documents[weights.index(max(weights))]] if any(weights) else []


def told(document: JSON, sentences: Sequence[str]) -> str:
    """Under the title, each with its citation before the full stop, so that one can be quoted alone."""
    said = " ".join(f"{each.rstrip('.;: ')} [{document['id']}]." for each in sentences)
    return f"{document['title']}: {said}"


def sentences_of(document: JSON) -> list[str]:
    return [unit.strip() for unit in units(document["text"]) if unit.strip()]


def _sentences(question: str, asked: set[str], title: set[str], document: JSON, language: str) -> list[str]:
    """Empty where a word of the question is missing, a figure that it asks for, or a "not" of it; what defines a thing
    has it in its title."""
    is_definition = action_of(question, is_named=False) == "define" and not asks_figure(question)
    least = 1.0 if is_definition else IN_TITLE
    if not asked or len(asked & title) < least * len(asked) or has_negation(question) > has_negation(document["title"]):
        return []
    told, rest = sentences_of(document), asked - title
    held = [stems(sentence, language) & asked for sentence in told]
    fits = [not asks_figure(question) or has_figure(sentence, question) for sentence in told]
    near = [len(stems(sentence, language) & stems(question, language)) for sentence in told]  # also "dura"
    at = max(range(len(told)), key=lambda at: (len(held[at] & rest), fits[at], len(held[at]), near[at], -at))
    is_whole = rest <= held[at] and (not rest or len(held[at]) > 1)
    shown = {max(at - 1, 0), at} if rest else {0, 1, at}  # a sentence may speak of what stands before it
    return [told[each] for each in sorted(shown) if each < len(told)] if is_whole and fits[at] else []
