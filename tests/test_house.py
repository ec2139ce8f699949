"""Rules of the house that no other tool keeps: no answer keyed to a question, sizes, narrow catches, names of modules,
light imports, and pages that agree with the code."""

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
from turnkeep.errors import TurnkeepError

ROOT = Path(__file__).parents[1]
SRC, WITH_AGENTS = ROOT / "src", ROOT / "agents"
TESTS = ROOT / "tests"
BACKEND, LOCAL = SRC / "turnkeep", SRC / "turnkeep_local"
AGENTS, DEMO = WITH_AGENTS / "turnkeep_agents", WITH_AGENTS / "turnkeep_demo"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
}
README = PAGES["README.md"]

# No answer is keyed to a question

RULES = ("turnkeep/kit/*.py", "turnkeep_demo/**/*.py", "turnkeep_agents/*/*.py")
RULES += tuple(f"turnkeep_agents/*/{room}/*.py" for room in ("nodes", "reading", "answers", "planning", "checks"))
"""Where a rule or a prompt could know a question. Verified questions are data, and say so."""

ASKED_WORDS = 3
LONGEST_QUESTION_WORDS = 60
PLAIN_ENGLISH = {
    " what was said ": "how the ledger names the conversation",
    " what is wrong with it ": "how a prompt names what a check objects to",
    " what it is ": "how prompts describe a field",
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
    return sorted(path for pattern in RULES for root in (SRC, WITH_AGENTS) for path in root.glob(pattern))


def questions_in_code(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.py"):
        if path != Path(__file__):
            yield from literals(parsed(path), with_docstrings=False)


def questions_in_pages() -> Iterator[str]:
    for page in PAGES.values():
        yield from re.findall(r'"message": "([^"]+)"', page)


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
    return asked([*questions_in_pages(), *spoken(code)])


def test_no_question_of_the_tests_the_pages_or_the_benchmarks_is_known_to_a_rule() -> None:
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
    ("turnkeep/http/edge.py", "suppress"): "Starlette raises once more what it has answered with a 500",
    ("turnkeep/graphs/own.py", "except"): "whatever stops somebody's graph is told; others serve on",
    ("turnkeep/memory/search.py", "except"): "an embedding model may be anybody's; its fault is told",
    ("turnkeep/saver/saver.py", "except"): "whatever ended a put, what was read before it is read anew; raised on",
}


def modules() -> list[Path]:
    return sorted(path for root in (SRC, WITH_AGENTS) for path in root.rglob("*.py"))


def root_of(path: Path) -> Path:
    return SRC if path.is_relative_to(SRC) else WITH_AGENTS


def name_of(path: Path) -> str:
    return path.relative_to(root_of(path)).as_posix()


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
    parts = {part for path in modules() for part in path.relative_to(root_of(path)).with_suffix("").parts}
    assert parts & {"util", "utils", "core", "helper", "helpers", "common", "misc", "base"} == set()


# The plan of an agent, the seam, names

PLAN = {"graph", "state", "prompts", "settings", "reading", "nodes", "answers"}
PLANNED = PLAN | {"commands", "rules", "__init__"}
MOST_PLACES = 3
LIMITS = {BACKEND: 22_391, AGENTS: 17_473, DEMO: 1_850, LOCAL: 2_583, TESTS: 51_710}
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
    light = "turnkeep.bootstrap, turnkeep.store.cleanup, turnkeep_local.server, turnkeep_local.cli"
    heavy = ("langgraph", "langchain_core", "langchain_openai", "openai")
    code = f"import sys, {light}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Plain English: counts that may only fall

FOREIGN = {
    "told": re.compile(r"\b_?(?:told|tells?|says?|said)(?:_|\b)"),
    "what": re.compile(r'"""(?:What|Whether|Who|Whose|Where|Whoever)\b'),
}
MOST_FOREIGN = {"told": 76, "what": 8, "long": 21}
LONGEST_SENTENCE_WORDS = 40
SENTENCE = re.compile(r"[^.!?:|]+[.!?:|]")


def test_english_that_readers_stumble_over_becomes_rarer() -> None:
    """Constructions that no native speaker writes in code or docs; sentences in docs that are too long to follow."""
    code = "\n".join(path.read_text() for path in modules())
    pages = re.sub(CODE, "", "\n\n".join(PAGES.values()))
    found = {name: len(pattern.findall(code)) for name, pattern in FOREIGN.items()}
    long = [each for each in SENTENCE.findall(pages) if len(each.split()) > LONGEST_SENTENCE_WORDS]
    assert {name: count for name, count in (found | {"long": len(long)}).items() if count > MOST_FOREIGN[name]} == {}


# README and docs agree with the code

LONGEST_README = 150
CODE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"`([^`\n]+)`")
CURL = re.compile(r"^curl (.*)localhost:8000(/[^\s?'\"]*)(.*)$", re.MULTILINE)


def boxes(page: str, *kinds: str) -> list[str]:
    """The fenced code of these languages."""
    return [text for kind, text in CODE.findall(page) if kind in kinds]


def requests_of(page: str) -> set[tuple[str, str]]:
    """Method and path of every curl line, and of every route that the text names."""
    curls = {("POST" if "--json" in before + after else "GET", path) for before, path, after in CURL.findall(page)}
    return curls | set(re.findall(r"`(GET|PUT|POST|PATCH|DELETE) (/[^`\s?]*)[^`\n]*`", page))


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST_README


def test_every_request_of_the_pages_has_a_route() -> None:
    app = bare_app()
    app.state.late.load()
    named = {(name, *request) for name, page in PAGES.items() for request in requests_of(page)}
    assert {("POST", "/chat"), ("POST", "/chat/stream"), ("GET", "/threads/first/turns")} <= requests_of(README)
    unknown = [
        (name, method, path)
        for name, method, path in named
        if not any(route.matches(scope_of(method, path))[0] is Match.FULL for route in app.routes)
    ]
    assert unknown == []


def scope_of(method: str, path: str) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": re.sub(r"{\w+}", "1", path), "headers": []}


def test_every_body_of_a_chat_in_the_pages_is_accepted() -> None:
    from turnkeep.http.schemas import Chat, NewTurn

    bodies = [
        (Chat if path.startswith("/chat") else NewTurn, body)
        for page in PAGES.values()
        for _, path, after in CURL.findall(page)
        if re.match(r"/chat|.*/turns(/stream)?$", path)
        for body in re.findall(r"--json '([^']+)'", after)
    ]
    assert len(bodies) >= 10
    for kind, body in bodies:
        kind.model_validate_json(body)


def test_every_make_target_of_the_pages_exists() -> None:
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for name, page in PAGES.items():
        code = "\n".join([*boxes(page, "sh", ""), *IN_LINE.findall(CODE.sub("", page))])
        named = set(re.findall(r"(?:^|[=\s]\S* |&& |; )make ([a-z]+)\b", code, re.MULTILINE))
        assert named <= known, name
        assert name != "CONTRIBUTING.md" or {"run", "test", "check"} <= named


def test_every_link_of_the_pages_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for name, page in PAGES.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page)):
            path, _, anchor = link.partition("#")
            target = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
            if "://" not in link and (not target.exists() or (anchor and anchor not in anchors(target))):
                broken.append((name, link))
    assert broken == []


def anchors(path: Path) -> set[str]:
    """The headings of a page, as GitHub names them in addresses."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings}


def test_the_index_of_the_docs_links_every_page() -> None:
    index = set(re.findall(r"\]\(([\w.-]+\.md)", PAGES["docs/README.md"]))
    assert index == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_every_box_of_python_and_json_parses() -> None:
    for name, page in PAGES.items():
        for text in boxes(page, "python"):
            ast.parse(text, name)
        for text in boxes(page, "json"):
            json.loads(text)


def test_the_graph_of_the_readme_runs_as_its_langgraph_json_names_it() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    [agent] = [text for text in boxes(README, "python") if "StateGraph" in text]
    [config] = map(json.loads, boxes(README, "json"))
    [(name, place)] = config["graphs"].items()
    defined: dict[str, Any] = {}
    exec(agent, defined)
    file, _, attribute = place.partition(":")
    graph, thread = defined[attribute].compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "first"}}
    replies = [graph.invoke({"messages": [("user", text)]}, thread)["messages"][-1].text for text in ("hello", "again")]

    assert f"`{file.removeprefix('./')}`" in README
    assert f'"{name}", input=' in README
    assert replies == ["You said: hello.", "You said: hello, then again."]


def test_the_page_of_errors_lists_every_code_with_its_status() -> None:
    listed = re.findall(r"^\| (\d{3}) \| `(\w+)` \|", PAGES["docs/errors.md"], re.MULTILINE)
    assert sorted(listed) == sorted((str(error.status), error.code) for error in below(TurnkeepError))


def below(kind: type[TurnkeepError]) -> Iterator[type[TurnkeepError]]:
    for inner in kind.__subclasses__():
        if inner.__module__ == TurnkeepError.__module__:
            yield inner
            yield from below(inner)


def test_every_folder_of_the_tree_exists() -> None:
    drawing = PAGES["CONTRIBUTING.md"].split("```\ntemplate.yaml")[1].split("\ntests/")[0]
    named = re.findall(r"[\w.-]+/|\b\w+\.yaml", drawing)
    assert len(named) > 8
    places = (ROOT, SRC, WITH_AGENTS, BACKEND)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []
