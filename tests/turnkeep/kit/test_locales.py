import json
import re
import sys
from datetime import date
from pathlib import Path

import pytest

from turnkeep.kit import locales
from turnkeep.kit.locales import Reading, alternatives, notation

ROOT = Path(__file__).parents[3]
TABLE = Path(locales.__file__).with_suffix(".json")
MOST_BYTES = 15_000


def test_the_table_equals_babel_and_is_small() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import locales as writer

    assert json.loads(TABLE.read_text()) == writer.tables(), "run: python tools/locales.py"
    assert TABLE.stat().st_size <= MOST_BYTES


@pytest.mark.parametrize(
    ("text", "language", "readings"),
    [
        ("on 2026-11-08", "en", [(2026, 11, 8)]),
        ("8.11.2026", "de", [(2026, 11, 8), (2026, 8, 11)]),
        ("22/11/2026", "it", [(2026, 11, 22)]),
        ("November 8, 2026", "en", [(2026, 11, 8)]),
        ("8th of November", "en", [(None, 11, 8)]),
        ("8 to 21 November 2026", "en", [(2026, 11, 8), (2026, 11, 21)]),
        ("Sunday 8 to Saturday 21 November", "en", [(None, 11, 8), (None, 11, 21)]),
        ("vom 8. bis 21. November", "de", [(None, 11, 8), (None, 11, 21)]),
        ("el 22 de enero de 2027", "es", [(2027, 1, 22)]),
        ("du 1er mars", "fr", [(None, 3, 1)]),
        ("l'8 gennaio 2026", "it", [(2026, 1, 8)]),
        ("dal 1° gennaio", "it", [(None, 1, 1)]),
        ("22. ledna 2027", "cs", [(2027, 1, 22)]),
        ("2 tammikuuta 2026", "fi", [(2026, 1, 2)]),
        ("în martie 2026", "ro", [(2026, 3, None)]),
        ("November 2026", "en", [(2026, 11, None)]),
        ("8.11.", "de", [(None, 11, 8), (None, 8, 11)]),
        ("(22/11)", "fr", [(None, 11, 22)]),
        ("£30.10.", "de", []),
        ("30.10.", "en", []),
        ("out in 2021", "", []),
        ("Note 13 Pro", "en", []),
        ("32.13.2026", "de", []),
        ("5.2 in", "de", []),
    ],
)
def test_dates_are_read_in_the_notation_of_a_language(text, language, readings):
    found = [reading for each in notation(language).dates(text) for reading in each.readings]
    assert found == [Reading(*each) for each in readings]


def test_an_unknown_language_is_read_in_all_notations() -> None:
    assert all(notation().dates(text) for text in ("3 März 2026", "3 marzo 2026", "3 mai 2026", "May 3, 2026"))
    assert not notation("de").dates("il 3 marzo")
    assert notation("de-AT").dates("3. Mai")
    assert notation("no").dates("3. desember")
    assert notation("xx").dates("3 mars")


def test_an_incomplete_date_fits_a_span() -> None:
    span = (date(2025, 12, 20), date(2026, 1, 10))
    assert all(Reading(*each).fits(*span) for each in [(None, 1, 10), (None, 12, 31), (2026, 1, None)])
    assert not any(Reading(*each).fits(*span) for each in [(None, 1, 11), (2025, 1, 5)])
    assert not Reading(None, 2, 30).fits(date(2026, 1, 1), date(2026, 12, 31))


def test_the_longest_name_is_found() -> None:
    names = re.compile(rf"(?<!\w)(?:{alternatives(['ma', 'mar', 'march', 'a', 'new york', 'a+b', ''])})(?!\w)")
    assert names.findall("mar march ma a marc a+b new\u00a0york") == ["mar", "march", "ma", "a", "a+b", "new\u00a0york"]
