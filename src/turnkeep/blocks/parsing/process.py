"""Parsing in a separate process, which may crash, hang or grow without affecting the caller. It has time and memory
limits, no credentials in its environment and no file that it could write."""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from signal import SIGXCPU

from turnkeep.blocks.parsing.parsed import CODES, Limits, Parsed, Unparsable

_ANSWER_BYTES = 16_000_000
_PLACE_CHARACTERS = 100
_PR_SET_DUMPABLE = 4
_MODULE = "turnkeep.blocks.parsing"


def parse(body: bytes, name: str, limits: Limits | None = None) -> Parsed:
    """Return the text of a file; its name distinguishes kinds of text that look alike. Raises Unparsable."""
    limits = limits or Limits()
    if len(body) > limits.body_bytes:
        raise Unparsable("too_large")
    asked = json.dumps({"name": name, "limits": asdict(limits)}).encode() + b"\n" + body
    return _read(_answer(asked, limits))


def keep_children_out() -> None:
    """Stop child processes from reading this process's environment and memory in /proc, although they run as the same
    user: for a function with credentials. Linux only."""
    import ctypes  # noqa: PLC0415 - one function needs it

    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _answer(asked: bytes, limits: Limits) -> bytes:
    """Return the output of the process; raises Unparsable if it did not finish."""
    is_late = threading.Event()
    with _child() as child:

        def end() -> None:
            is_late.set()
            child.kill()

        timer = threading.Timer(limits.seconds, end)
        sender = threading.Thread(target=_send, args=(child, asked), daemon=True)
        timer.start()
        sender.start()
        try:
            assert child.stdout  # noqa: S101 - a pipe, as asked for
            answer = child.stdout.read(_ANSWER_BYTES + 1)
        finally:
            child.kill()  # there is no more output; killing an ended process does nothing
            status = child.wait()
            timer.cancel()
            sender.join()
    if is_late.is_set() or -status == SIGXCPU:
        raise Unparsable("takes_too_long")
    if not answer.endswith(b"\n") or len(answer) > _ANSWER_BYTES:
        raise Unparsable("parser_failed")
    return answer


def _child() -> subprocess.Popen[bytes]:
    """Start the process with module paths only: no table name, no credential, no place for output of C libraries."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603 - this very interpreter
        [sys.executable, "-P", "-m", _MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
        start_new_session=True,  # Ctrl-C on a local server does not reach the parser
        env={"PYTHONPATH": paths, "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")},
    )


def _send(child: subprocess.Popen[bytes], asked: bytes) -> None:
    """Send the file from a thread, because a hanging process reads nothing."""
    assert child.stdin  # noqa: S101
    with suppress(OSError), child.stdin:
        child.stdin.write(asked)


def _read(answer: bytes) -> Parsed:
    """Validate the answer as untrusted input, because a file may have taken over the process."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - the process that parses has no use for it

    try:
        told = json.loads(answer)
        if code := told.get("code"):
            place = str(told.get("place", ""))[:_PLACE_CHARACTERS]
            raise Unparsable(code if code in CODES else "parser_failed", place)
        return TypeAdapter(Parsed).validate_python(told)
    except (ValueError, TypeError, AttributeError) as error:
        raise Unparsable("parser_failed") from error
