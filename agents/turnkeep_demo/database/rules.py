"""The demo model's answers in the calls of the agent `database`: known questions with their statements, and sections of
the manual by title. It declines anything else."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache, partial

import sqlglot
from sqlglot import exp

from turnkeep.kit.words import words
from turnkeep.records import JSON
from turnkeep_agents.database.manual import load_manual
from turnkeep_agents.database.prompts import LAST_RESULT
from turnkeep_demo.database.counts import counts
from turnkeep_demo.database.field_service import FOLDER
from turnkeep_demo.database.follow_ups import go_on
from turnkeep_demo.database.questions import Understood, nearest, tokens_of, verified
from turnkeep_demo.database.questions import understand as understand_among
from turnkeep_demo.model import Rule

TODAY = re.compile(r"Today is (\d{4}-\d\d-\d\d)")
LAST = re.compile(rf"{re.escape(LAST_RESULT)}Question: (.*)")
HOW = re.compile(
    r"(?:please )?(?:how (?:do|can|could|should|to|would)|where (?:do|can))\s+(?:(?:i|we|you|one)\s+)?", re.I
)
"""Phrases that ask for the manual: "How do I paint a bridge?"."""
CHANGES = frozenset(words("delete update insert create change drop remove send cancel add set rename close"))
PAGES: Mapping[str, str] = {
    "more": "next", "next": "next", "next page": "next", "show more": "next", "more rows": "next", "the rest": "next",
    "show me more": "next", "continue": "next", "back": "previous", "previous": "previous", "previous page": "previous",
    "go back": "previous", "all": "all", "show all": "all", "show them all": "all",
}  # fmt: skip
GREETINGS = frozenset(words("hello hi hey there good morning afternoon evening thanks thank you very much"))
ABOUT_ITSELF = frozenset(words("about ask can do help how i know me questions things what which who you are your"))
"""Words of questions about the demo's abilities."""
WELCOME = "I am the demo model: I count, list and add up what the bundled company has on record, and find manual pages."
NOT_UNDERSTOOD = "I am the demo model and do not understand this."
ONLY_SAMPLE = "The demo knows the bundled sample only."
NEAR = "Nothing fits all conditions; "
ENGLISH = "English"
SUGGESTED = 3
ROWS = re.compile(r"^(\d+(?: or more)? rows|No[ a-z]* rows|One row)[.:]$", re.M)


def rules() -> Mapping[str, Rule]:
    return {
        "database.read": read,
        "database.write_sql": write,
        # No rule can correct a rejected statement, because a user's database has other tables.
        "database.correct_sql": lambda _: _written(kind="not_in_database", understood_as=ONLY_SAMPLE),
        "database.answer": answer,
        "database.talk": talk,
    }


def read(parts: JSON) -> JSON:
    message, today = str(parts.get("query", "")).strip(), _today(parts)
    plain = message.lower().rstrip(".!? ")
    asked = {"question": message, "goes_on": False, "words": [], "tables": [], "pages": [], "rows": "first"}
    if plain in PAGES:
        asked |= {"kind": "more_rows", "rows": PAGES[plain]}
    elif found := _understood(parts, message, today):
        goes_on = found.question != message
        tables = list(dict.fromkeys(table.name for table in sqlglot.parse_one(found.sql).find_all(exp.Table)))
        asked |= {"kind": "sql", "question": found.question, "goes_on": goes_on, "tables": tables}
    elif section := _section(message):
        asked |= {"kind": "manual", "pages": [section]}
    else:
        asked |= {"kind": "change" if plain.split(" ")[0] in CHANGES else "general"}
    return {"language": ENGLISH, "asks": [asked]}


def write(parts: JSON) -> JSON:
    found = understand(str(parts.get("query", "")), _today(parts))
    if found is None:
        return _written(kind="ask_back", ask_back=_refusal(str(parts.get("query", ""))))
    meaning = f'Read as "{found.question.strip()}"'
    days = f", {found.period.begin} to {found.period.end - timedelta(1)}" if found.period else ""
    return _written(kind="sql", understood_as=f"{meaning}{days}. {found.known.says}".rstrip(), sql=found.sql)


def answer(parts: JSON) -> str:
    texts = [_sentence_of(str(result.get("output", ""))) for result in parts.get("tool_results", ())]
    cited = [_cited(str(section["text"]), str(section["id"])) for section in list(parts.get("documents", ()))[:1]]
    return "\n\n".join(filter(None, [*texts, *cited])) or "Nothing was found."


def talk(parts: JSON) -> str:
    message = str(parts.get("query", ""))
    if message.lower().split(" ")[0] in CHANGES:
        return "Nothing was changed: I only read the database."
    return _refusal(message)


def understand(text: str, today: date) -> Understood | None:
    return understand_among(text, today, verified()) or understand_among(text, today, counts())


def _understood(parts: JSON, message: str, today: date) -> Understood | None:
    if found := understand(message, today):
        return found
    last = next((seen[1] for note in _notes(parts) if (seen := LAST.search(note))), None)
    return go_on(message, last, today, partial(understand, today=today)) if last else None


def _refusal(message: str) -> str:
    asked = set(words(message))
    is_greeting = asked <= GREETINGS or asked <= ABOUT_ITSELF
    known = "".join(f"\n- {question}" for question in nearest(message, SUGGESTED))
    return f"{WELCOME if is_greeting else NOT_UNDERSTOOD} Questions that I know, for example:\n{known}"


def _today(parts: JSON) -> date:
    found = next((seen[1] for note in _notes(parts) if (seen := TODAY.search(note))), None)
    return date.fromisoformat(found) if found else date.today()  # noqa: DTZ011 - every prompt says the day


def _notes(parts: JSON) -> Sequence[str]:
    return [str(note) for note in parts.get("notes", ())]


def _written(**fields: str) -> JSON:
    return {"kind": "", "understood_as": "", "sql": "", "left_out": [], "need_tables": [], "ask_back": "", **fields}


def _section(message: str) -> str | None:
    """Return the section whose title is exactly the question."""
    found = HOW.match(message)
    return _titles().get(tuple(tokens_of(message[found.end() :]))) if found else None


@cache
def _titles() -> Mapping[tuple[str, ...], str]:
    """Return sections by the words of their titles, without titles that occur twice."""
    seen: dict[tuple[str, ...], list[str]] = {}
    for section in load_manual(FOLDER.parent / "manual"):
        seen.setdefault(tuple(tokens_of(section.title.rpartition(" > ")[2])), []).append(section.id)
    return {title: ids[0] for title, ids in seen.items() if len(ids) == 1}


def _sentence_of(output: str) -> str:
    """Return a result as a sentence; its rows are shown below the answer."""
    if problem := re.search(r"^No result: (.*)$", output, re.M):
        return problem[1]
    lines = output.splitlines()
    found = next((place for place, line in enumerate(lines) if ROWS.match(line)), None)
    if found is None:
        return ""
    understood = next((line.partition(": ")[2] for line in lines if line.startswith("Understood as: ")), "")
    return " ".join(filter(None, [_rows(lines[found], lines[found + 1 :]), understood]))


def _rows(counted: str, lines: Sequence[str]) -> str:
    if counted.startswith("No"):
        near = next((line.partition("; ")[2] for line in lines if line.startswith(NEAR)), "")
        return f"There are {'no more' if 'further' in counted else 'none'}{f'; {near}' if near else ''}."
    columns, *rows = lines[: 2 if counted.startswith("One") else 1] or [""]
    if not rows:
        return f"Found {counted.rstrip(':')}, with {', '.join(columns.split(' | '))}."
    pairs = zip(columns.split(" | "), rows[0].split(" | "), strict=False)
    text = ", ".join(f"{name}: {value or 'none'}" for name, value in pairs)
    return f"{text[:1].upper()}{text[1:]}."


def _cited(text: str, section: str) -> str:
    return "\n".join(f"{line.rstrip()} [{section}]" if line.strip() else "" for line in text.splitlines())
