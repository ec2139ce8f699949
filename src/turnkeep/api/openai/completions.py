"""Chat completions, whole and in chunks."""

from collections.abc import Callable, Mapping
from typing import Any

from turnkeep.api.errors import as_problem
from turnkeep.api.openai.answers import Draft, compact, extension, kept, metadata_of, url_citations, usage_of
from turnkeep.api.openai.errors import shape
from turnkeep.errors import TurnkeepError
from turnkeep.records import JSON, Turn


class Completion:
    """One answer. `finish` has the last word on its turn."""

    def __init__(
        self, id_: str, created: int, model: str, metadata: JSON | None, finish: Callable[[Turn], Turn] = kept
    ) -> None:
        self._facts: JSON = {"id": id_, "created": created, "model": model}
        self._metadata = metadata
        self._finish = finish

    def whole(self, turn: Turn) -> JSON:
        turn = self._finish(turn)
        message = {"role": "assistant", "content": turn.reply, "refusal": None, "annotations": url_citations(turn)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        object_ = {**self._facts, "object": "chat.completion", "choices": [choice]}
        return {**object_, "usage": _usage(turn), **self._told(turn)}

    def _told(self, turn: Turn) -> JSON:
        return {"metadata": metadata_of(turn, self._metadata), "turnkeep": extension(turn)}

    def frames(self, *, with_usage: bool) -> Callable[[int, str, Mapping[str, Any]], bytes]:
        """Makes frames of a run's events."""
        draft, facts = Draft(), {**self._facts, "object": "chat.completion.chunk"}
        begin: list[JSON] = [{"role": "assistant", "content": ""}]

        def chunk(delta: JSON, finish: str | None = None, **more: Any) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return _frame({**facts, "choices": [choice], **({"usage": None} if with_usage else {}), **more})

        def end(turn: Turn) -> bytes:
            turn = self._finish(turn)
            rest, cited = draft.rest_of(turn.reply), url_citations(turn)
            deltas: JSON = {"content": rest, "annotations": cited}
            frames = [chunk({name: delta}) for name, delta in deltas.items() if delta]
            frames.append(chunk({}, "stop", **self._told(turn)))
            used = [_frame({**facts, "choices": [], "usage": _usage(turn)})] if with_usage else []
            return b"".join([*frames, *used, b"data: [DONE]\n\n"])

        def frame(_: int, name: str, data: Mapping[str, Any]) -> bytes:
            if name == "error":
                return _frame(shape(data))
            if name not in ("token", "complete"):
                return b""
            begun = chunk(begin.pop()) if begin else b""
            if name == "token":
                return begun + chunk({"content": draft.add(data["content"])})
            try:
                return begun + end(data["turn"])
            except TurnkeepError as error:
                return _frame(shape(as_problem(error)))

        return frame


def _usage(turn: Turn) -> JSON:
    return usage_of(turn, "prompt_tokens", "completion_tokens")


def _frame(data: JSON) -> bytes:
    return f"data: {compact(data)}\n\n".encode()
