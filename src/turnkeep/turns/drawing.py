"""A graph as a drawing, and as clients of LangGraph ask for it. LangGraph's own drawing leaves inner graphs closed that
keep no checkpoints of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from langchain_core.runnables.graph import Graph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from pydantic import PydanticUserError, TypeAdapter, create_model

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
        """Return the JSON schemas of input, output, state and configuration as LangGraph's server does; None for what
        the graph does not declare or JSON schema cannot express."""
        graph = self.graph
        return {
            "input_schema": _schema(graph.get_input_jsonschema),
            "output_schema": _schema(graph.get_output_jsonschema),
            "state_schema": _schema(partial(_state_schema, graph)),
            "config_schema": _schema_of(graph.context_schema) if graph.context_schema else {},
            "context_schema": _schema(graph.get_context_jsonschema),
        }

    def subgraphs(self, namespace: str | None = None, *, recurse: bool = False) -> JSON:
        """The schemas of inner graphs by their names."""
        found = self.graph.get_subgraphs(namespace=namespace, recurse=recurse)
        return {name: Drawing(inner).schemas() for name, inner in found if isinstance(inner, Pregel)}


def _schema(make: Callable[[], JSON | None]) -> JSON | None:
    try:
        return make()
    except (PydanticUserError, NameError, TypeError):
        return None


def _schema_of(kind: Any) -> JSON | None:
    return _schema(lambda: TypeAdapter(kind).json_schema())


def _state_schema(graph: AnyGraph) -> JSON:
    """Each channel by the type that it is updated with; any type where JSON schema cannot express it."""
    kinds = {name: getattr(graph.channels[name], "UpdateType", Any) for name in graph.stream_channels_list}
    fields: JSON = {name: (kind if _schema_of(kind) else Any, None) for name, kind in kinds.items()}
    return create_model(graph.get_name("State"), **fields).model_json_schema()


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
