"""Settings from the environment, and how an unusable file of theirs is found and reported."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from runtime_api import Output

from turnkeep.errors import AgentUnavailable
from turnkeep.graphs.building import build_agent
from turnkeep.settings import Settings, UnusableFile, UnusableSetting
from turnkeep_agents.database.settings import DatabaseSettings

SENTENCE = "agent unavailable: a file of its settings is unusable"
BROKEN = [
    ("access", '{"rules": [{"tenants": "acme"}]}', r"rules\[0\]\.tenants: no such field is known; remove it"),
    ("joins", '{"version": 1,\n "tables": {}', r"not valid JSON: .* at line 2, column 14\. Build it again with "),
    ("manual", "no folder", "is not a folder; name one with Markdown or text files"),
    ("verified", '{"question": "How many?", "sql": " "}', '1: "question" and "sql" must be texts'),
    ("verified", '{"question": "How many?"}', '1: "question" and "sql" must be texts'),
]


def tuned(file: Path, setting: str) -> DatabaseSettings:
    return DatabaseSettings(**{setting: str(file)})  # type: ignore[arg-type]


def test_an_empty_variable_is_unset() -> None:
    found = DatabaseSettings.read({"DATABASE__MAX_ROWS": "8", "DATABASE__MAX_HOPS": "2", "DATABASE__URL": ""})
    assert (found.max_rows, found.max_hops, found.url.get_secret_value()) == (8, 2, "")
    found.check()


@pytest.mark.parametrize(("name", "fault"), [("MAX_ROWS", ": "), ("MAX_ROW", ": Extra inputs")])
def test_a_fault_is_reported_by_the_name_of_its_variable(name: str, fault: str) -> None:
    with pytest.raises(UnusableSetting, match=f"^DATABASE__{name}{fault}"):
        DatabaseSettings.read({f"DATABASE__{name}": "many"})


@pytest.mark.parametrize(("setting", "text", "reason"), BROKEN)
def test_the_agent_is_unavailable_until_the_file_is_fixed(
    setting: str, text: str, reason: str, tmp_path: Path, output: Output
) -> None:
    """Above all it never works without its access rules."""
    file = tmp_path / "file.json"
    with pytest.raises(UnusableFile, match=r"file\.json"):
        tuned(file, setting).check()
    file.write_text(text)
    settings = Settings(model="demo").with_agents(tuned(file, setting))
    with pytest.raises(AgentUnavailable) as caught:
        build_agent("database", settings)
    assert str(file) not in caught.value.detail
    [line] = output()
    assert (line["level"], line["message"], line["agent"]) == ("ERROR", SENTENCE, "database")
    assert re.search(rf"file\.json.*{reason}", line["reason"])


def test_checking_files_loads_no_heavy_packages(tmp_path: Path) -> None:
    """It runs in every cold start of a deployment with such files."""
    files = tmp_path / "joins.json", tmp_path / "access.json", tmp_path / "one.md"
    for file, text in zip(files, ('{"tables": {}, "relationships": []}', "{}", "# One\n\nText."), strict=True):
        file.write_text(text)
    code = (
        "import sys; from turnkeep_agents.database.settings import DatabaseSettings;"
        f"DatabaseSettings(joins='{files[0]}', access='{files[1]}', manual='{tmp_path}').check();"
        "print(sorted({'langgraph', 'langchain_core', 'sqlalchemy', 'sqlglot', 'boto3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
