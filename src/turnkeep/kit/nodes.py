"""Shared by the nodes of several agents: state keys of a turn, the history in prompts, and the reply."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, get_origin, get_type_hints

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, BaseMessage

from turnkeep.errors import ModelError
from turnkeep.kit import memory
from turnkeep.kit.checked_replies import Linked, Place, word
from turnkeep.kit.citations import Citing
from turnkeep.models.calls import TextAnswer, TextCall
from turnkeep.records import JSON

State: TypeAlias = Mapping[str, Any]


def fresh(state: type, lasting: Collection[str] = ()) -> Callable[[], JSON]:
    """Return a function that resets each key of `state` except the lasting ones: to None if it may be None or has a
    reducer, else to the empty value of its type."""
    hints = get_type_hints(state, include_extras=True).items()
    kinds = {name: get_origin(hint) or hint for name, hint in hints if name not in lasting}
    return lambda: {name: None if kind in (Annotated, Union, UnionType) else kind() for name, kind in kinds.items()}


def message_of(state: State, most: int | None = None) -> str:
    """Return the turn's message; if it is longer than `most` characters, its beginning and end."""
    text = str(state["messages"][-1].text)
    half = (most or len(text)) // 2
    return text if most is None or len(text) <= most else f"{text[:half]} [cut] {text[-half:]}"


def step(state: State, sentence: str) -> JSON:
    return {"reasoning_steps": [*state["reasoning_steps"], sentence]}


async def fold(state: State, strategy: str, model: BaseChatModel) -> memory.Folded:
    """Return the thread's memory, with new summaries if the strategy is tiered."""
    kept, is_tiered = state.get("memory") or memory.NO_MEMORY, strategy == "tiered"
    return await memory.fold(kept, state["messages"][:-1], model=model) if is_tiered else memory.Folded(kept)


def history(state: State, window: int, kept: memory.ThreadMemory | None) -> tuple[int, list[AnyMessage], list[str]]:
    """Return the number of turns in a prompt, the earlier messages and the summaries. `kept` is the tiered memory."""
    before = state["messages"][:-1]
    return (memory.UNFOLDED_TURNS, memory.unfolded(kept, before), memory.notes(kept)) if kept else (window, before, [])


def replied(state: State, answer: TextAnswer) -> JSON:
    return {"messages": [answer.message], "reply": answer.text, "warnings": [*state["warnings"], *answer.warnings]}


async def answer_from(
    judge: Citing, model: BaseChatModel, call: TextCall, prompt: Sequence[BaseMessage], *, state: State, to: Place
) -> JSON:
    """Write the reply from documents; raise ModelError if no sentence is accepted."""
    linked = Linked(judge, state["messages"], judge.material())
    answer = await word(model, call, prompt, linked, to=to, fallback=judge.listed())
    if answer.text:
        return replied(state, answer)
    raise ModelError("The model's answer contained nothing that can be shown.")
