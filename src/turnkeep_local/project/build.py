"""`turnkeep build`: writes .aws-sam/build, which `sam deploy` sends, from the installed package and your graphs. It
needs no checkout, Docker or SAM."""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from turnkeep.graphfile import GraphFile, read_graph_file
from turnkeep_local import LocalError
from turnkeep_local.project import layers
from turnkeep_local.project.packages import Packages, resolve
from turnkeep_local.project.tools import LAMBDA_PYTHON, Tools

MOST_BYTES = 250 * 1024 * 1024
"""Lambda's limit for all layers and a function's own code, unzipped."""
MOST_LISTED = 10
BUILT = Path(".aws-sam", "build")
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")
"""Matches secret variables, such as "OPENAI_API_KEY"."""


def run(options: argparse.Namespace) -> None:
    tools = Tools.find(options.arch or os.environ.get("ARCH") or "x86_64")
    extras = options.extra or os.environ.get("EXTRAS", "").split()
    build(options.config, Path.cwd(), tools, extras, lambda line: print(line, file=sys.stderr, flush=True))


def build(config: Path, where: Path, tools: Tools, extras: Sequence[str], report: Callable[[str], None]) -> None:
    """Build into `where`, the folder from which `sam deploy` runs; `report` gets each line for the user. Raise
    LocalError and UnusableGraphFile, which leave nothing that could be deployed."""
    if not config.exists():
        raise LocalError(f"{config} does not exist. Select a file with -c, or create a project: turnkeep new NAME")
    file = read_graph_file(config.resolve())
    if outside := [each for each in file.folders() if not each.is_relative_to(file.path.parent)]:
        raise LocalError(f"{file.path}: {outside[0]} is outside its folder and would not be sent. Move the file up.")
    stack, target = find_stack(), where / BUILT
    shutil.rmtree(target, ignore_errors=True)
    agents = _agents(file)
    for line in _warnings(file):
        report(line)
    layers.copy_functions(stack, target, tools)
    layers.make_dependencies(stack, target, tools, EXTRAS=" ".join(extras), AGENTS="yes" if agents else "no")
    layers.make_package(stack, target, tools, agents)
    packages = resolve(file, target / layers.DEPENDENCIES / "python", stack, tools)
    if packages.everywhere:
        layers.replace_dependencies(stack, target, tools, packages)
    layers.make_graphs(file, stack, target, tools, packages)
    sizes = {layer: sum(layers.sizes(target / layer).values()) for layer in layers.LAYERS}
    for line in _contents(file, packages, agents):
        report(line)
    if sum(sizes.values()) > MOST_BYTES:
        raise _too_large(target, sizes, agents)
    layers.write_template(stack, target, f"{layers.MOUNTED_AT}/{file.path.name}")
    for line in _next_steps(file, where, tools, sum(sizes.values())):
        report(line)


def find_stack() -> Path:
    """Return the folder of template.yaml: in the installed package, next to the sources, or the current directory."""
    places = (Path(__file__).with_name("stack"), Path(__file__).parents[3], Path.cwd())
    found = next((place for place in places if (place / "template.yaml").is_file()), None)
    if found is None:
        raise LocalError(
            f"template.yaml is in none of {', '.join(map(str, places))}. Run this in the project's folder."
        )
    return found


def _agents(file: GraphFile) -> list[str]:
    known = layers.installed_agents()
    if file.agents == "all":
        return known
    if unknown := [each for each in file.agents if each not in known]:
        installed = ", ".join(known) or 'none (pip install "turnkeep[agents]")'
        raise LocalError(f"{file.path}: `agents` lists {', '.join(unknown)}. Installed agents: {installed}.")
    return list(file.agents)


def _warnings(file: GraphFile) -> Iterator[str]:
    """Yield which parts of the file are ignored, and which graphs cannot be served; the others can."""
    from turnkeep.graphs.own import build_all  # noqa: PLC0415 - LangGraph

    yield from (each for each in file.warnings if ": there is no file " not in each)  # variables are never sent
    if file.python_version and file.python_version != LAMBDA_PYTHON:
        yield f"{file.path}: `python_version` is {file.python_version}, but functions run {LAMBDA_PYTHON}."
    for fault in build_all(file)[1]:
        yield f"cannot be served as installed here: {fault}"


def _contents(file: GraphFile, packages: Packages, agents: Sequence[str]) -> Iterator[str]:
    yield f"graphs      {', '.join(file.graphs)}"
    yield f"agents      {', '.join(agents) or 'none of turnkeep-agents'}"
    yield f"packages    {_listed(packages.pins) or 'only those of every function'}"
    if packages.replaced:
        yield f"every function gets versions that Turnkeep is not tested with: {', '.join(packages.replaced)}"
    if packages.unlocked:
        yield f"versions that differ from uv.lock, because every function has others: {_listed(packages.unlocked)}"


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return ", ".join(words[:MOST_LISTED]) + more


def _too_large(target: Path, found: dict[str, int], agents: Sequence[str]) -> LocalError:
    own = [target / layers.GRAPHS / part for part in ("python", "graphs")]
    largest = sorted((each for part in own for each in layers.sizes(part).items()), key=lambda each: -each[1])
    rows = [f"{size / 1e6:8.1f} MB  {name}" for name, size in largest[:MOST_LISTED]]
    hint = ' "agents" in langgraph.json adds those of turnkeep-agents.' if agents else ""
    return LocalError(
        f"{sum(found.values()) / 1e6:.0f} MB unzipped, but Lambda allows {MOST_BYTES / 1e6:.0f}. Turnkeep needs "
        f"{found[layers.DEPENDENCIES] / 1e6:.0f}. Remove requirements that your graphs do not need.{hint}\n"
        + "\n".join(rows)
    )


def _next_steps(file: GraphFile, where: Path, tools: Tools, size: int) -> Iterator[str]:
    """Yield how to deploy. Variables of a file are not sent; those of a mapping are, readable to anyone."""
    stack = re.sub(r"[^A-Za-z0-9]+", "-", where.resolve().name).strip("-") or "graphs"
    names = list(file.environment())
    if isinstance(file.env, str) and names:
        yield f"{file.env} is not sent. Functions read its variables from these parameters when they start:"
        for name in names:
            yield f"  aws ssm put-parameter --type SecureString --name /turnkeep/{stack}/env/{name} --value ..."
    for name in filter(_SECRET.search, () if isinstance(file.env, str) else names):
        yield f"{file.path}: `env` is sent unencrypted, including {name}. Move the secret to a file, and name that."
    yield f"{size / 1e6:.0f} MB of layers in {BUILT}. Deploy them:"
    other = "" if tools.architecture == "x86_64" else f" --parameter-overrides Architecture={tools.architecture}"
    yield f"  sam deploy --stack-name {stack} --capabilities CAPABILITY_IAM --resolve-s3{other}"
    if not shutil.which("sam"):
        yield "  (sam is not installed: uv tool install aws-sam-cli)"
