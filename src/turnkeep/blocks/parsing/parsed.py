"""What parsing takes and gives."""

from dataclasses import dataclass

from turnkeep.attachments import Piece


@dataclass(frozen=True)
class Limits:
    """What one file may cost. What is over `pages` or `characters` is left out and said; over any other, it fails."""

    body_bytes: int = 10_000_000
    seconds: float = 9
    """From the start of the process to its answer."""
    cpu_seconds: int = 8
    memory_bytes: int = 512 * 1024 * 1024
    """Of address space; macOS does not enforce it."""
    expanded_bytes: int = 50_000_000
    """Of what an archive unpacks to, where a part of it is read."""
    pages: int = 200
    characters: int = 400_000


@dataclass(frozen=True)
class Parsed:
    """The text of a file, a piece for each page or heading. `pages` are those of the whole file, None where it has
    none. `warnings` say what was left out; `findings` what looks as if it were meant for a model and not for a
    reader."""

    kind: str
    pieces: tuple[Piece, ...]
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
