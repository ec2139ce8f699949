"""Keeps what was played with an agent as recordings that tests replay: joins the inner calls that serve.py logged with
the turns of their threads, as the server tells them, and with what was judged of them:

  python tests/recordings/keep.py papers --url http://127.0.0.1:8100 --calls calls.jsonl --verdicts verdicts.jsonl

Only threads whose every turn is there are kept. Several logs may be named, each with its server, one run after another:
a thread that was kept before is replaced. Files that were attached lie in the folder `--documents`; those that hold
personal data are no recordings, because what stands for it is made with the server's key.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from pathlib import Path

import httpx
from recording import FOLDER, Line, read_lines

from turnkeep.documents.parsing.gathering import split
from turnkeep.documents.parsing.process import parse

MOST_BYTES = 1_000_000
MOST_TURNS = 100
SLACK_SECONDS = 0.01
"""What is told of a turn is rounded to milliseconds."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent")
    parser.add_argument("--url", required=True)
    parser.add_argument("--calls", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--documents", type=Path, help="the files that were attached, by their names")
    parser.add_argument("--threads", default="", help="a pattern: those that were played with the prompts of today")
    options = parser.parse_args()
    verdicts = _by_turn(read_lines(options.verdicts) if options.verdicts else [])
    by_thread: dict[str, list[Line]] = defaultdict(list)
    for call in read_lines(options.calls):
        by_thread[call["thread_id"]].append(call)
    kept = {
        thread: [
            _line(turn, calls, verdicts) | _active(turn, _documents(options.url, thread, options.documents))
            for turn in turns
        ]
        for thread, calls in by_thread.items()
        if re.search(options.threads, thread) and (turns := _turns(options.url, thread, options.agent))
    }
    path = FOLDER / f"{options.agent}.jsonl"
    earlier = read_lines(path) if path.exists() else []
    lines = [line for line in earlier if line["thread"] not in kept]
    _write(path, [*lines, *(line for turns in kept.values() for line in turns)])


def _by_turn(verdicts: Iterable[Line]) -> dict[tuple[str, int], Line]:
    return {(verdict["thread"], int(verdict["turn"])): verdict for verdict in verdicts}


def _turns(url: str, thread: str, agent: str) -> list[Line]:
    found = httpx.get(f"{url}/threads/{thread}/turns", params={"limit": MOST_TURNS})
    turns: list[Line] = found.json()["turns"] if found.status_code == httpx.codes.OK else []
    return turns if all(turn["agent"] == agent for turn in turns) else []


@cache
def _documents(url: str, thread: str, folder: Path | None) -> list[Line]:
    """Those that were read, with their pieces."""
    found = httpx.get(f"{url}/threads/{thread}/attachments").json().get("attachments", []) if folder else []
    ready = [one for one in found if one["status"] == "ready"]
    return [{**one, "pieces": _pieces(folder / one["name"])} for one in ready if folder]


def _pieces(file: Path) -> list[Line]:
    return [asdict(piece) for piece in split(parse(file.read_bytes(), file.name).pieces)]


def _active(turn: Line, documents: Sequence[Line]) -> Line:
    known = ("document_id", "name", "pages", "findings", "pieces")
    active = [{name: one[name] for name in known} for one in documents if one["created_at"] < turn["created_at"]]
    return {"documents": active} if active else {}


def _line(turn: Line, calls: Sequence[Line], verdicts: Mapping[tuple[str, int], Line]) -> Line:
    began = datetime.fromisoformat(turn["created_at"]).timestamp()
    ended = began + turn["duration_ms"] / 1000
    judged = verdicts.get((turn["thread_id"], turn["turn_number"]), {})
    own = [call for call in calls if began - SLACK_SECONDS <= call["at"] <= ended + SLACK_SECONDS and "answer" in call]
    return {
        "thread": turn["thread_id"],
        "turn": turn["turn_number"],
        "now": turn["created_at"],
        "message": turn["message"],
        "language": judged.get("language"),
        "calls": [{name: call[name] for name in ("call", "digest", "prompt", "answer")} for call in own],
        "reply": turn["reply"],
        "route": turn["route"],
        "warnings": turn["warnings"],
        "tokens": sum(call["tokens_with_schemas"] for call in own),
        "verdict": judged.get("verdict"),
    }


def _write(path: Path, lines: Sequence[Line]) -> None:
    """With the prompts as far as the file stays small: whole, else what changes, else their digests alone."""
    for kept in (lines, _without(lines, "system"), _without(lines, "system", "human")):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept)
        if len(text.encode()) <= MOST_BYTES:
            break
    path.write_text(text)
    print(f"{path}: {len(lines)} turns, {len(text.encode()):,} bytes")


def _without(lines: Sequence[Line], *roles: str) -> list[Line]:
    def shortened(call: Line) -> Line:
        return {**call, "prompt": [said for said in call["prompt"] if said["role"] not in roles]}

    return [{**line, "calls": [shortened(call) for call in line["calls"]]} for line in lines]


if __name__ == "__main__":
    main()
