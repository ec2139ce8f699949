"""A graph as a drawing, and as clients of LangGraph ask for it. LangGraph's own drawing leaves inner graphs closed that
keep no checkpoints of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.runnables.graph import Graph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from pydantic import PydanticUserError

from turnkeep.records import JSON
from turnkeep.turns.calls import plain

AnyGraph: TypeAlias = Pregel[Any, Any, Any, Any]


@dataclass(frozen=True)
class Drawing:
    graph: AnyGraph

    def mermaid(self) -> str:
        """Each inner graph in a box of its own."""
        drawn = self.graph.get_graph()
        for name, node in list(drawn.nodes.items()):
            if isinstance(node.data, CompiledStateGraph):
                _open(drawn, name, node.data)
        return drawn.draw_mermaid()

    def as_json(self, *, xray: bool | int) -> JSON:
        """Nodes and edges; with `xray` those of inner graphs too, as many levels deep. Where a node is written is
        nobody's business."""
        drawn: JSON = plain(self.graph.get_graph(xray=xray).to_json())
        for node in drawn["nodes"]:
            node.get("data", {}).pop("id", None)
        return drawn

    def schemas(self) -> JSON:
        """JSON schemas of what the graph takes, gives and keeps; None for what it does not declare, and for what
        no JSON can say, such as the context of our own agents."""
        gives = _schema(self.graph.get_output_jsonschema)
        return {
            "input_schema": _schema(self.graph.get_input_jsonschema),
            "output_schema": gives,
            "state_schema": gives,
            "config_schema": {},  # what is configured is declared as context now
            "context_schema": _schema(self.graph.get_context_jsonschema),
        }

    def subgraphs(self, namespace: str | None = None, *, recurse: bool = False) -> JSON:
        """The schemas of inner graphs by their names."""
        found = self.graph.get_subgraphs(namespace=namespace, recurse=recurse)
        return {name: Drawing(inner).schemas() for name, inner in found if isinstance(inner, Pregel)}


def _schema(make: Callable[[], JSON | None]) -> JSON | None:
    try:
        return make()
    except PydanticUserError:
        return None


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
