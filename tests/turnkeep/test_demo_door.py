"""A deployment without the demo works with a model and data of its own, and says what is missing of them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from turnkeep.errors import AgentUnavailable
from turnkeep.graphs.building import build_agent
from turnkeep.settings import Settings
from turnkeep_agents.papers.settings import PapersSettings

SERVED = Settings(model="openai:m", openai_api_key=SecretStr("k"))

type Output = Callable[[], list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _without_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "turnkeep_demo"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "turnkeep_demo", None)


@pytest.fixture
def corpus(tmp_path: Path) -> PapersSettings:
    paper = {"id": "0000.00001", "title": "T", "abstract": "A.", "authors": ["A. Author"], "year": 2020}
    (tmp_path / "own.jsonl").write_text(json.dumps(paper))
    return PapersSettings(corpus=str(tmp_path / "own.jsonl"))


def test_an_agent_with_a_served_model_and_data_of_ones_own_is_built(corpus: PapersSettings) -> None:
    assert build_agent("papers", SERVED.with_agents(corpus)).provider == "openai"


def test_without_a_model_it_is_said_that_none_is_set(corpus: PapersSettings, output: Output) -> None:
    with pytest.raises(AgentUnavailable):
        build_agent("papers", Settings().with_agents(corpus))
    assert output()[-1]["reason"].startswith("no model is set, and the demo is not installed; set OPENAI_API_KEY")


@pytest.mark.parametrize(
    ("agent", "setting"),
    [
        ("papers", "PAPERS__CORPUS"),
        ("products", "PRODUCTS__CATALOGUE"),
        ("campaigns", "CAMPAIGNS__WAREHOUSE"),
        ("database", "DATABASE__URL"),
        ("regulations", "REGULATIONS__KNOWLEDGE"),
    ],
)
def test_without_data_it_is_said_which_setting_names_them(agent: str, setting: str, output: Output) -> None:
    with pytest.raises(AgentUnavailable):
        build_agent(agent, SERVED)
    assert output()[-1]["reason"].startswith(f"{setting} is not set")
