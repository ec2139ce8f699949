"""A knowledge base, documents of a thread, and the inner calls of `regulations` as scripts play them."""

from collections.abc import Mapping, Sequence
from typing import Any

from law import LEAVE, NOTICE, SCALE
from scripted_model import ScriptedModel
from turnkeep.models.chat import Models
from turnkeep.records import JSON, Attachment, Documents, Piece
from turnkeep_agents.caches import Newest
from turnkeep_agents.regulations.knowledge.articles import Knowledge
from turnkeep_agents.regulations.knowledge.faq import Faq, read_answer
from turnkeep_agents.regulations.knowledge.folder import read_article
from turnkeep_agents.regulations.nodes import Nodes
from turnkeep_agents.regulations.reading import Reading
from turnkeep_agents.regulations.settings import RegulationsSettings

ARTICLES = (LEAVE, NOTICE, SCALE)
ASKED_OFTEN: dict[str, Any] = {
    "id": "FAQ-1",
    "domain": "labour",
    "questions": ["Quanto durano le ferie annuali?", "How long is annual leave?"],
    "answer": "Almeno quattro settimane [DLGS-66-2003-10].",
    "answer_en": "At least four weeks [DLGS-66-2003-10].",
    "articles": ["DLGS-66-2003-10"],
}
FAQ_QUESTION = ASKED_OFTEN["questions"][0]

READ = "regulations.read"
ANSWER, REPAIR = "regulations.answer", "regulations.answer.repair"
RESPOND, REFUSE = "regulations.respond", "regulations.refuse"
WELL = (ANSWER, "Spettano quattro settimane [DLGS-66-2003-10].")
CONTRACT = ("contratto.pdf", "Il preavviso è di 45 giorni.")
LABEL = "doc-000001"


def read(question: str = "Quali ferie spettano?", *spans: tuple[str, str], **fields: Any) -> tuple[str, Reading]:
    """`spans` are facts as text and kind."""
    known = {
        "language": "it",
        "domain": "labour",
        "domain_confidence": 0.9,
        "action": "explain",
        "composition": "pure_kb",
        "composition_confidence": 0.8,
        "searches": [question],
        "needs_professional": False,
        "facts": [{"text": text, "kind": kind, "has_passed": False} for text, kind in spans],
    }
    return READ, Reading(question=question, **{**known, **fields})


def knowledge(*rows: Mapping[str, Any], faq: Sequence[Mapping[str, Any]] = (ASKED_OFTEN,)) -> Knowledge:
    return Knowledge([read_article(dict(row)) for row in rows], Faq([read_answer(dict(row)) for row in faq]))


def nodes(
    script: ScriptedModel,
    held: Knowledge | None = None,
    *,
    cache: Newest[JSON] | None = None,
    names: tuple[str, str] = ("gpt-4.1", "gpt-4.1-nano"),
    **tuning: Any,
) -> Nodes:
    """With a main and a small model of these `names`, both the script's."""
    main, small = names
    models = Models(script, script, "openai", main, "openai", small)
    own = RegulationsSettings(**tuning)
    return Nodes(models, held or knowledge(*ARTICLES), own, cache or Newest(own.cached_answers))


def attached(*documents: tuple[str, str]) -> Documents:
    """Documents by name and text."""
    listed = tuple(
        Attachment(f"{at:06x}", name, "ready", float(at), len(text), "pdf", 1, len(text))
        for at, (name, text) in enumerate(documents, 1)
    )
    texts = {one.id: text for one, (_, text) in zip(listed, documents, strict=True)}
    return Documents(lambda: listed, lambda id_: (Piece(texts[id_], 1),))
