"""Text for measured turns: real conversations and papers, or base64 noise, which hardly compresses. Standard library
only: the peers' own environments load this too."""

import base64
import json
import random
import re
import sys
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Protocol, TypeAlias

JSON: TypeAlias = dict[str, Any]

DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
TALKS = Path("mtragun_ragchat") / "tasks.jsonl"
PAPERS = Path("cranfield") / "corpus.jsonl"

MESSAGE_BYTES = 600
REPLY_BYTES = 1400
STATE_BYTES = 8 * 1024
_ROW_BYTES = 1024
_NOT_ASCII = re.compile(r"[^ -~]")


class Writer(Protocol):
    """Gives `size` bytes of text, never the same again before all is used up."""

    def __call__(self, size: int) -> str: ...


@dataclass(frozen=True)
class Texts:
    """What is said in the turns of one thread, and what its state holds."""

    user: Writer
    agent: Writer
    material: Writer

    def message(self) -> str:
        return self.user(MESSAGE_BYTES)

    def reply(self) -> str:
        return self.agent(REPLY_BYTES)

    def notes(self) -> JSON:
        """Rows that are STATE_BYTES long as JSON."""
        rows: list[JSON] = []
        left = STATE_BYTES - len(json.dumps({"rows": rows}))
        while left > 0:
            left -= 2 * bool(rows)  # what separates two rows
            bare = len(json.dumps(self._row(len(rows), "")))
            rows.append(self._row(len(rows), self._ascii(min(_ROW_BYTES, max(0, left - bare)))))
            left -= len(json.dumps(rows[-1]))
        return {"rows": rows}

    def _row(self, at: int, text: str) -> JSON:
        return {"id": f"n{at}", "score": round(1 / (at + 2), 3), "text": text}

    def _ascii(self, size: int) -> str:
        """JSON writes anything else longer than it is."""
        return _NOT_ASCII.sub(" ", self.material(size))[:size]


def prose(data: Path) -> Texts:
    """From the folder of real data; raises OSError where it is absent."""
    talks = [message for row in _rows(data / TALKS) for message in row["messages"]]
    asked, told = (dict.fromkeys(each["content"] for each in talks if each["role"] == role) for role in _ROLES)
    papers = [row["text"] for row in _rows(data / PAPERS)]
    return Texts(_stream([*asked, *papers[700:]]), _stream([*told, *papers[:700]]), _stream(papers))


_ROLES = ("user", "assistant")


def prose_or_exit(data: Path) -> Texts:
    try:
        return prose(data)
    except OSError as error:
        sys.exit(f"{error.filename} is missing: --data names the folder of real text (default ../shared/data)")


def noise(seed: int) -> Texts:
    """The same noise for the same seed."""
    source = random.Random(seed)

    def write(size: int) -> str:
        return base64.b64encode(source.randbytes(size)).decode()[:size]

    return Texts(write, write, write)


def _rows(path: Path) -> list[JSON]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _stream(pieces: list[str]) -> Writer:
    source = cycle(piece.encode() + b" " for piece in pieces)
    rest = bytearray()

    def write(size: int) -> str:
        while len(rest) < size:
            rest.extend(next(source))
        taken = bytes(rest[:size])
        del rest[:size]
        return _whole(taken, size)

    return write


def _whole(taken: bytes, size: int) -> str:
    """Characters that were cut at an end become spaces, so that the size stays."""
    text = taken.decode(errors="ignore")
    return text + " " * (size - len(text.encode()))
