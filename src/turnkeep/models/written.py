"""Parses reasoning tags, tool calls and JSON that a model wrote as text because its server does not parse them.
Only complete JSON counts: a truncated call is never completed."""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from turnkeep.errors import ModelError

Written: TypeAlias = tuple[str, dict[str, Any]]  # a tool's name and its arguments

_OPENER = re.compile(r"<think(?:ing)?>|\[think\]", re.IGNORECASE)
_CLOSER = re.compile(r"(?<!`)(?:</think(?:ing)?>|\[/think\])", re.IGNORECASE)
_ALONE = re.compile(rf"\n[ \t]*{_CLOSER.pattern}", re.IGNORECASE)  # elsewhere in a line it is a mention
_LONGEST_TAG, _KEPT = 12, 200

_MARK = re.compile(r"<tool_call|<function=|<[|\uff5c]|\[TOOL_CALLS\]|functions\.")
_MAY_BE_CALL = re.compile(r"\{|<(?=\Z|[a-z|\uff5c])|`(?=\Z|`)|\[(?=\Z|[\s{T])")
_BETWEEN = re.compile(r"<[|\uff5c][^<>]*>|(?<![\w-])(?:json|ARGS|\d+)(?![\w-])")
_PARAMETER = re.compile(r"<parameter=(\w+)>\s*(.*?)\s*</parameter>", re.DOTALL)
_ARGUMENTS = ("arguments", "parameters", "args", "input")

_JSON = json.JSONDecoder(strict=False)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_MOST_OBJECTS, _DEEPEST = 100, 4


@dataclass
class Habit:
    """True if a model may begin with reasoning without an opening tag. If so, streams wait for a closing tag."""

    waits: bool = False


class Prose:
    """Removes the reasoning before an answer, and holds back text that may be a tool call."""

    def __init__(self, habit: Habit, *, has_tools: bool) -> None:
        self._habit, self._has_tools = habit, has_tools
        self._held, self.tail = "", "\n"
        self._is_answer = self._has_reasoned = self._has_opened = False

    def see(self, text: str) -> str:
        """Return the text that can be sent now. Raise ModelError if reasoning without an opening tag was sent."""
        self._held += text
        self._is_answer = self._is_answer or self._reaches_answer(len(text))
        if not self._is_answer:
            return ""
        if not (self._has_reasoned or self._has_opened):
            self._check_tags(self.tail + self._held)
        call = _MAY_BE_CALL.search(self._held) if self._has_tools else None
        end = call.start() if call else len(self._held)
        shown, self._held = self._held[:end], self._held[end:]
        self.tail = (self.tail + shown)[-_KEPT:]
        return shown

    def _check_tags(self, text: str) -> None:
        closer, opener = _ALONE.search(text), _OPENER.search(text)
        self._has_opened = bool(opener)
        if closer and (opener is None or closer.start() < opener.start()):
            self._habit.waits = True
            raise ModelError("The model wrote its reasoning into its answer.")

    def rest(self) -> str:
        """Return the text that was held back, except reasoning that never ended."""
        if self._held or self.tail != "\n":
            self._habit.waits = self._has_reasoned
        return "" if not self._is_answer and _OPENER.match(self._held.lstrip()) else self._held

    def _reaches_answer(self, added: int) -> bool:
        start = max(0, len(self._held) - added - _LONGEST_TAG)
        for closer in () if self._has_reasoned else _CLOSER.finditer(self._held, start):
            opener = _OPENER.search(self._held, 0, closer.start())
            before = self._held[: opener.start()] if opener else self._held[: closer.start()].rpartition("\n")[2]
            if not before.strip():
                self._has_reasoned, self._held = True, self._held[closer.end() :]
                break
        if self._has_reasoned:
            self._held = self._held.lstrip()
            return bool(self._held)
        opening = self._held.lstrip()[:_LONGEST_TAG].lower()
        may_open = _OPENER.match(opening) or any(tag.startswith(opening) for tag in ("<thinking>", "[think]"))
        return not (may_open or self._habit.waits)


def calls_in(text: str, names: Collection[str]) -> Iterator[Written]:
    """Yield calls of the named tools that were written as text, in any of the formats that models use."""
    for part in text.split("<function=")[1:]:
        name, _, rest = part.partition(">")
        if name in names and (found := _PARAMETER.findall(rest)):
            yield name, {key: _decoded(value) if value[:1] in ("[", "{") else value for key, value in found}
    for before, value in objects_in(text):
        yield from _calls_of(value, names, _title(before))


def is_like_a_call(text: str) -> bool:
    """Return whether a text is probably an unusable call and not prose."""
    return bool(_MARK.search(text)) or any(objects_in(text))


def objects_in(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each outermost, non-empty JSON object in a text, preceded by the text before it."""
    text, end = str(_decoded(text)) if text.lstrip().startswith('"') else text, 0
    for brace in islice(re.finditer(r"\{", text), _MOST_OBJECTS):
        if brace.start() >= end:
            value, length = _object_at(text[brace.start() :])
            if value:
                yield text[end : brace.start()], value
                end = brace.start() + length


def _object_at(text: str) -> tuple[dict[str, Any] | None, int]:
    """Return the object at the start of a text, and its length. A trailing comma is allowed."""
    for written in (text, _TRAILING_COMMA.sub(lambda found: found[1] or " ", text)):
        with suppress(ValueError, RecursionError):
            return _JSON.raw_decode(written)
    return None, 0


def _decoded(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text, strict=False)
    return text


def arguments_of(given: Any) -> dict[str, Any] | None:
    """Return arguments sent as an object, or JSON-encoded once or twice; None if they are unusable."""
    for _ in range(2):
        given = _decoded(given) if isinstance(given, str) and given else given
    return given if isinstance(given, dict) else {} if given in (None, "") else None


def _calls_of(value: Any, names: Collection[str], title: str, depth: int = _DEEPEST) -> Iterator[Written]:
    """`title` is the name before the value, from the text or its key."""
    if isinstance(value, list):
        value = {str(at): each for at, each in enumerate(value)}
    if isinstance(value, dict) and depth:
        name = value.get("name", value.get("tool"))
        arguments = arguments_of(next((value[key] for key in _ARGUMENTS if key in value), None))
        if isinstance(name, str) and name in names and arguments:
            yield name, arguments
        elif title in names:
            yield title, value
        else:
            for key, each in value.items():
                yield from _calls_of(each, names, key, depth - 1)


def _title(before: str) -> str:
    """Return the name between a marker of a tool call and the object after it, if any."""
    words = re.findall(r"[\w-]*\w", _BETWEEN.sub(" ", before[-200:])) if _MARK.search(before[-200:]) else []
    return words[-1] if words else ""
