"""Checks each sentence of a reply before it is streamed. A streamed sentence is never retracted. The model rewrites
rejected sentences once; one rejected again is dropped with a warning. Nothing in a reply loads or runs on its own."""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol, TypeAlias
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from turnkeep.errors import ModelError, ModelFault
from turnkeep.kit.links import Links
from turnkeep.models.calls import TextAnswer, TextCall, TypedCall, stream_text, try_typed, warnings_of
from turnkeep.records import Reply, RunContext
from turnkeep.texts import disarmed, is_web_address, printable

Write: TypeAlias = Callable[[Any], None]  # LangGraph's stream writer
Place: TypeAlias = tuple[Write, UUID]  # where a reply is streamed, and its message id

SENTENCE_CORRECTED, SENTENCE_REMOVED = "sentence_corrected", "sentence_removed"
REPAIR = """Some sentences of your reply cannot be shown:
{problems}
Write these sentences again, in the same order and language, without what is wrong or with what was found. Leave one \
empty to drop it."""

# After a full stop, a sentence begins only with a capital, a digit or an opening mark: "e.g. this" is one sentence, "am
# 3. Mai" as well. None ends within "art. 18", "L. 300/1970", "D.Lgs. 81/2008", "n. 104".
_SHORTENED = "".join(
    rf"(?!(?<=\b{word}\.)\s+\d)" for word in ("[A-Z]", "[Aa]rt", "[Aa]rtt", "n", "[Nn]o", "Lgs", "pag")
)
_END = re.compile(
    rf"(?<=[.!?\u2026]){_SHORTENED}"
    r"(?<!(?<![.,\d£$€¥])\d\.)(?<!(?<![.,\d£$€¥])\d\d\.)[\"\u201d)*_]*\s+(?=[\"\u201c\u00ab(*_\u00bf\u00a1\[]*[^\W_a-z])"
)
_ROW = re.compile(r"\s*(?:\||(?:\d{1,2}[.)]|[-*\u2022])\s)")


class Judge(Protocol):
    def problems(self, unit: str) -> Sequence[str]:
        """Return the faults of a sentence, row or list item, worded for the model. Earlier accepted text counts."""

    def accept(self, unit: str) -> str:
        """Accept the sentence and return its display form."""


class Linked:
    """A Judge that rejects links that are not in the material of the turn, and then asks another judge."""

    def __init__(self, judge: Judge | None, messages: Iterable[BaseMessage], material: Iterable[str] = ()):
        """`messages` are those of the thread; `material` is everything else in the prompts."""
        self._judge, self._links = judge, Links([*(str(each.text) for each in messages), *material])

    def problems(self, unit: str) -> Sequence[str]:
        return self._links.problems(unit) or (self._judge.problems(unit) if self._judge else ())

    def accept(self, unit: str) -> str:
        return self._judge.accept(unit) if self._judge else unit

    def linked(self, text: str) -> str:
        """Return the sentences of a text whose links are all in the material."""
        return "".join(unit for unit in units(text) if not self._links.problems(unit))


class Rewritten(BaseModel):
    """The sentences written anew."""

    sentences: list[str] = Field(description="one for each sentence that was named, in order; empty drops it")


async def word(
    model: BaseChatModel,
    call: TextCall,
    prompt: Sequence[BaseMessage],
    judge: Linked,
    *,
    to: Place,
    fallback: str,
    end: str = "",
) -> TextAnswer:
    """Write the reply to `prompt` and stream it by sentences. `end` follows the model's text; `fallback` replaces
    it if no sentence is accepted. Both lose links that are not in the material. Raises ModelFault."""
    reply = _Reply(judge, to[0], str(to[1]))
    draft = _Draft(model, call, prompt)
    held: list[str] = []
    async for unit in draft.units():
        if held or judge.problems(unit):
            held.append(unit)  # later units wait too, to keep the order
        else:
            reply.add(unit)
    warnings = draft.warnings
    if held:
        written = await _repaired(model, call.name, [*prompt, AIMessage(draft.text)], held, judge)
        warnings += reply.settle(held, written)
    if not reply.has_words:
        reply.show(judge.linked(fallback))
    reply.show(judge.linked(end))
    return TextAnswer(reply.text.strip(), str(to[1]), warnings)


def send(text: str, *, to: Place, judge: Linked | None = None, fallback: str = "\u2026") -> TextAnswer:
    """Stream a complete reply. Text from a model needs a `judge` of its links."""
    shown = judge.linked(text) if judge else text
    warnings = (SENTENCE_REMOVED,) if shown != text else ()
    text = disarmed(shown if shown.strip() else fallback)
    to[0](token(str(to[1]), text))
    return TextAnswer(text, str(to[1]), warnings)


def place(agent: str, messages: Sequence[BaseMessage], run: Runtime[RunContext]) -> Place:
    """Return where to stream the reply to the last message; a node that runs again replaces its reply."""
    return run.stream_writer, uuid5(NAMESPACE_OID, f"{agent}.reply:{messages[-1].id}")


def token(message_id: str, content: str) -> dict[str, str]:
    return {"event": "token", "id": message_id, "content": content}


def is_token(data: Any) -> bool:
    is_event = isinstance(data, dict) and data.get("event") == "token"
    return is_event and all(isinstance(data.get(name), str) for name in ("id", "content"))


def presented(reply: Reply) -> Reply:
    """Return the display form of a reply, also for graphs that do not use this module."""
    sources = tuple(
        replace(each, title=disarmed(each.title), url=each.url if each.url and is_web_address(each.url) else None)
        for each in reply.sources
    )
    return replace(reply, text=str(printable(reply.text)), sources=sources)  # LangChain has a str of its own


def units(text: str) -> list[str]:
    """Return sentences, table rows and list items, each with the blanks after it: joined, they equal the text."""
    found: list[str] = []
    for line in re.split(r"(?<=\n)", text):
        ends = [] if _ROW.match(line) else [end.end() for end in _END.finditer(line)]
        found += [line[start:end] for start, end in pairwise([0, *ends, len(line)]) if end > start]
    return found


class _Draft:
    def __init__(self, model: BaseChatModel, call: TextCall, prompt: Sequence[BaseMessage]):
        self._pieces = stream_text(model, call, prompt)
        self.text = ""
        self.warnings: tuple[str, ...] = ()

    async def units(self) -> AsyncIterator[str]:
        """Yield each unit when the text after it shows that it is complete; raises ModelError for an empty answer."""
        start = given = 0  # the start of the current line, and how many of its units were yielded
        async for piece in self._pieces:
            self.warnings = tuple(dict.fromkeys((*self.warnings, *warnings_of(piece))))
            self.text += piece.text
            *lines, line = self.text[start:].split("\n")
            for whole in lines:
                for unit in units(f"{whole}\n")[given:]:
                    yield unit
                start, given = start + len(whole) + 1, 0
            for unit in units(line)[given:-1]:
                yield unit
                given += 1
        for unit in units(self.text[start:])[given:]:
            yield unit
        if not self.text.strip():
            raise ModelError("The model's answer was empty.")


class _Reply:
    """The streamed text, which only grows. Blanks wait for the next words, so that a dropped sentence leaves no gap."""

    def __init__(self, judge: Linked, write: Write, message_id: str):
        self._judge, self._write, self._id = judge, write, message_id
        self._blanks = ""
        self.text, self.has_words = "", False

    def show(self, text: str) -> None:
        text = disarmed(text)
        words = text.rstrip()
        if words:
            piece = self._blanks + words if self.text else words.lstrip()
            self.text += piece
            self._write(token(self._id, piece))
            self._blanks = ""
        self._blanks = re.sub(r"\n{3,}", "\n\n", self._blanks + text[len(words) :])

    def add(self, unit: str) -> None:
        self.has_words = self.has_words or any(map(str.isalnum, unit))
        self.show(self._judge.accept(unit))

    def settle(self, held: Sequence[str], written: dict[str, str]) -> tuple[str, ...]:
        """Stream the accepted units among those that waited, in order; return the warnings."""
        warnings: dict[str, None] = {}
        for unit in held:
            new = written.get(unit, unit)
            if new and not self._judge.problems(new):
                self.add(new)
                warnings |= {SENTENCE_CORRECTED: None} if new != unit else {}
                continue
            warnings |= {SENTENCE_REMOVED: None}
            if unit.endswith("\n") and not self._blanks.endswith("\n"):
                self._blanks = "\n"  # the line continues before the dropped unit
        return tuple(warnings)


async def _repaired(
    model: BaseChatModel, name: str, prompt: Sequence[BaseMessage], held: Sequence[str], judge: Linked
) -> dict[str, str]:
    """Return the model's corrections of the rejected units, with their original blanks."""
    wrong = {unit: problems for unit in dict.fromkeys(held) if (problems := judge.problems(unit))}
    if not wrong:
        return {}
    listed = "\n".join(f"{at}. “{unit.strip()}”: {'; '.join(wrong[unit])}" for at, unit in enumerate(wrong, 1))
    call = TypedCall(f"{name}.repair", Rewritten, max_tokens=600)
    try:
        rewritten = await try_typed(model, call, [*prompt, HumanMessage(REPAIR.format(problems=listed))])
    except ModelFault:  # streamed text stays; rejected units are dropped, each with a warning
        return {}
    if rewritten is None or len(rewritten.sentences) != len(wrong):
        return {}
    return {
        unit: new.strip() + unit[len(unit.rstrip()) :] if new.strip() else ""
        for unit, new in zip(wrong, rewritten.sentences, strict=True)
    }
