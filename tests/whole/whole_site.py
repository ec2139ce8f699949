"""A deployment as its callers meet it: bootstrap and the API over DynamoDB Local, started as often as a test likes.
What a test reads beside the API are only the keys of the items that lie in the table."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from langgraph.graph import END, START
from scripted import read_events
from wire import WireServer

from hand_clock import HandClock
from turnkeep.bootstrap import build
from turnkeep.graphs.building import build_agent
from turnkeep.http.app import create_app
from turnkeep.http.auth import USER_HEADER, local_principal
from turnkeep.settings import AgentSettings, Settings
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOW = 1_900_000_000.0
"""When it is for all that these tests open, seconds since the epoch."""
ONE_TRY = Config(connect_timeout=10, read_timeout=60, retries={"mode": "standard", "total_max_attempts": 1})


@dataclass
class Visitor:
    """One user of one app."""

    app: FastAPI
    http: AsyncClient

    async def say(self, message: str, thread: str | None = None, **more: Any) -> dict[str, Any]:
        """A turn over /chat that has to succeed."""
        session = {"session_id": thread} if thread else {}
        answer = await self.http.post("/chat", json={"message": message, **session, **more})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def get(self, path: str) -> Any:
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()


@dataclass
class Site:
    """`open` is a start of the process: nothing but the table and the folder of objects is the same."""

    url: str
    table: str
    folder: Path
    user: str
    clock: HandClock
    _stack: AsyncExitStack
    refused: set[str] = field(default_factory=set)
    """DynamoDB operations that do not get through."""

    async def open(self, *agents: AgentSettings, **settings: Any) -> Visitor:
        """With settings of agents and of the deployment."""
        facts = Settings(table_name=self.table, seal_key="of the test", **settings).with_agents(*agents)
        client = self._client()
        objects = FolderObjects(self.folder / "objects")
        services = build(facts, dynamodb=client, objects=objects, clock=self.clock)
        app = create_app(services, authenticate=local_principal)
        http = AsyncClient(transport=ASGITransport(app), base_url="http://test", headers={USER_HEADER: self.user})
        return Visitor(app, await self._stack.enter_async_context(http))

    async def serve(self, model: WireServer, /, *agents: AgentSettings, **settings: Any) -> Visitor:
        """With that model behind it, which is asked once for each call."""
        patient = {"timeout_seconds": 20, "max_retries": 0}
        facts = {"model": "openai:test", "openai_base_url": model.base_url, "models": patient}
        return await self.open(*agents, **{**facts, **settings})

    def _client(self) -> "DynamoDBClient":
        client = boto3.client("dynamodb", endpoint_url=self.url, config=ONE_TRY, region_name="eu-west-1")
        client.meta.events.register("before-send.dynamodb.*", self._refuse)
        return client

    def _refuse(self, event_name: str, **_: Any) -> None:
        if event_name.rpartition(".")[2] in self.refused:
            raise EndpointConnectionError(endpoint_url=self.url)


def nodes_of(stream: Response) -> list[str]:
    """The nodes that a stream tells of, in their order; the stream has to end in `complete`."""
    events = read_events(stream.text)
    assert events[-1][0] == "complete", stream.text
    return [data["node"] for name, _, data in events if name == "node"]


def edges_of(agent: str, node: str | None = None) -> set[tuple[str, str]]:
    """Those of its graph, or of the graph inside a node."""
    graph: Any = build_agent(agent, Settings(model="demo")).graph
    drawn = graph.nodes[node].bound.get_graph() if node else graph.get_graph()
    return {(edge.source, edge.target) for edge in drawn.edges}


def edges_taken(nodes: Sequence[str], side_by_side: Sequence[str] = ()) -> set[tuple[str, str]]:
    """By a run that entered these nodes; those that run side by side stand between the nodes before and after all."""
    steps: list[list[str]] = [[START]]
    for node in nodes:
        if node in side_by_side and steps[-1][0] in side_by_side:
            steps[-1].append(node)
        else:
            steps.append([node])
    return {(a, b) for here, there in pairwise([*steps, [END]]) for a in here for b in there}
