"""The `turnkeep` command with a sampling profiler: on SIGUSR1 it begins, on SIGUSR2 it writes how many samples of CPU
time each layer took. Standard library only, and no other process has to look into this one."""

import json
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

SECONDS = 0.002
WAITS = "/selectors.py"
LAYERS: Mapping[str, tuple[str, ...]] = {
    "nodes": ("/benchmarks/six_nodes.py", "/benchmarks/subjects.py", "/turnkeep_agents/", "/turnkeep/kit/"),
    "model": ("/turnkeep_demo/", "/turnkeep/models/", "/turnkeep/tokens.py"),
    "LangGraph": ("/langgraph/", "/langchain_core/", "/langsmith/"),
    "boto": ("/botocore/", "/boto3/", "/urllib3/"),
    "storage": ("/turnkeep/store/",),
    "turns": ("/turnkeep/turns/",),
    "logs, metrics": ("/turnkeep/observability/", "/aws_lambda_powertools/"),
    "event loop": ("/asyncio/", WAITS),
    "HTTP": ("/turnkeep/http/", "/fastapi/", "/starlette/", "/uvicorn/", "/h11/", "/httptools/", "/anyio/"),
}
"""By parts of paths. What is none of them, such as pydantic or the standard library, belongs to its caller."""
REST = "rest"


def layer_of(files: list[str]) -> str:
    """Of a stack, the innermost file first."""
    for file in files:
        for layer, parts in LAYERS.items():
            if any(part in file for part in parts):
                return layer
    return REST


def _files(frame: FrameType | None) -> list[str]:
    files = []
    while frame:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    return files


class Sampler:
    """Signals come to the main thread: where it waits, the time was that of a thread of the store."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()

    def take(self, _signal: int, frame: FrameType | None) -> None:
        files = _files(frame)
        if files and files[0].endswith(WAITS):
            busy = [layer_of(each) for each in self._others(frame)]
            self.found[next((layer for layer in busy if layer != REST), "event loop")] += 1
        else:
            self.found[layer_of(files)] += 1

    def _others(self, main: FrameType | None) -> list[list[str]]:
        """Threads that work on something; one that waits for work stands in the pool's own code."""
        top = main
        return [_files(frame) for frame in sys._current_frames().values() if frame is not top]


def main() -> None:
    target, sampler = Path(sys.argv.pop(1)), Sampler()

    def begin(*_: object) -> None:
        signal.signal(signal.SIGPROF, sampler.take)
        signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)

    def end(*_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        target.with_suffix(".part").write_text(json.dumps(sampler.found))
        target.with_suffix(".part").rename(target)

    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    from turnkeep_local.cli import main as turnkeep  # noqa: PLC0415 - the signals first

    turnkeep()


if __name__ == "__main__":
    main()
