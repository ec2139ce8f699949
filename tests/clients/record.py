"""Records what `langgraph dev` answers to all that the tests here ask, once for each of its versions. It needs an
environment with langgraph-api and langgraph-cli[inmem], which is no part of the project:

    python tests/clients/record.py ENVIRONMENT
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import scenes  # noqa: E402
import sdk_calls  # noqa: E402
from comparing import RECORDED, without_bookkeeping  # noqa: E402
from node_calls import node_calls  # noqa: E402

from turnkeep_local.processes import end, free_port, spawn, wait_until_listening  # noqa: E402


def main(environment: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = {"dependencies": ["."], "graphs": {"parcels": str(HERE / "parcels" / "graph.py") + ":graph"}}
        (Path(folder) / "langgraph.json").write_text(json.dumps(config))
        port, log = free_port(), Path(folder) / "log"
        os.chdir(folder)  # where the server writes
        command = [str(environment / "bin" / "langgraph"), "dev", "--no-browser", "--no-reload", "--port", str(port)]
        command += ["--n-jobs-per-worker", "4", "--config", f"{folder}/langgraph.json"]
        server = spawn(command, log=log, environ={**os.environ, "LANGSMITH_TRACING": "false"})
        try:
            wait_until_listening(port, server, log=log, name="langgraph dev", seconds=60)
            write(asyncio.run(ask(f"http://127.0.0.1:{port}")))
        finally:
            end(server)


async def ask(url: str) -> dict[str, dict[str, object]]:
    wire: dict[str, object] = {}
    for scene in scenes.SCENES:
        wire |= scenes.play(url, scene)
    return {"http": wire, "python": await sdk_calls.call(url), "node": node_calls(url)}


def write(answers: dict[str, dict[str, object]]) -> None:
    """Write one answer a line, for readable diffs."""
    for client, found in answers.items():
        lines = [json.dumps([name, without_bookkeeping(answer)]) for name, answer in found.items()]
        (RECORDED / f"{client}.jsonl").write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
