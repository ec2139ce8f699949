"""A handful of law, as rows of a knowledge base."""

from typing import Any

LEAVE: dict[str, Any] = {
    "id": "DLGS-66-2003-10",
    "law": "D.Lgs. 66/2003",
    "article": "10",
    "domain": "labour",
    "title": "Ferie annuali",
    "text": "Il lavoratore ha diritto a ferie annuali retribuite di almeno quattro settimane.",
    "title_en": "Annual leave",
    "text_en": "Employees have a right to at least four weeks of paid annual leave.",
}
NOTICE: dict[str, Any] = {
    "id": "CC-2118",
    "law": "Codice civile",
    "article": "2118",
    "domain": "labour",
    "title": "Preavviso di recesso",
    "text": "Chi recede dal contratto di lavoro a tempo indeterminato deve dare il preavviso.",
}
SCALE: dict[str, Any] = {
    "id": "TUIR-11",
    "law": "D.P.R. 917/1986",
    "article": "11",
    "domain": "tax",
    "title": "Aliquote dell'imposta",
    "text": "Sul reddito fino a 28000 euro l'imposta è del 23 per cento.",
}
