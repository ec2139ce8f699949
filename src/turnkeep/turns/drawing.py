"""Draws a graph, also for LangGraph clients. LangGraph's own drawing does not open inner graphs that store no
checkpoints of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.runnables.graph import Graph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from pydantic import PydanticUserError, TypeAdapter, create_model

from turnkeep.graphs.own import AnyGraph
from turnkeep.records import JSON
from turnkeep.turns.wire import plain


@dataclass(frozen=True)
class Drawing:
    graph: AnyGraph

    def mermaid(self) -> str:
        """Return a Mermaid drawing with a box for each inner graph."""
        drawn = self.graph.get_graph()
        for name, node in list(drawn.nodes.items()):
            if isinstance(node.data, CompiledStateGraph):
                _open(drawn, name, node.data)
        return drawn.draw_mermaid()

    def as_json(self, *, xray: bool | int) -> JSON:
        """Return nodes and edges; with `xray` also those of inner graphs, down to that many levels. The source
        locations of nodes are removed, because they are internal."""
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
        """Return the schemas of inner graphs by name."""
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
    """Return the schema of each channel's updates; any type if JSON schema cannot express it."""
    kinds = {name: getattr(graph.channels[name], "UpdateType", Any) for name in graph.stream_channels_list}
    fields: JSON = {name: (kind if _schema_of(kind) else Any, None) for name, kind in kinds.items()}
    return create_model(graph.get_name("State"), **fields).model_json_schema()


def _open(drawn: Graph, name: str, inner: AnyGraph) -> None:
    """Replace the node `name` by the nodes of `inner`."""
    del drawn.nodes[name]
    drawn.extend(inner.get_graph(), prefix=name)
    first, last = f"{name}:__start__", f"{name}:__end__"
    drawn.edges = [
        edge.copy(
            source=last if edge.source == name else edge.source, target=first if edge.target == name else edge.target
        )
        for edge in drawn.edges
    ]
