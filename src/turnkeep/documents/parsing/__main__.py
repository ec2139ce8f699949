"""The process that parses one file. Its input is a line of JSON and the file, its output a line of JSON."""

import json
import resource
import sys
import traceback
from contextlib import suppress
from dataclasses import asdict
from pathlib import PurePath
from types import TracebackType

from turnkeep.documents.parsing.gathering import Full, Gathering
from turnkeep.documents.parsing.kinds import binary_kind, decoded, text_kind
from turnkeep.documents.parsing.parsed import Limits, Unparsable
from turnkeep.documents.parsing.pdf import read_pdf
from turnkeep.documents.parsing.plain import read_csv, read_markdown, read_text
from turnkeep.documents.parsing.webpage import read_html
from turnkeep.documents.parsing.word import read_docx
from turnkeep.records import JSON, Parsed

_BINARY = {"pdf": read_pdf, "docx": read_docx}
_TEXT = {"html": read_html, "markdown": read_markdown, "csv": read_csv, "text": read_text}


def main() -> None:
    sys.excepthook = report_crash
    head = json.loads(sys.stdin.buffer.readline())
    limits = Limits(**head["limits"])
    set_limits(limits)
    body = sys.stdin.buffer.read()
    sys.stdout.write(json.dumps(answer(body, head["name"], limits)) + "\n")


def report_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write an exception's class and location, without its text, which may quote the file."""
    last = traceback.extract_tb(trace)[-1]
    place = f"{kind.__name__} at {PurePath(last.filename).name}:{last.lineno}"
    sys.stdout.write(json.dumps({"code": "parser_failed", "place": place}) + "\n")


def set_limits(limits: Limits) -> None:
    """Set limits of the kernel, which ends a process that exceeds one. Files and core dumps cannot be written."""
    for kind, most in (
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS has no memory limit; the caller's timeout remains
            resource.setrlimit(kind, (most, most + 1))  # the soft limit ends the process with a signal that says why


def answer(body: bytes, name: str, limits: Limits) -> JSON:
    try:
        return asdict(read(body, name, limits))
    except Unparsable as error:
        return {"code": error.code}
    except MemoryError:
        return {"code": "expands_too_far"}
    except RecursionError:
        return {"code": "damaged_file"}


def read(body: bytes, name: str, limits: Limits) -> Parsed:
    into = Gathering(limits)
    binary = binary_kind(body)
    text = "" if binary else decoded(body)
    kind = binary or text_kind(text, name)
    with suppress(Full):
        if binary:
            _BINARY[binary](body, limits, into)
        else:
            _TEXT[kind](text, into)
    return into.parsed(kind)


if __name__ == "__main__":
    main()
