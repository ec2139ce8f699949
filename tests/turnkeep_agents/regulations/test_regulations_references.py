import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.regulations.knowledge.references import Reference, references


def told(text: str) -> list[str]:
    return [" ".join(filter(None, [one.law, one.article and f"art. {one.article}"])) for one in references(text)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("art. 3, comma 2, L. 104/1992", ["L. 104/1992 art. 3"]),
        ("Legge 5 febbraio 1992, n. 104", ["L. 104/1992"]),
        ("Law no. 104 of 5 February 1992", ["L. 104/1992"]),
        ("i permessi della legge 104 per i genitori", ["L. 104"]),
        ("Legislative Decree 81/2008, Article 18", ["D.Lgs. 81/2008 art. 18"]),
        ("dpr 633/72 art. 10", ["D.P.R. 633/1972 art. 10"]),
        ("artt. 2118 e 2119 c.c.", ["Codice civile art. 2118", "Codice civile art. 2119"]),
        ("art. 18 e l'art. 19 della L. 300/1970", ["L. 300/1970 art. 18", "L. 300/1970 art. 19"]),
        ("L. 300/1970, art. 18 e L. 104/1992", ["L. 300/1970 art. 18", "L. 104/1992"]),
        ("Article 18 of the Workers\u2019 Statute", ["L. 300/1970 art. 18"]),
        ("art. 2 bis, lett. b), D.L. n. 34/2020", ["D.L. 34/2020 art. 2-bis"]),
        ("art. 19-bis1 del D.P.R. 633/1972", ["D.P.R. 633/1972 art. 19-bis1"]),
        ("art. 1 della Tariffa, parte prima, allegata al D.P.R. 131/1986", ["D.P.R. 131/1986 art. 1"]),
        ("art. 17 Regolamento UE n. 679/2016", ["Reg. 2016/679 art. 17"]),
        ("Article 6 GDPR and Regulation (EC) No 883/2004", ["Reg. 2016/679 art. 6", "Reg. 2004/883"]),
        ("la direttiva europea 2023/970", ["Dir. 2023/970"]),
        ("as amended by Law 203/2024 from 2026", ["L. 203/2024"]),
        ("gli articoli da 7 a 9 TUIR", [f"D.P.R. 917/1986 art. {number}" for number in (7, 8, 9)]),
        ("gli articoli da 7 a 7-ter TUIR", ["D.P.R. 917/1986 art. 7", "D.P.R. 917/1986 art. 7-ter"]),
        ("art. 53 Cost. e Costituzione", ["Costituzione art. 53", "Costituzione"]),
        ("legge 15 lug. 1966 n. 604", ["L. 604/1966"]),
        ("D.L.vo 626/94", ["D.Lgs. 626/1994"]),
        ("D.L. 17.3.2020 n. 18 conv. L. 24.4.2020 n. 27", ["D.L. 18/2020", "L. 27/2020"]),
        ("art. 1, commi da 54 a 89, L. 190/2014", ["L. 190/2014 art. 1"]),
        ("D.Lgs. 14.3.2013", []),
        ("per legge 180 giorni", []),
        ("la costituzione di una società", []),
        ("What does it cost.", []),
        ("la legge di bilancio 2025", []),
        ("il regolamento 5 dell'azienda", []),
        ("in parte 3 articolato", []),
        ("art. " * 5000 + "1, " * 5000, ["art. 1"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_norm_is_read_as_lawyers_write_it(text: str, named: list[str]) -> None:
    assert told(text) == named


Kinds = st.sampled_from(
    [("D.Lgs.", "D.Lgs."), ("legge", "L."), ("decreto legislativo", "D.Lgs."), ("D.P.R.", "D.P.R.")]
)
Days = st.dates(date(1941, 1, 1), date(2039, 12, 31))
DATES = ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%y"]
FORMS = [
    "{kind} {day} n. {n}",
    "{kind} {day}, n. {n}",
    "{kind} del {day} n. {n}",
    "{kind} n. {n} del {day}",
    "{kind} {n} del {day}",
]


@given(Kinds, st.integers(1, 999), Days, st.sampled_from(DATES), st.sampled_from(FORMS))
def test_a_law_may_be_dated_in_figures(kind, number, day, written, form):
    dated = day.strftime(written)
    dated = dated if number % 2 else re.sub(r"\b0(?=\d\b)", "", dated[:-2]) + dated[-2:]
    text = form.format(kind=kind[0], n=number, day=dated)
    assert told(f"Vale {text}, che dispone.") == [f"{kind[1]} {number}/{day.year}"]


def test_a_reference_has_its_position() -> None:
    text = "Vale l'art. 18 dello Statuto dei lavoratori."
    (found,) = references(text)
    assert text[found.start : found.end] == "art. 18 dello Statuto dei lavoratori"


@pytest.mark.parametrize(
    ("norm", "is_known"),
    [
        (Reference("L. 604/1966", "18"), True),
        (Reference("L. 604/1966", "19"), False),
        (Reference("L. 604"), True),
        (Reference("L. 60"), False),
        (Reference("", "18"), True),
        (Reference("L. 104/1992", "18"), False),
    ],
)
def test_an_article_is_known_only_where_that_very_one_is(norm: Reference, is_known: bool) -> None:
    assert norm.is_in([Reference("L. 604/1966", "18")]) is is_known
