"""The trace of a turn: a real UDP socket stands for the X-Ray daemon, everything else is as it is deployed."""

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from calls_of_papers import GRADE, READ
from whole_site import Site, Visitor
from wire import WireServer, fails

from turnkeep.observability.tracing import DAEMON, TRACE_ID

ROOT, PARENT = "1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8"
QUESTION = "What is low-rank adaptation?"

type Span = dict[str, Any]


class XRay:
    """Receives what is sent to the daemon."""

    def __init__(self, listener: socket.socket):
        self._listener = listener

    def spans(self) -> list[Span]:
        """All that has arrived; over loopback that is all that was sent."""
        found = []
        while True:
            try:
                packet = self._listener.recv(65536)
            except BlockingIOError:
                return found
            found.append(json.loads(packet.partition(b"\n")[2]))


@pytest.fixture
def xray(monkeypatch: pytest.MonkeyPatch) -> Iterator[XRay]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        monkeypatch.setenv(TRACE_ID, f"Root={ROOT};Parent={PARENT};Sampled=1")
        monkeypatch.setenv(DAEMON, "{}:{}".format(*listener.getsockname()))
        yield XRay(listener)


def tree(spans: list[Span]) -> list[tuple[str, str]]:
    """Each span with its parent, in the order of their beginnings."""
    names = {span["id"]: span["name"] for span in spans} | {PARENT: "Lambda"}
    assert len(names) == len(spans) + 1
    ordered = sorted(spans, key=lambda span: span["start_time"])
    return [(span["name"], names[span["parent_id"]]) for span in ordered]


NODES = [
    ("papers", "Lambda"),
    ("read", "papers"),
    ("papers.read", "read"),
    ("retrieve", "papers"),
    ("grade_documents", "papers"),
    ("papers.grade", "grade_documents"),
    ("answer", "papers"),
    ("papers.answer", "answer"),
]


async def test_a_turn_is_traced_by_node_model_call_and_store_request(xray: XRay, visitor: Visitor) -> None:
    await visitor.say(QUESTION, "t1")
    xray.spans()
    answer = await visitor.http.post("/chat", json={"message": QUESTION, "session_id": "t1"})
    spans = xray.spans()
    stored = [("DynamoDB", "Lambda")] * 2
    assert tree(spans) == [*stored, *NODES, *stored]
    asked = [one["aws"]["operation"] for one in sorted(spans, key=lambda s: s["start_time"]) if "aws" in one]
    assert {*asked[:2]} == {"UpdateItem", "Query"}, "BEGIN and LOAD, side by side"
    assert asked[2:] == ["BatchWriteItem", "UpdateItem"]
    assert all(one["trace_id"] == ROOT and one["type"] == "subsegment" for one in spans)
    assert not any("fault" in one or "error" in one for one in spans)
    by_name = {one["name"]: one for one in spans}
    within(by_name["papers.answer"], by_name["answer"])
    within(by_name["answer"], by_name["papers"])
    [papers] = [one for one in spans if one["name"] == "papers"]
    assert papers["annotations"] | {"thread_hash": "", "caller_hash": ""} == {
        "correlation_id": answer.headers["x-correlation-id"],
        "thread_hash": "",
        "caller_hash": "",
        "turn_number": 2,
        "attempt": 2,
    }


def within(inner: Span, outer: Span) -> None:
    assert outer["start_time"] <= inner["start_time"] <= inner["end_time"] <= outer["end_time"]


async def test_a_trace_holds_names_and_figures_but_nothing_that_was_said(xray: XRay, visitor: Visitor) -> None:
    told = await visitor.say(QUESTION, "a-thread-of-mine")
    await visitor.http.get("/threads/a-thread-of-mine/turns")
    spans = xray.spans()
    known = {"correlation_id", "thread_hash", "caller_hash", "turn_number", "attempt", "cold_start"}
    known |= {"gen_ai_operation_name", "gen_ai_response_model"}
    known |= {"gen_ai_usage_input_tokens", "gen_ai_usage_output_tokens"}
    for span in spans:
        assert span.get("annotations", {}).keys() <= known
        assert span.keys() <= {"trace_id", "id", "parent_id", "type", "name", "start_time", "end_time"} | {
            "annotations",
            "namespace",
            "aws",
        }
    for said in ("low-rank", "a-thread-of-mine", visitor.user, told["reply"][:20]):
        assert said not in json.dumps(spans)
    called = [one["annotations"] for one in spans if one["name"].startswith("papers.")]
    assert [one["gen_ai_response_model"] for one in called] == ["demo"] * 3
    assert sum(one["gen_ai_usage_output_tokens"] for one in called) == told["usage"]["output_tokens"]


async def test_a_model_that_failed_marks_its_call_and_what_it_is_part_of(xray: XRay, site: Site) -> None:
    with WireServer([READ, GRADE, fails("500 Internal Server Error")]) as model:
        visitor = await site.serve(model)
        assert (await visitor.http.post("/chat", json={"message": QUESTION})).status_code == 502
    spans = xray.spans()
    assert {one["name"] for one in spans if "fault" in one} == {"papers", "answer", "papers.answer"}
    assert {one["annotations"]["error_type"] for one in spans if "fault" in one} == {"ModelError"}
    assert "secret upstream text" not in json.dumps(spans)


async def test_a_refused_condition_is_no_fault_of_the_store(xray: XRay, visitor: Visitor) -> None:
    for _ in range(2):
        await visitor.http.post("/threads", json={"thread_id": "t1"})
    refused = [one for one in xray.spans() if "error" in one]
    assert [(one["aws"], one["annotations"]["error_type"]) for one in refused] == [
        ({"operation": "PutItem"}, "Refused")
    ]


async def test_what_a_client_left_behind_is_traced_to_its_end(xray: XRay, site: Site) -> None:
    with WireServer([lambda exchange: exchange.connection.recv(1)]) as model:
        visitor = await site.serve(model)
        caller = visitor.call("/chat/stream", json.dumps({"message": QUESTION, "session_id": "t1"}).encode())
        served, text = caller.start(), ""
        await caller.answer()
        while text.count("event: node") < 1:
            text += (await caller.answer())["body"].decode()
        async with asyncio.timeout(120):
            while model.script:
                await asyncio.sleep(0.005)
        caller.hang_up()
        await asyncio.wait_for(served, 120)
    spans = {one["name"]: one for one in xray.spans()}
    assert {"papers", "read", "papers.read"} <= spans.keys()
    assert "error" in spans["papers.read"]
    assert not any("fault" in one for one in spans.values())
