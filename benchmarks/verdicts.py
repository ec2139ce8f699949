"""What the benchmarks of questions share: how a chain of messages is put to an agent, and how the verdicts are told."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage

from turnkeep.agents import Agent
from turnkeep.records import JSON, Reply, RunContext

LINES_OF_WRONG = 3
"""Of a wrong reply, shown where not all are."""
WIDTH = 160


@dataclass(frozen=True)
class Verdict:
    """`faults` say what is not right, none where all is; of several right answers, those of the closest."""

    id: str
    group: str
    message: str
    faults: tuple[str, ...]
    text: str

    @property
    def is_right(self) -> bool:
        return not self.faults


def read_rows(path: Path) -> list[JSON]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def ask(agent: Agent, messages: Sequence[str], context: RunContext) -> Reply:
    """The reply to the last message, each before it being a turn of its own."""
    state: Mapping[str, Any] = {}
    for number, message in enumerate(messages):
        asked = HumanMessage(message, id=f"question-{number}")
        turn = {**state, **agent.new_turn(), "messages": [*state.get("messages", []), asked]}
        state = await agent.graph.ainvoke(turn, context=context)
    return agent.read_reply(state)


def print_verdicts(verdicts: Sequence[Verdict], *, is_verbose: bool, shows_wrong: bool = False) -> None:
    """One line each; below it the reply, of all or of the wrong ones."""
    print(f"{'id':5}{'':7}{'message':60}reason")
    for one in verdicts:
        print(f"{one.id:5}{'right' if one.is_right else 'WRONG':7}{one.message[:57]:60}{'; '.join(one.faults)}")
        lines = one.text.splitlines()
        if not is_verbose:
            lines = [line[:WIDTH] for line in lines[:LINES_OF_WRONG]] if shows_wrong and not one.is_right else []
        print(*(f"       > {line}" for line in lines), sep="\n", end="\n" if lines else "")


def print_shares(benchmark: str, verdicts: Sequence[Verdict], groups: Sequence[str], label: str) -> None:
    """A line for each group and one for all; on the last line the same as JSON, where groups are named by `label`."""
    rows = [_share(name, verdicts, label) for name in (*groups, "all")]
    print()
    for row in rows:
        print(f"{row[label]:12}{row['right']:>3} of {row['questions']:>2} right, {row['share']:.1%}")
    wrong = {one.id: list(one.faults) for one in verdicts if not one.is_right}
    print(json.dumps({"benchmark": benchmark, "rows": rows, "wrong": wrong}))


def _share(name: str, verdicts: Sequence[Verdict], label: str) -> JSON:
    chosen = [one for one in verdicts if name in {one.group, "all"}]
    right = sum(one.is_right for one in chosen)
    return {label: name, "questions": len(chosen), "right": right, "share": round(right / max(1, len(chosen)), 4)}
