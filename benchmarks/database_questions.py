"""Questions as people write them, put to `database` with the demo model over the embedded sample: which are answered
rightly. Those of database_questions.jsonl say in other words the thirty questions of the README; those of
development_questions.jsonl are what dispatchers, foremen, accountants and others ask of all its tables. Beside each
stands SQL by hand over the tables of the first company, whose rows the answer has to have; none, where there is nothing
to ask the database. Both sets are development data: rules were mended by the kinds of questions that failed here, so
that the shares say how well the rules fit, and not how well they do with what nobody has asked yet. Last line: JSON.

    python benchmarks/database_questions.py --verbose
    python benchmarks/database_questions.py --set development_questions
"""

import argparse
import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage

from judged_rows import Rows, hold
from turnkeep.agents import Agent, build_agent
from turnkeep_agents.database.sample.sample import SAMPLE_KEY, sample_file
from turnkeep_agents.database.state import LASTING
from turnkeep_agents.database.wall.ciphers import decrypt
from turnkeep.records import JSON, Principal, Reply, RunContext
from turnkeep.settings import Settings

QUESTIONS = Path(__file__).parent
SETS = ("database_questions", "development_questions")
NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
CONTEXT = RunContext(conversation_window=5, now=NOW, principal=Principal("local", "local"))


@dataclass(frozen=True)
class Result:
    """`sql` is what the agent ran, empty where it ran none."""

    id: str
    message: str
    is_right: bool
    route: str
    sql: str
    text: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, help="taken as by the other benchmarks, and not needed")
    arguments.add_argument("--set", choices=SETS, default=SETS[0], help="which questions")
    arguments.add_argument("--verbose", action="store_true", help="show the replies")
    options = arguments.parse_args()
    results = asyncio.run(ask_all(read_questions(options.set)))
    _print(results, options.set, is_verbose=options.verbose)


def read_questions(name: str = SETS[0]) -> list[JSON]:
    return [json.loads(line) for line in (QUESTIONS / f"{name}.jsonl").read_text().splitlines()]


async def ask_all(questions: Sequence[JSON]) -> list[Result]:
    agent = build_agent("database", Settings(model="demo"))
    results = []
    for row in questions:
        reply = await ask(agent, row["chain"])
        sql, rows = reply.details.get("sql") or "", reply.details.get("rows") or []
        is_right = not sql if row["sql"] is None else _holds(rows, row)
        results.append(Result(row["id"], row["chain"][-1], is_right, reply.route or "", sql, reply.text))
    return results


def _holds(rows: Rows, row: JSON) -> bool:
    return hold(rows, by_hand(row["sql"]), is_ordered=row.get("is_ordered", False))


async def ask(agent: Agent, messages: Sequence[str]) -> Reply:
    """The reply to the last message, each before it being a turn of its own."""
    state: Mapping[str, Any] = {}
    for number, message in enumerate(messages):
        said = [*state.get("messages", []), HumanMessage(message, id=f"question-{number}")]
        kept = {key: value for key, value in state.items() if key in LASTING}
        state = await agent.graph.ainvoke({**kept, **agent.new_turn(), "messages": said}, context=CONTEXT)
    return agent.read_reply(state)


def by_hand(sql: str) -> Rows:
    """The rows of the sample without its wall; `SHOWN` decrypts."""
    with closing(sqlite3.connect(sample_file(NOW.date()))) as connection:
        connection.create_function("SHOWN", 1, lambda data: decrypt(data, SAMPLE_KEY), deterministic=True)
        return connection.execute(sql).fetchall()


def _print(results: Sequence[Result], name: str, *, is_verbose: bool) -> None:
    for one in results:
        print(f"{one.id:5}{'right' if one.is_right else 'WRONG':7}{one.route:9}{one.message}")
        if is_verbose or not one.is_right:
            print(f"     {one.sql or one.text[:200]}")
    right = sum(one.is_right for one in results)
    share = round(right / max(1, len(results)), 4)
    wrong = [one.id for one in results if not one.is_right]
    row = {"questions": len(results), "right": right, "share": share}
    print(f"\n{right} of {len(results)} right, {share:.1%}")
    print(json.dumps({"benchmark": name, "rows": [row], "wrong": wrong}))


if __name__ == "__main__":
    main()
