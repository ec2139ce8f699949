"""Real conversations for the benchmarks of follow-ups and reformulation, from folders shaped like ../shared/data: every
*.jsonl in cast_followup and mtrag_followup, and the chats of mtragun_ragchat, which alone come with replies."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnkeep.records import JSON

SETS = ("cast_followup", "mtrag_followup")
CHATS = "mtragun_ragchat"
DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"


@dataclass(frozen=True)
class Said:
    """A message, its user's earlier ones, oldest first, and what people say of it: whether it needs them, and the same
    in words that do not. `replies` are the assistant's."""

    message: str
    history: tuple[str, ...]
    is_follow_up: bool
    rewrite: str
    replies: tuple[str, ...] = ()

    @property
    def opening(self) -> str:
        """The first message of the conversation: what tells conversations apart in every set."""
        return self.history[0] if self.history else self.message


def data_option(description: str | None) -> Path:
    parser = argparse.ArgumentParser(description=(description or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="a folder with " + " or ".join(SETS))
    data: Path = parser.parse_args().data
    return data


def load(folder: Path) -> list[Said]:
    """Empty where the folder holds no *.jsonl."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return [_said(json.loads(line)) for line in lines if line.strip()]


def load_chats(folder: Path) -> list[Said]:
    """Those that are known to go on or to clarify; in none of them does anybody say what else is needed."""
    path = folder / "tasks.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    return [_chat(row) for row in rows if row["multi_turn"] in {"Follow-up", "Clarification"}]


def shifts(said: Sequence[Said]) -> Iterator[Said]:
    """Changes of subject: what opens each conversation, said at the end of the next one."""
    longest = {one.opening: one for one in sorted(said, key=lambda one: len(one.history))}
    ends = list(longest.values())
    for one, other in zip(ends, ends[1:] + ends[:1], strict=True):
        if one is not other:
            yield replace(other, message=one.opening, is_follow_up=False, rewrite=one.opening)


def _said(row: JSON) -> Said:
    rewrite = row.get("gold_rewrite") or row.get("rewrite") or row["utterance"]
    return Said(row["utterance"], tuple(row["history"]), bool(row["context_dependent"]), rewrite)


def _chat(row: JSON) -> Said:
    asked = [said["content"] for said in row["messages"] if said["role"] == "user"]
    replies = [said["content"] for said in row["messages"] if said["role"] != "user"]
    return Said(asked[-1], tuple(asked[:-1]), True, asked[-1], tuple(replies))
