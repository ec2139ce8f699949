"""Builds prompts and history. Everything except the system text is data between tags; tags in the data are escaped."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Self, TypeAlias

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from turnkeep.kit.documents import Document
from turnkeep.records import JSON
from turnkeep.tokens import estimate_tokens

Entry: TypeAlias = dict[str, str]

MEANING = "With the conversation in mind it asks: "
CUT_MARK = " [cut]"
TAGS = ("memory", "conversation", "user", "assistant", "documents", "document", "note", "tool_results", "tool_result")
_TAG = re.compile(rf"<(?=[^\w<>]*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}


@dataclass(frozen=True)
class Trimmed:
    """The part of a history that fits a prompt. `counts`, for the turn record: the turns in it, those left out, and
    whether a message was cut or a turn dropped for tokens."""

    messages: list[Entry]
    counts: JSON


class ConversationFormatter:
    """Formats the newest `max_turns` turns within `max_tokens`, tags included. A turn is a user message and everything
    up to the next one, without tool calls and results. One message gets at most a third of the tokens, and less in a
    turn of three messages or more, so that the newest turn fits."""

    def __init__(self, max_turns: int, max_tokens: int):
        self.max_turns, self.max_tokens = max_turns, max_tokens

    def trim(self, history: Iterable[BaseMessage]) -> Trimmed:
        turns = _turns(history)
        newest = turns[-self.max_turns :] if self.max_turns > 0 else []
        kept: list[list[Entry]] = []
        for turn in reversed(newest):
            most = self.max_tokens // max(len(turn) + 1, 3)
            candidate = [[{**entry, "content": _cut(entry["content"], most)} for entry in turn], *kept]
            if estimate_tokens(_conversation(list(chain(*candidate)))) > self.max_tokens:
                break
            kept = candidate
        messages = list(chain(*kept))
        dropped, is_cut = len(turns) - len(kept), messages != list(chain(*newest))
        return Trimmed(messages, {"turns_used": len(kept), "turns_dropped": dropped, "truncated": is_cut})


def _cut(text: str, tokens: int) -> str:
    """Return as much of the beginning and end of `text` as fits; empty if nothing fits."""
    if estimate_tokens(_defuse(text)) <= tokens:
        return text
    sizes = range(1, len(text) + 1)
    size = bisect_right(sizes, tokens, key=lambda size: estimate_tokens(_defuse(_ends(text, size))))
    return _ends(text, size) if size else ""


def _ends(text: str, characters: int) -> str:
    """Return a third from the beginning and the rest from the end, where a reply puts its advice and its question."""
    head = characters // 3
    return f"{text[:head].rstrip()}{CUT_MARK} {text[len(text) - (characters - head) :].lstrip()}"


class PromptBuilder:
    """Collects a system text and the sections of one user message, in the order of the calls."""

    def __init__(self, system: str):
        self._system = system
        self._sections: list[str] = []
        lists = ("memory", "conversation", "documents", "notes", "tool_results")
        self._parts: JSON = {"query": "", **{name: [] for name in lists}}
        self.trimmed = ConversationFormatter(0, 0).trim([])

    def with_conversation(self, formatter: ConversationFormatter, history: Iterable[BaseMessage]) -> Self:
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
        """Add the message, and its meaning if that differs."""
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
        plain = [{"tool": str(result["tool"]), "output": str(result["output"])} for result in results]
        self._parts["tool_results"] += plain
        lines = [f'<tool_result tool="{_attribute(r["tool"])}">\n{_defuse(r["output"])}\n</tool_result>' for r in plain]
        return self._add(_section("tool_results", lines))

    def build(self) -> tuple[str, str]:
        return self._system, "\n\n".join(self._sections)

    def messages(self) -> list[BaseMessage]:
        """Return the prompt as messages. `parts` is for the demo model; it is not sent to providers."""
        system, user = self.build()
        return [SystemMessage(system), HumanMessage(user, additional_kwargs={"parts": self._parts})]

    def _add(self, section: str) -> Self:
        if section:
            self._sections.append(section)
        return self


def _turns(history: Iterable[BaseMessage]) -> list[list[Entry]]:
    """Return the user and assistant messages that have text, by turn."""
    turns: list[list[Entry]] = []
    for message in history:
        role, text = _ROLES.get(message.type), str(message.text)
        if role and text.strip():
            if role == "user" or not turns:
                turns.append([])
            turns[-1].append({"role": role, "content": text})
    return turns


def _conversation(messages: Sequence[Entry]) -> str:
    lines = [f"<{entry['role']}>{_defuse(entry['content'])}</{entry['role']}>" for entry in messages]
    return _section("conversation", lines)


def _document(document: Document) -> str:
    values = ((name, value if isinstance(value, list) else [value]) for name, value in document.metadata.items())
    facts = [f"{name}: {', '.join(map(str, value))}" for name, value in values if value and all(map(_is_plain, value))]
    body = _defuse("\n".join(filter(None, [document.title, *facts, document.text])))
    return f'<document id="{_attribute(document.id)}">\n{body}\n</document>'


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def _section(tag: str, lines: Sequence[str]) -> str:
    return "\n".join([f"<{tag}>", *lines, f"</{tag}>"]) if lines else ""


def _defuse(text: str) -> str:
    return _TAG.sub("&lt;", text)


def _attribute(text: str) -> str:
    return re.sub(r"[\s\"<>]+", " ", text).strip()
