"""A reply from `regulations` cites and names only what it was shown."""

import pytest

from turnkeep.kit.documents import Document
from turnkeep.kit.verification import Sources
from turnkeep_agents.regulations.answers import Grounded

SHOWN = [
    Document(
        "DLGS-66-2003-10",
        "Ferie annuali",
        "Il lavoratore ha diritto a quattro settimane di ferie; due entro l'anno, le altre entro 18 mesi.",
        "https://www.normattiva.it/x",
        {"law": "D.Lgs. 66/2003", "article": "10", "as_of": "2025-12-31"},
    ),
    Document("doc-3f9a1c-2", "contratto.pdf, p. 2", "Preavviso di 45 giorni, ai sensi dell'art. 2118 c.c."),
]
KNOWN_IDS = {"DLGS-66-2003-10", "L-300-1970-18"}


def judge() -> Grounded:
    return Grounded(SHOWN, KNOWN_IDS, Sources(["Che cosa dice l'art. 999 TUIR?"], language="it"))


@pytest.mark.parametrize(
    "sentence",
    [
        "Le ferie sono di quattro settimane, due entro l'anno e le altre entro 18 mesi [DLGS-66-2003-10].",
        "Lo dice l'art. 10 del D.Lgs. 66/2003, aggiornato al 31 dicembre 2025.",
        "Il contratto prevede 45 giorni di preavviso, ai sensi dell'art. 2118 c.c. [doc-3f9a1c-2].",
        "L'art. 999 del TUIR non è tra i documenti.",
        "Article 10 of Legislative Decree 66/2003 grants four weeks [DLGS-66-2003-10, doc-3f9a1c-2].",
    ],
)
def test_facts_of_the_sources_are_accepted(sentence: str) -> None:
    assert not judge().problems(sentence)


def test_sources_are_marked_as_cited() -> None:
    kept = judge()
    assert kept.accept("Quattro settimane [DLGS-66-2003-10]. ") == "Quattro settimane [DLGS-66-2003-10]. "
    assert [(one["id"], one["cited"]) for one in kept.sources()] == [("DLGS-66-2003-10", True), ("doc-3f9a1c-2", False)]
