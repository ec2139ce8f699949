"""A turn as a Response, whole and event by event, and as the items of a conversation."""

from collections.abc import Callable, Mapping
from typing import Any

from turnkeep.api.errors import as_problem
from turnkeep.api.openai.answers import Draft, citations, compact, extension, kept, metadata_of, usage_of
from turnkeep.api.openai.errors import shape
from turnkeep.errors import TurnkeepError
from turnkeep.records import JSON, Turn

_PLACE = {"output_index": 0, "content_index": 0}


class Answer:
    """One response, and what is known of it before its turn is. `item` is the id of its only message."""

    def __init__(self, id_: str, created: int, model: str, item: str, thread_id: str | None, **given: Any) -> None:
        """`given`: previous_response_id, metadata."""
        self._item = item
        self._metadata = given.get("metadata")
        about = {"id": id_, "object": "response", "created_at": created, "model": model, "store": thread_id is not None}
        after = {
            "conversation": thread_id and {"id": thread_id},
            "previous_response_id": given.get("previous_response_id"),
        }
        plain = {"parallel_tool_calls": False, "tool_choice": "none", "tools": [], "text": {"format": {"type": "text"}}}
        empty = dict.fromkeys(("error", "incomplete_details", "instructions", "temperature", "top_p"))
        self._facts: JSON = {**about, **after, **plain, **empty, "background": False, "truncation": "disabled"}

    def whole(self, turn: Turn) -> JSON:
        """Raises where the turn should be kept and is not."""
        item, told = reply_item(kept(turn), self._item), metadata_of(turn, self._metadata)
        used = usage_of(turn, "input_tokens", "output_tokens")
        used["input_tokens_details"] = {"cached_tokens": 0, "cache_write_tokens": 0}
        used["output_tokens_details"] = {"reasoning_tokens": 0}
        done = {**self._facts, "status": "completed", "output": [item], "usage": used, "metadata": told}
        return {**done, "turnkeep": extension(turn)}

    def frames(self) -> Callable[[int, str, Mapping[str, Any]], bytes]:
        """Makes frames of a run's events."""
        draft, sent = Draft(), list[str]()

        def event(name: str, **data: Any) -> bytes:
            text = compact({"type": name, "sequence_number": len(sent), **data})
            sent.append(name)
            return f"event: {name}\ndata: {text}\n\n".encode()

        def of_text(name: str, **data: Any) -> bytes:
            return event(f"response.{name}", item_id=self._item, **_PLACE, **data)

        def begin() -> bytes:
            begun = {**self._facts, "status": "in_progress", "output": [], "usage": None, "metadata": self._metadata}
            steps = [event(f"response.{name}", response=begun) for name in ("created", "in_progress")]
            steps.append(event("response.output_item.added", output_index=0, item=_message(self._item, "assistant")))
            return b"".join([*steps, of_text("content_part.added", part=_text("output_text", ""))])

        def end(turn: Turn) -> bytes:
            done = self.whole(turn)
            item, rest = done["output"][0], draft.rest_of(turn.reply)
            part = item["content"][0]
            steps = [of_text("output_text.delta", delta=rest, logprobs=[])] if rest else []
            for index, cited in enumerate(part["annotations"]):
                steps.append(of_text("output_text.annotation.added", annotation_index=index, annotation=cited))
            steps += [
                of_text("output_text.done", text=turn.reply, logprobs=[]),
                of_text("content_part.done", part=part),
            ]
            steps.append(event("response.output_item.done", output_index=0, item=item))
            return b"".join([*steps, event("response.completed", response=done)])

        def failed(problem: Mapping[str, Any]) -> bytes:
            """An `error`, at which OpenAI's clients raise; of `response.failed` they only tell."""
            error = shape(problem)["error"]
            return event("error", **{name: error[name] for name in ("code", "message", "param")}, error=error)

        def frame(_: int, name: str, data: Mapping[str, Any]) -> bytes:
            begun = b"" if sent else begin()
            if name == "token":
                return begun + of_text("output_text.delta", delta=draft.add(data["content"]), logprobs=[])
            if name == "error":
                return begun + failed(data)
            try:
                return begun + (end(data["turn"]) if name == "complete" else b"")
            except TurnkeepError as error:
                return begun + failed(as_problem(error))

        return frame


def items_of(turn: Turn) -> list[JSON]:
    said = _message(f"msg_{turn.number}_user", "user", _text("input_text", turn.message))
    return [said, reply_item(turn, f"msg_{turn.number}_assistant")]


def reply_item(turn: Turn, id_: str) -> JSON:
    return _message(id_, "assistant", {**_text("output_text", turn.reply), "annotations": citations(turn)})


def _text(kind: str, text: str) -> JSON:
    extra: JSON = {"annotations": [], "logprobs": []} if kind == "output_text" else {}
    return {"type": kind, "text": text, **extra}


def _message(id_: str, role: str, *parts: JSON) -> JSON:
    status = "completed" if parts else "in_progress"
    return {"id": id_, "type": "message", "role": role, "status": status, "content": list(parts)}


def listed(items: list[JSON], *, has_more: bool = False) -> JSON:
    first, last = (items[0]["id"], items[-1]["id"]) if items else ("", "")
    return {"object": "list", "data": items, "first_id": first, "last_id": last, "has_more": has_more}
