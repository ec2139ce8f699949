"""Parses in a separate process, which may crash, hang or grow without affecting the caller. It has limits of time and
memory, an environment without credentials, and cannot write files."""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from signal import SIGXCPU

from turnkeep.documents.parsing.parsed import ADVICE, Limits, Unparsable
from turnkeep.records import Parsed

_ANSWER_BYTES = 16_000_000
_MODULE = "turnkeep.documents.parsing"


def parse(body: bytes, name: str, limits: Limits | None = None) -> Parsed:
    """Return the text of a file. The name helps to detect the kind of a text file. Raises Unparsable."""
    limits = limits or Limits()
    if len(body) > limits.body_bytes:
        raise Unparsable("too_large")
    asked = json.dumps({"name": name, "limits": asdict(limits)}).encode() + b"\n" + body
    return _read(_answer(asked, limits))


def keep_children_out() -> None:
    """Hide this process's environment and memory, which may have credentials, from child processes. Linux only."""
    import ctypes  # noqa: PLC0415 - one function needs it

    pr_set_dumpable = 4
    ctypes.CDLL(None).prctl(pr_set_dumpable, 0, 0, 0, 0)


def _answer(asked: bytes, limits: Limits) -> bytes:
    """Return the output of the process; raises Unparsable if it did not finish."""
    is_late = threading.Event()
    with _child() as child:

        def kill() -> None:
            is_late.set()
            child.kill()

        timer = threading.Timer(limits.seconds, kill)
        sender = threading.Thread(target=_send, args=(child, asked), daemon=True)
        timer.start()
        sender.start()
        try:
            assert child.stdout  # noqa: S101 - a pipe, as asked for
            answer = child.stdout.read(_ANSWER_BYTES + 1)
        finally:
            child.kill()  # all output is read; an ended process is not affected
            status = child.wait()
            timer.cancel()
            sender.join()
    if is_late.is_set() or -status == SIGXCPU:
        raise Unparsable("takes_too_long")
    if not answer.endswith(b"\n") or len(answer) > _ANSWER_BYTES:
        raise Unparsable("parser_failed")
    return answer


def _child() -> subprocess.Popen[bytes]:
    """Start the process with module paths as its only environment. Output of C libraries is discarded."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603 - this very interpreter
        [sys.executable, "-P", "-m", _MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
        start_new_session=True,  # Ctrl-C on a local server must not reach the parser
        env={"PYTHONPATH": paths, "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")},
    )


def _send(child: subprocess.Popen[bytes], asked: bytes) -> None:
    """Send the file; runs in a thread, because a hanging process reads nothing."""
    assert child.stdin  # noqa: S101
    with suppress(OSError), child.stdin:
        child.stdin.write(asked)


def _read(answer: bytes) -> Parsed:
    """Validate the answer as untrusted input, because a file may have taken over the process."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - the process that parses does not need it

    try:
        parsed = json.loads(answer)
        if code := parsed.get("code"):
            raise Unparsable(code if code in ADVICE else "parser_failed", str(parsed.get("place", ""))[:100])
        return TypeAdapter(Parsed).validate_python(parsed)
    except (ValueError, TypeError, AttributeError) as error:
        raise Unparsable("parser_failed") from error
