"""A turn as a chat completion or a response, whole or event by event. The object `turnkeep` has the other fields of the
turn, such as rows and cost. The final event of success is sent after the turn is stored."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from turnkeep.http.errors import as_problem
from turnkeep.http.openai.error_format import shape
from turnkeep.http.sse import EventId, compact
from turnkeep.http.views import TurnView, fault_of
from turnkeep.records import JSON, Source, Turn

_PLACE = {"output_index": 0, "content_index": 0}
_SAME: JSON = {"object": "response", "parallel_tool_calls": False, "tool_choice": "none", "tools": []}
_SAME |= dict.fromkeys(("error", "incomplete_details", "instructions", "temperature", "top_p"))


class Frames(Protocol):
    """Renders the events of a run. `sent` is the text so far, which cannot be taken back. `warnings` are added to those
    of the turn."""

    metadata: JSON | None
    warnings: tuple[str, ...] = ()
    sent: str | None = None

    def whole(self, turn: Turn) -> JSON: ...
    def begin(self) -> bytes: ...
    def delta(self, text: str) -> bytes: ...
    def end(self, turn: Turn) -> bytes: ...
    def fail(self, error: JSON) -> bytes: ...

    def __call__(self, _: EventId, name: str, data: Mapping[str, Any]) -> bytes:
        if name not in ("token", "complete", "error"):
            return b""
        begun = self.begin() if self.sent is None else b""
        self.sent = self.sent or ""
        if name == "token":
            return begun + self._send(data["content"])
        if name == "complete":
            error = fault_of(data["turn"])
            if not error:
                return begun + self._complete(data["turn"])
            data = as_problem(error)
        return begun + self.fail(shape(data))

    def _send(self, text: str) -> bytes:
        self.sent = f"{self.sent}{text}"
        return self.delta(text) if text else b""

    def _complete(self, turn: Turn) -> bytes:
        """Send what is missing of the reply. A reply that differs from the text sent so far follows as a whole."""
        sent = self.sent or ""
        if turn.reply.startswith(sent):
            return self._send(turn.reply[len(sent) :]) + self.end(turn)
        again = "" if sent.strip() == turn.reply.strip() else f"\n\n{turn.reply}"
        return self._send(again) + self.end(turn)

    def extras(self, turn: Turn) -> JSON:
        """Return the client's metadata with a summary of the turn, and the turn as other routes return it."""
        turn = replace(turn, warnings=(*turn.warnings, *self.warnings))
        facts = {"thread_id": turn.thread_id, "turn": turn.number, "warnings": ", ".join(turn.warnings)}
        short = {f"turnkeep_{name}": str(value)[:512] for name, value in facts.items() if value}
        view = TurnView.of(turn).bounded().model_dump(mode="json", exclude={"message", "reply"})
        return {"metadata": {**(self.metadata or {}), **short}, "turnkeep": view}


class CompletionFrames(Frames):
    def __init__(self, id_: str, created: int, model: str, metadata: JSON | None, *, with_usage: bool = False) -> None:
        self._facts: JSON = {"id": id_, "created": created, "model": model}
        self._usage = {"usage": None} if with_usage else {}
        self.metadata = metadata

    def whole(self, turn: Turn) -> JSON:
        message = {"content": turn.reply, "refusal": None, "annotations": url_citations(turn)}
        choices = [_choice("stop", message={"role": "assistant", **message})]
        used = _usage(turn, "prompt_tokens", "completion_tokens")
        return {**self._facts, "object": "chat.completion", "choices": choices, "usage": used, **self.extras(turn)}

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def delta(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def end(self, turn: Turn) -> bytes:
        cited, used = url_citations(turn), _usage(turn, "prompt_tokens", "completion_tokens")
        frames = self._chunk({"annotations": cited}) if cited else b""
        frames += self._chunk({}, "stop", **self.extras(turn))
        return frames + (self._frame(choices=[], usage=used) if self._usage else b"") + b"data: [DONE]\n\n"

    def fail(self, error: JSON) -> bytes:
        return f"data: {compact(error)}\n\n".encode()

    def _chunk(self, delta: JSON, finish: str | None = None, **more: Any) -> bytes:
        return self._frame(choices=[_choice(finish, delta=delta)], **self._usage, **more)

    def _frame(self, **data: Any) -> bytes:
        return f"data: {compact({**self._facts, 'object': 'chat.completion.chunk', **data})}\n\n".encode()


class ResponseFrames(Frames):
    """`item` is the id of the only message; `given` are fields from the request."""

    def __init__(self, id_: str, created: int, model: str, item: str, thread_id: str | None, **given: Any) -> None:
        about = {"id": id_, "created_at": created, "model": model, "store": thread_id is not None}
        conversation = {"id": thread_id} if thread_id else None
        self._facts: JSON = {**_SAME, **about, "conversation": conversation, "previous_response_id": None, **given}
        self.metadata = given.get("metadata") or {}
        self._item = item
        self._number = 0

    def whole(self, turn: Turn) -> JSON:
        used = _usage(turn, "input_tokens", "output_tokens")
        used["input_tokens_details"] = {"cached_tokens": 0, "cache_write_tokens": 0}
        used["output_tokens_details"] = {"reasoning_tokens": 0}
        done = {"status": "completed", "model": turn.agent, "output": [_reply(turn, self._item)], "usage": used}
        return {**self._facts, **done, **self.extras(turn)}

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
        """Send `error`, for which OpenAI's clients raise. For `response.failed` they do not."""
        return self._event("error", **error["error"] | error)

    def _of_text(self, name: str, **data: Any) -> bytes:
        return self._event(f"response.{name}", item_id=self._item, **_PLACE, **data)

    def _event(self, name: str, **data: Any) -> bytes:
        text = compact({**data, "type": name, "sequence_number": self._number})
        self._number += 1
        return f"event: {name}\ndata: {text}\n\n".encode()


def items_of(turn: Turn) -> list[JSON]:
    message = _message(f"msg_{turn.number}_user", "user", _text("input_text", turn.message))
    return [message, _reply(turn, f"msg_{turn.number}_assistant")]


def _reply(turn: Turn, id_: str) -> JSON:
    return _message(id_, "assistant", {**_text("output_text", turn.reply), "annotations": citations(turn)})


def _text(kind: str, text: str) -> JSON:
    extra: JSON = {"annotations": [], "logprobs": []} if kind == "output_text" else {}
    return {"type": kind, "text": text, **extra}


def _message(id_: str, role: str, *parts: JSON) -> JSON:
    status = "completed" if parts else "in_progress"
    return {"id": id_, "type": "message", "role": role, "status": status, "content": list(parts)}


def _choice(finish: str | None, **content: JSON) -> JSON:
    return {"index": 0, **content, "logprobs": None, "finish_reason": finish}


def _usage(turn: Turn, asked: str, answered: str) -> JSON:
    used = turn.usage
    total = used.input_tokens + used.output_tokens
    return {asked: used.input_tokens, answered: used.output_tokens, "total_tokens": total}


def citations(turn: Turn) -> list[JSON]:
    """Return the annotations of a response. A source without a web address is cited as a file."""
    return [_citation(source, *place) for source in turn.sources for place in _places(source, turn.reply)]


def url_citations(turn: Turn) -> list[JSON]:
    """Return the annotations of a chat completion, which supports web addresses only."""
    found = [each for each in citations(turn) if each.pop("type") == "url_citation"]
    return [{"type": "url_citation", "url_citation": each} for each in found]


def _citation(source: Source, start: int, end: int) -> JSON:
    if not source.url:
        return {"type": "file_citation", "file_id": source.id, "filename": source.title, "index": end}
    address = {"url": source.url, "title": source.title}
    return {"type": "url_citation", **address, "start_index": start, "end_index": end}


def _places(source: Source, reply: str) -> Iterator[tuple[int, int]]:
    """Yield where the reply names the source, as "[1706.03762]" or by its address, or else the end of the reply."""
    names = [rf"\[{re.escape(source.id)}\](?!\()", *([re.escape(source.url)] if source.url else [])]
    found = [match.span() for match in re.finditer("|".join(names), reply)]
    yield from found or ([(len(reply), len(reply))] if source.cited else [])
