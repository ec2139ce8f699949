from typing import Any

import pytest

from turnkeep_agents.regulations.knowledge.faq import Faq, read_answer

HOLIDAYS: dict[str, Any] = {
    "id": "holidays",
    "domain": "labour",
    "questions": ["Quante settimane di ferie spettano all'anno?", "How many weeks of holiday are due each year?"],
    "answer": "Quattro [DLGS-66-2003-10].",
    "answer_en": "Four [DLGS-66-2003-10].",
    "articles": ["DLGS-66-2003-10"],
}
OTHERS = {
    "pay-it": "Quando si paga l'IMU?",
    "from-flat-rate": "Come si passa dal regime forfettario a quello ordinario?",
    "threshold": "Cosa succede se supero 85000 euro di ricavi nel regime forfettario con partita IVA aperta a gennaio?",
    "dismissed": (
        "Chi non può essere licenziato senza giusta causa durante il periodo di prova previsto dal contratto nazionale?"
    ),
}
FAQ = Faq(
    [
        read_answer(HOLIDAYS),
        *(read_answer({"id": id_, "questions": [asked], "answer": "Dipende."}) for id_, asked in OTHERS.items()),
    ]
)


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        ("quante settimane di ferie spettano all'anno", "holidays"),
        ("QUANTE SETTIMANE DI FERIE SPETTANO ALL\u2019ANNO???", "holidays"),
        ("Quante settimane di ferie spettano all anno", "holidays"),
        ("Quante settimane di ferie mi spettano nell'anno?", "holidays"),
        ("Quando si paga IMU?", "pay-it"),
        ("Quante settimane di ferie mi spettano per l'anno?", None),
        ("ferie", None),
        ("settimane di ferie", None),
        ("Quante settimane di ferie spettano all'anno a un part-time?", None),
        ("Quante settimane di ferie spettano?", None),
        ("Come si paga l'IMU?", None),
        ("Quando si paga l'IMU seconda casa?", None),
        ("Come si passa dal regime ordinario a quello forfettario?", None),
        (OTHERS["threshold"].replace("85000", "100000"), None),
        (OTHERS["dismissed"].replace("non ", ""), None),
        ("", None),
        ("?", None),
        ("di della e il", None),
    ],
)
def test_a_question_is_known_whatever_its_case_signs_and_small_words_and_a_neighbour_is_not(
    message: str, id_: str | None
) -> None:
    hit = FAQ.match(message)
    assert (hit and hit.id) == id_


@pytest.mark.parametrize(("at", "language", "answer"), [(0, "it", "answer"), (1, "en", "answer_en")])
def test_a_question_is_answered_in_its_language(at: int, language: str, answer: str) -> None:
    hit = FAQ.match(HOLIDAYS["questions"][at])
    assert hit is not None
    assert (hit.score, hit.domain, hit.language) == (1, "labour", language)
    assert (hit.answer, hit.articles) == (HOLIDAYS[answer], HOLIDAYS["articles"])


def test_a_word_more_in_a_long_question_is_within_the_threshold() -> None:
    message = OTHERS["threshold"].replace("aperta ", "")
    hit = FAQ.match(message)
    assert hit is not None
    assert hit.id == "threshold"
    assert 0.9 <= hit.score < 1
    assert FAQ.match(message, 0.99) is None
