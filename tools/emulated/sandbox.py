"""A function in Lambda's runtime interface emulator, a program of aws-sam-cli: the real runtime client, one event at a
time, whole answers. It needs no container engine, but runs on Linux only."""

import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import httpx

from turnkeep_local import LocalError
from turnkeep_local.processes import end, free_port, spawn, wait_until_listening

MISSING = "Lambda's runtime interface emulator is missing. Mend it with: make .tools/sam/ready"
LINUX_ONLY = "Lambda's runtime interface emulator runs on Linux only. With a container engine: sam local invoke"
TIMEOUT_SECONDS = 60

_SAM = ".tools/sam/lib/python3.*/site-packages/samcli/local/rapid"
_PATH = "/2015-03-31/functions/function/invocations"

Call: TypeAlias = Callable[[bytes], bytes]


def find_runtime_emulator(root: Path) -> Path:
    """Return the emulator in the project's .tools; raise LocalError, which names the remedy."""
    if sys.platform != "linux":
        raise LocalError(LINUX_ONLY)
    kind = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    found = next(root.glob(f"{_SAM}/aws-lambda-rie-{kind}"), None)
    if found is None:
        raise LocalError(MISSING)
    return found


@contextmanager
def sandbox(emulator: Path, folder: Path, environ: Mapping[str, str], *, log: Path) -> Iterator[Call]:
    """Pass events to the function in `folder` until the block ends; its output goes to `log`."""
    port, runtime_port = free_port(), free_port()
    where = ["--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    where += ["--runtime-api-address", f"127.0.0.1:{runtime_port}", "--log-level", "error"]
    facts = {
        **environ,
        "LAMBDA_TASK_ROOT": str(folder),
        "PYTHONPATH": ":".join(filter(None, [str(folder), environ.get("PYTHONPATH", "")])),
        "AWS_LAMBDA_FUNCTION_NAME": folder.name,
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(TIMEOUT_SECONDS),
    }
    process = spawn([str(emulator), *where, *_start_of(folder)], log=log, environ=facts)
    try:
        wait_until_listening(port, process, log=log, name="The runtime interface emulator", seconds=10)
        yield lambda event: _call(f"http://127.0.0.1:{port}{_PATH}", event)
    finally:
        end(process)


def _start_of(folder: Path) -> list[str]:
    """Return the start command, as in the template: the wrapper if there is one, else that of the managed runtime."""
    wrapper = folder / "wrapper"
    if wrapper.is_file():
        return [str(wrapper), sys.executable]
    return [sys.executable, "-m", "awslambdaric", "app.handler"]


def _call(url: str, event: bytes) -> bytes:
    try:
        return httpx.post(url, content=event, timeout=TIMEOUT_SECONDS + 5).content
    except httpx.HTTPError as error:
        raise LocalError(f"The function did not answer ({type(error).__name__}). Its log says why.") from error
