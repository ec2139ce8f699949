"""Personal data, and text that only looks like it. Identifiers of python-stdnum and phonenumbers with random separators
and random neighbours."""

import itertools
import random
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import phonenumbers
import pytest
from stdnum import numdb
from stdnum.iso7064 import mod_97_10

from pii import card, codice_fiscale, iban, partita_iva, texts_of
from turnkeep.pii import PiiMatch, add_detector, find, finding, findings
from turnkeep.pii.stretches import LONGEST, stretches

FOUND = [
    ("EMAIL", "scrivi a {} oggi", "Mario.Rossi+x@pec.example.it", "mario.rossi+x@pec.example.it"),
    ("EMAIL", "scrivi a {} oggi", "mario (at) rossi punto it", "mario@rossi.it"),
    ("EMAIL", "la mail: {}", "mario.rossi chiocciola gmail punto com", "mario.rossi@gmail.com"),
    ("EMAIL", "mail {} please", "ann.smith at example dot org", "ann.smith@example.org"),
    ("EMAIL", "scrivi a {} oggi", "ma\u200brio@ro\u200bssi.it", "mario@rossi.it"),
    ("EMAIL", "scrivi a {} oggi", "".join(chr(ord(c) + 0xFEE0) for c in "mario@rossi.it"), "mario@rossi.it"),
    ("PHONE", "chiamami al {}", "333 123 4567", "+393331234567"),
    ("PHONE", "o al {}, grazie", "+39 333-1234567", "+393331234567"),
    ("PHONE", "ufficio {}", "\uff13\uff13\uff13 123 \uff14567", "+393331234567"),
    ("PHONE", "Desk: {} today", "(541)714-1388x077", "5417141388077"),
    ("PHONE", "reach me: {}", "+44 (0)20 7946 0018", "+442079460018"),
    ("CARD", "la carta {} è persa", "4111 1111 1111 1111", "4111111111111111"),
    ("CARD", "{}", "378282246310005", "378282246310005"),
    ("IBAN", "su {} entro oggi", "IT60 X054 2811 1010 0000 0123 456", "IT60X0542811101000000123456"),
    ("IBAN", "su {} entro oggi", "GB82 WEST 1234 5698 7654 32", "GB82WEST12345698765432"),
    ("IP", "da {} ieri", "86.121.97.248", "86.121.97.248"),
    ("IP", "da {} ieri", "2001:db8::8a2e:370:7334", "2001:db8::8a2e:370:7334"),
    ("URL", "sono qui: {}.", "https://www.linkedin.com/in/mario-rossi-1234", None),
    ("URL", "sono qui: {}.", "https://example.com/reset?token=abc123", None),
    ("TAX_ID", "CF {} ok", "RSSMRA85T10A562S", "RSSMRA85T10A562S"),
    ("TAX_ID", "CF {} ok", "rssmra85t10a562s", "RSSMRA85T10A562S"),
    ("TAX_ID", "CF {} ok", "RSSMRAURTMLARSNL", "RSSMRAURTMLARSNL"),
    ("VAT_ID", "la ditta {} di Bari", "07643520567", "07643520567"),
    ("ID_CARD", "ho {} con me", "CA00000AA", None),
    ("PASSPORT", "ho {} con me", "YA1234567", None),
    ("PASSPORT", "my passport number is {} ok", "512345678", None),
    ("LICENCE", "patente {} scaduta", "U1A12345678", None),
    ("LICENCE", "driver's license number is {}", "2270-66-1551", "2270661551"),
    ("NATIONAL_ID", "it is {} I think", "123-45-6789", None),
    ("HEALTH_CARD", "tessera {} nuova", "80380001234567890123", None),
    ("PLATE", "auto {} rossa", "AB123CD", None),
    ("BIRTH_DATE", "nato a Roma il {} da", "12/05/1980", None),
    ("SECRET", "la mia password è: {} ok", "hunter2!x", None),
    ("SECRET", "set OPENAI_API_KEY={} first", "sk-abc123456", None),
    ("PERSON", "ieri {} ha detto", "Mario Rossi", "mario rossi"),
    ("PERSON", "ieri {} ha detto", "Anna Maria De Luca", None),
    ("PERSON", "mi chiamo {} e vorrei", "mario rossi", None),
    ("PERSON", "ha chiamato {} per te", "giulia bianchi", None),
    ("PERSON", "il sig. {} ha", "Brambilla", None),
    ("PERSON", "ask Dr. {} about it", "Kuefer", None),
    ("PERSON", "it was {} who", "Soib K. Kishiev", None),
    ("PERSON", "with {}'s car", "Zoe Young", None),
    ("PERSON", "with {} and others", "Jürgen Müller", None),
    ("ADDRESS", "abito in {} da anni", "via Garibaldi 12/A, 20121 Milano (MI)", None),
    ("ADDRESS", "abito in {} da anni", "via roma 12", None),
    ("ADDRESS", "I live at {} now", "221B Baker Street", None),
    ("ADDRESS", "wohnt in der {} und", "Lindenstraße 5", None),
    ("ADDRESS", "habite {} et", "14 rue de la Paix", None),
    ("ADDRESS", "ship to {} please", "3485 Benedum Drive Apt. 12\nSt Georges, QC 54256", None),
]


@pytest.mark.parametrize(("kind", "frame", "datum", "value"), FOUND, ids=lambda part: str(part)[:40])
def test_personal_data_is_found_completely(kind: str, frame: str, datum: str, value: str | None) -> None:
    text = frame.format(datum)
    (found,) = find(text)
    assert (found.kind, text[found.start : found.end]) == (kind, datum)
    assert value is None or found.value == value


@pytest.mark.parametrize(
    "text",
    [
        "L'art. 2120 c.c. e il d.lgs. 81/2008, la L. 104/1992, l'art. 18 della legge n. 300/1970.",
        "Il TFR è di 12.345,67 euro, 1.234.567 in tutto, il 7,41% in più; 10 000 € e $ 94.000.",
        "Dal 01/02/2024 al 3 aprile 2025, negli anni 1990-1995, alle 12:20:39 del 2003-08-28.",
        "Scaglioni 28.000 - 50.000: (50000 - 28000) * 35 / 100 = 7700.",
        "Per il 2025 (5.300 euro dal 2026); 7140 - 1801.36; interessi del lavoratore [CC-2109]; notificato via PEC.",
        "A disability under L. 104/1992, text of Legislative Decree 62/2024, in force from 30 June 2025.",
        "Devi pagare il TFR [DLGS-66-2003-10]; hired up to 6 March 2015 Article 18 of Law 300/1970 applies.",
        "La Corte di Cassazione, sez. lavoro, sentenza n. 12345/2020, e il Tribunale di Milano.",
        "In via provvisoria entro 30 giorni; per via telematica entro 15 giorni.",
        "Il Decreto Legislativo del Presidente della Repubblica e la Gazzetta Ufficiale.",
        "See https://docs.python.org/3/library/re.html and https://www.normattiva.it/ for version 3.13.0.1.",
        "Apple, Microsoft Corporation and the United Nations met in Paris, Rome and New York.",
        "def f(x): return x[1:2]  # std::vector, a.b.c, 10.1038/nature12373, pp. 1234-1240, ISBN 978-3-16-148410-0",
        "Title VII of the Civil Rights Act of 2001; Capitalized words like Wisdom and Discipline.",
        "RoBERTa and ALBERT beat BERT; ALBERT: A Lite BERT for Learning; DistilBERT, LaTeX, DeBERTa Models.",
        "La password scade nel 2025 e il PIN si cambia ogni 90 giorni; the password policy is strict since 2019.",
        "| 345 | 120 | 4500 | 231 |\n| 12.345 | 67.890 | 12.345 |\n3450\n1200\n450\n23",
        "dal 31/12/2023 - 31/12/2024, 2024-05-12 2024-06-13; 1.234.567.890.123; 550e8400-e29b-41d4-a716-446655440000",
        "sha 4f1c2d3e5f60718293a4b5c6d7e8f9001122334455667788; ISBN 978-3-16-148410-0; DOI 10.1038/nature12373",
        "[EMAIL_3f9a1c2b] ha scritto a [PERSON_0a1b2c3d].",
        "",
    ],
)  # fmt: skip
def test_other_text_is_not_matched(text: str) -> None:
    assert [(one.kind, text[one.start : one.end]) for one in find(text)] == []


def test_a_word_of_a_name_is_found_again() -> None:
    text = "Parlo di Faina D. Yefremova. Non so altro. Poi Yefremova tace."
    assert [text[one.start : one.end] for one in find(text)] == ["Faina D. Yefremova", "Yefremova"]


def test_matches_are_in_order_without_overlaps() -> None:
    text = "\n".join(frame.format(datum) for _, frame, datum, _ in FOUND)
    found = find(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len(found) > 0.9 * len(FOUND)


@pytest.mark.parametrize(
    "unit",
    ["a", "A", "1", "1 ", "a@", "a.", "(1", "+1", "::1", "Aa ", "1 Aa ", "via Aa ", "a at b dot ", "IT60 ", "name is ",
     "nato 1 ", "\u200b", "\uff13", "[EMAIL_", "Aa, ", "pin: ", "12-34 ", "3 4 7 ", "A1 ", "4111|", "Aa <", "a f "],
)  # fmt: skip
def test_work_grows_linearly_with_the_text(unit: str) -> None:
    """Patterns run over stretches of bounded length; `benchmarks/pii.py` measures the time."""

    def calls(size: int) -> int:
        text, count = (unit * size)[:size], itertools.count()
        sys.setprofile(lambda *_: next(count))
        find(text)
        sys.setprofile(None)
        return next(count)

    find("a@b.it 333 1234567 IT60")
    assert calls(20_000) < 2.2 * calls(10_000) + 1000
    assert max(map(len, stretches((unit * 1000)[:1000]))) <= LONGEST


def badges(text: str) -> Iterator[PiiMatch]:
    """ "badge K-1"."""
    return (PiiMatch("BADGE", at.start(), at.end(), at[0]) for at in re.finditer(r"K-\d", text))


def test_a_detector_of_the_deployment_finds_beside_the_others_and_none_is_missing_in_silence(monkeypatch):
    monkeypatch.setattr(finding, "_ADDED", {})
    add_detector(f"{__name__}:badges")
    assert [one.kind for one in find("Badge K-7 of mario.rossi@example.com")] == ["BADGE", "EMAIL"]
    add_detector(f"{__name__}:nothing_of_the_kind")
    with pytest.raises(AttributeError):
        find("Badge K-7")


SEPARATORS = (" ", "  ", "\t", "-", ".", "/", "_", "|", "- ", "\n", " | ", " - ", " \n", "\u2013", "\u00a0", "\u200b")
BEFORE = ("", "CF", "IBAN:", "file_", "PAN", "n.", "(", "x", "numero ", "Il dato è ", "cf=", "a\n", "| ", "\u201c")
BEHIND = ("_730.pdf", "", "BIC:X", "/RM", ".", ",", ")", " ok", "x", " |", "_a.pdf", "\n\nAltro", "; e poi", "\u201d")


def foreign_iban(dice: random.Random) -> str:
    country = dice.choice(["DE", "FR", "GB", "ES", "NL", "CH", "PL", "MT", "NO", "SM"])
    structure = numdb.get("iban").info(f"{country}00")[0][1]["bban"]
    kinds = {"n": "0123456789", "a": "ABCDEFGHJKLM", "c": "0123456789ABC"}
    parts = [part.split("!") for part in structure.replace("n", "n ").replace("a", "a ").replace("c", "c ").split()]
    account = "".join(dice.choice(kinds[kind]) for count, kind in parts for _ in range(int(count)))
    return f"{country}{mod_97_10.calc_check_digits(account + country)}{account}"


def apart(dice: random.Random, number: str, separators: tuple[str, ...]) -> str:
    """With separators between some of its characters, or between all, one of them or any."""
    share = dice.choice((0.0, 0.1, 0.3, 1.0))
    some = separators if dice.random() < 0.7 else (dice.choice(separators[:9]),)
    gaps = [dice.choice(some) if dice.random() < share else "" for _ in number[1:]]
    return "".join(map("".join, zip(number, [*gaps, ""], strict=True)))


def is_found(text: str, start: int, end: int) -> bool:
    covered = {n for one in find(text) for n in range(one.start, one.end)}
    return all(n in covered for n in range(start, end) if text[n].isalnum())


@pytest.mark.parametrize("make", [codice_fiscale, partita_iva, iban, foreign_iban, card])
def test_an_identifier_is_found_with_any_separators_and_neighbours(make: Callable[[random.Random], str]) -> None:
    dice = random.Random(f"{make}".partition(" at ")[0])
    missed = []
    for _ in range(400):
        number = next(each for each in iter(lambda: make(dice), "") if re.search(r"\d", each))
        before = dice.choice(BEFORE)
        spelled = apart(dice, number, SEPARATORS)
        behind = dice.choice(BEHIND[number.isdigit() :])  # behind "_" more digits may be its own
        text = f"{before}{spelled}{behind}"
        if not is_found(text, len(before), len(before) + len(spelled)):
            missed.append(text)
    assert missed == []


def test_a_phone_number_is_found_with_any_separators() -> None:
    dice, missed = random.Random(7), []
    kinds = [phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE]
    for _ in range(300):
        example = phonenumbers.example_number_for_type("IT", dice.choice(kinds))
        number = str(phonenumbers.national_significant_number(example))[:-4] + f"{dice.randrange(10_000):04}"
        at, last = sorted(dice.sample(range(2, len(number) - 2), 2))
        one, two = dice.choice("/ -."), dice.choice(" .-_")
        forms = [f"{number[:3]}{one}{number[3:]}", " ".join(number), f"{number[:3]}_{number[3:]}"]
        forms += [f"{number[:at]}{one}{number[at:last]}{two}{number[last:]}"] if last - at > 1 else []
        spelled = dice.choice(forms)
        if not is_found(f"chiama il {spelled} domani", 10, 10 + len(spelled)):
            missed.append(spelled)
    assert missed == []


@pytest.mark.parametrize(
    ("datum", "text"),
    [
        ("m a r i o @ r o s s i . i t", "mail: {} oggi"),
        ("m a r i o punto b chiocciola g m a i l punto c o m", "{}, grazie"),
        ("mario.rossi@exam-\nple.it", "mail {} oggi"),
        ("mario@\nrossi.it", "mail {} oggi"),
        ("06/5551.9988", "ufficio {} oggi"),
        ("0612345678", "tel.{} oggi"),
        ("0612345678", "fax{} oggi"),
        ("48213", "il PIN della carta è {}, grazie"),
        ("48213", "the PIN for my new card is {}"),
        ("hunter2!x", "la password del mio account: {} ok"),
        ("X1234567", "the passport that I lost in Rome was {} ok"),
        ("March 5th, 1984", "she was born on {} there"),
        ("5th of March, 1984", "he was born on the {} there"),
        ("1° marzo 1984", "nata a Roma il {} da"),
        ("Hortensia Villalobos", "From: {} <hv@example.org>"),
        ("Zorblat de Quux", 'To: "{}" <z@example.org>'),
    ],
)
def test_unusual_spellings_are_found(datum: str, text: str) -> None:
    start = text.index("{")
    whole = text.format(datum)
    assert is_found(whole, start, start + len(datum))
    assert len([one for one in find(whole) if one.start < start]) == 0


def test_prose_has_almost_no_false_positives(shared_data: Path) -> None:
    """Numbers alone: names of people in history are persons."""
    numbers = {"CARD", "IBAN", "TAX_ID", "VAT_ID", "SECRET", "BIRTH_DATE", "PHONE"}
    texts = {name: each for name, each in texts_of(shared_data) if name in ("it_law", "cranfield")}
    found = [one for each in texts.values() for text in each for one in find(text) if one.kind in numbers]
    assert len(found) <= sum(len(text.split()) for each in texts.values() for text in each) / 20_000


def test_each_form_of_a_street_matches_its_examples() -> None:
    """Those that stand beside it in the file."""
    text = Path(findings.__file__).with_name("addresses.txt").read_text("utf-8")
    examples = re.findall(r'"([^"]+)"', "".join(re.findall(r"\t(.*)", text)))
    assert len(examples) > 15
    street = re.compile(findings.patterns_of("addresses")["street"])
    assert [each for each in examples if not street.match(each.replace("\\n", "\n"))] == []
