"""Drawings of graphs, inner ones too."""

from typing import TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from turnkeep.turns.drawing import AnyGraph, Drawing


class Number(TypedDict):
    number: int


def line(*names: str, inner: AnyGraph | None = None) -> StateGraph[Number]:
    """The nodes one after another; `inner` is the node of that name."""
    builder = StateGraph(Number)
    for name in names:
        builder.add_node(name, inner if inner and name == inner.name else lambda state: state)
    for one, other in zip((START, *names), (*names, END), strict=True):
        builder.add_edge(one, other)
    return builder


def nested(checkpointer: bool | None) -> AnyGraph:
    inner = line("weigh", "price").compile(name="inside", checkpointer=checkpointer)
    return line("first", "inside", "last", inner=inner).compile()


@pytest.mark.parametrize("checkpointer", [None, False])
def test_an_inner_graph_is_drawn_open_and_joined_to_the_outer_one(checkpointer: bool | None) -> None:
    drawing = Drawing(nested(checkpointer)).mermaid().replace("\\3a", ":")
    for edge in (
        "first --> inside:__start__;",
        "inside:__start__ --> inside:weigh;",
        "inside:weigh --> inside:price;",
        "inside:price --> inside:__end__;",
        "inside:__end__ --> last;",
    ):
        assert edge in drawing
    assert "inside(" not in drawing


def test_a_graph_without_inner_ones_is_drawn_as_langgraph_does() -> None:
    graph = line("first", "last").compile()
    assert Drawing(graph).mermaid() == graph.get_graph().draw_mermaid()
