"""Random figures are checked against prompts, those below and the recorded ones. At most 3 % of the figures of any form
may pass by chance, in sentences and in table rows."""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from turnkeep.kit.verification import Sources, Verifier

MOST_BY_CHANCE = 0.03
DRAWS = 24
RECORDED_PROMPTS = 30
RECORDINGS = Path(__file__).parents[2] / "recordings"
_RESULT = re.compile(r"<(tool_result|document|note)\b[^>]*>\n?(.*?)</\1>", re.DOTALL)

FINDINGS = """From 8 to 21 November 2026:
| Advertiser | Impressions | Clicks | Cost | Conversions | Revenue | CTR | CPA | ROAS |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| Fern Rail | 2,241,129 | 19,833 | £5,331.50 | 458 | £24,864.96 | 0.88 % | £11.64 | 4.66 |
| Copper Bank | 2,019,168 | 21,033 | £8,636.75 | 700 | £9,091.66 | 1.04 % | £12.34 | 1.05 |
| Mill & Sons | 2,320,058 | 10,498 | £13,724.57 | 319 | £24,250.99 | 0.45 % | £43.02 | 1.77 |
| Oak Furniture | 5,799,444 | 19,726 | £12,040.07 | 642 | £34,981.38 | 0.34 % | £18.75 | 2.91 |
| Quay Coffee | 963,965 | 6,935 | £10,946.95 | 730 | £17,586.17 | 0.72 % | £15.00 | 1.61 |"""
PACING = """Fern Rail has spent £5,512.25 of its budget of £12,500.00, 61.7 % of it in 83.4 % of the time.
Copper Bank has spent £11,588.56 of its budget of £8,400.00, 78.4 % of it in 81.6 % of the time.
- high: the CPA of Fern Rail rose from £9.80 to £11.64 (+18.8 %).
Note: figures until 2026-11-21."""
PRICES = {"Acme Swift 14": 849.0, "Acme Swift 16": 1199.0, "Borealis Note 13 Pro": 299.0, "Corvo One": 449.0}
CARDS = [
    f"{name} (phones): ${price:,.2f}, in stock; storage {size} GB; screen {6 + size / 1000:.1f} in; "
    f"battery {4000 + size} mAh; weight {180 + size // 10} g; rating {4 + size / 1000:.1f}; year 2025"
    for (name, price), size in zip(PRICES.items(), (128, 256, 512, 640), strict=True)
]
ROWS = """customer | number | due | reminders | total | open
Alder House | R-082806 | 2026-10-03 | 2 | 1407.60 | 407.60
Bridge Bakery | R-089601 | 2026-01-15 | 5 | 2754.00 | 2754.00
Cedar Logistics | R-081277 | 2026-07-12 | 1 | 2445.60 | 645.10
Dune Theatre | R-084410 | 2026-09-30 | 1 | 369.00 | 69.00
Elm Care Home | R-085012 | 2026-11-02 | 3 | 912.35 | 12.35
Ford Housing | R-086655 | 2026-05-19 | 4 | 3310.90 | 831.00"""


@dataclass
class Prompt:
    name: str
    sources: Sources
    sign: str


def own_prompts() -> list[Prompt]:
    days = [(date(2026, 11, 22),) * 2, (date(2026, 11, 8), date(2026, 11, 21)), (date(2026, 10, 25), date(2026, 11, 7))]
    return [
        Prompt("findings", Sources([FINDINGS, *PACING.splitlines()], days=days, currency="GBP", language="en"), "£"),
        Prompt("cards", Sources([*CARDS, "192 products: phones 40, laptops 35"], prices=PRICES, language="de"), "$"),
        Prompt("rows", Sources([ROWS, "SELECT number FROM invoice WHERE due < '2026-11-22'"], language="it"), "€"),
    ]


def recorded_prompts() -> Iterator[Prompt]:
    """Of each recording, evenly, the calls that answer from results."""
    for path in sorted(RECORDINGS.glob("*.jsonl")):
        turns = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        calls = [call for turn in turns for call in turn["calls"] if call["call"].endswith((".answer", ".respond"))]
        texts = ["\n".join(str(line["content"]) for line in call["prompt"][1:]) for call in calls]
        found = [results for text in texts if (results := [each[1].strip() for each in _RESULT.findall(text)])]
        for results in found[:: max(1, len(found) // RECORDED_PROMPTS)]:
            sign = next((sign for sign in "£$€" if sign in "".join(results)), "$")
            yield Prompt(path.stem, Sources(results, language="en"), sign)


FORMS: dict[str, Callable[[random.Random, str], str]] = {
    "amount with pence": lambda draw, sign: f"{sign}{draw.uniform(20, 20_000):,.2f}",
    "whole amount": lambda draw, sign: f"{sign}{draw.randint(20, 2_000)}",
    "percentage with a decimal": lambda draw, sign: f"{draw.uniform(1, 99):.1f} %",
    "whole percentage": lambda draw, sign: f"{draw.randint(13, 99)} %",
    "count": lambda draw, sign: f"{draw.randint(13, 5_000)}",
}
SHAPES: dict[str, list[str]] = {
    "text": ["It is {figure} in all.", "With {known} it rose by {figure}.", "{label} has {figure}."],
    "row": ["| {label} | {figure} |", "| {label} | {known} | {figure} |"],
}


def passed(prompt: Prompt, form: str, shape: str, draws: int) -> Iterator[bool]:
    draw = random.Random(f"{prompt.name}{form}{shape}")
    judge = Verifier(prompt.sources)
    text = "\n".join(prompt.sources.known)
    known = re.findall(r"(?<![\w.-])[£$€]?\d[\d.,]*\d(?: %)?(?![\w-])", text) or ["12"]
    labels = [*prompt.sources.prices, *re.findall(r"^(?:\| )?([^\W\d][^|:\n]{2,40}?)(?= \||:)", text, re.MULTILINE)]
    for at in range(draws):
        figure = FORMS[form](draw, prompt.sign)
        shown = {"figure": figure, "known": draw.choice(known), "label": draw.choice(labels or ["It"])}
        unit = SHAPES[shape][at % len(SHAPES[shape])].format(**shown)
        yield not any(problem.startswith(figure) for problem in judge.problems(unit))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", FORMS)
def test_few_invented_figures_pass_by_chance(form: str, shape: str) -> None:
    by_source: dict[str, list[bool]] = {"own": []}
    for prompt in own_prompts():
        by_source["own"] += passed(prompt, form, shape, 4 * DRAWS)
    for prompt in recorded_prompts():
        by_source.setdefault(prompt.name, []).extend(passed(prompt, form, shape, DRAWS // 4))
    shares = {source: sum(found) / len(found) for source, found in by_source.items()}
    assert {source: share for source, share in shares.items() if share > MOST_BY_CHANCE} == {}
