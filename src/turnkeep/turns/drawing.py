"""A graph as a drawing. LangGraph's own leaves inner graphs closed that keep no checkpoints of their own."""

from typing import Any

from langchain_core.runnables.graph import Graph
from langgraph.graph.state import CompiledStateGraph

type AnyGraph = CompiledStateGraph[Any, Any, Any, Any]


def draw(graph: AnyGraph) -> str:
    """As Mermaid, each inner graph in a box of its own."""
    drawn = graph.get_graph()
    for name, node in list(drawn.nodes.items()):
        if isinstance(node.data, CompiledStateGraph):
            _open(drawn, name, node.data)
    return drawn.draw_mermaid()


def _open(drawn: Graph, name: str, inner: AnyGraph) -> None:
    """Puts the nodes of `inner` in the place of the node `name`."""
    del drawn.nodes[name]
    drawn.extend(inner.get_graph(), prefix=name)
    first, last = f"{name}:__start__", f"{name}:__end__"
    drawn.edges = [
        edge.copy(
            source=last if edge.source == name else edge.source, target=first if edge.target == name else edge.target
        )
        for edge in drawn.edges
    ]
