"""Each inner call of the campaigns and products agents over the wire, answered well, malformed, cut off and refusing: a
good answer is used, rules stand in for one that cannot be used, and half an answer is never kept."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from scripted import read_events
from whole_site import Site, Visitor
from wire import Answer, WireServer, calls, garbles, refuses, says

type Json = dict[str, Any]

HALF = "half of a canary"
MADE_UP = "98,765"
FACTS: Json = {
    "models": {"timeout_seconds": 20, "max_retries": 0},
    "campaigns": {"memory": "tiered"},
    "products": {"memory": "tiered"},
}

PHONES = "What phones do you have under $500?"
CLICKS = "Show me the clicks of Quiz last month"
ADVICE = "Why are budgets overspending and audiences wasting money this month, and what should we change?"
ROUTE: Json = {"specialists": ["budget_risk", "audience_targeting"], "confidence": 0.9}
DIAGNOSIS: Json = {"summary": "Money goes to audiences that do not buy."}
ADVICE_GIVEN: Json = {"recommendations": [{"priority": "high", "action": "Pause Commuters.", "reason": "They wait."}]}
PERFORMANCE = calls("Routing", {"specialists": ["performance_diagnosis"], "confidence": 0.9})
READ_AS_IT_IS = calls("Reading", {"depends_on_history": False, "standalone_query": CLICKS})


@dataclass(frozen=True)
class Inner:
    """An inner call as one turn makes it: what was `said` before, the valid `result`, what is found in the turn or the
    last request to the model once it is `used`, the warning where rules stand in, and what is asked around it."""

    agent: str
    message: str
    tool: str
    result: Json
    used: str
    warning: str
    said: tuple[str, ...] = ()
    before: tuple[Answer, ...] = ()
    after: tuple[Answer, ...] = ()

    @property
    def well(self) -> list[Answer]:
        return [*self.before, calls(self.tool, self.result), *self.after]

    def goes_wrong(self, answers: Sequence[Answer]) -> list[Answer]:
        return [*self.before, *answers, *self.after]


TYPED = {
    "campaigns.route": Inner(
        agent="campaigns",
        message=CLICKS,
        tool="Routing",
        result={"specialists": ["audience_targeting"], "confidence": 0.9},
        used='"name": "audience_targeting"',
        warning="routing_malformed",
    ),
    "campaigns.diagnose": Inner(
        agent="campaigns",
        message=ADVICE,
        tool="Diagnosis",
        result=DIAGNOSIS,
        used=DIAGNOSIS["summary"],
        warning="diagnose_malformed",
        before=(calls("Routing", ROUTE),),
        after=(calls("Recommendations", ADVICE_GIVEN),),
    ),
    "campaigns.recommend": Inner(
        agent="campaigns",
        message=ADVICE,
        tool="Recommendations",
        result=ADVICE_GIVEN,
        used="Pause Commuters.",
        warning="recommend_malformed",
        before=(calls("Routing", ROUTE), calls("Diagnosis", DIAGNOSIS)),
    ),
    "understand.read of campaigns": Inner(
        agent="campaigns",
        message="and for the month before?",
        tool="Reading",
        result={"depends_on_history": True, "standalone_query": "Show me the clicks of Tidewater Audio in May 2029"},
        used="Tidewater Audio, May 2029",
        warning="reformulation_failed",
        said=(CLICKS,),
        after=(PERFORMANCE,),
    ),
    "memory.fold of campaigns": Inner(
        agent="campaigns",
        message=CLICKS,
        tool="Summaries",
        result={"messages": "The user counted aloud."},
        used="The user counted aloud.",
        warning="memory_by_rules",
        said=("123",) * 10,
        after=(READ_AS_IT_IS, PERFORMANCE),
    ),
    "products.route": Inner(
        agent="products",
        message="Which one suits a gardener?",
        tool="RouteResult",
        result={"route": "retrieve", "text": "products for the garden"},
        used='"conditions": ["garden"]',
        warning="routed_by_rules",
        after=(says("Gladly."),),
    ),
    "understand.read of products": Inner(
        agent="products",
        message="And next to the one at the top?",
        tool="Reading",
        result={"depends_on_history": True, "standalone_query": "Compare the Galaxy A55 with the Google Pixel 8a"},
        used='"tool": "compare"',
        warning="reformulation_failed",
        said=(PHONES,),
        after=(says("They are alike."),),
    ),
    "memory.fold of products": Inner(
        agent="products",
        message="Good morning!",
        tool="Summaries",
        result={"messages": "The user is polite."},
        used="The user is polite.",
        warning="memory_by_rules",
        said=("Good morning!",) * 10,
        after=(says("Hello again."),),
    ),
}

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


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@dataclass
class Talk:
    """Threads of one agent, whose earlier turns the demo model answers."""

    demo: Visitor
    visitor: Visitor
    model: WireServer
    one: Inner
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


async def meet(site: Site, model: WireServer, one: Inner) -> Talk:
    served = await site.open(model="openai:test", openai_base_url=model.base_url, **FACTS)
    return Talk(await site.open(**FACTS) if one.said else served, served, model, one)


async def begin(site: Site, model: WireServer, one: Inner) -> Talk:
    talk = await meet(site, model, one)
    await talk.begin("t1")
    return talk


@pytest.mark.parametrize("name", TYPED)
async def test_a_good_answer_is_used_also_where_the_first_was_cut_off(name: str, site: Site, model: WireServer) -> None:
    one = TYPED[name]
    talk = await begin(site, model, one)
    turn = await talk.turn(*one.before, calls(one.tool, CUT, "length"), *one.well[len(one.before) :])
    assert talk.is_used(turn)
    assert one.warning not in turn["warnings"]
    assert turn["turn_number"] == len(one.said) + 1
    assert HALF not in json.dumps([turn, model.bodies])


@pytest.mark.parametrize("name", TYPED)
async def test_rules_stand_in_for_an_answer_that_cannot_be_used_twice(name: str, site: Site, model: WireServer) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault in list(UNUSABLE)[: 2 if len(one.said) > 1 else None]:
        await talk.begin(fault)
        turn = await talk.turn(*one.goes_wrong([UNUSABLE[fault](one)] * 2))
        assert one.warning in turn["warnings"], fault
        assert not talk.is_used(turn), fault
        assert turn["reply"]
        assert HALF not in json.dumps([turn, model.bodies]), fault
        assert await talk.kept() == [*one.said, one.message]


@pytest.mark.parametrize("name", [name for name in TYPED if not name.startswith("memory.fold")])
async def test_a_turn_whose_call_is_cut_off_is_not_kept_and_the_same_request_succeeds_once(
    name: str, site: Site, model: WireServer
) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault, (play, code) in FAULTS.items():
        await talk.begin(fault)
        failed = await talk.send(*one.before, *play(one))
        assert (failed.status_code, failed.json()["code"]) == (502, code), fault
        assert await talk.kept() == list(one.said)
        await succeeds_once(talk, *one.well)


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


@pytest.mark.parametrize("name", [name for name in TYPED if name.startswith("memory.fold")])
async def test_a_summary_that_is_cut_off_costs_no_turn_and_is_written_by_the_next(
    name: str, site: Site, model: WireServer
) -> None:
    one = TYPED[name]
    talk = await meet(site, model, one)
    for fault, (play, _) in FAULTS.items():
        await talk.begin(fault)
        turn = await talk.turn(*one.goes_wrong(play(one)))
        assert "memory_not_written" in turn["warnings"], fault
        assert not talk.is_used(turn)
        later = await talk.turn(*one.well, key="k-2")
        assert talk.is_used(later)
        assert not {"memory_not_written", "memory_by_rules", "memory_gap"} & set(later["warnings"])


WORDED = {
    "products.answer": Inner("products", PHONES, "", {}, "The Google Pixel 8a costs $499.", ""),
    "products.respond": Inner("products", "Hello!", "", {}, "Hi, what shall it be?", ""),
}
"""Inner calls whose answer is prose."""

BAD_WORDS: dict[str, tuple[Answer, str]] = {
    "empty": (says(""), "model_error"),
    "garbled": (garbles, "model_error"),
    "length": (says(HALF, "length"), "model_truncated"),
    "a stream that just ends": (says(HALF, None), "model_truncated"),
}


@pytest.mark.parametrize("name", WORDED)
async def test_half_a_reply_is_not_kept_and_the_same_request_succeeds_once(
    name: str, site: Site, model: WireServer
) -> None:
    one = WORDED[name]
    talk = await meet(site, model, one)
    for fault, (answer, code) in BAD_WORDS.items():
        await talk.begin(fault)
        failed = await talk.send(answer)
        assert (failed.status_code, failed.json()["code"]) == (502, code), fault
        assert await talk.kept() == []
        await succeeds_once(talk, says(one.used))


@pytest.mark.parametrize("name", WORDED)
async def test_a_refusal_is_the_reply_with_a_warning(name: str, site: Site, model: WireServer) -> None:
    talk = await begin(site, model, WORDED[name])
    turn = await talk.turn(refuses("I will not say."))
    assert (turn["reply"], turn["warnings"], turn["persisted"]) == ("I will not say.", ["model_refused"], True)


@dataclass(frozen=True)
class MadeUp:
    """Answers of which one holds a number that nobody gave the model."""

    one: Inner
    script: tuple[Answer, ...]
    warning: str | None = "figure_removed"


def advised(action: str) -> Answer:
    return calls(
        "Recommendations", {"recommendations": [{"priority": "high", "action": action, "reason": "It is so."}]}
    )


ROUTED, DIAGNOSED = calls("Routing", ROUTE), calls("Diagnosis", DIAGNOSIS)
A_BOUND = {"depends_on_history": True, "standalone_query": f"phones under ${MADE_UP}"}
INVENTIONS = {
    "a question of campaigns.route": MadeUp(
        TYPED["campaigns.route"], (calls("Routing", {"clarification": f"Is it the one that lost £{MADE_UP}?"}),)
    ),
    "a specialist of campaigns.route": MadeUp(
        TYPED["campaigns.route"], (calls("Routing", {"specialists": [f"loss_of_£{MADE_UP}"], "confidence": 0.9}),)
    ),
    "campaigns.diagnose": MadeUp(
        TYPED["campaigns.diagnose"],
        (ROUTED, calls("Diagnosis", {"summary": f"They waste £{MADE_UP}."}), advised("Pause Commuters.")),
    ),
    "campaigns.recommend": MadeUp(
        TYPED["campaigns.recommend"], (ROUTED, DIAGNOSED, advised(f"Cut Commuters by £{MADE_UP}."))
    ),
    "understand.read of campaigns": MadeUp(
        TYPED["understand.read of campaigns"],
        (
            calls("Reading", {**A_BOUND, "standalone_query": f"Show me clicks of Quiz over {MADE_UP} in May 2029"}),
            PERFORMANCE,
        ),
    ),
    "products.answer": MadeUp(WORDED["products.answer"], (says(f"The Google Pixel 8a costs ${MADE_UP}."),)),
    "products.respond": MadeUp(WORDED["products.respond"], (says(f"Hi, ${MADE_UP} off today!"),)),
    "a search of products.route": MadeUp(
        TYPED["products.route"],
        (calls("RouteResult", {"route": "retrieve", "text": f"phones under ${MADE_UP}"}), says(f"Under ${MADE_UP}.")),
    ),
    "a question of products.route": MadeUp(
        TYPED["products.route"],
        (calls("RouteResult", {"route": "clarify", "text": f"The one for ${MADE_UP}?"}),),
        warning=None,
    ),
    "understand.read of products": MadeUp(
        TYPED["understand.read of products"],
        (calls("Reading", A_BOUND), calls("RouteResult", {"route": "respond"}), says("I see.")),
    ),
    "memory.fold": MadeUp(
        TYPED["memory.fold of products"],
        (calls("Summaries", {"messages": f"They pay ${MADE_UP}."}), says(f"You pay ${MADE_UP}.")),
    ),
}


@pytest.mark.parametrize("name", INVENTIONS)
async def test_a_number_that_the_model_made_up_never_reaches_the_reply(
    name: str, site: Site, model: WireServer
) -> None:
    case = INVENTIONS[name]
    turn = await (await begin(site, model, case.one)).turn(*case.script)
    assert turn["reply"]
    assert MADE_UP not in turn["reply"]
    assert case.warning is None or case.warning in turn["warnings"]
    assert MADE_UP not in json.dumps(turn["details"].get("filters"))


async def test_what_a_stream_completes_with_is_what_is_kept_where_a_number_was_removed(
    site: Site, model: WireServer
) -> None:
    talk = await begin(site, model, WORDED["products.answer"])
    model.script.append(says(f"The Google Pixel 8a costs ${MADE_UP}."))
    body = {"session_id": "t1", "message": PHONES, "agent": "products"}
    name, _, told = read_events((await talk.visitor.http.post("/chat/stream", json=body)).text)[-1]
    kept = await talk.visitor.get("/threads/t1/turns/1")
    assert (name, told["reply"], told["warnings"]) == ("complete", kept["reply"], ["figure_removed"])
    assert MADE_UP not in kept["reply"]


async def test_a_number_that_was_said_earlier_may_be_read_into_a_message(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["understand.read of products"])
    read = {"depends_on_history": True, "standalone_query": "laptops under $500"}
    turn = await talk.turn(calls("Reading", read), says("None of them."))
    assert turn["details"]["filters"] == {"categories": ["laptops"], "conditions": ["under $500"]}
    assert "figure_removed" not in turn["warnings"]


async def test_a_routing_to_unknown_specialists_alone_is_refused_with_the_reason(site: Site, model: WireServer) -> None:
    talk = await begin(site, model, TYPED["campaigns.route"])
    turn = await talk.turn(calls("Routing", {"specialists": ["weather_oracle", "astrologer"], "confidence": 0.9}))
    assert (turn["route"], turn["details"]["figures"]) == ("refuse", [])
    assert "there is no specialist called weather_oracle, astrologer" in turn["reply"]
    assert "unknown_specialist" in turn["warnings"]
