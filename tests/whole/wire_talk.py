"""Threads of one agent with a model on the wire, and the answers that it gives in place of a good one: what the tests
of the inner calls of every agent share."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from whole_site import Site, Visitor
from wire import Answer, WireServer, calls, garbles, refuses, says

from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.products.settings import ProductsSettings

type Json = dict[str, Any]

HALF = "half of a canary"
MADE_UP = "98,765"
FACTS: Json = {"models": {"timeout_seconds": 20, "max_retries": 0}}
OWN = (CampaignsSettings(memory="tiered"), ProductsSettings(memory="tiered"), DatabaseSettings(memory="tiered"))


@dataclass(frozen=True)
class Inner:
    """An inner call as one turn makes it: what was `said` before, the valid `result`, what is found in the turn or the
    last request to the model once it is `used`, what in the turn tells that it was done without (`stood_in`; None where
    the turn fails), and what is asked around it: `instead` of `after`, where it was done without."""

    agent: str
    message: str
    tool: str
    result: Json
    used: str
    stood_in: str | None
    said: tuple[str, ...] = ()
    before: tuple[Answer, ...] = ()
    after: tuple[Answer, ...] = ()
    instead: tuple[Answer, ...] | None = None

    @property
    def well(self) -> list[Answer]:
        return [*self.before, calls(self.tool, self.result), *self.after]

    def goes_wrong(self, answers: Sequence[Answer]) -> list[Answer]:
        return [*self.before, *answers, *(self.after if self.instead is None else self.instead)]


@dataclass(frozen=True)
class Prose:
    """An inner call whose answer is prose: what a good one says, and what is asked `before` it."""

    agent: str
    message: str
    good: str
    before: tuple[Answer, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def used(self) -> str:
        return self.good

    @property
    def well(self) -> list[Answer]:
        return [*self.before, says(self.good)]


@dataclass(frozen=True)
class MadeUp:
    """Answers of which one holds a number that nobody gave the model."""

    one: Inner | Prose
    script: tuple[Answer, ...]
    warning: str | None = "sentence_removed"


CUT = '{"reason": "' + HALF
UNUSABLE: dict[str, Callable[[Inner], Answer]] = {
    "JSON without its end": lambda one: calls(one.tool, json.dumps(one.result)[:-1]),
    "refusing": lambda one: refuses(HALF),
    "half of a text": lambda one: calls(one.tool, CUT),
    "an unknown tool": lambda one: calls("Nothing", {"reason": HALF}),
    "prose": lambda one: says(HALF),
}
"""Answers that end as they should and cannot be used; each is asked for once more."""

FAULTS: dict[str, tuple[Callable[[Inner], list[Answer]], str]] = {
    "length, twice": (lambda one: [calls(one.tool, CUT, "length")] * 2, "model_truncated"),
    "a stream that just ends": (lambda one: [calls(one.tool, one.result, None)], "model_truncated"),
    "garbled": (lambda one: [garbles], "model_error"),
}
"""What the model sends, and what the caller is told. What came before a stream just ended is a good result."""


BAD_WORDS: dict[str, tuple[Answer, str]] = {
    "empty": (says(""), "model_error"),
    "garbled": (garbles, "model_error"),
    "length": (says(HALF, "length"), "model_truncated"),
    "a stream that just ends": (says(HALF, None), "model_truncated"),
}


@dataclass
class Talk:
    """Threads of one agent, whose earlier turns the demo model answers."""

    demo: Visitor
    visitor: Visitor
    model: WireServer
    one: Inner | Prose
    thread: str = ""

    async def begin(self, name: str) -> None:
        self.thread = name.replace(" ", "-").replace(",", "")
        for message in self.one.said:
            await self.demo.say(message, self.thread, agent=self.one.agent)

    async def send(self, *answers: Answer, key: str = "k-1") -> Any:
        self.model.script += answers
        body = {"session_id": self.thread, "message": self.one.message, "agent": self.one.agent}
        answer = await self.visitor.http.post("/chat", json=body, headers={"Idempotency-Key": f"{key}-{self.thread}"})
        assert not self.model.script
        return answer

    async def turn(self, *answers: Answer, key: str = "k-1") -> Json:
        answer = await self.send(*answers, key=key)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def is_used(self, turn: Json) -> bool:
        shown = (turn, self.model.bodies[-1])
        return any(self.one.used in json.dumps(each, ensure_ascii=False) for each in shown)

    async def kept(self) -> list[str]:
        return await self.visitor.messages(self.thread)


async def meet(site: Site, model: WireServer, one: Inner | Prose) -> Talk:
    served = await site.open(*OWN, model="openai:test", openai_base_url=model.base_url, **FACTS)
    return Talk(await site.open(*OWN, **FACTS) if one.said else served, served, model, one)


async def begin(site: Site, model: WireServer, one: Inner | Prose) -> Talk:
    talk = await meet(site, model, one)
    await talk.begin("t1")
    return talk


async def succeeds_once(talk: Talk, *well: Answer) -> None:
    asked = len(talk.model.bodies)
    first = await talk.send(*well)
    assert first.status_code == 200, first.text
    assert talk.is_used(first.json())
    again = await talk.send()
    assert (again.status_code, "idempotency-replayed" in again.headers) == (200, True)
    assert again.json()["reply"] == first.json()["reply"]
    assert await talk.kept() == [*talk.one.said, talk.one.message]
    assert HALF not in json.dumps([first.json(), talk.model.bodies[asked:]])
