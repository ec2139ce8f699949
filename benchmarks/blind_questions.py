"""Questions that people of a field service company may ask `database`, put to it with the demo model: which are
answered rightly. Beside each stands what is right: SQL by hand over the tables of the first company, or what else is
wanted. Whoever wrote them had read the tables and none of the rules; they are never used to change a rule: one that is
mended for a question spoils the set. Sixty were written with the first rules; the eighty of later_blind_questions.jsonl
after the rules were widened, a third of them about nothing in the schema. Last line: JSON.

    python benchmarks/blind_questions.py --verbose
    python benchmarks/blind_questions.py --set later_blind_questions
    python benchmarks/blind_questions.py --only n01 f03
"""

import argparse
import asyncio
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from judged_rows import Names, Rows, agree
from turnkeep.agents import build_agent
from turnkeep_agents.database.sample.sample import SAMPLE_KEY, sample_file
from turnkeep_agents.database.wall.ciphers import decrypt
from turnkeep.records import JSON, Principal, Reply, RunContext
from turnkeep.settings import Settings
from verdicts import Verdict, ask, print_shares, print_verdicts, read_rows

QUESTIONS = Path(__file__).parent
SETS = {
    "blind_questions": ("needs", "follow_ups", "manual", "talk", "nothing", "ambiguous"),
    "later_blind_questions": ("needs", "follow_ups", "nothing", "near"),
}
"""Their groups. Those that are `near` hold words that no column answers to, and can be answered all the same."""
FIRST = "blind_questions"
NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
CONTEXT = RunContext(conversation_window=5, now=NOW, principal=Principal("local", "local"))
WIDTH = 80
DENIAL = re.compile(r"\b(no|not|none|nothing|neither|cannot|unable|sorry)\b|n't\b", re.IGNORECASE)
"""A sentence without any of these does not say that something is not known here."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, help="taken as by the other benchmarks, and not needed")
    arguments.add_argument("--set", choices=SETS, default=FIRST, help="which questions")
    arguments.add_argument("--only", nargs="+", default=(), metavar="ID", help="the questions to ask")
    arguments.add_argument("--verbose", action="store_true", help="show all replies")
    options = arguments.parse_args()
    verdicts = asyncio.run(ask_all(read_questions(options.set, options.only)))
    print_verdicts(verdicts, is_verbose=options.verbose, shows_wrong=True)
    print_shares(options.set, verdicts, SETS[options.set], label="group")


def read_questions(name: str = FIRST, only: Collection[str] = ()) -> list[JSON]:
    """Those of the ids in `only`, or all."""
    return [row for row in read_rows(QUESTIONS / f"{name}.jsonl") if not only or row["id"] in only]


async def ask_all(questions: Sequence[JSON]) -> list[Verdict]:
    agent = build_agent("database", Settings(model="demo"))
    verdicts = []
    for row in questions:
        reply = await ask(agent, row["chain"], CONTEXT)
        faults = min((tuple(faults_of(reply, right)) for right in row["right"]), key=len)
        verdicts.append(Verdict(row["id"], row["group"], row["chain"][-1], faults, reply.text))
    return verdicts


def faults_of(reply: Reply, right: JSON) -> Iterator[str]:
    """What `reply` lacks of one right answer."""
    for demand in right.keys() & JUDGES.keys():
        yield from JUDGES[demand](reply, right)


@cache
def by_hand(sql: str) -> tuple[Names, Rows]:
    """Names and rows of the sample without its wall; `SHOWN` decrypts."""
    with closing(sqlite3.connect(f"file:{sample_file(NOW.date())}?mode=ro", uri=True)) as base:
        base.create_function("SHOWN", 1, _shown, deterministic=True)
        cursor = base.execute(sql)
        return [column[0] for column in cursor.description], cursor.fetchall()


def _shown(data: bytes | None) -> str | None:
    return None if data is None else decrypt(data, SAMPLE_KEY)


def _rows(reply: Reply, right: JSON) -> Iterator[str]:
    found = reply.details["rows"]
    is_whole = not reply.details["page"]["has_more"]
    if not (is_whole and agree(found, *by_hand(right["sql"]), right)):
        first = f", first {found[0]}"[:WIDTH] if found else ""
        yield f"route {reply.route}, {len(found)}{'' if is_whole else '+'} rows{first}"


def _says(reply: Reply, right: JSON) -> Iterator[str]:
    if not any(part in reply.text.lower() for part in right["says"].split("|")):
        yield f"does not say {right['says']}"


def _route(reply: Reply, right: JSON) -> Iterator[str]:
    if reply.route != right["route"]:
        yield f"route {reply.route}"


def _pages(reply: Reply, right: JSON) -> Iterator[str]:
    """One of the pages is cited."""
    cited = [source.id.partition("#")[0] for source in reply.sources if source.cited]
    if not set(cited) & set(right["pages"]):
        yield f"cites {', '.join(cited) or 'nothing'}"


def _no_rows(reply: Reply, _: JSON) -> Iterator[str]:
    """No statement ran either: without rows it would say that there are none."""
    if reply.details["rows"] or reply.details["sql"]:
        yield f"{len(reply.details['rows'])} rows of {', '.join(reply.details['tables'])}"


def _is_honest(reply: Reply, _: JSON) -> Iterator[str]:
    if not DENIAL.search(reply.text):
        yield "does not say that it has nothing on it"


def _asks_back(reply: Reply, _: JSON) -> Iterator[str]:
    if reply.route != "clarify":
        yield f"does not ask back, route {reply.route}"


JUDGES: Mapping[str, Callable[[Reply, Any], Iterator[str]]] = {
    "sql": _rows,
    "says": _says,
    "route": _route,
    "pages": _pages,
    "no_rows": _no_rows,
    "is_honest": _is_honest,
    "asks_back": _asks_back,
}


if __name__ == "__main__":
    main()
