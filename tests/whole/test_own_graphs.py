"""A folder of graphs over HTTP: each kind answers, is killed without a word, and goes on where it was."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import httpx
import pytest

from dev_server import dev_server

pytestmark = pytest.mark.slow

REACT = '''
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import tool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    @tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    async def model(state):
        last = state["messages"][-1]
        if isinstance(last, ToolMessage):
            heard = sum(message.type == "human" for message in state["messages"])
            return {"messages": [AIMessage(f"{heard}: {last.content}")]}
        call = {"name": "weather", "args": {"city": last.text}, "id": f"call-{len(state['messages'])}"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    graph = StateGraph(MessagesState).add_node("model", model).add_node("tools", ToolNode([weather]))
    graph.add_edge(START, "model").add_conditional_edges("model", tools_condition).add_edge("tools", "model")
'''
SHAPES = """
    from __future__ import annotations

    from dataclasses import dataclass
    from typing import TYPE_CHECKING, TypedDict

    from langgraph.func import entrypoint, task
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command, interrupt
    from pydantic import BaseModel

    if TYPE_CHECKING:
        from langchain_core.runnables import RunnableConfig

    class Page(BaseModel):
        title: str

    class State(TypedDict):
        topic: str
        pages: list[Page]

    def collect(state: State) -> State:
        assert all(isinstance(page, Page) for page in state.get("pages", []))
        return {"pages": [*state.get("pages", []), Page(title=state["topic"])]}

    pages = StateGraph(State).add_node("collect", collect).add_edge(START, "collect").compile()

    class Draft(TypedDict):
        text: str
        verdict: str

    def review(state: Draft) -> Command:
        return Command(update={"verdict": interrupt({"question": f"Send {state['text']}?"})}, goto="send")

    def send(state: Draft) -> Draft:
        return {"text": f"sent {state['text']}"}

    asking = StateGraph(Draft).add_node("review", review, destinations=("send",)).add_node("send", send)
    asking.add_edge(START, "review")

    async def made(config: RunnableConfig):
        greeting = config["configurable"].get("greeting", "hello")
        builder = StateGraph(State).add_node("greet", lambda state: {"topic": f"{greeting} {state['topic']}"})
        return builder.add_edge(START, "greet")

    @task
    async def count(word: str, before: int) -> int:
        return before + len(word)

    @entrypoint()
    async def total(word: str, *, previous: int | None = None):
        letters = await count(word, previous or 0)
        return entrypoint.final(value={"letters": letters}, save=letters)
"""
CONFIG = {
    "dependencies": ["."],
    "graphs": {
        "react": "./react.py:graph",
        "pages": {"path": "./shapes.py:pages", "description": "collects pages"},
        "Asks First": "./shapes.py:asking",
        "made": "./shapes.py:made",
        "total": "./shapes.py:total",
        "broken": "./shapes.py:nothing",
    },
    "turnkeep": {"graphs": {"Asks First": {"message": "text"}, "react": {"window": 10}}},
}


@dataclass
class Client:
    http: httpx.Client

    def say(self, agent: str, message: str) -> dict[str, Any]:
        body = {"session_id": agent.replace(" ", "-"), "agent": agent, "message": message}
        answer = self.http.post("/chat", json=body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def run(self, agent: str, **body: Any) -> Any:
        thread = agent.replace(" ", "-")
        answer = self.http.post(f"/threads/{thread}/runs/wait", json={"assistant_id": agent, **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def state(self, agent: str) -> dict[str, Any]:
        return dict(self.http.get(f"/threads/{agent.replace(' ', '-')}/state").json())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "react.py").write_text(dedent(REACT))
    (folder / "shapes.py").write_text(dedent(SHAPES))
    (folder / "langgraph.json").write_text(json.dumps(CONFIG, indent=2))
    return folder


@pytest.fixture
def environ(folder: Path, dynamodb_url: str, whole_table: str) -> dict[str, str]:
    own = {"TURNKEEP_GRAPHS": str(folder / "langgraph.json")}
    own |= {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "TABLE_NAME": whole_table, "SEAL_KEY": "of the test"}
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **own}


def first_turns(client: Client) -> None:
    agents = {each["name"]: each["description"] for each in client.http.get("/agents").json()}
    assert [*agents] == [*CONFIG["graphs"]]
    assert agents["pages"] == "collects pages"
    assert client.say("react", "Rome")["reply"] == "1: sunny in Rome"
    assert json.loads(client.say("pages", "cats")["reply"])["pages"] == [{"title": "cats"}]
    asked = client.say("Asks First", "the letter")
    assert (asked["reply"], asked["status"]) == ("Send the letter?", "interrupted")
    configured = {"configurable": {"greeting": "welcome"}}
    assert (
        client.run("made", input={"topic": "you"}, config=configured, if_not_exists="create")["topic"] == "welcome you"
    )
    assert json.loads(client.say("total", "four")["reply"]) == {"letters": 4}
    broken = client.http.post("/chat", json={"agent": "broken", "message": "hello"})
    assert (broken.status_code, broken.json()["code"]) == (503, "agent_unavailable")


def second_turns(client: Client) -> None:
    assert client.say("react", "Oslo")["reply"] == "2: sunny in Oslo"
    assert json.loads(client.say("pages", "dogs")["reply"])["pages"] == [{"title": "cats"}, {"title": "dogs"}]
    assert client.state("Asks First")["next"] == ["review"]
    assert client.run("Asks First", command={"resume": "yes"}) == {"text": "sent the letter", "verdict": "yes"}
    assert client.run("made", input={"topic": "them"})["topic"] == "hello them"
    assert client.run("total", input="seven") == {"letters": 9}


def test_graphs_of_every_kind_go_on_after_a_kill(environ: dict[str, str], tmp_path: Path) -> None:
    turns: list[Callable[[Client], None]] = [first_turns, second_turns]
    for play in turns:
        with dev_server(tmp_path, environ) as http:
            client = Client(http)
            play(client)
            numbers = {
                name: len(client.http.get(f"/threads/{name}/turns").json()["turns"]) for name in ("react", "total")
            }
    assert numbers == {"react": 2, "total": 2}
