"""A graph that does a little of everything that a stream can show: tokens of a model, a tool, a graph inside, an event
of its own, a question with the payload that chat interfaces draw, a failure and a wait. It needs LangGraph alone, so
that another server can run it; what a message wants is its first word."""

import asyncio
import time
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

type Desk = Literal["weigh", "approve", "track", "fail", "wait", "loop", "reply"]
DESKS: dict[str, Desk] = {"weigh": "weigh", "send": "approve", "track": "track"}
DESKS |= {"fail": "fail", "wait": "wait", "loop": "loop"}
GRAMS = 1200


class Parcels(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    stamps: int
    """How many messages were heard."""


class Tracking(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    place: str


class Writer(GenericFakeChatModel):
    """Writes one word after the other, `pause` seconds apart."""

    pause: float

    def _stream(self, *args: Any, **more: Any) -> Iterator[ChatGenerationChunk]:
        for piece in super()._stream(*args, **more):
            time.sleep(self.pause)
            yield piece


@tool
async def scales(parcel: int) -> str:
    """Weigh a parcel."""
    return f"{GRAMS} g"


async def listen(state: Parcels, config: RunnableConfig) -> Command[Desk]:
    word = state["messages"][-1].text.split(" ")[0]
    get_stream_writer()({"heard": word, "tone": config["configurable"].get("tone", "plain")})
    return Command(goto=DESKS.get(word, "reply"), update={"stamps": state.get("stamps", 0) + 1})


async def weigh(state: Parcels) -> dict[str, Any]:
    call = {"name": "scales", "args": {"parcel": 1}, "id": "call_1", "type": "tool_call"}
    wanted = AIMessage("", tool_calls=[call], id=f"weigh-{state['stamps']}")
    weighed: ToolMessage = await scales.ainvoke(call)
    return {"messages": [wanted, ToolMessage(weighed.content, tool_call_id="call_1", id=f"grams-{state['stamps']}")]}


async def approve(state: Parcels) -> dict[str, Any]:
    asked = {"name": "send_parcel", "args": {"grams": GRAMS}, "description": "Send the parcel"}
    config = {"action_name": "send_parcel", "allowed_decisions": ["approve", "edit", "reject"]}
    answer = interrupt({"action_requests": [asked], "review_configs": [config]})
    decided = answer["decisions"][0]["type"] if isinstance(answer, dict) else str(answer)
    return {"messages": [AIMessage(f"decided: {decided}", id=f"decided-{state['stamps']}")]}


async def look_up(state: Tracking) -> dict[str, Any]:
    get_stream_writer()({"looked": True})
    return {"place": "Turin"}


async def tell(state: Tracking) -> dict[str, Any]:
    return {"messages": [AIMessage(f"Seen in {state['place']}", id=f"place-{len(state['messages'])}")]}


async def fail(state: Parcels) -> dict[str, Any]:
    raise ValueError("the parcel is lost")


async def wait(state: Parcels) -> dict[str, Any]:
    """As many seconds as the message names: "wait 3"."""
    await asyncio.sleep(float(state["messages"][-1].text.split(" ")[1]))
    return {"messages": [AIMessage("waited", id=f"waited-{state['stamps']}")]}


async def loop(state: Parcels) -> dict[str, Any]:
    return {"stamps": state["stamps"] + 1}


async def reply(state: Parcels) -> dict[str, Any]:
    """A model that writes one word after the other: "slowly a b"."""
    said = AIMessage(f"you said {state['messages'][-1].text}")
    pause = 0.15 if "slowly" in said.text else 0
    return {"messages": [await Writer(messages=iter([said]), pause=pause).ainvoke(state["messages"])]}


def tracking() -> Any:
    builder = StateGraph(Tracking)
    builder.add_node(look_up)
    builder.add_node(tell)
    builder.add_edge(START, "look_up")
    builder.add_edge("look_up", "tell")
    builder.add_edge("tell", END)
    return builder.compile()


def builder() -> Any:
    whole = StateGraph(Parcels)
    whole.add_node(listen)
    for node in (weigh, approve, fail, wait, loop, reply):
        whole.add_node(node)
    whole.add_node("track", tracking())
    whole.add_edge(START, "listen")
    whole.add_edge("weigh", "reply")
    whole.add_edge("loop", "loop")
    for last in ("approve", "track", "fail", "wait", "reply"):
        whole.add_edge(last, END)
    return whole


graph = builder().compile(name="parcels")
