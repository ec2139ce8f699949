"""Identifiers of python-stdnum and phonenumbers, written with random separators beside random neighbours, and texts
without any."""

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import phonenumbers
import pytest
from stdnum import numdb
from stdnum.iso7064 import mod_97_10

from pii import card, codice_fiscale, iban, partita_iva, texts_of
from turnkeep.blocks.pii import find, findings

SEPARATORS = (" ", "  ", "\t", "-", ".", "/", "_", "|", "- ", "\n", " | ", " - ", " \n", "\u2013", "\u00a0", "\u200b")
BEFORE = ("", "CF", "IBAN:", "file_", "PAN", "n.", "(", "x", "numero ", "Il dato è ", "cf=", "a\n", "| ", "\u201c")
BEHIND = (
    "_730.pdf",
    "",
    "BIC:X",
    "/RM",
    ".",
    ",",
    ")",
    " ok",
    "x",
    " |",
    "_a.pdf",
    "\n\nAltro",
    "; e poi",
    ".pdf",
    "\u201d",
)


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
def test_a_checksum_is_found_across_separators_and_beside_anything(make: Callable[[random.Random], str]) -> None:
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


def test_a_phone_number_is_found_with_mixed_separators_and_digit_by_digit() -> None:
    dice, missed = random.Random(7), []
    kinds = [phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE]
    for _ in range(300):
        example = phonenumbers.example_number_for_type("IT", dice.choice(kinds))
        number = str(phonenumbers.national_significant_number(example))
        number = number[:-4] + f"{dice.randrange(10_000):04}"
        at, last = sorted(dice.sample(range(2, len(number) - 2), 2))
        one, two = dice.choice(["/", " ", "-", "."]), dice.choice([" ", ".", "-", "_"])
        forms = [f"{number[:3]}{one}{number[3:]}", " ".join(number), f"{number[:3]}_{number[3:]}"]
        forms += [f"{number[:at]}{one}{number[at:last]}{two}{number[last:]}"] if last - at > 1 else []
        spelled = dice.choice(forms)
        text = f"chiama il {spelled} domani"
        if not is_found(text, 10, 10 + len(spelled)):
            missed.append(text)
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
def test_is_found_in_other_words(datum: str, text: str) -> None:
    start = text.index("{")
    whole = text.format(datum)
    assert is_found(whole, start, start + len(datum))
    assert len([one for one in find(whole) if one.start < start]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "RoBERTa and ALBERT beat BERT; ALBERT: A Lite BERT for Learning; DistilBERT, LaTeX, DeBERTa Models.",
        "La password scade nel 2025 e il PIN si cambia ogni 90 giorni; the password policy is strict since 2019.",
        "| 345 | 120 | 4500 | 231 |\n| 12.345 | 67.890 | 12.345 |\n3450\n1200\n450\n23",
        "dal 31/12/2023 - 31/12/2024, 2024-05-12 2024-06-13; 1.234.567.890.123; 550e8400-e29b-41d4-a716-446655440000",
        "sha 4f1c2d3e5f60718293a4b5c6d7e8f9001122334455667788; ISBN 978-3-16-148410-0; DOI 10.1038/nature12373",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert [(one.kind, text[one.start : one.end]) for one in find(text)] == []


def test_prose_without_personal_data_holds_next_to_none(shared_data: Path) -> None:
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


@pytest.mark.parametrize("unit", ["12-34 ", "IT60 ", "3 4 7 ", "A1 ", "4111|", "pin a b c ", "0", "Aa <", "a f "])
def test_time_is_bounded_for_texts_that_are_made_for_it(unit: str) -> None:
    def spent(size: int) -> float:
        text = (unit * size)[:size]
        start = time.process_time()
        find(text)
        return time.process_time() - start

    spent(1_000)
    assert spent(80_000) < 4 * min(spent(40_000), spent(40_000)) + 0.2
