"""Graphs whose types cannot be resolved or have no JSON schema: each is served or refused by name, the others always
served."""

import json
import sys
from pathlib import Path

import pytest

from turnkeep.graphfile import read_graph_file
from turnkeep.graphs.own import build_all
from turnkeep.turns.drawing import Drawing

KINDS = {
    "a TypedDict": ("State", "question"),
    "a quoted type": ("'State'", "question"),
    "a model": ("Model", "question"),
    "messages": ("Talk", "messages"),
    "a list of messages": ("list[BaseMessage]", None),
    "a type for checkers alone": ("Elsewhere", None),
    "a plain class": ("Plain", None),
    "a callable": ("Callable", None),
    "text": ("str", ""),
}
SOURCE = """{first}
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict

from langchain_core.messages import BaseMessage
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel

if TYPE_CHECKING:
    from nowhere import Elsewhere


class State(TypedDict):
    question: str


class Talk(TypedDict):
    messages: list[BaseMessage]


class Model(BaseModel):
    question: str


class Plain:
    pass


@entrypoint()
def flow(state: {annotation}) -> str:
    return "done"


good = StateGraph(MessagesState).add_node("n", lambda state: dict()).add_edge(START, "n").compile()
"""


@pytest.mark.parametrize("future", [True, False], ids=["future annotations", "annotations"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_function_of_any_type_leaves_the_other_graphs_alone(
    kind: str, future: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotation, key = KINDS[kind]
    first = "from __future__ import annotations" if future else ""
    (tmp_path / "foreign_types.py").write_text(SOURCE.format(first=first, annotation=annotation))
    named = {"flow": "./foreign_types.py:flow", "good": "./foreign_types.py:good"}
    (tmp_path / "langgraph.json").write_text(json.dumps({"graphs": named}))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "__foreign_types", raising=False)
    agents, faults = build_all(read_graph_file(tmp_path / "langgraph.json"))
    if annotation == "Elsewhere" and not future:  # the file cannot be imported at all
        assert all("NameError" in fault for fault in faults)
        return
    assert "good" in agents
    assert all("langgraph.json" in fault for fault in faults)
    if "flow" in agents:
        assert Drawing(agents["flow"].graph).schemas().keys() >= {"input_schema", "state_schema"}
        is_resolved = not (future or annotation.startswith("'"))
        assert agents["flow"].message == (key if is_resolved or key == "" else agents["flow"].message)
