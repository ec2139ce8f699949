"""Spans: sent where Lambda traces a request, nowhere else, and never at the cost of the request."""

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from turnkeep.errors import StoreUnavailable, ThreadBusy
from turnkeep.observability import correlate
from turnkeep.observability.tracing import DAEMON, TRACE_ID, begin_trace, request_to, segment

ROOT, PARENT = "1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8"
HEADER = f"Root={ROOT};Parent={PARENT};Sampled=1"


@pytest.fixture
def daemon() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(5)
        yield listener
    begin_trace({})


def address(daemon: socket.socket) -> str:
    return "{}:{}".format(*daemon.getsockname())


def receive(daemon: socket.socket) -> dict[str, Any]:
    header, _, document = daemon.recv(65536).partition(b"\n")
    assert json.loads(header) == {"format": "json", "version": 1}
    return dict(json.loads(document))


def assert_silent(daemon: socket.socket) -> None:
    daemon.setblocking(False)
    with pytest.raises(BlockingIOError):
        daemon.recv(65536)


def test_a_request_to_a_service_is_a_subsegment_of_lambdas_segment(daemon: socket.socket) -> None:
    correlate("c")
    begin_trace({TRACE_ID: HEADER, DAEMON: address(daemon)})
    with request_to("DynamoDB", "UpdateItem"):
        pass
    found = receive(daemon)
    begun, ended = found.pop("start_time"), found.pop("end_time")
    assert 0 <= ended - begun < 5
    assert len(found.pop("id")) == 16
    assert found == {
        "trace_id": ROOT,
        "parent_id": PARENT,
        "type": "subsegment",
        "name": "DynamoDB",
        "namespace": "aws",
        "aws": {"operation": "UpdateItem"},
        "annotations": {"correlation_id": "c"},
    }


@pytest.mark.parametrize(
    "header",
    [
        f"Root={ROOT};Parent={PARENT};Sampled=0",
        f"Root={ROOT};Parent={PARENT};Sampled=?",
        f"Root={ROOT};Parent={PARENT}",
        f"Root={ROOT};Sampled=1",
        f"Parent={PARENT};Sampled=1",
        f"Root={ROOT}x;Parent={PARENT};Sampled=1",
        "Root;Parent=;Sampled=1",
        "",
    ],
)
def test_what_is_not_sampled_or_not_well_formed_is_not_traced(header: str, daemon: socket.socket) -> None:
    begin_trace({TRACE_ID: HEADER, DAEMON: address(daemon)})
    begin_trace({TRACE_ID: header, DAEMON: address(daemon)})
    assert segment() is None
    with request_to("DynamoDB", "Query"):
        pass
    assert_silent(daemon)


@pytest.mark.parametrize("where", ["", "localhost:2000", "daemon:2000", "127.0.0.1", "tcp:127.0.0.1:2000"])
def test_a_daemon_whose_address_would_have_to_be_looked_up_is_left_alone(where: str) -> None:
    begin_trace({TRACE_ID: HEADER, DAEMON: where})
    assert segment() is None


def test_lambdas_header_may_say_more_and_the_address_name_its_protocol(daemon: socket.socket) -> None:
    begin_trace({TRACE_ID: f"{HEADER};Lineage=a87bd80c:1|68fd508a:5", DAEMON: f"udp:{address(daemon)}"})
    with request_to("S3", "PutObject"):
        pass
    assert receive(daemon)["name"] == "S3"


@pytest.mark.parametrize(
    ("error", "mark"),
    [
        (StoreUnavailable(), "fault"),
        (RuntimeError("canary"), "fault"),
        (ThreadBusy(), "error"),
        (asyncio.CancelledError(), "error"),
    ],
)
def test_an_exception_is_told_by_its_class(error: BaseException, mark: str, daemon: socket.socket) -> None:
    begin_trace({TRACE_ID: HEADER, DAEMON: address(daemon)})
    with pytest.raises(type(error)), request_to("DynamoDB", "Query"):
        raise error
    found = receive(daemon)
    assert (found[mark], {"fault", "error"} & found.keys()) == (True, {mark})
    assert found["annotations"]["error_type"] == type(error).__name__
    assert "canary" not in str(found)


def test_a_name_has_only_the_characters_that_x_ray_takes(daemon: socket.socket) -> None:
    begin_trace({TRACE_ID: HEADER, DAEMON: address(daemon)})
    traced = segment()
    assert traced
    traced.open("papers.answer/1 <b>\N{SNOWMAN}" + "x" * 300).close()
    assert receive(daemon)["name"] == "papers.answer/1 _b__" + "x" * 180


def test_a_daemon_that_does_not_listen_costs_nothing(daemon: socket.socket) -> None:
    where = address(daemon)
    daemon.close()
    begin_trace({TRACE_ID: HEADER, DAEMON: where})
    for _ in range(3):  # the second send would hear that nobody took the first
        with request_to("DynamoDB", "Query"):
            pass


def test_a_document_that_is_too_large_is_lost_and_nothing_else(daemon: socket.socket) -> None:
    begin_trace({TRACE_ID: HEADER, DAEMON: address(daemon)})
    traced = segment()
    assert traced
    traced.open("large").close(text="x" * 70_000)
    traced.open("small").close()
    assert receive(daemon)["name"] == "small"


async def test_requests_at_the_same_time_keep_their_own_segment(daemon: socket.socket) -> None:
    async def serve(number: int) -> None:
        parent = f"{number:016x}"
        begin_trace({TRACE_ID: f"Root={ROOT};Parent={parent};Sampled=1", DAEMON: address(daemon)})
        with request_to(f"S{number}", "Query"):
            await asyncio.sleep(0)
        found = await asyncio.to_thread(segment)
        assert found is not None
        assert found.id == parent

    await asyncio.gather(*(serve(number) for number in range(5)))
    found = [receive(daemon) for _ in range(5)]
    assert {one["name"]: int(one["parent_id"], 16) for one in found} == {f"S{n}": n for n in range(5)}
