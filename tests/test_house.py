"""Rules of the house that no other tool keeps: no answer keyed to a question, sizes, narrow catches, names of modules,
light imports, and a README that tells the truth."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Match

from bare_app import bare_app

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
BACKEND, AGENTS, DEMO, LOCAL = (SRC / f"turnkeep{name}" for name in ("", "_agents", "_demo", "_local"))
README = (ROOT / "README.md").read_text()

# No answer is keyed to a question

RULES = ("turnkeep/blocks/*.py", "turnkeep_demo/**/*.py", "turnkeep_agents/*/*.py")
RULES += tuple(f"turnkeep_agents/*/{room}/*.py" for room in ("nodes", "reading", "answers", "planning", "checks"))
"""Where a rule or a prompt could know a question. Verified questions are data, and say so."""

ASKED_WORDS = 3
LONGEST_QUESTION_WORDS = 60
PLAIN_ENGLISH = {
    " what was said ": "how the ledger names the conversation",
    " what is wrong with it ": "how a prompt names what a check objects to",
    " what it is ": "how prompts describe a field",
    " there is nothing ": "how a note says that nothing was found",
    " it is in ": "how a field says where something lies",
    " nothing was stored ": "how an error says that it left nothing behind",
    " nothing to do ": "how a prompt names an empty list",
    " the last question ": "how a prompt names what was asked before",
    " shown before to compare with ": "how a prompt names an earlier result",
    " no further rows ": "how a finding ends",
    " sunday to saturday ": "what the campaigns agent asks about weeks",
    " which campaigns do you mean ": "what it asks where nothing tells what to look at",
    " nothing is to be changed ": "why it gives no advice",
    " the message asks for information ": "why it stops early",
    " it is not certain what is meant say how you took it ": "what its gate remarks",
    " answer to the ": "how the demo ends a question back",
    " d t d ": "what stands in a pattern of blanks",
}
"""What tests assert of our own words, each with its use here; no question of a user is among them."""


def normal(text: str) -> str:
    """Words in lower case, one space before, between and after them, so that `in` compares whole words."""
    return f" {' '.join(re.findall(r'\w+', text.lower()))} "


def count(text: str) -> int:
    return len(text.split())


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def docstrings(tree: ast.Module) -> set[int]:
    """The ids of the constants that stand alone as statements."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def literals(tree: ast.Module, *, with_docstrings: bool) -> Iterator[str]:
    """Every text, bytes left out; of an f-string its parts."""
    skipped = set() if with_docstrings else docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


def rule_modules() -> list[Path]:
    return sorted(path for pattern in RULES for path in SRC.glob(pattern))


def questions_in_code(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.py"):
        if path != Path(__file__):
            yield from literals(parsed(path), with_docstrings=False)


def questions_in_readme() -> Iterator[str]:
    yield from re.findall(r'"message": "([^"]+)"', README)


def questions_in_data(folder: Path) -> Iterator[str]:
    """All texts of the data beside the project but the documents to be searched."""
    for path in sorted([*folder.rglob("*.json"), *folder.rglob("*.jsonl")]):
        if path.name != "corpus.jsonl":
            yield from texts_in(rows_of(path))


def rows_of(path: Path) -> Any:
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines() if line] if path.suffix == ".jsonl" else json.loads(text)


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_in(inner)


def spoken(texts: Iterable[str]) -> list[str]:
    """Those that are written as a message is: with a capital or a question mark."""
    return [text for text in texts if text[:1].isupper() or "?" in text]


def asked(texts: Iterable[str]) -> set[str]:
    """Those that have a question's length, as words."""
    said = {normal(text) for text in texts}
    return {text for text in said if ASKED_WORDS <= count(text) <= LONGEST_QUESTION_WORDS}


def keyed(questions: set[str], known: Iterable[str]) -> set[str]:
    """The questions that occur in one of the texts that a rule knows."""
    whole = "\n".join(map(normal, known))
    return {question for question in questions if question in whole}


def known_to_rules() -> list[str]:
    return [text for path in rule_modules() for text in literals(parsed(path), with_docstrings=True)]


def questions_of_the_project() -> set[str]:
    code = [*questions_in_code(ROOT / "tests"), *questions_in_code(ROOT / "benchmarks")]
    return asked([*questions_in_readme(), *spoken(code)])


def test_no_question_of_the_tests_the_readme_or_the_benchmarks_is_known_to_a_rule() -> None:
    questions = questions_of_the_project()
    assert asked(["And who wrote it?", "Who wrote it?"]) < questions
    assert keyed(questions, known_to_rules()) - PLAIN_ENGLISH.keys() == set()


def test_no_question_or_answer_of_the_data_is_known_to_a_rule(shared_data: Path) -> None:
    questions = asked(questions_in_data(shared_data))
    assert len(questions) > 3000
    assert keyed(questions, known_to_rules()) - PLAIN_ENGLISH.keys() == set()


def test_plain_english_holds_nothing_that_is_not_needed() -> None:
    assert keyed(set(PLAIN_ENGLISH), known_to_rules()) == PLAIN_ENGLISH.keys()


@pytest.mark.parametrize(
    "planted",
    [
        'ANSWERS = {"Which bees dance at noon?": "Those that know of nectar."}',
        "def rule(query: str) -> bool:\n    return query == 'which bees dance at noon'",
        'PATTERN = r"(^|\\W)which bees dance at noon(\\W|$)"',
        'def rule(query: str) -> str:\n    """Answers: which bees dance at noon?"""\n    return query',
    ],
)
def test_a_planted_question_is_found_wherever_it_is_hidden(planted: str) -> None:
    questions = asked(["Which bees dance at noon?", "Which wasps dance at noon?"])
    assert keyed(questions, literals(ast.parse(planted), with_docstrings=True)) == {" which bees dance at noon "}


# Sizes, catches, names, imports

LONGEST_MODULE, LONGEST_FUNCTION = 300, 60
SWALLOWED = {
    ("turnkeep/api/edge.py", "suppress"): "Starlette raises once more what it has answered with a 500",
    ("turnkeep/owngraphs.py", "except"): "whatever stops somebody's graph is told; others serve on",
    ("turnkeep/memory/meaning.py", "except"): "an embedding model may be anybody's; its fault is told",
    ("turnkeep/saver/saver.py", "except"): "whatever ended a put, what was read before it is read anew; raised on",
}


def modules() -> list[Path]:
    return sorted(SRC.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def test_no_module_is_too_large_to_read() -> None:
    sizes = {name_of(path): len(path.read_text().splitlines()) for path in modules()}
    assert {name: size for name, size in sizes.items() if size > LONGEST_MODULE} == {}


def test_no_function_is_too_long_to_read() -> None:
    functions = [
        (name_of(path), node.name, (node.end_lineno or 0) - node.lineno + 1)
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert len(functions) > 300
    assert [found for found in functions if found[2] > LONGEST_FUNCTION] == []


def broad_catches(tree: ast.Module) -> Iterator[str]:
    """How each place that catches everything does it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or is_broad(node.type)):
            yield "except"
        if isinstance(node, ast.Call) and any(map(is_broad, node.args)):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "suppress":
                yield name


def is_broad(kind: ast.expr) -> bool:
    names = [node.id for node in ast.walk(kind) if isinstance(node, ast.Name)]
    names += [node.attr for node in ast.walk(kind) if isinstance(node, ast.Attribute)]
    return not {"Exception", "BaseException"}.isdisjoint(names)


def test_no_module_catches_everything() -> None:
    found = {(name_of(path), how) for path in modules() for how in broad_catches(parsed(path))}
    assert found == SWALLOWED.keys()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("try: pass\nexcept: pass", ["except"]),
        ("try: pass\nexcept (OSError, Exception) as e: pass", ["except"]),
        ("try: pass\nexcept builtins.BaseException: pass", ["except"]),
        ("with contextlib.suppress(Exception): pass", ["suppress"]),
        ("try: pass\nexcept (OSError, ValueError): pass\nwith suppress(OSError): isinstance(e, Exception)", []),
    ],
)
def test_a_broad_catch_is_told_from_a_narrow_one(code: str, found: list[str]) -> None:
    assert list(broad_catches(ast.parse(code))) == found


def test_no_module_is_named_after_nothing() -> None:
    parts = {part for path in modules() for part in path.relative_to(SRC).with_suffix("").parts}
    assert parts & {"util", "utils", "core", "helper", "helpers", "common", "misc", "base"} == set()


# The plan of an agent, the seam, names

PLAN = {"graph", "state", "prompts", "settings", "reading", "nodes", "answers"}
PLANNED = PLAN | {"commands", "rules", "__init__"}
MOST_PLACES = 3
LIMITS = {BACKEND: 23_500, AGENTS: 19_500, DEMO: 3_600, LOCAL: 4_000}
ASKS_WHICH_MODEL = re.compile(r"\bis_demo\b|\bmodel is (?:not )?None\b|provider ==")


def agents() -> list[Path]:
    return sorted(path.parent for path in AGENTS.glob("*/graph.py"))


def test_every_agent_is_built_on_one_plan() -> None:
    assert len(agents()) >= 4
    found = {agent.name: PLAN - {path.stem for path in agent.iterdir()} for agent in agents()}
    assert found == {agent.name: set() for agent in agents()}


def test_no_agent_asks_which_model_it_has() -> None:
    asking = [name_of(path) for path in AGENTS.rglob("*.py") if ASKS_WHICH_MODEL.search(path.read_text())]
    assert asking == []


def test_nothing_imports_the_demo() -> None:
    imports = re.compile(r"^\s*(?:from|import) turnkeep_demo", re.MULTILINE)
    outside = [path for folder in (BACKEND, LOCAL, AGENTS, ROOT / "functions") for path in folder.rglob("*.py")]
    assert [name for name in outside if imports.search(name.read_text())] == []


def test_no_name_of_a_module_stands_in_more_than_three_places() -> None:
    places = Counter(path.stem for path in modules())
    assert {name: count for name, count in places.items() if count > MOST_PLACES and name not in PLANNED} == {}


def test_each_package_keeps_within_its_lines() -> None:
    lines = {package: sum(len(path.read_text().splitlines()) for path in package.rglob("*.py")) for package in LIMITS}
    assert {package.name: count for package, count in lines.items() if count > LIMITS[package]} == {}


def test_what_runs_no_graph_loads_no_langgraph() -> None:
    light = "turnkeep.bootstrap, turnkeep.storage.cleanup, turnkeep_local.server, turnkeep_local.cli"
    heavy = ("langgraph", "langchain_core", "langchain_openai", "openai")
    code = f"import sys, {light}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The README tells the truth


def readme_requests() -> set[tuple[str, str]]:
    """Method and path of every curl line, and of every route that the text names."""
    curls = re.findall(r"^curl (.*)localhost:8000(/[^\s?'\"]*)(.*)$", README, re.MULTILINE)
    requests = {("POST" if "--json" in before + after else "GET", path) for before, path, after in curls}
    return requests | set(re.findall(r"`(GET|POST|PATCH|DELETE) (/[^`\s]*)`", README))


def test_every_request_of_the_readme_has_a_route() -> None:
    app = bare_app()
    requests = readme_requests()
    assert {("POST", "/chat"), ("POST", "/chat/stream"), ("GET", "/threads/first/turns")} <= requests
    unknown = [
        (method, path)
        for method, path in requests
        if not any(route.matches(scope_of(method, path))[0] is Match.FULL for route in app.routes)
    ]
    assert unknown == []


def scope_of(method: str, path: str) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": re.sub(r"{\w+}", "x", path), "headers": []}


def test_every_body_of_the_readme_is_taken() -> None:
    from turnkeep.api.schemas import Chat

    bodies = re.findall(r"--json '([^']+)'", README)
    assert len(bodies) >= 3
    for body in bodies:
        Chat.model_validate_json(body)


def test_every_make_target_of_the_readme_exists() -> None:
    named = set(re.findall(r"(?:^|`|[ ;])make ([a-z]+)\b(?=`|\s+#|\s*$|:)", README, re.MULTILINE))
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"run", "test", "check"} <= named <= known


def test_every_file_that_the_readme_links_exists() -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_folder_of_the_house_exists() -> None:
    drawing = README.split("## The house")[1].split("```")[1]
    named = re.findall(r"[\w.-]+/|\b\w+\.yaml", drawing)
    assert len(named) > 8
    places = (ROOT, SRC, BACKEND)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []
