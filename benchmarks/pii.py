"""How much personal data `turnkeep.pii` finds, what it takes for such and is none, and how long it takes.

    python benchmarks/pii.py --data DIR

DIR/pii holds annotated sentences (presidio-research, synthetic). Templates with an odd number were kept aside while
the rules were written. A span is found when at most a tenth of its letters and digits can still be read; leakage is the
share of all of them that can.
"""

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from stdnum import luhn
from stdnum.iso7064 import mod_97_10
from stdnum.it import codicefiscale

from turnkeep.pii import PiiMatch

Find: TypeAlias = Callable[[str], list[PiiMatch]]

KINDS = {
    "EMAIL_ADDRESS": "e-mail",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP",
    "PHONE_NUMBER": "phone",
    "US_SSN": "other ids",
    "US_DRIVER_LICENSE": "other ids",
    "PERSON": "person",
    "STREET_ADDRESS": "address",
    "ZIP_CODE": "address",
}
"""What is personal here; companies, places, nationalities, titles, ages, dates and domains stay (docs/privacy.md)."""
COVERED = 0.9
SEED = 20240607


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--detector", default="turnkeep.pii:find", help="module:function, str -> list[PiiMatch]")
    arguments = parser.parse_args()
    module, _, name = arguments.detector.partition(":")
    finder: Find = getattr(import_module(module), name)
    found = {
        **annotated(arguments.data / "pii", finder),
        "ids": generated(finder),
        "false per 1,000 words": false_findings(arguments.data, finder),
        **speed(arguments.data, finder),
    }
    print(json.dumps(found, ensure_ascii=False))


def annotated(folder: Path, finder: Find) -> dict[str, Any]:
    rows = [row for file in sorted(folder.glob("*.json")) for row in json.loads(file.read_text("utf-8"))]
    return {
        "seen": judged("seen templates", [row for row in rows if row["template_id"] % 2 == 0], finder),
        "held out": judged("templates kept aside", [row for row in rows if row["template_id"] % 2], finder),
    }


def judged(title: str, rows: list[dict[str, Any]], finder: Find) -> dict[str, float]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    right = wrong = 0
    letters = [0, 0]
    for row in rows:
        text = row["full_text"]
        findings = finder(text)
        covered = {n for one in findings for n in range(one.start, one.end)}
        for span in row["spans"]:
            if kind := KINDS.get(span["entity_type"]):
                places = [n for n in range(span["start_position"], span["end_position"]) if text[n].isalnum()]
                redacted = sum(n in covered for n in places)
                counts[kind][0] += redacted >= COVERED * len(places)
                counts[kind][1] += 1
                letters[0] += len(places) - redacted
                letters[1] += len(places)
        for one in findings:
            is_right = any(touches(one, span) for span in row["spans"])
            right += is_right
            wrong += not is_right
    figures = {kind: round(100 * got / of, 1) for kind, (got, of) in counts.items()}
    figures["precision"] = round(100 * right / (right + wrong), 1)
    figures["leakage"] = round(100 * letters[0] / letters[1], 1)
    print(f"\n{title}: {len(rows)} sentences")
    for kind, (got, of) in counts.items():
        print(f"  {kind:12} {got:4} of {of:4} {figures[kind]:6.1f} %")
    print(f"  precision {figures['precision']} %, leakage {figures['leakage']} %")
    return figures


def touches(one: PiiMatch, span: dict[str, Any]) -> bool:
    return span["entity_type"] in KINDS and one.start < span["end_position"] and span["start_position"] < one.end


def digits(dice: random.Random, count: int) -> str:
    return "".join(dice.choice("0123456789") for _ in range(count))


def letters_of(dice: random.Random, count: int) -> str:
    return "".join(dice.choice("ABCDEFGHJKLMNPRSTVWXYZ") for _ in range(count))


def codice_fiscale(dice: random.Random) -> str:
    day = dice.randint(1, 28) + 40 * dice.randint(0, 1)
    birth = f"{digits(dice, 2)}{dice.choice('ABCDEHLMPRST')}{day:02}"
    number = f"{letters_of(dice, 6)}{birth}{dice.choice('ABCDEFGHIL')}{digits(dice, 3)}"
    for place in dice.sample((6, 7, 9, 10, 12, 13, 14), dice.choice((0, 0, 1, 2, 7))):  # for namesakes
        number = number[:place] + "LMNPQRSTUV"[int(number[place])] + number[place + 1 :]
    return number + codicefiscale.calc_check_digit(number)


def partita_iva(dice: random.Random) -> str:
    number = f"{digits(dice, 7)}{dice.randint(1, 100):03}"
    return number + luhn.calc_check_digit(number)


def iban(dice: random.Random) -> str:
    account = f"{letters_of(dice, 1)}{digits(dice, 10)}{digits(dice, 12)}"
    return f"IT{mod_97_10.calc_check_digits(account + 'IT')}{account}"


def card(dice: random.Random) -> str:
    number = dice.choice("45") + digits(dice, 14)
    return number + luhn.calc_check_digit(number)


def in_parts(number: str) -> str:
    return " ".join((number[:3], number[3:6], number[6:11], number[11:]))


def in_fours(number: str) -> str:
    return " ".join(number[n : n + 4] for n in range(0, len(number), 4))


MAKERS: dict[str, tuple[Callable[[random.Random], str], ...]] = {
    "codice fiscale": (codice_fiscale, lambda d: codice_fiscale(d).lower(), lambda d: in_parts(codice_fiscale(d))),
    "partita IVA": (partita_iva, lambda d: "IT" + partita_iva(d)),
    "IBAN": (iban, lambda d: in_fours(iban(d)), lambda d: iban(d).lower()),
    "card": (card, lambda d: in_fours(card(d)), lambda d: in_fours(card(d)).replace(" ", "-")),
    "ID card": (
        lambda d: f"C{letters_of(d, 1)}{digits(d, 5)}{letters_of(d, 2)}",
        lambda d: f"A{letters_of(d, 1)}{digits(d, 7)}",
    ),
    "passport": (lambda d: f"Y{d.choice('AB')}{digits(d, 7)}",),
    "licence": (
        lambda d: f"U1{letters_of(d, 1)}{digits(d, 8)}",
        lambda d: f"U1{digits(d, 3)}{letters_of(d, 1)}{digits(d, 3)}{letters_of(d, 1)}",
    ),
    "phone": (
        lambda d: f"3{d.choice('23489')}{d.choice('0789')}{digits(d, 7)}",
        lambda d: f"+39 3{d.choice('2349')}{digits(d, 1)} {digits(d, 3)} {digits(d, 4)}",
        lambda d: f"0{d.choice(('2', '6', '11', '51', '55', '81'))}/{d.randint(2, 8)}{digits(d, 6)}",
        lambda d: f"06 {d.randint(2, 8)}{digits(d, 3)} {digits(d, 4)}",
    ),
}  # fmt: skip
FRAMES = (
    "{}",
    "il dato è {}.",
    "Ho scritto {}, va bene?",
    "Le confermo che si tratta di {}; resto in attesa.",
    "- {}\n- altro",
    "(vedi {})",
    "Could you check {} for me?",
    "valore:{}",
)


def generated(finder: Find, count: int = 400) -> dict[str, float]:
    """Italian numbers that were never anybody's, in sentences that do not say what they are."""
    dice = random.Random(SEED)
    figures: dict[str, float] = {}
    print("\nmade-up Italian numbers")
    for name, makers in MAKERS.items():
        missed = []
        for _ in range(count):
            value = dice.choice(makers)(dice)
            frame = dice.choice(FRAMES)
            start = frame.index("{}")
            covered = {n for one in finder(frame.format(value)) for n in range(one.start, one.end)}
            if not all(n in covered for n in range(start, start + len(value))):
                missed.append(frame.format(value))
        figures[name] = round(100 - 100 * len(missed) / count, 1)
        print(f"  {name:14} {figures[name]:6.1f} %" + (f"  missed: {missed[:3]}" if missed else ""))
    return figures


def texts_of(data: Path) -> Iterator[tuple[str, list[str]]]:
    for name, limit in (("it_law", 400), ("squad_it", 400), ("cranfield", 300), ("mtrag_rewrite_retrieval", 300)):
        file = data / name / "corpus.jsonl"
        if file.is_file():
            rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()[:limit]]
            yield name, [row["text"] for row in rows]


def false_findings(data: Path, finder: Find) -> dict[str, dict[str, float]]:
    """What is found in laws, encyclopaedia, abstracts, where next to nothing is private: people of public life are."""
    figures = {}
    print("\nfindings per 1,000 words of texts that hold nothing private")
    for name, texts in texts_of(data):
        words = sum(len(text.split()) for text in texts)
        kinds = Counter(one.kind for text in texts for one in finder(text))
        figures[name] = {kind: round(1000 * count / words, 2) for kind, count in kinds.most_common()}
        print(f"  {name:24} {words:7} words  {figures[name]}")
    return figures


def speed(data: Path, finder: Find) -> dict[str, Any]:
    sample = [text[n : n + 1024] for _, texts in texts_of(data) for text in texts for n in range(0, len(text), 1024)]
    sample = random.Random(SEED).sample([text for text in sample if len(text) == 1024], 600)
    finder(sample[0])
    taken = sorted(spent(finder, text) for text in sample)
    p95 = round(1000 * taken[int(len(taken) * 0.95)], 2)
    print(f"\nprocess time of 1 KB: median {1000 * taken[len(taken) // 2]:.2f} ms, p95 {p95} ms")
    worst = max((spent(finder, text), name) for name, text in hostile(100_000))
    return {"p95 ms per KB": p95, "slowest ms per 100 KB": round(1000 * worst[0], 1), "slowest text": worst[1]}


def spent(finder: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    finder(text)
    return time.process_time() - start


UNITS = (
    *("a", "A", "1", " ", ".", "@", "-", "a@", "a.", "1.", "1 ", "1-", "(1", "+1", ":", "a:", "::1", "http://", "?a=b"),
    *("A1", "Aa ", "Aa. ", "via Aa ", "1 Aa ", "Aa 1 ", "Aa, ", "a at b dot ", "IT60 ", "name is ", "pin ", "nato 1 "),
    *("\u200b", "\uff13", "[EMAIL_", "12 Aa ", "'", "a'"),
)


def hostile(size: int) -> Iterable[tuple[str, str]]:
    for unit in UNITS:
        yield repr(unit), (unit * size)[:size]


if __name__ == "__main__":
    main()
