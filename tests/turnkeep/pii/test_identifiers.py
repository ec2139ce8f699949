"""Identifiers of python-stdnum and phonenumbers with random separators and random neighbours."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import phonenumbers
import pytest
from stdnum import numdb
from stdnum.iso7064 import mod_97_10

from pii import card, codice_fiscale, iban, partita_iva, texts_of
from turnkeep.pii import find, findings

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
