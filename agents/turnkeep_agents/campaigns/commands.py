"""`turnkeep campaigns load`: replaces the bundled sample with a user's own campaigns."""

import argparse
import os
from collections.abc import Iterator, Mapping
from datetime import MAXYEAR, UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeep_local import LocalError
from turnkeep_local.home import open_home, write_atomically

if TYPE_CHECKING:
    from turnkeep_agents.campaigns.warehouse.lines import Lines

DECIMALS, DAY_ORDERS = (".", ","), ("dmy", "mdy", "ymd")
SHOWN = 3


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    campaigns = commands.add_parser("campaigns", help="the warehouse of the agent `campaigns`").add_subparsers(
        required=True, metavar="COMMAND"
    )
    load = campaigns.add_parser("load", help="use your own daily figures from a CSV, from the next start on")
    load.add_argument(
        "file",
        type=Path,
        metavar="FILE.csv",
        help="rows by day and campaign, with impressions, clicks, cost, conversions and revenue",
    )
    load.add_argument("--year", type=int, metavar="YYYY", help="for dates without one; default: the newest that fits")
    load.add_argument("--advertiser", metavar="NAME", help="owner of the campaigns, if no column names one")
    load.add_argument(
        "--map",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=HEADING",
        help="which column to take, such as audience=device",
    )
    load.add_argument("--decimal", choices=DECIMALS, help="the decimal sign, if a column is ambiguous")
    load.add_argument(
        "--dates", choices=DAY_ORDERS, help="the order of day, month and year, if the dates are ambiguous"
    )
    load.set_defaults(run=_load)


def _load(options: argparse.Namespace) -> None:
    """Check a CSV of daily rows, print how it was read, and write the warehouse. Raises LocalError."""
    from turnkeep_agents.campaigns.warehouse.lines import Options  # noqa: PLC0415
    from turnkeep_agents.campaigns.warehouse.loading import load_csv  # noqa: PLC0415

    if wrong := [pair for pair in options.map if not all(pair.partition("="))]:
        raise LocalError(f"--map {wrong[0]}: write FIELD=HEADING, such as audience=device.")
    mapped = dict(pair.split("=", 1) for pair in options.map)
    if options.year is not None and not 1 <= options.year <= MAXYEAR:
        raise LocalError(f"--year {options.year}: use a year from 1 to {MAXYEAR}.")
    wanted = Options(options.year, options.advertiser, mapped, options.decimal, options.dates)
    place = open_home(os.environ).path / "campaigns.sqlite"
    loaded = load_csv(options.file, wanted, datetime.now(UTC).date())
    print("\n".join(_report(loaded.lines)))
    write_atomically(place, loaded.warehouse)
    print(f"{len(loaded.lines.usable)} of {loaded.lines.read} rows, {loaded.first} to {loaded.last}, in {place}.")
    print("The server uses them from its next start on.")


def _report(lines: "Lines") -> Iterator[str]:
    yield "Read as:"
    for line in lines.usable[:SHOWN]:
        figures = (
            f"{name} {number:,.15g} {lines.currencies.get(name, '')}".rstrip() for name, number in line.sums.items()
        )
        yield f"  {', '.join([f'{line.day:%d %B %Y}', *line.names.values(), *figures])}"
    if lines.above:
        yield f"Left out: {lines.above} lines above the headings."
    if lines.left_out:
        yield f"Left out: {_counted(lines.left_out)}."
    if lines.kept:
        yield f"Kept, though odd: {_counted(lines.kept)}."


def _counted(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in rows.items())
