"""A user's own campaigns in place of the bundled sample."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from turnkeep.agents.campaigns.warehouse.loading import BadFile, Options, load_csv
from turnkeep.local import LocalError
from turnkeep.local.home import Home, write_atomically


def load_campaigns(home: Home, file: Path, options: Options, today: date) -> str:
    """Checks a CSV of daily rows and writes a warehouse to where the server looks; tells what became of the rows."""
    try:
        loaded = load_csv(file, options, today)
    except BadFile as error:
        raise LocalError(str(error)) from error
    write_atomically(home.campaigns, loaded.warehouse)
    told = [f"{loaded.used} of {loaded.read} rows, {loaded.first} to {loaded.last}, in {home.campaigns}."]
    told += [f"Left out: {_counted(loaded.left_out)}."] if loaded.left_out else []
    told += [f"Kept, though odd: {_counted(loaded.kept)}."] if loaded.kept else []
    return "\n".join(told)


def _counted(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in rows.items())
