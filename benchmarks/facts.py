"""How many spans `turnkeep_agents.regulations.facts` turns into the value that people gave them, and how many
dateparser does.

    python benchmarks/facts.py --data DIR [--misses]

DIR/recognizers_it holds Microsoft's specifications for Italian. Right is a value equal to one of those given, and
`other` equal to the other one where two are given; "either" asks for one of them alone. A period ends on the day before
the one given, a range of named days on that before or on the last one named. Times of day, and spans without
a value in the data, are outside and counted as such.
"""

import argparse
import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from turnkeep_agents.regulations.facts.reading import Fact, Kind, canonical

TODAY = date(2016, 11, 7)
OUTSIDE = {
    "datetimeV2.time",
    "datetimeV2.timerange",
    "datetimeV2.datetime",
    "datetimeV2.datetimerange",
    "datetimeV2.set",
}
KINDS: dict[str, Kind] = {
    "date": "date",
    "daterange": "period",
    "duration": "duration",
    "number": "number",
    "ordinal": "ordinal",
    "ordinal.relative": "ordinal",
    "percentage": "percentage",
    "currency": "amount",
    "numberrange": "number",
}
GROUPS = {
    "daterange": "period",
    "currency": "amount",
    "ordinal.relative": "ordinal from the end",
    "numberrange": "range",
}
CURRENCIES = {
    "Dollar": "USD", "Euro": "EUR", "Pound": "GBP", "Japanese yen": "JPY", "Franc": "CHF", "Chinese yuan": "CNY",
    "Canadian dollar": "CAD", "Mexican peso": "MXN", "Cent": "", "Pence": "GBP",
}  # fmt: skip
HUNDREDTHS = ("Cent", "Pence")


@dataclass(frozen=True)
class Row:
    group: str
    kind: Kind
    span: str
    today: date
    wanted: tuple[str, ...]
    """Values; of a period each may be one of two joined by "|", of what has none, "31 febbraio", it is ""."""
    unit: str = ""


@dataclass
class Count:
    right: int = 0
    either: int = 0
    rows: int = 0
    misses: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    rows, outside = read(arguments.data / "recognizers_it")
    counts = judged(rows)
    figures = table(counts, misses=arguments.misses)
    print(f"outside: {outside} times of day, sets, and spans without a value in the data")
    print(json.dumps({**figures, "outside": outside, "dateparser on dates": peer(rows)}, ensure_ascii=False))


def read(folder: Path) -> tuple[list[Row], int]:
    rows: list[Row] = []
    outside = 0
    for file in sorted(folder.glob("*.json")):
        for case in json.loads(file.read_text("utf-8")):
            for result in case.get("Results") or ():
                row = row_of(case, result)
                rows += [row] if row else []
                outside += row is None
    return rows, outside


def row_of(case: dict[str, Any], result: dict[str, Any]) -> Row | None:
    name = (result.get("Type") or result["TypeName"]).removeprefix("datetimeV2.")
    said = result.get("Value") or result.get("Resolution")
    if name not in KINDS:
        return None
    day = datetime.fromisoformat((case.get("Context") or {}).get("ReferenceDateTime", f"{TODAY}")).date()
    common = (GROUPS.get(name, name), KINDS[name], result["Text"], day)
    if said is None:
        return Row("date, readable", *common[1:], ("*",)) if name == "date" else None
    wanted = tuple(wanted_of(name, said))
    return Row(*common, wanted, said.get("unit", "")) if wanted else None


def wanted_of(name: str, said: dict[str, Any]) -> Iterator[str]:
    if "Timex" in said:
        values = [said["Timex"]] if name == "duration" else [*ends(said)]
        yield from dict.fromkeys(filter(None, values))
    elif "values" in said:
        for each in said["values"]:
            value = each["timex"] if name == "duration" else each.get("value") or period(each, each["timex"])
            yield "" if value == "not resolved" else value
    elif said.get("value"):
        yield said["value"].replace(",", ".") if name != "numberrange" else said["value"]


def ends(said: dict[str, Any]) -> Iterator[str]:
    for key in ("FutureResolution", "PastResolution"):
        each = said[key]
        if "date" in each:
            yield each["date"]
        elif "startDate" in each or "endDate" in each:
            yield period({"start": each.get("startDate"), "end": each.get("endDate")}, said["Timex"])


def period(each: dict[str, Any], timex: str) -> str:
    """Of named days, "(2016-11-04,2016-11-22,P18D)", the last one may be the end."""
    start, end = each.get("start") or "..", each.get("end")
    if not end:
        return f"{start}/.."
    before = f"{start}/{date.fromisoformat(end) - timedelta(days=1)}"
    named = timex.startswith("(") and timex.rstrip(")").endswith("D")
    return f"{before}|{start}/{end}" if named else before


def judged(rows: list[Row]) -> dict[str, Count]:
    counts: dict[str, Count] = defaultdict(Count)
    for row in rows:
        count = counts[row.group]
        fact = canonical(row.span, row.kind, today=row.today)
        one = either(row, fact)
        both = one and (len(row.wanted) == 1 or (fact is not None and all(
            any(same(row, each, value) for value in (fact.value, fact.other)) for each in row.wanted)))  # fmt: skip
        count.rows += 1
        count.either += one
        count.right += both
        if not both:
            count.misses.append(f"{row.span!r} ({row.today}): {row.wanted} {row.unit}, read as {fact}")
    return counts


def either(row: Row, fact: Fact | None) -> bool:
    if row.wanted == ("*",):
        return fact is not None and bool(fact.value)
    if fact is None or not fact.value:
        return row.wanted == ("",)
    is_unit = fact.unit == CURRENCIES.get(row.unit, row.unit) or row.unit == "Cent"
    return is_unit and any(same(row, wanted, fact.value) for wanted in row.wanted)


def same(row: Row, wanted: str, value: str) -> bool:
    if row.kind in ("date", "period", "duration"):
        return value in wanted.split("|") or value in (f"{each}/{each}" for each in wanted.split("|"))
    if row.group == "range":
        return same_limits(wanted, value)
    if wanted.startswith("end"):
        return int(value) == int(wanted.removeprefix("end")) - 1
    try:
        numbers = Decimal(wanted.rstrip("%")), Decimal(value) * (100 if row.unit in HUNDREDTHS else 1)
    except InvalidOperation:
        return False
    return abs(numbers[0] - numbers[1]) <= abs(numbers[0]) * Decimal("1e-12")


def same_limits(wanted: str, value: str) -> bool:
    """Between two numbers, "tra 20 e 30", the data leave the second one out; it is in here."""
    if wanted.startswith("[") and wanted.endswith(")") and not wanted.endswith(",)"):
        wanted = wanted[:-1] + "]"
    numbers = [[Decimal(each) if each else None for each in text[1:-1].split(",")] for text in (wanted, value)]
    return numbers[0] == numbers[1] and (wanted[0], wanted[-1]) == (value[0], value[-1])


def table(counts: dict[str, Count], *, misses: bool) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    groups = {
        "dates and periods": ("date", "period"),
        "number, percentage, amount": ("number", "percentage", "amount", "range"),
    }
    print(f"{'':28} {'spans':>6} {'right':>7} {'either':>7}")
    for name, count in sorted(counts.items()):
        figures[name] = shares([count])
        show(name, figures[name])
        for miss in count.misses if misses else ():
            print("    " + miss)
    for name, parts in groups.items():
        figures[name] = shares([counts[part] for part in parts if part in counts])
        show(name, figures[name])
    return figures


def shares(counts: list[Count]) -> dict[str, float]:
    rows = sum(count.rows for count in counts)
    share = {each: sum(getattr(count, each) for count in counts) for each in ("right", "either")}
    return {"spans": rows, **{each: round(100 * got / max(rows, 1), 1) for each, got in share.items()}}


def show(name: str, figures: dict[str, float]) -> None:
    print(f"{name:28} {figures['spans']:6} {figures['right']:7} {figures['either']:7}")


def peer(rows: list[Row]) -> dict[str, float] | str:
    try:
        import dateparser  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        return "not installed"
    warnings.filterwarnings("ignore", module="dateparser")
    dates = [row for row in rows if row.group == "date"]
    got = 0
    for row in dates:
        base = datetime.combine(row.today, datetime.min.time())
        value = dateparser.parse(row.span, languages=["it"], settings={"RELATIVE_BASE": base})
        got += (value.date().isoformat() if value else "") in row.wanted
    return {"spans": len(dates), "either": round(100 * got / max(len(dates), 1), 1)}


if __name__ == "__main__":
    main()
