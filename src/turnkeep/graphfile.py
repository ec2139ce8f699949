"""Reads `langgraph.json` as LangGraph's own tools do; imports no graph. Faults name file, line and remedy: a graph's
leaves the others alone, the file's stops all. Features of LangGraph's server that are missing here are warnings."""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

NAME = re.compile(r"[^\s/](?:[^/\x00-\x1f\x7f]{0,62}[^\s/])?")  # a graph's name: "agent", "Deep Researcher"
_PLACE = re.compile(r"(.+):([^:/\\]+)")
_REFUSED = {"encryption": "values would be stored without it; remove it from the file, AWS encrypts the tables already"}
_UNSERVED = {
    "auth": "not applied: this server authenticates callers with its own keys or tokens, and each reads only its own "
    "threads; check other rules in the graph",
    "http": "not applied: no app is mounted and no route is disabled; set CORS_ORIGINS to allow pages to call",
    "webhooks": "not applied: runs call no URL; read GET /threads/{id}/runs/{run_id} or wait with /join",
    "checkpointer": "not applied: this server stores threads itself, for THREAD_HOURS after their last turn",
    "ui": "not applied: no components are bundled; serve them separately",
    "priority": "not applied: runs start in the order of arrival",
    "dockerfile_lines": "not applied: there is no image; a graph can only depend on Python packages",
    "base_image": "not applied: there is no image; graphs run on AWS's Python",
}
_KNOWN = {*_REFUSED, *_UNSERVED, "graphs", "dependencies", "env", "store", "python_version", "turnkeep", "ui_config"}
_KNOWN |= {"source", "$schema", "node_version", "api_version", "image_distro", "pip_config_file", "pip_installer"}
_KNOWN |= {"keep_pkg_tools", "_INTERNAL_docker_tag"}

Agents = tuple[str, ...] | Literal["all"]


class UnusableGraphFile(ValueError):
    """The file cannot be used; the message names file, line and remedy."""


@dataclass(frozen=True)
class GraphSpec:
    """One graph of the file. `source` is a file or a dotted module; `window` is in turns, None for the whole state;
    `message` is the input key for the user's message. With a `fault` it cannot be served."""

    name: str
    source: str
    attribute: str
    where: str
    description: str = ""
    window: int | None = None
    message: str = ""
    fault: str = ""

    @property
    def place(self) -> str:
        return f"{self.where}: graph `{self.name}`"

    @property
    def is_file(self) -> bool:
        return "/" in self.source or self.source.endswith(".py")


@dataclass(frozen=True)
class GraphFile:
    """A langgraph.json. `agents`: installed agents to serve; `env`: mapping or file; `warnings`: ignored entries."""

    path: Path
    graphs: Mapping[str, GraphSpec]
    agents: Agents
    dependencies: tuple[str, ...]
    env: Mapping[str, str] | str
    store: Mapping[str, Any]
    python_version: str
    warnings: tuple[str, ...]

    def folders(self) -> list[Path]:
        """Return the import path: its folder, dependencies that are folders, and the `src` of projects."""
        found = [self.path.parent, *(self.path.parent / each for each in self.dependencies)]
        inside = [folder / "src" for folder in found if (folder / "pyproject.toml").exists()]
        return [each.resolve() for each in dict.fromkeys([*found, *inside]) if each.is_dir()]

    def packages(self) -> list[str]:
        """Return the dependencies to install, such as "langchain-openai" or "./my_package"."""
        return [each for each in self.dependencies if not (self.path.parent / each).is_dir()]

    def environment(self) -> dict[str, str]:
        """Return the variables of `env`, none if its file is missing."""
        if not isinstance(self.env, str):
            return {name: str(value) for name, value in self.env.items()}
        from dotenv import dotenv_values  # noqa: PLC0415 - few starts need it

        return {name: value for name, value in dotenv_values(self.path.parent / self.env).items() if value is not None}

    def use(self, environ: MutableMapping[str, str] = os.environ, *, over: bool = False) -> None:
        """Extend the import path and set the variables; `over` replaces variables, as LangGraph's own `dev` does."""
        sys.path += [str(each) for each in self.folders() if str(each) not in sys.path]
        environ.update({name: value for name, value in self.environment().items() if over or name not in environ})


def read_graph_file(path: Path) -> GraphFile:
    """Read the file; raise UnusableGraphFile."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableGraphFile(f"{path}: cannot be read ({error.__class__.__name__}); name a langgraph.json") from None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnusableGraphFile(f"{path}:{error.lineno}:{error.colno}: invalid JSON: {error.msg}") from None
    except RecursionError:
        raise UnusableGraphFile(f"{path}: nested too deeply") from None
    if not isinstance(content, dict):
        raise UnusableGraphFile(f'{path}:1: not an object; write {{"graphs": {{"agent": "./agent.py:graph"}}}}')
    return _Reader(path, text, content).read()


@dataclass(frozen=True)
class _Reader:
    path: Path
    text: str
    content: Mapping[str, Any]

    def read(self) -> GraphFile:
        for key in _REFUSED.keys() & self.content.keys():
            raise self._fault(f"`{key}` is not applied: {_REFUSED[key]}", key)
        own = self._own()
        specs = {name: self._spec(name, given) for name, given in self._kind("graphs", dict, "an object", {}).items()}
        if not specs:
            raise self._fault('no graphs; add "graphs": {"agent": "./agent.py:graph"}', "graphs")
        for name, given in own.get("graphs", {}).items():
            specs[name] = self._extended(specs, name, given)
        agents = own.get("agents", ())
        return GraphFile(
            path=self.path,
            graphs=specs,
            agents=agents if agents == "all" else tuple(agents),
            dependencies=tuple(map(str, self._kind("dependencies", list, "a list", []))),
            env=self._kind("env", (dict, str), "an object or a string", {}),
            store=self._kind("store", (dict, type(None)), "an object or null", {}) or {},
            python_version=str(self.content.get("python_version") or ""),
            warnings=tuple(self._warnings()),
        )

    def _spec(self, name: str, given: Any) -> GraphSpec:
        more = given if isinstance(given, dict) else {"path": given}
        place = _PLACE.fullmatch(str(more.get("path")))
        source, attribute = place.groups() if place else ("", "")
        spec = GraphSpec(name, source, attribute, self._at("graphs", name), str(more.get("description") or ""))
        return replace(spec, fault=self._fault_of(spec))

    def _fault_of(self, spec: GraphSpec) -> str:
        at, file = spec.place, self.path.parent / spec.source
        if not NAME.fullmatch(spec.name):
            return f"{at} has an invalid name; use 1 to 64 characters without a slash"
        if not spec.source:
            return f'{at}: write "./path/to/file.py:attribute" or "package.module:attribute"'
        if file.suffix in (".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"):
            return f"{at} is JavaScript; only Python graphs are served"
        if spec.is_file and not file.is_file():
            return f"{at}: there is no file {spec.source}; paths are relative to the folder of {self.path.name}"
        return ""

    def _own(self) -> Mapping[str, Any]:
        own: Mapping[str, Any] = self._kind("turnkeep", dict, "an object", {})
        self._check_keys(own, ("agents", "graphs"), "turnkeep")
        agents = own.get("agents", [])
        if agents != "all" and not (isinstance(agents, list) and all(isinstance(each, str) for each in agents)):
            raise self._fault('`agents`: write "all" or a list such as ["papers"]', "turnkeep", "agents")
        if not isinstance(own.get("graphs", {}), dict):
            raise self._fault('`graphs`: write {"<name>": {"window": 10}}', "turnkeep", "graphs")
        return own

    def _extended(self, specs: Mapping[str, GraphSpec], name: str, given: Any) -> GraphSpec:
        at = ("turnkeep", "graphs", name)
        if name not in specs:
            raise self._fault(f"there is no graph `{name}`; use one of {', '.join(specs)}", *at)
        if not isinstance(given, dict):
            raise self._fault('write an object such as {"window": 10}', *at)
        self._check_keys(given, ("window", "message", "description"), *at)
        window = given.get("window")
        if window is not None and not (type(window) is int and 1 <= window <= 1000):
            raise self._fault("`window`: write 1 to 1000 turns, or null for the whole state", *at, "window")
        for key in ("message", "description"):
            if not isinstance(given.get(key, ""), str):
                raise self._fault(f"`{key}`: write a string", *at, key)
        return replace(specs[name], **given)

    def _check_keys(self, given: Mapping[str, Any], known: tuple[str, ...], *at: str) -> None:
        for key in given.keys() - {*known}:
            raise self._fault(f"unknown key `{key}`; known keys: {', '.join(known)}", *at, key)

    def _warnings(self) -> Iterator[str]:
        for key in self.content:
            if key in _UNSERVED and self.content[key]:
                yield f"{self._at(key)}: `{key}` is {_UNSERVED[key]}"
            elif key not in _KNOWN:
                near = get_close_matches(key, _KNOWN, n=1)
                yield f"{self._at(key)}: unknown key `{key}`" + (f"; did you mean `{near[0]}`?" if near else "")
        env = self.content.get("env")
        if isinstance(env, str) and not (self.path.parent / env).is_file():
            example = next((each.name for each in self.path.parent.glob(".env?*")), "")
            remedy = f"cp {example} {env}, and set its variables" if example else "set its variables, or create it"
            yield f"{self._at('env')}: there is no file {env}; {remedy}"

    def _kind(self, key: str, kind: Any, words: str, default: Any) -> Any:
        value = self.content.get(key, default)
        if not isinstance(value, kind):
            raise self._fault(f"`{key}` must be {words}", key)
        return value

    def _fault(self, why: str, *keys: str) -> UnusableGraphFile:
        return UnusableGraphFile(f"{self._at(*keys)}: {why}")

    def _at(self, *keys: str) -> str:
        """Return file and line of a key, found below the keys that enclose it."""
        place = 0
        for key in keys:
            name = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
            place = found.start() if (found := name.search(self.text, place)) else place
        return f"{self.path}:{self.text.count(chr(10), 0, place) + 1}"
