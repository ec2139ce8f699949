"""`turnkeep build`: writes .aws-sam/build, which `sam deploy` sends, from the installed package and your graphs. It
needs no checkout, Docker or SAM, and reports what deserves attention."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from turnkeep.graphfile import GraphFile, read_graph_file
from turnkeep_local import LocalError
from turnkeep_local.project import layers
from turnkeep_local.project.packages import Packages, resolve
from turnkeep_local.project.tools import LAMBDA_PYTHON, Tools

MOST_BYTES = 250 * 1024 * 1024
"""Lambda's limit for all layers and a function's own code, unzipped."""
SHOWN = 10
BUILT = Path(".aws-sam", "build")
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")
"""Matches secret variables, such as "OPENAI_API_KEY"."""


def build(config: Path, where: Path, tools: Tools, extras: Sequence[str], say: Callable[[str], None]) -> None:
    """Build into `where`, the folder from which `sam deploy` runs; `say` gets each line for the user. Raise LocalError
    and UnusableGraphFile, which leave nothing that could be deployed."""
    file = _checked(config)
    stack, target = find_stack(), where / BUILT
    shutil.rmtree(target, ignore_errors=True)
    agents = _agents(file)
    for line in _remarks(file):
        say(line)
    layers.copy_functions(stack, target, tools)
    layers.make_dependencies(stack, target, tools, extras, agents)
    layers.make_package(stack, target, tools, agents)
    packages = resolve(file, target / layers.DEPENDENCIES / "python", stack, tools)
    if packages.everywhere:
        layers.replace_dependencies(stack, target, tools, packages)
    layers.make_graphs(file, stack, target, tools, packages)
    for line in _contents(file, packages, agents):
        say(line)
    _check_size(target, agents)
    layers.write_template(stack, target, f"{layers.MOUNTED_AT}/{file.path.name}")
    for line in _next_steps(file, where, tools):
        say(line)


def _checked(config: Path) -> GraphFile:
    if not config.exists():
        raise LocalError(f"{config} is not there. Name yours with -c, or begin with: turnkeep new NAME")
    file = read_graph_file(config.resolve())
    if outside := [each for each in file.folders() if not each.is_relative_to(file.path.parent)]:
        raise LocalError(
            f"{file.path}: {outside[0]} is not inside its folder, which is all that is sent. Move the file up."
        )
    return file


def _contents(file: GraphFile, packages: Packages, agents: Sequence[str]) -> Iterator[str]:
    yield f"graphs      {', '.join(file.graphs)}"
    yield f"agents      {', '.join(agents) or 'none of turnkeep-agents'}"
    yield f"packages    {_listed(packages.pins) or 'none but those that every function has'}"
    if packages.replaced:
        yield f"for these graphs every function has, untried with Turnkeep: {', '.join(packages.replaced)}"
    if packages.unlocked:
        yield f"not as in uv.lock, beside what every function has: {_listed(packages.unlocked)}"


def _next_steps(file: GraphFile, where: Path, tools: Tools) -> Iterator[str]:
    name = re.sub(r"[^A-Za-z0-9]+", "-", where.resolve().name).strip("-") or "graphs"
    yield from _secrets(file, name)
    yield f"{sum(_sizes(where / BUILT).values()) / 1e6:.0f} MB of layers in {BUILT}. Send it:"
    other = "" if tools.architecture == "x86_64" else f" --parameter-overrides Architecture={tools.architecture}"
    yield f"  sam deploy --stack-name {name} --capabilities CAPABILITY_IAM --resolve-s3{other}"
    if not shutil.which("sam"):
        yield "  (sam is not installed: uv tool install aws-sam-cli)"


def find_stack() -> Path:
    """Return the folder of template.yaml: in the installed package, next to the sources, or the current directory."""
    places = (Path(__file__).with_name("stack"), Path(__file__).parents[3], Path.cwd())
    found = next((place for place in places if (place / "template.yaml").is_file()), None)
    if found is None:
        raise LocalError(f"template.yaml is in none of {', '.join(map(str, places))}. Start from the project's folder.")
    return found


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + more


def _agents(file: GraphFile) -> list[str]:
    known = layers.installed_agents()
    if file.agents == "all":
        return known
    if unknown := [each for each in file.agents if each not in known]:
        installed = ", ".join(known) or 'none (pip install "turnkeep[agents]")'
        raise LocalError(f"{file.path}: `agents` names {', '.join(unknown)}. Installed agents: {installed}.")
    return list(file.agents)


def _remarks(file: GraphFile) -> Iterator[str]:
    """Yield which parts of the file are ignored, and which graphs cannot be served; the others can."""
    from turnkeep.owngraphs import build_all  # noqa: PLC0415 - LangGraph

    yield from (each for each in file.warnings if ": there is no file " not in each)  # variables are never sent
    if file.python_version and file.python_version != LAMBDA_PYTHON:
        yield f"{file.path}: `python_version` is {file.python_version}; graphs run on {LAMBDA_PYTHON}, try them there"
    for fault in build_all(file)[1]:
        yield f"cannot be served as it is installed here: {fault}"


def _secrets(file: GraphFile, stack: str) -> Iterator[str]:
    """Explain how variables get to AWS: those of a file are not sent; those of a mapping are, readable to anyone."""
    names = list(file.environment())
    if isinstance(file.env, str):
        if names:
            yield f"{file.env} is not sent. Functions read its variables when they start, from where you put each:"
        for name in names:
            yield f"  aws ssm put-parameter --type SecureString --name /turnkeep/{stack}/env/{name} --value ..."
        return
    for name in filter(_SECRET.search, names):
        yield f"{file.path}: `env` is sent as it stands, {name} too; write a secret into a file and name that instead"


def _sizes(target: Path) -> dict[str, int]:
    """Return the bytes of each layer."""
    return {layer: sum(layers.sizes(target / layer).values()) for layer in layers.LAYERS}


def _check_size(target: Path, agents: Sequence[str]) -> None:
    found = _sizes(target)
    whole = sum(found.values())
    if whole <= MOST_BYTES:
        return
    own = [target / layers.GRAPHS / room for room in ("python", "graphs")]
    largest = [each for room in own for each in layers.sizes(room).items()]
    rows = [f"{size / 1e6:8.1f} MB  {name}" for name, size in sorted(largest, key=lambda each: -each[1])[:SHOWN]]
    board = ' "agents" in langgraph.json adds those of turnkeep-agents.' if agents else ""
    raise LocalError(
        f"{whole / 1e6:.0f} MB unzipped; Lambda takes {MOST_BYTES / 1e6:.0f}, of which every deployment has "
        f"{found[layers.DEPENDENCIES] / 1e6:.0f}. Leave out of your requirements what graphs do without.{board}\n"
        + "\n".join(rows)
    )
