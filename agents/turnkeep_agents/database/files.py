"""Check the files that the settings name. It loads neither LangGraph nor SQLAlchemy nor sqlglot, because functions and
the local server run it at their start."""

from pathlib import Path
from typing import TYPE_CHECKING

from turnkeep.kit.pages import read_files
from turnkeep_agents.database.access import load_access
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.verified import load_verified

if TYPE_CHECKING:
    from turnkeep_agents.database.settings import DatabaseSettings


def check_files(tuning: "DatabaseSettings") -> None:
    """Raise UnusableFile for the first unusable file."""
    if tuning.access:
        load_access(Path(tuning.access))
    if tuning.joins:
        load_graph(Path(tuning.joins))
    if tuning.manual:
        read_files(Path(tuning.manual))
    if tuning.verified:
        load_verified(Path(tuning.verified))
