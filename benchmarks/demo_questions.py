"""Sixty questions as people write them, put to `campaigns` and `products` with the demo model: which are answered
rightly. Beside each in demo_questions.jsonl stands what is right, computed from the sample by code of its own. They
were written after the rules and are never used to change them: a rule that is mended for one of them spoils the set.
Last line: JSON.

    python benchmarks/demo_questions.py --verbose
"""

import argparse
import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import turnkeep.agents
from demo_oracles import (
    Facts,
    budget_figure,
    expected,
    first_of,
    matching,
    read_catalogue,
    read_facts,
    tired_creatives,
)
from turnkeep.agents import build_agent
from turnkeep_agents.campaigns.warehouse.sample import sample_file
from turnkeep.records import JSON, Principal, Reply, RunContext
from turnkeep.settings import Settings
from verdicts import Verdict, ask, print_shares, print_verdicts, read_rows

QUESTIONS = Path(__file__).with_suffix(".jsonl")
CATALOGUE = Path(turnkeep.agents.__file__).parent / "products" / "catalogue.jsonl"
NOW = datetime(2026, 6, 10, 9, tzinfo=UTC)
CONTEXT = RunContext(conversation_window=5, now=NOW, principal=Principal("local", "local"))
TOLERANCE = 1e-9
SHOWN = 5
"""Of a long list, a reply has to show as many products; of a shorter one, all that can be bought."""


@dataclass(frozen=True)
class Known:
    facts: Facts
    catalogue: Sequence[JSON]


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, help="taken as by the other benchmarks, and not needed")
    arguments.add_argument("--verbose", action="store_true", help="show the replies")
    options = arguments.parse_args()
    verdicts = asyncio.run(ask_all(read_questions()))
    print_verdicts(verdicts, is_verbose=options.verbose)
    print_shares("demo_questions", verdicts, ("campaigns", "products"), label="agent")


def read_questions() -> list[JSON]:
    return read_rows(QUESTIONS)


def read_known() -> Known:
    return Known(read_facts(sample_file(NOW.date())), read_catalogue(CATALOGUE))


async def ask_all(questions: Sequence[JSON]) -> list[Verdict]:
    agents = {name: build_agent(name, Settings(model="demo")) for name in {row["agent"] for row in questions}}
    known = read_known()
    verdicts = []
    for row in questions:
        reply = await ask(agents[row["agent"]], row["messages"], CONTEXT)
        faults = min((tuple(faults_of(reply, right, known)) for right in row["right"]), key=len)
        verdicts.append(Verdict(row["id"], row["agent"], row["messages"][-1], faults, reply.text))
    return verdicts


def faults_of(reply: Reply, right: JSON, known: Known) -> Iterator[str]:
    """What `reply` lacks of one right answer."""
    for demand, value in right.items():
        yield from JUDGES[demand](reply, value, known)


# Campaigns


def _figures(reply: Reply, specs: Sequence[JSON], known: Known) -> Iterator[str]:
    """Each wanted value is a figure that the reply spells out. Periods side by side want a figure each; of one period
    only what stands first counts, as the days before may stand beside it."""
    for spec in specs:
        values = expected(known.facts, spec)
        if not values:
            raise ValueError(f"nothing to expect of {spec}")
        stated = _stated(reply, spec["metric"], len(specs), values)
        yield from _wrong_order(stated, list(values), spec["top"]) if "top" in spec else ()
        wanted = dict(list(values.items())[: spec.get("top")])
        for name, value in wanted.items():
            found = stated.get(name, [])
            if not any(is_close(one, value) for one in found):
                said = ", ".join(f"{one:.6g}" for one in found) or "nothing"
                yield f"{spec['metric']} {name or 'in all'} is {value:.6g}, said is {said}"


def _stated(reply: Reply, metric: str, periods: int, names: Mapping[str, float]) -> dict[str, list[float]]:
    """The values of the metric that the text spells, by the name that their subject holds, in their order."""
    seen: dict[str, list[float]] = {}
    for figure in reply.details["figures"]:
        if figure["metric"] == metric and figure["value"] is not None and figure["text"] in reply.text:
            seen.setdefault(figure["subject"], []).append(figure["value"])
    stated: dict[str, list[float]] = {}
    for subject, values in seen.items():
        held = max((name for name in names if name in subject), key=len, default=None)
        if held is not None:
            stated.setdefault(held, []).extend(values[:periods])
    return stated


def _wrong_order(stated: Mapping[str, object], names: Sequence[str], top: int) -> Iterator[str]:
    said = list(stated)
    if said[:top] != names[:top] or (top > 1 and len(said) != top):
        yield f"first are {', '.join(names[:top])}, said are {', '.join(said[: top + 1]) or 'none'}"


def _budget(reply: Reply, spec: JSON, known: Known) -> Iterator[str]:
    value = budget_figure(known.facts, spec["insertion_order"], spec["figure"])
    said = [one for one in reply.details["figures"] if one["value"] is not None and one["text"] in reply.text]
    if not any(is_close(one["value"], value) and spec["insertion_order"] in one["subject"] for one in said):
        yield f"{spec['figure']} {value:.6g} is not said"


def _tired(reply: Reply, advertiser: str, known: Known) -> Iterator[str]:
    tired = tired_creatives(known.facts, advertiser)
    if not tired:
        raise ValueError(f"no creative of {advertiser} is tired")
    yield from (f"does not name {name}" for name in tired if name not in reply.text)


def _runs(reply: Reply, wanted: Sequence[str], _: Known) -> Iterator[str]:
    """All wanted specialists ran; none at all where none is wanted."""
    ran = [one["name"] for one in reply.details["specialists"]]
    if not set(wanted) <= set(ran) or (ran and not wanted):
        yield f"ran {', '.join(ran) or 'none'}, wanted {', '.join(wanted) or 'none'}"


def _issues(reply: Reply, subjects: Sequence[str], _: Known) -> Iterator[str]:
    found = [f"{issue['subject']} {issue['within']}" for issue in reply.details["issues"]]
    yield from (f"no issue of {subject}" for subject in subjects if not any(subject in one for one in found))


def _no_figures(reply: Reply, _: bool, __: Known) -> Iterator[str]:
    if any(figure["value"] is not None for figure in reply.details["figures"]):
        yield "gives figures"


def _clarifies(reply: Reply, _: bool, __: Known) -> Iterator[str]:
    if reply.route != "clarify":
        yield f"does not ask back, route {reply.route}"


# Products


def _products(reply: Reply, spec: JSON, known: Known) -> Iterator[str]:
    """All that is found fits, what can be bought is not missed, and the first is the one that was asked for."""
    right = matching(known.catalogue, spec["where"])
    if not right:
        raise ValueError(f"nothing to expect of {spec}")
    ids, found = {product["id"] for product in right}, reply.details["products"]
    yield from (f"{id_} does not fit" for id_ in found if id_ not in ids)
    firsts = _firsts(right, spec)
    if firsts and not firsts & set(found[:1]):
        yield f"first is {', '.join(firsts)}"
    if "count" in spec and len(set(found)) != spec["count"]:
        yield f"{len(found)} products, wanted {spec['count']}"
    if not firsts and "count" not in spec:
        yield from _missed(right, found)


def _firsts(right: Sequence[JSON], spec: JSON) -> set[str]:
    """The ids of which one has to come first; empty where no order was asked for."""
    if "first" in spec:
        return first_of(right, *reversed(spec["first"]))
    return {product["id"] for product in matching(right, spec["first_where"])} if "first_where" in spec else set()


def _missed(right: Sequence[JSON], found: Sequence[str]) -> Iterator[str]:
    buyable = {product["id"] for product in right if product["availability"] != "discontinued"}
    if len(set(found)) < min(SHOWN, len(buyable)) or (len(buyable) <= SHOWN and not buyable <= set(found)):
        yield f"misses {', '.join(sorted(buyable - set(found)))}"


def _no_products(reply: Reply, _: bool, __: Known) -> Iterator[str]:
    if reply.details["products"]:
        yield f"offers {', '.join(reply.details['products'])}"


def _route(reply: Reply, route: str, _: Known) -> Iterator[str]:
    if reply.route != route:
        yield f"route {reply.route}, wanted {route}"


# Both


def _warnings(reply: Reply, codes: Sequence[str], _: Known) -> Iterator[str]:
    yield from (f"no warning {code}" for code in codes if code not in reply.warnings)


def _no_warnings(reply: Reply, codes: Sequence[str], _: Known) -> Iterator[str]:
    yield from (f"warns of {code}" for code in codes if code in reply.warnings)


def _says(reply: Reply, parts: Sequence[str], _: Known) -> Iterator[str]:
    """Each part is in the text, or one of those that `|` divides, in any case of letters."""
    text = reply.text.lower()
    yield from (f"does not say {part}" for part in parts if not any(one in text for one in part.lower().split("|")))


def is_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)


JUDGES: Mapping[str, Callable[[Reply, Any, Known], Iterator[str]]] = {
    "figures": _figures,
    "budget": _budget,
    "tired": _tired,
    "runs": _runs,
    "issues": _issues,
    "no_figures": _no_figures,
    "clarifies": _clarifies,
    "products": _products,
    "no_products": _no_products,
    "route": _route,
    "warnings": _warnings,
    "no_warnings": _no_warnings,
    "says": _says,
}


if __name__ == "__main__":
    main()
