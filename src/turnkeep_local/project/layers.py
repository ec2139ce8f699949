"""The parts of a deployment, as `sam deploy` expects them in .aws-sam/build: the template, and next to it all that it
names."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

from turnkeep.graphfile import GraphFile
from turnkeep_local.project.packages import Packages
from turnkeep_local.project.tools import Tools

DEPENDENCIES, PACKAGE, GRAPHS = "layers/dependencies", "layers/turnkeep", "layers/graphs"
LAYERS = (DEPENDENCIES, PACKAGE, GRAPHS)
MOUNTED_AT = "/opt/graphs"
NEVER_SENT = {".aws-sam", ".git", ".langgraph_api", ".turnkeep", ".venv", "node_modules", "venv"}
"""Folders to leave out, in addition to the caches of Python and its tools."""
_NO_GRAPHS = 'Graphs: { Built: { File: "" } }'
_STAGES = {"template": "trial", "dev": "dev", "prod": "prod"}  # templates, each with the default of its `Stage`


def copy_functions(stack: Path, target: Path, tools: Tools) -> None:
    shutil.copytree(stack / "functions", target / "functions", ignore=shutil.ignore_patterns("__pycache__"))
    for requirements in (target / "functions").glob("*/requirements.txt"):
        tools.install(requirements, requirements.parent, folder=target)


def make_dependencies(stack: Path, target: Path, tools: Tools, **wanted: str) -> None:
    tools.python(stack / "layers" / "locked.py", str(target / DEPENDENCIES / "python"), **wanted)


def replace_dependencies(stack: Path, target: Path, tools: Tools, packages: Packages) -> None:
    shutil.rmtree(target / DEPENDENCIES)
    pins = target / "everywhere.txt"
    pins.write_text("\n".join(packages.everywhere))
    make_dependencies(stack, target, tools, REQUIREMENTS=str(pins))
    pins.unlink()


def make_package(stack: Path, target: Path, tools: Tools, agents: Sequence[str]) -> None:
    """Copy the installed package without the parts that only a laptop runs, and only the named ones of its agents."""
    place = target / PACKAGE / "python"
    others = set(installed_agents()).difference(agents)
    for package in ("turnkeep", *(("turnkeep_agents", "turnkeep_demo") if agents else ())):
        left_out = () if package == "turnkeep" else others
        unused = shutil.ignore_patterns("__pycache__", "commands", "commands.py", *left_out)
        shutil.copytree(str(files(package)), place / package, ignore=unused)
    for name in ("turnkeep", *(["turnkeep-agents"] if agents else [])):
        _write_metadata(place, distribution(name), agents)
    tools.python(stack / "layers" / "slim.py", str(place))


def installed_agents() -> list[str]:
    """Return the names of the agents in `turnkeep-agents`; none if that is not installed."""
    try:
        points = distribution("turnkeep-agents").entry_points
    except PackageNotFoundError:
        return []
    return sorted(each.name for each in points if each.group == "turnkeep.agents")


def _write_metadata(place: Path, own: Distribution, agents: Sequence[str]) -> None:
    """Write the metadata that importlib.metadata reads, with the entry points of these agents."""
    notes = place / f"{own.name.replace('-', '_')}-{own.version}.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text(own.read_text("METADATA") or "")
    points = [each for each in own.entry_points if each.name in agents]
    lines: list[str] = []
    for group in sorted({each.group for each in points}):
        lines += [f"[{group}]", *(f"{each.name} = {each.value}" for each in points if each.group == group)]
    (notes / "entry_points.txt").write_text("\n".join(lines))


def make_graphs(file: GraphFile, stack: Path, target: Path, tools: Tools, packages: Packages) -> None:
    """Copy the folder of `file` without what belongs to this machine, and install the packages that its graphs need."""
    place = target / GRAPHS
    for source in sent_files(file):
        own = place / "graphs" / source.relative_to(file.path.parent)
        own.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, own)
    compiled = stack / "layers" / "slim.py"
    tools.python(compiled, str(place / "graphs"), "--mounted-at", MOUNTED_AT)
    if packages.pins:
        requirements = target / "graphs.txt"
        requirements.write_text("\n".join(packages.pins))
        tools.install(requirements, place / "python", folder=file.path.parent)
        requirements.unlink()
        tools.python(compiled, str(place / "python"), "--mounted-at", "/opt/python")


def sent_files(file: GraphFile) -> Iterator[Path]:
    """Yield the files that git does not ignore, or all if git does not know the folder; never a file of variables."""
    folder = file.path.parent
    for each in _known_to_git(folder) or sorted(folder.rglob("*")):
        inside = each.relative_to(folder)
        caches = [part for part in inside.parts[:-1] if part.startswith("__pycache__") or part.endswith("_cache")]
        is_secret = each.name.startswith(".env") or inside == Path(str(file.env) if isinstance(file.env, str) else "")
        if each.is_file() and not caches and not is_secret and NEVER_SENT.isdisjoint(inside.parts):
            yield each


def _known_to_git(folder: Path) -> list[Path]:
    """Return nothing if the folder is in no repository, or git is missing."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return []
    return [folder / name for name in done.stdout.split("\0") if name]


def write_template(stack: Path, target: Path, graphs: str) -> None:
    """Write the templates last, because `sam deploy` starts from one. `graphs` is the file's path in functions."""
    shutil.copy2(stack / "watching.yaml", target)
    text = (stack / "template.yaml").read_text()
    assert _NO_GRAPHS in text, f"{stack} has no place for graphs"  # noqa: S101
    text = text.replace(_NO_GRAPHS, f"Graphs: {{ Built: {{ File: {graphs} }} }}")
    for name, stage in _STAGES.items():
        (target / f"{name}.yaml").write_text(text.replace("Default: trial", f"Default: {stage}"))


def sizes(folder: Path) -> Counter[str]:
    """Return the bytes of a folder's entries."""
    found: Counter[str] = Counter()
    for file in filter(Path.is_file, folder.rglob("*")):
        found[file.relative_to(folder).parts[0]] += file.stat().st_size
    return found
