import pytest

from turnkeep_agents.regulations.knowledge.faq import Faq, read_answer

HOLIDAYS = {
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
    "message",
    [
        "quante settimane di ferie spettano all'anno",
        "QUANTE SETTIMANE DI FERIE SPETTANO ALL\u2019ANNO???",
        "Quante settimane di ferie spettano all anno",
    ],
)
def test_case_accents_punctuation_and_elisions_do_not_matter(message: str) -> None:
    hit = FAQ.match(message)
    assert hit is not None
    assert (hit.id, hit.score, hit.domain, hit.language) == ("holidays", 1, "labour", "it")
    assert (hit.answer, hit.articles) == (HOLIDAYS["answer"], HOLIDAYS["articles"])


def test_an_english_question_is_answered_in_english_where_there_is_an_answer() -> None:
    hit = FAQ.match("how many weeks of holiday are due each year")
    assert hit is not None
    assert (hit.language, hit.answer) == ("en", HOLIDAYS["answer_en"])


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        ("Quante settimane di ferie mi spettano per l'anno?", None),
        ("Quante settimane di ferie mi spettano nell'anno?", "holidays"),
        ("Quando si paga IMU?", "pay-it"),
    ],
)
def test_words_that_say_nothing_may_differ(message: str, id_: str | None) -> None:
    hit = FAQ.match(message)
    assert (hit and hit.id) == id_


@pytest.mark.parametrize(
    "message",
    [
        "ferie",
        "settimane di ferie",
        "Quante settimane di ferie spettano all'anno a un part-time?",
        "Quante settimane di ferie spettano?",
        "Come si paga l'IMU?",
        "Quando si paga l'IMU seconda casa?",
        "Come si passa dal regime ordinario a quello forfettario?",
        OTHERS["threshold"].replace("85000", "100000"),
        OTHERS["dismissed"].replace("non ", ""),
        "",
        "?",
        "di della e il",
    ],
)
def test_a_neighbour_is_no_hit(message: str) -> None:
    assert FAQ.match(message) is None


def test_a_word_more_in_a_long_question_is_within_the_threshold() -> None:
    message = OTHERS["threshold"].replace("aperta ", "")
    hit = FAQ.match(message)
    assert hit is not None
    assert hit.id == "threshold"
    assert 0.9 <= hit.score < 1
    assert FAQ.match(message, 0.99) is None
