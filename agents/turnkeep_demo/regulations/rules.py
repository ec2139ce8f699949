"""The demo's answers to the inner calls of `regulations`: recorded readings, and verbatim the sentences that a
recording names."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from turnkeep.kit.checked_replies import units
from turnkeep.kit.prompting import MEANING
from turnkeep.records import JSON
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.knowledge.faq import language_of
from turnkeep_agents.regulations.passages import LABEL_LETTERS
from turnkeep_demo.model import Rule
from turnkeep_demo.replay import DECLINED, DECLINED_IT, Recordings

RECORDED = Recordings.of("regulations")
TEXTS: Mapping[str, Mapping[str, str]] = {
    "it": {
        "declined": f"{DECLINED_IT} Posso rispondere invece, per esempio, a: {{}}.",
        "missing": "Tra le fonti trovate non ce n'è una che risponda.",
        "not_attached": "Qui non è allegato nessun documento con testo; una scansione senza testo non si può leggere.",
        "computed": "Dagli scaglioni di [{}], senza detrazioni e addizionali:",
        "unread": "Una data o un importo del messaggio non si legge con certezza: che cosa si intende?",
        "professional": "Un caso così va fatto esaminare da un professionista: avvocato, commercialista o simile.",
    },
    "en": {
        "declined": f"{DECLINED} I can answer, for example: {{}}.",
        "missing": "None of the sources that were found answers that.",
        "not_attached": "No document with text is attached here; a scan without text cannot be read.",
        "computed": "By the brackets of [{}], without tax credits and surcharges:",
        "unread": "A date or an amount of the message cannot be read with certainty: what is meant?",
        "professional": "Such a case should be looked at by a professional, such as a lawyer or tax adviser.",
    },
}
USUAL: JSON = {"domain_confidence": 0.9, "composition_confidence": 0.9, "facts": [], "needs_professional": False}
UNKNOWN: JSON = {"domain": "none", "action": "explain", "composition": "pure_kb"}
MOST_QUOTES, SENTENCES = 4, 3  # of each document of a user
_PASSAGE = re.compile(rf"doc-[0-9a-f]{{{LABEL_LETTERS}}}-\d+")


def rules() -> Mapping[str, Rule]:
    return {
        "regulations.read": read,
        "regulations.calculate": lambda parts: {"missing": "", "steps": _calls_of(parts).get("calculate", [])},
        "regulations.answer": answer,
        "regulations.answer.repair": lambda parts: {"sentences": []},
        "regulations.respond": respond,
        "regulations.refuse": lambda parts: _decline(parts["query"]),
    }


def read(parts: JSON) -> JSON:
    message, found = parts["query"], RECORDED.find(parts["query"], parts["conversation"])
    question = found.question if found else message or "?"
    reading = found.calls["read"] if found else {**UNKNOWN, "language": language_of(message)}
    return {**USUAL, "question": question, "searches": [reading.get("question", question)], **reading}


def answer(parts: JSON) -> str:
    notes, calls = parts["notes"], _calls_of(parts)
    texts = TEXTS[calls["read"]["language"] if calls else language_of(parts["query"])]
    cites, computed = calls.get("cites", {}), _noted(prompts.COMPUTED, notes)
    if _noted(prompts.UNREAD, notes):
        lines = [texts["unread"]]
    elif computed:
        lines = ["\n- ".join([texts["computed"].format(*cites), *computed[0].split("; ")])]
    else:
        lines = _quotes(cites, calls.get("passages"), parts["documents"]) or [texts["missing"]]
    return "\n\n".join([*lines, *([texts["professional"]] if prompts.PROFESSIONAL in notes else [])])


def respond(parts: JSON) -> str:
    found = RECORDED.find(parts["query"], parts["conversation"])
    if found is None:
        return _decline(parts["query"])
    return str(found.calls.get("respond", TEXTS[found.calls["read"]["language"]]["not_attached"]))


def _calls_of(parts: JSON) -> Mapping[str, Any]:
    """Return the calls of the recording whose standalone question the prompt shows."""
    question = next(iter(_noted(MEANING, parts["notes"])), parts["query"])
    found = (one.calls for one in RECORDED.every if question == one.calls["read"].get("question", one.question))
    return next(found, {})


def _noted(begin: str, notes: Sequence[str]) -> list[str]:
    return [note.removeprefix(begin) for note in notes if note.startswith(begin)]


def _quotes(cites: Mapping[str, Sequence[int]], word: str | None, documents: Sequence[JSON]) -> list[str]:
    """Quote each article whole or by sentence numbers, and each passage by the sentences that contain the word."""
    quoted = []
    for one in documents:
        sentences = [unit.strip() for unit in units(one["text"]) if unit.strip()]
        if one["id"] in cites:
            places = cites[one["id"]] or range(len(sentences))
            quoted.append((one, [sentence for at, sentence in enumerate(sentences) if at in places]))
        elif word is not None and _PASSAGE.fullmatch(one["id"]):
            quoted.append((one, [sentence for sentence in sentences if word in sentence.lower()][:SENTENCES]))
    return [_quote(one, sentences) for one, sentences in quoted if sentences][:MOST_QUOTES]


def _quote(document: JSON, sentences: Sequence[str]) -> str:
    """Return the title and the sentences, each cited before its full stop, so that one can be quoted alone."""
    cited = " ".join(f"{sentence.rstrip('.;: ')} [{document['id']}]." for sentence in sentences)
    return f"{document['title']}: {cited}"


def _decline(message: str) -> str:
    language = language_of(message)
    same = Recordings(one for one in RECORDED.every if one.calls["read"]["language"] == language)
    return TEXTS[language]["declined"].format("; ".join(f"“{question}”" for question in same.nearest(message)))
