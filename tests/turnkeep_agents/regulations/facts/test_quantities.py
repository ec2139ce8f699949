from datetime import date
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from num2words import num2words

from turnkeep_agents.regulations.facts.reading import Kind, canonical

read = partial(canonical, today=date(2026, 11, 23))


def value(text: str, kind: Kind, language: str = "it") -> str | None:
    fact = read(text, kind, language=language)
    return f"{fact.value} {fact.unit}".strip() if fact else None


@pytest.mark.parametrize("language", ["it", "en"])
@given(number=st.integers(0, 2000) | st.integers(0, 10**13))
def test_numbers_are_read_as_num2words_writes_them(language: str, number: int) -> None:
    words = num2words(number, lang=language).replace("dicotto", "diciotto")  # "centodicotto"
    assert value(words, "number", language) == str(number)


@pytest.mark.parametrize("language", ["it", "en"])
@given(number=st.integers(1, 100_000))
def test_ordinals_are_read_as_num2words_writes_them(language: str, number: int) -> None:
    assume(number % 100 or number < 1000)  # "two thousand, three hundredth" is a part as well
    words = num2words(number, lang=language, to="ordinal").replace("dicott", "diciott")
    assert value(words, "ordinal", language) == str(number)


@given(number=st.decimals(0, 10**9, places=2))
def test_figures_are_read_as_each_language_writes_them(number: Decimal) -> None:
    english = f"{number:,.2f}"
    italian = english.translate(str.maketrans(",.", ".,"))
    for text, language in ((english, "en"), (italian, "it"), (f"{number:.2f}", "en")):
        assert Decimal(value(text, "number", language) or "NaN") == number


@pytest.mark.parametrize(
    ("text", "language", "meant", "other"),
    [("1.234", "it", "1234", "1.234"), ("1.234", "en", "1.234", "1234"), ("1,234", "it", "1.234", "1234")],
)
def test_an_ambiguous_mark_is_read_by_language_and_noted(text: str, language: str, meant: str, other: str) -> None:
    fact = read(text, "number", language=language)
    assert fact is not None
    assert (fact.value, fact.other) == (meant, other)
    assert fact.reading


@pytest.mark.parametrize(
    ("kind", "text", "language", "meant"),
    [
        ("amount", "€ 1.234,50", "it", "1234.50 EUR"),
        ("amount", "2 milioni e mezzo di euro", "it", "2500000 EUR"),
        ("amount", "50k €", "it", "50000 EUR"),
        ("amount", "tredici euro e quarantacinque cent", "it", "13.45 EUR"),
        ("amount", "tra 15.000 e 28.000 euro", "it", "[15000,28000] EUR"),
        ("amount", "oltre 50.000 euro", "it", "(50000,) EUR"),
        ("amount", "$1,234.50", "en", "1234.50 USD"),
        ("amount", "half a million pounds", "en", "500000 GBP"),
        ("percentage", "il ventidue per cento", "it", "22"),
        ("percentage", "4,5 %", "it", "4.5"),
        ("percentage", "tre punti percentuali", "it", "3 pp"),
        ("percentage", "8,6 per mille", "it", "0.86"),
        ("duration", "sei mesi e mezzo", "it", "P6.5M"),
        ("duration", "un'ora e mezza", "it", "PT1.5H"),
        ("duration", "tutto il mese", "it", "P1M"),
        ("duration", "six and a half months", "en", "P6.5M"),
        ("duration", "a year and a half", "en", "P1.5Y"),
        ("ordinal", "21esima", "it", "21"),
        ("ordinal", "penultimo", "it", "-2"),
        ("ordinal", "one hundred and first", "en", "101"),
        ("ordinal", "comma 3-bis", "it", None),
        ("number", "due terzi", "it", "0.666666666666667"),
        ("number", "cento e tre quarti", "it", "100.75"),
        ("number", "una dozzina", "it", "12"),
        ("number", "2 1/4", "it", "2.25"),
        ("number", "uno su venti", "it", "0.05"),
        ("number", "85 mq", "it", "85 m2"),
        ("number", "non inferiore a trenta", "it", "[30,)"),
        ("number", "two and a half million", "en", "2500000"),
    ],
)
def test_what_is_written_has_one_value(kind: Kind, text: str, language: str, meant: str | None) -> None:
    """Amounts have a currency, durations are those of ISO 8601."""
    assert value(text, kind, language) == meant


@pytest.mark.parametrize(
    ("text", "language", "meant", "per"),
    [
        ("900 euro lordi al mese", "it", "900 EUR", "per month"),
        ("12 euro all'ora", "it", "12 EUR", "per hour"),
        ("tra 1500 e 2000 euro al mese", "it", "[1500,2000] EUR", "per month"),
        ("35000 euro di RAL", "it", "35000 EUR", ""),
        ("500 euro l'anno scorso", "it", "None", ""),
        ("$25 per hour", "en", "25 USD", "per hour"),
        ("£500 gross a week", "en", "500 GBP", "per week"),
    ],
)
def test_the_rate_of_an_amount_is_noted(text: str, language: str, meant: str, per: str) -> None:
    fact = read(text, "amount", language=language)
    assert (f"{value(text, 'amount', language)}", fact.reading if fact else "") == (meant, per)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("tra 30 e 20", "number"), ("più di 30 e meno di 20", "number"), ("tra 9.000 e 800 euro", "amount")],
)
def test_limits_that_contradict_each_other_have_no_value_and_say_so(text: str, kind: Kind) -> None:
    fact = read(text, kind)
    assert fact is not None
    assert (fact.value, bool(fact.reading)) == ("", True)


@pytest.mark.parametrize("language", ["it", "en", "", "fr", "it-IT"])
@given(text=st.text(alphabet="0123456789.,-/€% °'^ediamnortslu", max_size=60))
def test_any_span_has_a_value_or_none(language: str, text: str) -> None:
    for kind in ("date", "number", "amount"):
        read(text, kind, language=language)
