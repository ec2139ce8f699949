"""The conventions of columns, against Babel: what it formats is read as the same value or refused."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from babel.dates import format_date, format_datetime
from babel.numbers import format_currency, format_decimal
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.columns import Doubtful, currency_of, day_order_of, decimal_of, is_total, plain_number, read_date
from turnkeep_agents.columns import without_currency as bare

LOCALES = ["en_US", "en_GB", "en_IN", "de_DE", "de_CH", "fr_FR", "it_IT", "es_ES", "pt_BR", "nl_NL", "sv_SE", "pl_PL",
           "tr_TR", "ja_JP", "zh_CN", "ko_KR", "hu_HU", "fi_FI", "cs_CZ", "es_CL"]  # fmt: skip
TODAY = date(2026, 9, 1)
Locales = st.sampled_from(LOCALES)
lists_of = partial(st.lists, min_size=1, max_size=8)
Numbers = st.one_of(
    st.integers(-9_999_999, 99_999_999).map(lambda number: Decimal(number) / 100),
    st.integers(0, 99_999_999).map(lambda number: Decimal(number) / 1000),
    st.integers(0, 2_000).map(Decimal),
    st.integers(0, 40).map(lambda number: Decimal(number * 1000)),
)
PATTERNS = ["#,##0.###", "#,##0.000", "#,##0.00", "#,##0", "0.00", "#,##0.00;(#,##0.00)"]
Moments = st.datetimes(datetime.fromisoformat("2000-01-01"), datetime.fromisoformat("2026-12-31"))
WRITTEN: list[Callable[[datetime, str], str]] = [
    lambda moment, locale: format_date(moment, "short", locale=locale),
    lambda moment, locale: format_date(moment, "medium", locale=locale),
    lambda moment, locale: format_datetime(moment, "short", locale=locale),
    lambda moment, locale: format_datetime(moment, "medium", locale=locale),
    lambda moment, locale: f"{format_date(moment, 'short', locale=locale)} 00:00:00.000",
    lambda moment, _: moment.strftime("%d/%m/%Y %H:%M"),
    lambda moment, _: moment.strftime("%m/%d/%YT%H:%M:%SZ"),
    lambda moment, _: moment.strftime("%d-%m-%YT%H:%M:%S.%f+01:00"),
    lambda moment, _: moment.isoformat(),
]


def read_numbers(cells: list[str], **how: Any) -> list[Decimal | None]:
    """None for a cell that is refused; all of a column that is."""
    try:
        decimal = decimal_of(cells, **how)
    except Doubtful:
        return [None] * len(cells)
    return [as_read(lambda cell: Decimal(plain_number(cell, decimal, **how)), cell) for cell in cells]


def as_read(read: Callable[[str], Any], cell: str) -> Any:
    try:
        return read(cell)
    except ValueError:
        return None


@given(Locales, lists_of(Numbers), st.sampled_from(PATTERNS), st.sampled_from(["", "USD", "EUR"]))
def test_numbers_of_any_locale_are_read_as_they_are_or_refused(locale, numbers, pattern, currency):
    unit, write = (currency, format_currency) if currency else (pattern, format_decimal)
    written = [write(number, unit, locale=locale) for number in numbers]
    digits = 2 if currency else len(pattern.partition(";")[0].partition(".")[2])
    shown = [number.quantize(Decimal(1).scaleb(-digits)) for number in numbers]
    for number, read, cell in zip(shown, read_numbers(written), written, strict=True):
        assert read in (None, number), (locale, cell, written)


@given(Locales, lists_of(st.integers(0, 9_999_999)))
def test_counts_of_any_locale_are_read_with_any_thousands_separator(locale, counts):
    written = [format_decimal(count, locale=locale) for count in counts]
    assert read_numbers(written, is_count=True) == counts


@given(Locales, lists_of(Moments), st.sampled_from(WRITTEN))
def test_dates_of_any_locale_are_read_as_they_are_or_refused(locale, moments, write):
    cells = [write(moment, locale) for moment in moments]
    try:
        order = day_order_of(cells, TODAY)
    except Doubtful:
        return
    for moment, cell in zip(moments, cells, strict=True):
        assert as_read(lambda cell: read_date(cell, order), cell) in (None, moment.date()), (locale, cells)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12.500", "1.234,56"], ["12500", "1234.56"]),
        (["1,250", "0.5"], ["1250", "0.5"]),
        (["1.250", "0,125"], ["1250", "0.125"]),
        (["012,345"], ["12.345"]),
        (["1.234.567", "1.250"], ["1234567", "1250"]),
        (["1'234.50", "1\u2019000.25"], ["1234.50", "1000.25"]),
        (["12,34,567.5"], ["1234567.5"]),
        (["(1,234.50)", "1,234.50-", "\u22125.25"], ["-1234.50", "-1234.50", "-5.25"]),
        (["5 kr", "R$ 1.234,56", "10"], ["5", "1234.56", "10"]),
        (["1.250"], [None]),
        (["1,250", "-0"], [None, None]),
        (["12.50", "12,50"], [None, None]),
        (["1.2M", "5 %", "3 MIO", "1.5"], [None, None, None, "1.5"]),
    ],
)
def test_cells_without_doubt_settle_a_column(cells, values):
    assert read_numbers(cells) == [value if value is None else Decimal(value) for value in values]


def test_what_is_given_settles_what_a_column_leaves_open_and_nothing_else():
    assert [decimal_of(["12.50", "1,250"], sign) for sign in (".", ",")] == [".", "."]
    assert day_order_of(["13/01/2025"], TODAY, "mdy") == "dmy"
    assert [plain_number("1.250", decimal_of(["1.250"], sign)) for sign in (".", ",")] == ["1.250", "1250"]
    orders = [day_order_of(["05/01/2025 10:00"], TODAY, order) for order in ("dmy", "mdy")]
    assert [read_date("05/01/2025 10:00", order) for order in orders] == [date(2025, 1, 5), date(2025, 5, 1)]


@pytest.mark.parametrize(
    ("of", "told"),
    [
        (lambda: decimal_of(["7", "1.250"]), "such as 1.250, can be read in two ways; add --decimal"),
        (lambda: decimal_of(["1.5", "1,5"]), "are not all written in one way; add --decimal"),
        (lambda: day_order_of(["05/01/2025 00:00"], TODAY), "00:00, can be read in two ways; add --dates dmy"),
        (lambda: day_order_of(["13/01/2025", "01/13/2025"], TODAY), "are not all written in one way; add --dates"),
        (lambda: currency_of(["$5", "7 €"]), "in several currencies"),
    ],
)
def test_a_doubtful_column_is_refused_with_the_option_that_settles_it(of, told):
    with pytest.raises(Doubtful, match=told):
        of()


def test_totals_are_known_by_name_and_currencies_in_headings_are_no_names():
    assert all(map(is_total, ["Total", "GRAND TOTAL:", "Gesamtsumme", "Totale", "\u2014 合計 \u2014"]))
    assert not any(map(is_total, ["", "Total Body", "Summer", "Totals & more"]))
    assert [bare(heading) for heading in ("Cost (EUR)", "spend_usd", "Cost (all)")] == ["Cost", "spend", "Cost (all)"]
