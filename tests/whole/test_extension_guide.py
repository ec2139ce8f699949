"""docs/extending.md, followed as it is written: every box is applied to a copy of the project, and the copy is checked,
run and talked to. A step that does not fit the source, or does not do what it says, fails here."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from calls_of_papers import GRADE, READING
from scripted import read_events
from wire import WireServer, calls, says

from dev_server import dev_server
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply
from turnkeep.settings import Settings

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "extending.md").read_text()
COPIED = ("src", "agents", "functions", "layers", "events", "tests", "docs", "benchmarks", "tools")
COPIED += ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile", "pyproject.toml")
COPIED += ("template.yaml", "watching.yaml")
PACKAGE = "reading"
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONDONTWRITEBYTECODE": "1"}
BOX = re.compile(r"^(?:`(?P<path>\S+)`\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
ASKS_FOR_BIBTEX = "Give me a BibTeX entry for low-rank adaptation"

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Copy:
    """The project with everything in it that the guide says."""

    root: Path
    touched: tuple[str, ...]

    def run(self, *command: str) -> None:
        """Runs a tool of this environment in the copy; it has to succeed."""
        command = (str(Path(sys.executable).with_name(command[0])), *command[1:])
        done = subprocess.run(command, cwd=self.root, env=self.environ(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def environ(self, **more: str) -> Mapping[str, str]:
        return {**ENVIRONMENT, "PYTHONPATH": f"{self.root / 'src'}:{self.root / 'agents'}", **more}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    root = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root / name)
    boxes = [box for box in BOX.finditer(GUIDE) if box["path"]]
    for box in boxes:
        follow = {"python": write, "json": write, "diff": change}[box["kind"]]
        follow(root / box["path"], box["text"])
    return Copy(root, tuple(dict.fromkeys(box["path"] for box in boxes)))


def write(file: Path, text: str) -> None:
    assert not file.exists(), f"{file} is there already"
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(text)


def change(file: Path, diff: str) -> None:
    """Applies each part of a diff where its old lines stand, which has to be one place."""
    text = "\n" + file.read_text()
    for part in re.split(r"^@@\n", diff, flags=re.MULTILINE):
        lines = part.splitlines()
        old, new = (["", *(line[1:] for line in lines if line[:1] != other), ""] for other in "+-")
        assert text.count("\n".join(old)) == 1, f"in {file} not once:\n" + "\n".join(old)
        text = text.replace("\n".join(old), "\n".join(new))
    file.write_text(text[1:])


def requests_of_the_guide() -> list[tuple[str, dict[str, Any]]]:
    """Path and body of each curl line."""
    found = re.findall(r"^curl .*localhost:8000(\S+) --json '(.+)'$", GUIDE, re.MULTILINE)
    return [(path, json.loads(body)) for path, body in found]


@contextmanager
def server(copy: Copy, home: Path, **more: str) -> Iterator[httpx.Client]:
    """`turnkeep dev` of the copy; killed at the end, so what it has not stored is lost."""
    with dev_server(home, copy.environ(TURNKEEP_GRAPHS=str(copy.root / PACKAGE / "langgraph.json"), **more)) as client:
        yield client


@pytest.fixture
def store(dynamodb_url: str, whole_table: str) -> dict[str, str]:
    """What makes one start of the server follow upon another."""
    return {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "TABLE_NAME": whole_table, "SEAL_KEY": "of the test"}


def say(client: httpx.Client, message: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/chat", json={"message": message, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def stream(client: httpx.Client, body: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    answer = client.post("/chat/stream", json=body)
    events = [(name, data) for name, _, data in read_events(answer.text)]
    assert events[-1][0] == "complete", answer.text
    return events


def test_every_box_names_its_file() -> None:
    boxes = [(box["kind"], bool(box["path"])) for box in BOX.finditer(GUIDE)]
    assert set(boxes) == {("python", True), ("json", True), ("diff", True), ("sh", False)}
    assert len(boxes) == GUIDE.count("```") / 2


def test_what_the_guide_names_is_so(copy: Copy) -> None:
    tuning = Settings().turn
    assert f"`TURN__SECONDS` ({tuning.seconds:.0f}) and `TURN__MAX_STEPS` ({tuning.max_steps})" in GUIDE
    agent = Agent("any", graph=None, read_reply=lambda _: Reply(""))  # type: ignore[arg-type]
    assert f"newest {agent.window} turns" in GUIDE
    assert f"shows {agent.prompt_window} of" in GUIDE
    named = re.findall(r"`((?:src|agents|tests|docs)/[\w/.]+|\w+\.(?:toml|yaml))`", re.sub(BOX, "", GUIDE))
    assert len(named) >= 5
    assert [path for path in named if not (copy.root / path).exists()] == []


def test_what_the_guide_writes_keeps_the_rules_of_the_house(copy: Copy) -> None:
    written = [path for path in copy.touched if path.endswith(".py")]
    copy.run("ruff", "check", "--no-cache", *written)
    copy.run("ruff", "format", "--no-cache", "--check", *written)
    copy.run("lint-imports", "--no-cache")
    if (ROOT / ".mypy_cache").is_dir():  # what is known of all that the guide leaves alone
        shutil.copytree(ROOT / ".mypy_cache", copy.root / ".mypy_cache")
    copy.run("mypy", *(path for path in written if path.startswith(("src", "agents", PACKAGE))))


def test_the_tests_of_the_extended_project_pass(copy: Copy) -> None:
    edges = "tests/whole/test_agents_over_http.py::test_every_edge_is_taken_and_each_turn_is_read_as_it_was_returned"
    # The limit of lines holds in this tree, not in one that a reader of the guide makes longer.
    our_lines = "tests/test_house.py::test_each_package_keeps_within_its_lines"
    tests = ("tests/test_house.py", "--deselect", our_lines, "tests/turnkeep_agents/papers", f"{edges}[papers]")
    copy.run("pytest", "-p", "no:cacheprovider", *tests)


def test_the_new_node_is_drawn_and_streamed_and_the_new_tool_is_called(
    copy: Copy, store: dict[str, str], tmp_path: Path
) -> None:
    with server(copy, tmp_path, **store) as client:
        drawing = client.get("/agents/papers").json()["mermaid"]
        events = stream(client, {"message": ASKS_FOR_BIBTEX})
    assert "date_sources --> answer" in drawing
    nodes = [data["node"] for name, data in events if name == "node"]
    assert nodes == ["read", "retrieve", "grade_documents", "date_sources", "answer"]
    assert ("tool_start", {"event": "tool_start", "tool": "bibtex"}) in events
    assert "@misc{2106.09685,\n  title = {LoRA" in events[-1][1]["reply"]


def test_the_new_agent_remembers_after_it_was_killed(copy: Copy, store: dict[str, str], tmp_path: Path) -> None:
    (_, first), (_, second), (path, third) = requests_of_the_guide()
    added = {"add": ["Emma", "The Leopard"], "remove": []}
    script = [calls("Change", added), says("Both are on it."), calls("Change", {"add": [], "remove": ["The Leopard"]})]
    script += [says("Then Emma is left."), calls("Change", {"add": [], "remove": []}), says("To read: Emma.")]
    with WireServer(script) as model:
        facts = {**store, "MODEL": "openai:m", "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "k"}
        with server(copy, tmp_path, **facts) as client:
            assert next(each["name"] for each in client.get("/agents").json()) == "reading"
            begun = say(client, **first)
        assert (begun["agent"], begun["reply"]) == ("reading", "Both are on it.")
        with server(copy, tmp_path, **facts) as client:
            finished = say(client, **second)
            assert path == "/chat/stream"
            events = stream(client, third)
            turns = client.get(f"/threads/{first['session_id']}/turns").json()["turns"]
    assert (finished["turn_number"], finished["details"]["values"]) == (2, {"titles": ["Emma"]})
    tokens = [data["content"] for name, data in events if name == "token"]
    assert "".join(tokens).strip() == events[-1][1]["reply"] == "To read: Emma."
    assert [turn["reply"] for turn in turns] == ["Both are on it.", "Then Emma is left.", "To read: Emma."]
    *_, asked, _ = [body["messages"][-1]["content"] for body in model.bodies]
    assert "<note>On the list: Emma</note>" in asked


def test_the_new_context_and_the_result_of_the_tool_reach_a_model(
    copy: Copy, store: dict[str, str], tmp_path: Path
) -> None:
    reading = calls("Reading", {**READING, "question": ASKS_FOR_BIBTEX, "wants_bibtex": True})
    with WireServer([reading, GRADE, says("Here it is [2106.09685].")]) as model:
        facts = {"MODEL": "openai:m", "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "k"}
        with server(copy, tmp_path, **store, **facts) as client:
            assert say(client, ASKS_FOR_BIBTEX)["warnings"] == []
    *_, answer = [body["messages"][-1]["content"] for body in model.bodies]
    assert "<note>The newest of these papers is from 2021. Mention that there may be newer work.</note>" in answer
    assert '<tool_result tool="bibtex">\n@misc{2106.09685,\n' in answer
