"""Conversations that somebody played with a capable model, replayed offline: the same prompts come up, and the same
answers make the same replies. A prompt that has changed orphans its recording: play the conversation anew."""

from collections import defaultdict
from datetime import datetime
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import PrivateAttr
from recording import FOLDER, Line, digest_of, message_of, prompt_of, read_lines

import turnkeep.models.chat
from scripted_model import ScriptedModel
from turnkeep.entries import entries
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent
from turnkeep.models.calls import inner_call_of
from turnkeep.records import Attachment, Documents, Piece, Principal, RunContext
from turnkeep.settings import Settings

STEPS = 60


class RecordedModel(ScriptedModel):
    """Answers the calls of a turn as they were answered, whatever their order; each answer serves once."""

    _left: list[Line] = PrivateAttr(default_factory=list)

    def load(self, calls: list[Line]) -> None:
        self._left = list(calls)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        digest = digest_of(messages, kwargs)
        found = next((call for call in self._left if call["digest"] == digest), None)
        if found is None:
            raise AssertionError(_orphaned(inner_call_of(messages), messages, self._left))
        self._left.remove(found)
        return ChatResult(generations=[ChatGeneration(message=message_of(found["answer"]))])

    @property
    def left(self) -> list[str]:
        return [call["call"] for call in self._left]


def _orphaned(name: str | None, messages: list[BaseMessage], left: list[Line]) -> str:
    """What has changed, for whoever changed it."""
    said = f"no recorded answer fits the prompt of {name}; play the conversation anew (tests/recordings/keep.py)."
    recorded = next((call["prompt"] for call in left if call["call"] == name), [])
    now = {said["role"]: said["content"] for said in prompt_of(messages)}
    changed = [
        f"\nrecorded {before['role']}: {before['content']}\n     now {before['role']}: {now.get(before['role'])}"
        for before in recorded
        if now.get(before["role"]) != before["content"]
    ]
    return said + "".join(changed)


def _conversations() -> list[Any]:
    """Each thread of each agent that has recordings."""
    threads: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in read_lines(path):
            threads[path.stem, line["thread"]].append(line)
    return [pytest.param(agent, lines, id=f"{agent}-{thread}") for (agent, thread), lines in threads.items()]


@pytest.mark.parametrize(("agent", "lines"), _conversations())
async def test_a_conversation_goes_as_it_went(agent: str, lines: list[Line], monkeypatch: pytest.MonkeyPatch) -> None:
    model = RecordedModel()
    monkeypatch.setattr(turnkeep.models.chat, "demo_model", lambda _: model)
    played = _built(agent)
    graph = played.graph.copy({"checkpointer": InMemorySaver()})
    for line in sorted(lines, key=lambda line: line["turn"]):
        model.load(line["calls"])
        now, documents = datetime.fromisoformat(line["now"]), _documents(line.get("documents", []))
        context = RunContext(played.prompt_window, now, Principal("local", "local"), documents)
        given = {**played.new_turn(), "messages": [HumanMessage(line["message"], id=f"m-{line['turn']}")]}
        config: Any = {"configurable": {"thread_id": line["thread"]}, "recursion_limit": STEPS}
        values = await graph.ainvoke(given, config, context=context)
        reply = played.read_reply(values)
        said = {"reply": reply.text, "route": reply.route, "warnings": list(reply.warnings)}
        assert said == {name: line[name] for name in said}, f"turn {line['turn']}: {line['message']}"
        assert model.left == [], f"turn {line['turn']} left recorded answers"


def _documents(lines: list[Line]) -> Documents:
    active = [
        Attachment(one["document_id"], one["name"], "ready", 0, 0, pages=one["pages"], findings=tuple(one["findings"]))
        for one in lines
    ]
    pieces = {one["document_id"]: tuple(Piece(**piece) for piece in one["pieces"]) for one in lines}
    return Documents(lambda: tuple(active), pieces.__getitem__)


def _built(agent: str) -> Agent:
    assert agent in entries(), f"recordings of an agent that is not there: {agent}"
    return build_agent(agent, Settings(model="demo"))
