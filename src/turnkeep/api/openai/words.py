"""A turn in the format of both wires, whole and event by event. The object `turnkeep` has everything else of a turn:
SQL, rows, warnings, cost. A final event of success is sent only after the turn is stored."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from turnkeep.api.errors import as_problem
from turnkeep.api.openai.shapes import shape
from turnkeep.api.sse import compact
from turnkeep.api.views import TurnView, not_kept
from turnkeep.errors import TurnkeepError
from turnkeep.records import JSON, Source, Turn

_METADATA_CHARACTERS = 512
_PLACE = {"output_index": 0, "content_index": 0}
_SAME: JSON = {"object": "response", "parallel_tool_calls": False, "tool_choice": "none", "tools": []}
_SAME |= dict.fromkeys(("error", "incomplete_details", "instructions", "temperature", "top_p"))


def kept(turn: Turn) -> Turn:
    """Return the turn; raise an error, which OpenAI's own clients retry, if it should be stored and is not."""
    if fault := not_kept(turn):
        raise fault
    return turn


class Words(Protocol):
    """Makes frames of a run's events. Text that was sent is never taken back."""

    metadata: JSON | None
    shown: str | None = None

    def whole(self, turn: Turn) -> JSON: ...
    def begin(self) -> bytes: ...
    def delta(self, text: str) -> bytes: ...
    def end(self, turn: Turn) -> bytes: ...
    def fail(self, error: JSON) -> bytes: ...

    def __call__(self, _: int, name: str, data: Mapping[str, Any]) -> bytes:
        if name not in ("token", "complete", "error"):
            return b""
        begun = self.begin() if self.shown is None else b""
        self.shown = self.shown or ""
        try:
            return begun + (self._show(data["content"]) if name == "token" else self._close(name, data))
        except TurnkeepError as error:
            return begun + self.fail(shape(as_problem(error)))

    def _show(self, text: str) -> bytes:
        self.shown = f"{self.shown}{text}"
        return self.delta(text) if text else b""

    def _close(self, name: str, data: Mapping[str, Any]) -> bytes:
        if name == "error":
            return self.fail(shape(data))
        turn, shown = kept(data["turn"]), self.shown or ""
        if turn.reply.startswith(shown):
            return self._show(turn.reply[len(shown) :]) + self.end(turn)
        again = "" if shown.strip() == turn.reply.strip() else f"\n\n{turn.reply}"
        return self._show(again) + self.end(turn)

    def told(self, turn: Turn) -> JSON:
        """Return the client's metadata with a summary of the turn, and the rest of it as other routes return it."""
        facts = {"thread_id": turn.thread_id, "turn": turn.number, "warnings": ", ".join(turn.warnings)}
        short = {f"turnkeep_{name}": str(value)[:_METADATA_CHARACTERS] for name, value in facts.items() if value}
        shown = TurnView.of(turn).bounded().model_dump(mode="json")
        whole = {name: value for name, value in shown.items() if name not in ("message", "reply")}
        return {"metadata": {**(self.metadata or {}), **short}, "turnkeep": whole}


class Completion(Words):
    def __init__(self, id_: str, created: int, model: str, metadata: JSON | None, *, with_usage: bool = False) -> None:
        self._facts: JSON = {"id": id_, "created": created, "model": model}
        self._usage = {"usage": None} if with_usage else {}
        self.metadata = metadata

    def whole(self, turn: Turn) -> JSON:
        message = {"content": kept(turn).reply, "refusal": None, "annotations": url_citations(turn)}
        choices = [_choice("stop", message={"role": "assistant", **message})]
        used = _usage(turn, "prompt_tokens", "completion_tokens")
        return {**self._facts, "object": "chat.completion", "choices": choices, "usage": used, **self.told(turn)}

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def delta(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def end(self, turn: Turn) -> bytes:
        cited, used = url_citations(turn), _usage(turn, "prompt_tokens", "completion_tokens")
        frames = self._chunk({"annotations": cited}) if cited else b""
        frames += self._chunk({}, "stop", **self.told(turn))
        return frames + (self._frame(choices=[], usage=used) if self._usage else b"") + b"data: [DONE]\n\n"

    def fail(self, error: JSON) -> bytes:
        return f"data: {compact(error)}\n\n".encode()

    def _chunk(self, delta: JSON, finish: str | None = None, **more: Any) -> bytes:
        return self._frame(choices=[_choice(finish, delta=delta)], **self._usage, **more)

    def _frame(self, **data: Any) -> bytes:
        return f"data: {compact({**self._facts, 'object': 'chat.completion.chunk', **data})}\n\n".encode()


class Answer(Words):
    """A response. `item` is the id of its only message; `given` are fields known only from the request."""

    def __init__(self, id_: str, created: int, model: str, item: str, thread_id: str | None, **given: Any) -> None:
        about = {"id": id_, "created_at": created, "model": model, "store": thread_id is not None}
        conversation = {"id": thread_id} if thread_id else None
        self._facts: JSON = {**_SAME, **about, "conversation": conversation, "previous_response_id": None, **given}
        self.metadata = given.get("metadata") or {}
        self._item = item
        self._number = 0

    def whole(self, turn: Turn) -> JSON:
        used = _usage(kept(turn), "input_tokens", "output_tokens")
        used["input_tokens_details"] = {"cached_tokens": 0, "cache_write_tokens": 0}
        used["output_tokens_details"] = {"reasoning_tokens": 0}
        done = {"status": "completed", "model": turn.agent, "output": [_reply(turn, self._item)], "usage": used}
        return {**self._facts, **done, **self.told(turn)}

    def begin(self) -> bytes:
        begun = {**self._facts, "status": "in_progress", "output": [], "usage": None, "metadata": self.metadata}
        frames = self._event("response.created", response=begun) + self._event("response.in_progress", response=begun)
        frames += self._event("response.output_item.added", output_index=0, item=_message(self._item, "assistant"))
        return frames + self._of_text("content_part.added", part=_text("output_text", ""))

    def delta(self, text: str) -> bytes:
        return self._of_text("output_text.delta", delta=text, logprobs=[])

    def end(self, turn: Turn) -> bytes:
        done = self.whole(turn)
        [item] = done["output"]
        [part], frames = item["content"], b""
        for index, cited in enumerate(part["annotations"]):
            frames += self._of_text("output_text.annotation.added", annotation_index=index, annotation=cited)
        frames += self._of_text("output_text.done", text=turn.reply, logprobs=[])
        frames += self._of_text("content_part.done", part=part)
        frames += self._event("response.output_item.done", output_index=0, item=item)
        return frames + self._event("response.completed", response=done)

    def fail(self, error: JSON) -> bytes:
        """Return an `error`, for which OpenAI's clients raise; they only report `response.failed`."""
        return self._event("error", **error["error"] | error)

    def _of_text(self, name: str, **data: Any) -> bytes:
        return self._event(f"response.{name}", item_id=self._item, **_PLACE, **data)

    def _event(self, name: str, **data: Any) -> bytes:
        text = compact({**data, "type": name, "sequence_number": self._number})
        self._number += 1
        return f"event: {name}\ndata: {text}\n\n".encode()


def items_of(turn: Turn) -> list[JSON]:
    said = _message(f"msg_{turn.number}_user", "user", _text("input_text", turn.message))
    return [said, _reply(turn, f"msg_{turn.number}_assistant")]


def _reply(turn: Turn, id_: str) -> JSON:
    return _message(id_, "assistant", {**_text("output_text", turn.reply), "annotations": citations(turn)})


def _text(kind: str, text: str) -> JSON:
    extra: JSON = {"annotations": [], "logprobs": []} if kind == "output_text" else {}
    return {"type": kind, "text": text, **extra}


def _message(id_: str, role: str, *parts: JSON) -> JSON:
    status = "completed" if parts else "in_progress"
    return {"id": id_, "type": "message", "role": role, "status": status, "content": list(parts)}


def _choice(finish: str | None, **said: JSON) -> JSON:
    return {"index": 0, **said, "logprobs": None, "finish_reason": finish}


def _usage(turn: Turn, asked: str, answered: str) -> JSON:
    used = turn.usage
    total = used.input_tokens + used.output_tokens
    return {asked: used.input_tokens, answered: used.output_tokens, "total_tokens": total}


def citations(turn: Turn) -> list[JSON]:
    """Return the citations of a response: a source with a web address there, any other as a file."""
    return [_citation(source, *place) for source in turn.sources for place in _places(source, turn.reply)]


def url_citations(turn: Turn) -> list[JSON]:
    """Return the citations of a chat completion, which supports web addresses only."""
    found = [each for each in citations(turn) if each.pop("type") == "url_citation"]
    return [{"type": "url_citation", "url_citation": each} for each in found]


def _citation(source: Source, start: int, end: int) -> JSON:
    if not source.url:
        return {"type": "file_citation", "file_id": source.id, "filename": source.title, "index": end}
    address = {"url": source.url, "title": source.title}
    return {"type": "url_citation", **address, "start_index": start, "end_index": end}


def _places(source: Source, reply: str) -> Iterator[tuple[int, int]]:
    """Yield where the reply names the source, as "[1706.03762]" or by its address; otherwise the end of the reply."""
    names = [rf"\[{re.escape(source.id)}\](?!\()", *([re.escape(source.url)] if source.url else [])]
    found = [match.span() for match in re.finditer("|".join(names), reply)]
    yield from found or ([(len(reply), len(reply))] if source.cited else [])
