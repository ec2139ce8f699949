"""What graphs import, beside what every deployment has anyway: that stays at the version it has there, and a project's
lock decides on the rest."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from turnkeep.graphfile import GraphFile
from turnkeep_local import LocalError
from turnkeep_local.project.tools import LAMBDA_PYTHON, Tools

DESCRIPTIONS = ("pyproject.toml", "setup.py", "requirements.txt")
"""Of what a folder needs: as for LangGraph's own build, the first that is there."""
ELSEWHERE = ("turnkeep", "boto3", "botocore", "s3transfer")
"""In a layer of its own, or in Lambda's runtime."""
CUT = {"aws-lambda-powertools", "cffi", "phonenumberslite", "pycparser", "python-stdnum", "sqlalchemy", "sqlglot"}
"""What layers/slim.py leaves of these is enough for Turnkeep; a graph that needs one gets all of the same version."""
OPTIONAL = {"zstandard": {"httpx", "langsmith"}}
"""24 MB that these ask for and do without."""
_PIN = re.compile(r"(?P<name>[\w.-]+)(?:==(?P<version>[^\s;]+)| @ \S+)(?:.*# via (?P<via>.*))?")
_CLASH = "A version that you do not name is that of Turnkeep's layer: let your requirements allow it."


@dataclass(frozen=True)
class Packages:
    """`pins` are to be installed, such as "wikipedia==1.4.0"; `moved` says what was locked at another version."""

    pins: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()


def resolve(file: GraphFile, held: Path, tools: Tools) -> Packages:
    """What the graphs of `file` need that is not installed in `held`. Raises LocalError."""
    installed = {_plain(one.name): one.version for one in distributions(path=[str(held)])}
    with TemporaryDirectory() as name:
        inputs = list(_inputs(file, Path(name)))
        if not inputs:
            return Packages()
        locked = "".join(tools.locked(each.parent) for each in inputs if (each.parent / "uv.lock").exists())
        found = _resolved(file, inputs, _files(Path(name), installed, locked), tools).splitlines()
    pins = tuple(line.partition("  #")[0] for line in found if _is_missing(line, installed))
    return Packages(pins, tuple(_moved(_versions(locked.splitlines()), _versions(found))))


def _inputs(file: GraphFile, folder: Path) -> Iterator[Path]:
    """Files that say what is needed."""
    names = file.packages()
    if missing := [each for each in names if each.startswith(".")]:
        raise LocalError(f"{file.path}: `dependencies` names {', '.join(missing)}, which is no folder.")
    for place in (file.path.parent / each for each in file.dependencies if each not in names):
        yield from [place.resolve() / name for name in DESCRIPTIONS if _tells(place / name)][:1]
    if names:
        own = folder / "dependencies.in"
        own.write_text("\n".join(names))
        yield own


def _tells(file: Path) -> bool:
    """A pyproject.toml may hold the settings of a linter and nothing else."""
    if not file.is_file():
        return False
    return file.name != "pyproject.toml" or not {"project", "build-system"}.isdisjoint(tomllib.loads(file.read_text()))


def _files(folder: Path, installed: Mapping[str, str], locked: str) -> dict[str, Path]:
    """What bounds the choice of versions, by the option of uv that takes it. What the output holds is preferred."""
    texts = {
        "--constraint": "".join(f"{name}=={version}\n" for name, version in installed.items()),
        "--override": "".join(f'{name}; sys_platform == "none"\n' for name in ELSEWHERE if name not in installed),
        "--output-file": locked,
    }
    files = {option: folder / f"{option.strip('-')}.txt" for option in texts}
    for option, file in files.items():
        file.write_text(texts[option])
    return files


def _resolved(file: GraphFile, inputs: list[Path], files: Mapping[str, Path], tools: Tools) -> str:
    options = [part for option, each in files.items() for part in (option, str(each))]
    try:
        tools.resolve(inputs, *options, folder=file.path.parent)
    except LocalError as error:
        hint = f"\n{_CLASH}" if "unsatisfiable" in str(error) else ""
        place = f"Lambda ({tools.architecture}, Python {LAMBDA_PYTHON})"
        raise LocalError(f"What {file.path} needs cannot be had for {place}.\n{error}{hint}") from None
    return files["--output-file"].read_text()


def _is_missing(line: str, installed: Mapping[str, str]) -> bool:
    """Such as "wikipedia==1.4.0    # via -r requirements.txt"; a project that is installed in place is no package."""
    if not (found := _PIN.match(line)):
        return False
    name, asking = _plain(found["name"]), {*(found["via"] or "").split(", ")}
    return (name not in installed or name in CUT) and not asking <= OPTIONAL.get(name, set())


def _versions(lines: list[str]) -> dict[str, str]:
    found = (_PIN.match(line) for line in lines)
    return {_plain(one["name"]): one["version"] for one in found if one and one["version"]}


def _moved(locked: Mapping[str, str], taken: Mapping[str, str]) -> Iterator[str]:
    for name, version in locked.items():
        if taken.get(name, version) != version:
            yield f"{name} {version} -> {taken[name]}"


def _plain(name: str) -> str:
    """As package indexes compare names: "SQLAlchemy" is "sqlalchemy"."""
    return re.sub(r"[-_.]+", "-", name).lower()
