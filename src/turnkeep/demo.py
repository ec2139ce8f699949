"""Where the demo is found, by name: it stands in for a model and for data, and nothing here imports it. A deployment
without the package works with a model and data of its own."""

import pkgutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeep.settings import UnusableFile

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

PACKAGE = "turnkeep_demo"
NO_MODEL = "no model is set, and the demo is not installed; set OPENAI_API_KEY, MODEL_KEY or MODEL"


def sample(name: str, setting: str) -> Path:
    """A bundled file or folder, such as "papers.jsonl"; raises UnusableFile where the demo is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UnusableFile(f"{setting} is not set, and the demo, which has data in its place, is not installed")
    return Path(spec.submodule_search_locations[0]) / "samples" / name


def maker(name: str, setting: str) -> Any:
    """What makes bundled data, such as "database.field_service:sample_file"; raises UnusableFile as `sample` does."""
    sample("", setting)
    return pkgutil.resolve_name(f"{PACKAGE}.{name}")


def demo_model(agent: str) -> "BaseChatModel":
    """The demo model with its rules for an agent; raises UnusableFile where it is not installed."""
    if find_spec(PACKAGE) is None:
        raise UnusableFile(NO_MODEL)
    model: BaseChatModel = pkgutil.resolve_name(f"{PACKAGE}.model:demo_model")(agent)
    return model
