"""The packages that graphs import and the deployment lacks. Packages of the deployment keep their versions there; a
project's lock decides the rest."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from turnkeep.graphfile import GraphFile
from turnkeep_local import LocalError
from turnkeep_local.project.tools import LAMBDA_PYTHON, Tools

DESCRIPTIONS = ("pyproject.toml", "setup.py", "requirements.txt")
"""Files with a folder's dependencies: the first one that exists counts, as in LangGraph's own build."""
ELSEWHERE = ("turnkeep", "turnkeep-agents", "boto3", "botocore", "s3transfer")
"""In another layer, or in Lambda's runtime."""
CUT = {"aws-lambda-powertools", "cffi", "phonenumberslite", "pycparser", "python-stdnum", "sqlalchemy", "sqlglot"}
"""Turnkeep runs with what layers/slim.py leaves of these; a graph that needs one gets all of the same version."""
OPTIONAL = {"zstandard": {"httpx", "langsmith"}}
"""24 MB that these packages request but do not need."""
_PIN = re.compile(r"(?P<name>[\w.-]+)(?:==(?P<version>[^\s;]+)| @ \S+)(?:.*# via (?P<via>.*))?")
MOST_LINES = 6
"""Lines printed of a long explanation, whose end matters most."""


@dataclass(frozen=True)
class Packages:
    """`pins` are installed for graphs, such as "wikipedia==1.4.0"; `unlocked` lists packages that a project's lock has
    at another version. If graphs conflict with the packages of every function, `everywhere` replaces these, and
    `replaced` lists the changes."""

    pins: tuple[str, ...] = ()
    unlocked: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


def resolve(file: GraphFile, held: Path, stack: Path, tools: Tools) -> Packages:
    """Return what the graphs of `file` need that is not installed in `held`. Raise LocalError."""
    installed: dict[str, str] = {canonicalize_name(one.name): one.version for one in distributions(path=[str(held)])}
    with TemporaryDirectory() as name:
        inputs = list(_inputs(file, Path(name)))
        if not inputs:
            return Packages()
        locked = "".join(tools.locked(each.parent) for each in inputs if (each.parent / "uv.lock").exists())
        resolver, bounds = _Resolver(file.path, Path(name), tools, installed), _pins(installed)
        try:
            found, shared = resolver.pins(inputs, bounds, locked), installed
        except LocalError:
            ours = _ranges(stack, installed, Path(name) / "turnkeep.in")
            both = _pins(_versions(resolver.pins([ours, *inputs], "", bounds + locked)))
            shared = _versions(resolver.pins([ours], both, ""))
            found = resolver.pins(inputs, both, "")
    replaced = tuple(_changes(installed, shared))
    everywhere = _pins({name: version for name, version in shared.items() if replaced and name not in OPTIONAL})
    return Packages(
        pins=tuple(line.partition("#")[0].strip() for line in found.splitlines() if _is_missing(line, shared)),
        unlocked=tuple(_changes(_versions(locked), _versions(found))),
        everywhere=tuple(everywhere.split()),
        replaced=replaced,
    )


@dataclass(frozen=True)
class _Resolver:
    """Chooses versions for the graphs of `config`, in a temporary folder."""

    config: Path
    folder: Path
    tools: Tools
    installed: Mapping[str, str]

    def pins(self, inputs: list[Path], bounds: str, preferred: str) -> str:
        """Return pins, one a line with what requires it; raise LocalError."""
        elsewhere = "".join(f'{name}; sys_platform == "none"\n' for name in ELSEWHERE if name not in self.installed)
        options = []
        for option, text in {"--constraint": bounds, "--override": elsewhere, "--output-file": preferred}.items():
            file = self.folder / f"{option.strip('-')}.txt"
            file.write_text(text)
            options += [option, str(file)]
        try:
            self.tools.resolve(inputs, *options, folder=self.config.parent)
        except LocalError as error:
            lines = str(error).splitlines()
            shown = lines if len(lines) <= MOST_LINES else [lines[0], "  ...", *lines[-MOST_LINES:]]
            place = f"Lambda ({self.tools.architecture}, Python {LAMBDA_PYTHON}) together with Turnkeep's packages"
            reason = f"The requirements of {self.config} cannot be installed for {place}."
            raise LocalError("\n".join([reason, *shown])) from None
        return file.read_text()


def _ranges(stack: Path, installed: Mapping[str, str], target: Path) -> Path:
    """Write the version ranges that Turnkeep and its agents ask for."""
    asked: list[str] = []
    for file in ("pyproject.toml", "agents/pyproject.toml"):
        project = tomllib.loads((stack / file).read_text())["project"]
        asked += [*project["dependencies"], *chain(*project.get("optional-dependencies", {}).values())]
    target.write_text("\n".join(each for each in asked if canonicalize_name(Requirement(each).name) in installed))
    return target


def _inputs(file: GraphFile, folder: Path) -> Iterator[Path]:
    """Yield files that list dependencies."""
    names = file.packages()
    if missing := [each for each in names if each.startswith(".")]:
        raise LocalError(f"{file.path}: `dependencies` lists {', '.join(missing)}, which is not a folder.")
    for place in (file.path.parent / each for each in file.dependencies if each not in names):
        yield from [place.resolve() / name for name in DESCRIPTIONS if _has_dependencies(place / name)][:1]
    if names:
        own = folder / "dependencies.in"
        own.write_text("\n".join(names))
        yield own


def _has_dependencies(file: Path) -> bool:
    """A pyproject.toml may contain only the settings of a linter."""
    if not file.is_file():
        return False
    return file.name != "pyproject.toml" or not {"project", "build-system"}.isdisjoint(tomllib.loads(file.read_text()))


def _is_missing(line: str, installed: Mapping[str, str]) -> bool:
    """Read "wikipedia==1.4.0    # via -r requirements.txt"; a project that is installed in place is not a package."""
    if not (found := _PIN.match(line)):
        return False
    name, asking = canonicalize_name(found["name"]), {*(found["via"] or "").split(", ")}
    return (name not in installed or name in CUT) and not asking <= OPTIONAL.get(name, set())


def _versions(pins: str) -> dict[str, str]:
    found = filter(None, map(_PIN.match, pins.splitlines()))
    return {canonicalize_name(one["name"]): one["version"] for one in found if one["version"]}


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[str]:
    return (f"{name} {old} -> {after[name]}" for name, old in before.items() if after.get(name, old) != old)


def _pins(versions: Mapping[str, str]) -> str:
    return "".join(f"{name}=={version}\n" for name, version in versions.items())
