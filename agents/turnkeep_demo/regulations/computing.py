"""The one computation that the demo plans: IRPEF by the brackets that the article on its rates tells for a year."""

import re
from collections.abc import Sequence

from turnkeep.records import JSON
from turnkeep_agents.regulations.prompts import FACTS
from turnkeep_demo.regulations.vocabulary import content, language_of

_AMOUNT = re.compile(r"\((?:amount|number)\) = (\d+(?:\.\d+)?\b(?: EUR)?)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b(?![.,]\d)")
_TODAY = re.compile(r"^Today is \D*(\d{4})")
RATES = re.compile(
    r"(?:Per il|For) (?P<years>[\d a-z,]+): (\d+) per cento? (?:fino a|up to) ([\d.,]+\d)(?: euros?)?; "
    r"(\d+) per cento? (?:oltre|above) [\d.,]+ (?:e fino a|and up to) ([\d.,]+\d)(?: euros?)?; (\d+) per cento?"
)
_CHANGED = re.compile(r"(?:Dal|From) (\d{4}) (?:la seconda aliquota scende al|the second rate falls to) (\d+)")
# All that a question may hold beside the amount and the year: more of it, such as "netto" or "figli", asks for more.
_PLAIN = "irpef imposta reddito imponibile lorda complessivo euro income tax gross taxable pago pay"


def plan(parts: JSON) -> JSON:
    """The steps; none where anything is not as it is known."""
    question, notes = parts["query"], parts["notes"]
    said, plain = (set(content(text, language_of(question))) for text in (question, _PLAIN))
    amounts = [each for note in notes if note.startswith(FACTS) for each in _AMOUNT.findall(note)]
    years = set(_YEAR.findall(question)) or {each for note in notes for each in _TODAY.findall(note)}
    brackets = [found for one in parts["documents"] if (found := _brackets(one["text"], years))]
    is_plain = "irpef" in said and all(word in plain or word.isdigit() for word in said)
    if not is_plain or not brackets or len(amounts) != 1 or not amounts[0].endswith(" EUR"):
        return {"steps": [], "missing": "One amount in euros, and a year whose brackets are told."}
    return {"steps": _steps(amounts[0].removesuffix(" EUR"), brackets[0], f"IRPEF {min(years)}"), "missing": ""}


def _brackets(text: str, years: set[str]) -> list[str] | None:
    """Rate, limit, rate, limit, rate, for the one year that is asked."""
    told, changed = RATES.search(text), _CHANGED.search(text)
    if not told or len(years) != 1:
        return None
    rates = [re.sub(r"\D", "", each) for each in told.groups()[1:]]
    if changed and min(years) >= changed[1]:
        return [*rates[:2], changed[2], *rates[3:]]
    return rates if min(years) in told["years"] else None


def _steps(amount: str, brackets: Sequence[str], name: str) -> list[JSON]:
    first, low, second, high, third = brackets
    parts = [(min(amount, low, key=float), first), (f"({min(amount, high, key=float)} - {low})", second)]
    parts = [*parts, (f"({amount} - {high})", third)][
        : 1 + (float(amount) > float(low)) + (float(amount) > float(high))
    ]
    steps = [{"name": f"{rate} %", "expression": f"{part} * {rate} / 100"} for part, rate in parts]
    return [*steps, {"name": name, "expression": " + ".join(f"s{at}" for at in range(1, len(parts) + 1))}]
