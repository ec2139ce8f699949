"""The local server, as `turnkeep dev` starts it, with a recorder of every inner call:

python tests/recordings/serve.py --port 8100 --log calls.jsonl
"""

import argparse
import json
import os
import time
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langchain_core.tracers.context import register_configure_hook
from recording import Line, answer_of, digest_of, prompt_of, schemas_of

from turnkeep.models.calls import inner_call_of
from turnkeep_local.dev import serve

CHARACTERS_A_TOKEN = 4


class Recorder(AsyncCallbackHandler):
    """Writes one line for each call when it has ended, whoever made it."""

    def __init__(self, log: Path):
        self._log = log
        self._open: dict[UUID, Line] = {}
        log.parent.mkdir(parents=True, exist_ok=True)

    async def on_chat_model_start(
        self, serialized: Any, messages: list[list[BaseMessage]], *, run_id: UUID, metadata: Any = None, **kwargs: Any
    ) -> None:
        asked, options = messages[0], kwargs.get("invocation_params") or {}
        prompt, schemas = prompt_of(asked), schemas_of(options)
        characters = sum(len(said["content"]) for said in prompt)
        self._open[run_id] = {
            "at": time.time(),
            "thread_id": (metadata or {}).get("thread_id"),
            "call": inner_call_of(asked),
            "digest": digest_of(asked, options),
            "prompt": prompt,
            "tools": [schema["name"] for schema in schemas],
            "tokens": characters // CHARACTERS_A_TOKEN,
            "tokens_with_schemas": (characters + sum(len(json.dumps(each)) for each in schemas)) // CHARACTERS_A_TOKEN,
        }

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        message = response.generations[0][0].message  # type: ignore[union-attr]
        self._close(run_id, {"answer": answer_of(message)})

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._close(run_id, {"error": repr(error)})

    def _close(self, run_id: UUID, ended: Line) -> None:
        line = self._open.pop(run_id, None)
        if line:
            with self._log.open("a") as log:
                log.write(json.dumps({**line, **ended}, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    recorder = Recorder(options.log)
    register_configure_hook(ContextVar("recorder", default=recorder), inheritable=True)
    serve(os.environ, options.port)


if __name__ == "__main__":
    main()
