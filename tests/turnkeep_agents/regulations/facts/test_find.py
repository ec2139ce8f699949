from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.regulations.facts import canonical, find

TODAY = date(2026, 11, 23)


def found(text: str, language: str = "it") -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.text, fact.value) for fact in find(text, today=TODAY, language=language)]


def test_the_facts_of_an_italian_message_stand_in_order() -> None:
    text = "Assunto il 3 marzo 2024, licenziato dopodomani con sei mesi di preavviso: quanto è il 22% di € 1.234,50?"
    assert found(text) == [
        ("date", "3 marzo 2024", "2024-03-03"),
        ("date", "dopodomani", "2026-11-25"),
        ("duration", "sei mesi", "P6M"),
        ("percentage", "22%", "22"),
        ("amount", "€ 1.234,50", "1234.50"),
    ]


def test_the_facts_of_an_english_message_stand_in_order() -> None:
    text = "I earned 30,000 euros in 2025 and must pay by 16 November 2026, in the third instalment."
    assert found(text, "en") == [
        ("amount", "30,000 euros", "30000"),
        ("period", "2025", "2025-01-01/2025-12-31"),
        ("date", "16 November 2026", "2026-11-16"),
        ("ordinal", "third", "3"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "l'art. 18 della legge 300/1970, comma 3-bis",
        "il 31 febbraio",
        "sei sicuro? secondo la legge no",
        "alle 15:30",
        "il modello 730",
    ],
)
def test_what_only_looks_like_a_fact_is_none(text: str) -> None:
    assert found(text) == []


def test_a_longer_fact_holds_the_shorter_ones() -> None:
    assert [kind for kind, *_ in found("dal 4 al 22 marzo, tra 10 e 20 euro")] == ["period", "amount"]


@pytest.mark.parametrize("language", ["it", "en", "", "fr", "it-IT"])
@given(text=st.text(alphabet="0123456789.,-/€% °'^ediamnortslu", max_size=60))
def test_any_text_is_read_without_a_fault_and_its_facts_stand_in_it(language: str, text: str) -> None:
    facts = find(text, today=TODAY, language=language)
    assert all(fact.text in text for fact in facts)
    for kind in ("date", "number", "amount"):
        canonical(text, kind, today=TODAY, language=language)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("le 3 settimane precedenti", ["2026-11-02/2026-11-22"]),
        ("il weekend dopo il prossimo", ["2026-12-12/2026-12-13"]),
        ("agosto scorso", ["2026-08-01/2026-08-31"]),
        ("gli ultimi giorni", []),
    ],
)
def test_a_stretch_of_time_is_found_whole_and_a_vague_one_is_none(text: str, meant: list[str]) -> None:
    assert [value for *_, value in found(text)] == meant
