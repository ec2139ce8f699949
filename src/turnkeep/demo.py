"""Finds the demo package by name; nothing imports it, so a deployment with its own model and data needs no demo."""

import pkgutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeep.settings import UnusableFile

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

PACKAGE = "turnkeep_demo"


def sample(name: str, setting: str) -> Path:
    """Return a bundled file or folder, such as "papers.jsonl"; raise UnusableFile if the demo is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UnusableFile(f"{setting} is not set, and the demo, which has data in its place, is not installed")
    return Path(spec.submodule_search_locations[0]) / "samples" / name


def maker(name: str, setting: str) -> Any:
    """Return a maker of bundled data, such as "database.field_service:sample_file"; raise UnusableFile."""
    sample("", setting)
    return pkgutil.resolve_name(f"{PACKAGE}.{name}")


def demo_model(agent: str) -> "BaseChatModel":
    """Return the demo model with its rules for an agent; raise UnusableFile if it is not installed."""
    if find_spec(PACKAGE) is None:
        raise UnusableFile("no model is set, and the demo is not installed; set OPENAI_API_KEY, MODEL_KEY or MODEL")
    model: BaseChatModel = pkgutil.resolve_name(f"{PACKAGE}.model:demo_model")(agent)
    return model
