"""Tables that the real packages write, on DynamoDB Local: threads of a graph with tools, interrupts and sub-graphs."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import boto3
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from pydantic import BaseModel

from turnkeep_local.moving.savers import OldTable

AWS, CARD = "langgraph-checkpoint-aws", "langgraph-checkpoint-dynamodb"
CREDENTIALS: dict[str, Any] = {
    "region_name": "eu-west-1",
    "aws_access_key_id": "testing",
    "aws_secret_access_key": "testing",
}
SESSION = boto3.Session(
    CREDENTIALS["aws_access_key_id"], CREDENTIALS["aws_secret_access_key"], region_name=CREDENTIALS["region_name"]
)


class Mood(BaseModel):
    """A type that LangGraph does not list as harmless."""

    word: str


class Reported(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


class State(Reported, total=False):
    asked: Annotated[int, operator.add]
    mood: Mood


def look(state: State) -> State:
    """Calls a tool for each question and keeps its result."""
    text = str(state["messages"][-1].content)
    call = {"name": "look", "args": {"what": text}, "id": f"call-{len(state['messages'])}"}
    used = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    asking = AIMessage("", tool_calls=[call], usage_metadata=used)  # type: ignore[arg-type]
    return {"messages": [asking, ToolMessage(f"seen {text}", tool_call_id=call["id"])], "asked": 1}  # type: ignore[arg-type]


def approve(state: State) -> State:
    """Interrupts if the question ends with an exclamation mark."""
    text = str(state["messages"][-3].content)
    reported = interrupt({"question": f"Really {text}"}) if text.endswith("!") else "yes"
    return {"messages": [AIMessage(f"{reported}: {text}, {state['asked']} so far")]}


def builder(*, nested: bool = True) -> "StateGraph[State]":
    """With `nested` the one who asks back is a graph in the graph, which langgraph-checkpoint-dynamodb cannot keep."""
    inner = StateGraph(State, output_schema=Reported)
    inner.add_node("approve", approve)
    inner.add_edge(START, "approve")
    graph = StateGraph(State)
    graph.add_node("look", look)
    graph.add_node("inside", inner.compile() if nested else approve)
    graph.add_edge(START, "look")
    graph.add_edge("look", "inside")
    graph.add_edge("inside", END)
    return graph


class Fields(TypedDict, total=False):
    """A state without messages."""

    total: Annotated[int, operator.add]
    mood: Mood


def counter() -> "StateGraph[Fields]":
    graph = StateGraph(Fields)
    graph.add_node("count", lambda _: {"total": 1, "mood": Mood(word="calm")})
    graph.add_edge(START, "count")
    return graph


def saver_of(package: str, url: str, name: str, **options: Any) -> Any:
    """The package's own saver."""
    if package == "langgraph-checkpoint-aws":
        from langgraph_checkpoint_aws import DynamoDBSaver

        return DynamoDBSaver(name, session=SESSION, endpoint_url=url, **options)
    from langgraph_checkpoint_dynamodb.saver import DynamoDBSaver as OldSaver

    client = {"endpoint_url": url, **CREDENTIALS}
    return OldSaver(
        client_config=client, checkpoints_table_name=f"{name}-checkpoints", writes_table_name=f"{name}-writes"
    )


def talk(saver: Any, thread_id: str, questions: Sequence[str], **options: Any) -> list[AnyMessage]:
    """One run for each question; gives the messages that the thread holds then."""
    graph = builder(nested="aws" in type(saver).__module__).compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": thread_id}, "metadata": {"customer": "gold"}}
    for question in questions:
        graph.invoke({"messages": [HumanMessage(question)]}, config, **options)
    return list(graph.get_state(config).values["messages"])


@dataclass
class OldSite:
    """Tables of one package, and the messages of each thread in them."""

    package: str
    url: str
    name: str
    messages: dict[str, list[Any]]

    @property
    def table(self) -> OldTable:
        own = self.name if self.package == AWS else f"{self.name}-checkpoints"
        return OldTable(self.package, own, self.url, f"{self.name}-writes")

    def talk(self, thread_id: str, *questions: str, **options: Any) -> None:
        saver = saver_of(self.package, self.url, self.name)
        self.messages[thread_id] = talk(saver, thread_id, questions, **options)
