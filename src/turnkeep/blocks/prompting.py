"""Builds prompts and history. All but the system text is data between tags; such tags inside the data are escaped."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self, TypeAlias

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from turnkeep.blocks.documents import Document
from turnkeep.records import JSON
from turnkeep.tokens import estimate_tokens

Message: TypeAlias = BaseMessage | Mapping[str, Any]
Said: TypeAlias = dict[str, str]

MEANING = "With the conversation in mind it asks: "
CUT_MARK = " [cut]"
TAGS = ("memory", "conversation", "user", "assistant", "documents", "document", "note", "tool_results", "tool_result")
_TAG = re.compile(rf"<(?=[^\w<>]*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "AIMessageChunk": "assistant"}


@dataclass(frozen=True)
class Trimmed:
    """The part of a history that a prompt shows: `truncated` if a message was cut or a turn was dropped for tokens."""

    messages: list[Said]
    turns_used: int
    turns_dropped: int
    truncated: bool

    @property
    def told(self) -> JSON:
        """Return how much of the history is shown, for the turn record."""
        return {"turns_used": self.turns_used, "turns_dropped": self.turns_dropped, "truncated": self.truncated}


class ConversationFormatter:
    """Formats the newest `max_turns` turns within `max_tokens`, tags included. A turn is a user message and all up to
    the next; tool calls and their results are left out. One message gets a third of the tokens at most."""

    def __init__(self, max_turns: int, max_tokens: int):
        self.max_turns, self.max_tokens = max_turns, max_tokens

    def format_for_prompt(self, history: Iterable[Message]) -> str:
        """Return the trimmed history as a section; empty without history."""
        return _conversation(self.trim(history).messages)

    def as_messages(self, history: Iterable[Message]) -> list[Said]:
        return self.trim(history).messages

    def trim(self, history: Iterable[Message]) -> Trimmed:
        turns = _turns(history)
        newest = turns[max(0, len(turns) - self.max_turns) :] if self.max_turns > 0 else []
        kept: list[list[Said]] = []
        for turn in reversed(newest):
            candidate = [self._cut_each(turn, self.max_tokens // 3), *kept]
            if not self._fits(candidate):
                break
            kept = candidate
        if newest and not kept:
            kept = self._squeeze(newest[-1])
        messages = [said for turn in kept for said in turn]
        is_cut = messages != [said for turn in newest for said in turn]
        return Trimmed(messages, len(kept), len(turns) - len(kept), is_cut)

    def _fits(self, turns: Sequence[Sequence[Said]]) -> bool:
        return estimate_tokens(_conversation([said for turn in turns for said in turn])) <= self.max_tokens

    def _squeeze(self, turn: list[Said]) -> list[list[Said]]:
        """Return only the newest turn, its messages cut to equal shares; empty if not even that fits."""
        tags = estimate_tokens(_conversation([{**said, "content": ""} for said in turn]))
        squeezed = self._cut_each(turn, (self.max_tokens - tags) // len(turn))
        has_text = all(said["content"] for said in squeezed)
        return [squeezed] if has_text and self._fits([squeezed]) else []

    def _cut_each(self, turn: list[Said], tokens: int) -> list[Said]:
        return [{**said, "content": self._cut(said["content"], tokens)} for said in turn]

    def _cut(self, text: str, tokens: int) -> str:
        """Return the beginning and end of `text`, as much as fits with a mark between them; empty if nothing fits."""
        if estimate_tokens(_defuse(text)) <= tokens:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if estimate_tokens(_defuse(_ends(text, middle))) <= tokens:
                low = middle
            else:
                high = middle - 1
        return _ends(text, low) if low else ""


def _ends(text: str, characters: int) -> str:
    """Return a third from the beginning and the rest from the end, where a reply has its advice and its question."""
    head = characters // 3
    return f"{text[:head].rstrip()}{CUT_MARK} {text[len(text) - (characters - head) :].lstrip()}"


class PromptBuilder:
    """Collects a system text and the sections of one user message, in the order in which they are added."""

    def __init__(self, system: str):
        self._system = system
        self._sections: list[str] = []
        lists = ("memory", "conversation", "documents", "notes", "tool_results")
        self._parts: JSON = {"query": "", **{name: [] for name in lists}}
        self.trimmed = Trimmed([], turns_used=0, turns_dropped=0, truncated=False)

    def with_conversation(self, formatter: ConversationFormatter, history: Iterable[Message]) -> Self:
        self.trimmed = formatter.trim(history)
        self._parts["conversation"] += self.trimmed.messages
        return self._add(_conversation(self.trimmed.messages))

    def with_memory(self, summaries: Sequence[str]) -> Self:
        """Add summaries of earlier messages, oldest first."""
        self._parts["memory"] += summaries
        return self._add(_section("memory", [f"<note>{_defuse(summary)}</note>" for summary in summaries]))

    def with_retrieval_context(self, documents: Sequence[Document]) -> Self:
        self._parts["documents"] += [asdict(document) for document in documents]
        return self._add(_section("documents", [_document(document) for document in documents]))

    def with_query(self, query: str, label: str = "Question") -> Self:
        self._parts["query"] = query
        return self._add(f"{label}: {_defuse(query)}")

    def with_message(self, message: str, meaning: str) -> Self:
        """Add the message, and its meaning if that adds something."""
        self.with_notes([f"{MEANING}{meaning}"] if meaning != message else [])
        return self.with_query(message, label="Message")

    def with_note(self, note: str) -> Self:
        self._parts["notes"].append(note)
        return self._add(f"<note>{_defuse(note)}</note>")

    def with_notes(self, notes: Iterable[str]) -> Self:
        for note in notes:
            self.with_note(note)
        return self

    def with_tool_results(self, results: Sequence[Mapping[str, Any]]) -> Self:
        """Add results, each with `tool` and `output`."""
        plain = [{"tool": str(result["tool"]), "output": str(result["output"])} for result in results]
        self._parts["tool_results"] += plain
        lines = [f'<tool_result tool="{_attribute(r["tool"])}">\n{_defuse(r["output"])}\n</tool_result>' for r in plain]
        return self._add(_section("tool_results", lines))

    def build(self) -> tuple[str, str]:
        return self._system, "\n\n".join(self._sections)

    def messages(self) -> list[BaseMessage]:
        """Return the prompt as messages; `parts` is for the demo model, langchain-openai does not send it."""
        system, user = self.build()
        return [SystemMessage(system), HumanMessage(user, additional_kwargs={"parts": self._parts})]

    def _add(self, section: str) -> Self:
        if section:
            self._sections.append(section)
        return self


def _turns(history: Iterable[Message]) -> list[list[Said]]:
    turns: list[list[Said]] = []
    for said in filter(None, map(_said, history)):
        if said["role"] == "user" or not turns:
            turns.append([])
        turns[-1].append(said)
    return turns


def _said(message: Message) -> Said | None:
    """Return role and text of a user or assistant message; None for tools, system messages and empty text."""
    if isinstance(message, BaseMessage):
        role, text = _ROLES.get(message.type), str(message.text)
    else:
        role, text = _ROLES.get(message["role"]), str(message["content"] or "")
    return {"role": role, "content": text} if role and text.strip() else None


def _conversation(messages: Sequence[Said]) -> str:
    lines = [f"<{said['role']}>{_defuse(said['content'])}</{said['role']}>" for said in messages]
    return _section("conversation", lines)


def _document(document: Document) -> str:
    facts = [f"{name}: {_fact(value)}" for name, value in document.metadata.items() if _is_plain(value)]
    body = _defuse("\n".join(filter(None, [document.title, *facts, document.text])))
    return f'<document id="{_attribute(document.id)}">\n{body}\n</document>'


def _is_plain(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, str | int | float) for item in items)


def _fact(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _section(tag: str, lines: Sequence[str]) -> str:
    return "\n".join([f"<{tag}>", *lines, f"</{tag}>"]) if lines else ""


def _defuse(text: str) -> str:
    return _TAG.sub("&lt;", text)


def _attribute(text: str) -> str:
    return re.sub(r"[\s\"<>]+", " ", text).strip()
