"""The process in which one file is parsed: a line of JSON and the file come in, a line of JSON goes out."""

import json
import resource
import sys
import traceback
from contextlib import suppress
from pathlib import PurePath
from types import TracebackType
from typing import Any

from turnkeep.blocks.parsing.parsed import Limits
from turnkeep.blocks.parsing.reasons import Unparsable
from turnkeep.records import JSON


def main() -> None:
    sys.excepthook = tell
    head = json.loads(sys.stdin.buffer.readline())
    limits = Limits(**head["limits"])
    bound(limits)
    body = sys.stdin.buffer.read(limits.body_bytes + 1)
    sys.stdout.write(json.dumps(told(body, head["name"], limits)) + "\n")


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What a parser raises is told by its class and place, not by its text, which may quote the file."""
    last = traceback.extract_tb(trace)[-1]
    place = f"{kind.__name__} at {PurePath(last.filename).name}:{last.lineno}"
    sys.stdout.write(json.dumps({"code": "parser_failed", "place": place}) + "\n")


def bound(limits: Limits) -> None:
    """From here on the kernel ends this process where it takes too much; it can write no file and leave no dump."""
    for kind, most in (
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS knows no bound of memory; the caller's clock is left
            resource.setrlimit(kind, (most, most + 1))  # at the second the kernel kills without saying why


def told(body: bytes, name: str, limits: Limits) -> JSON:
    from turnkeep.blocks.parsing.reading import read  # noqa: PLC0415 - under the bounds already

    try:
        parsed = read(body, name, limits)
    except Unparsable as error:
        return {"code": error.code}
    except MemoryError:
        return {"code": "expands_too_far"}
    except RecursionError:
        return {"code": "damaged_file"}
    pieces: list[list[Any]] = [[piece.text, piece.page, piece.heading] for piece in parsed.pieces]
    return {
        "kind": parsed.kind,
        "pieces": pieces,
        "pages": parsed.pages,
        "warnings": parsed.warnings,
        "findings": parsed.findings,
    }


if __name__ == "__main__":
    main()
