"""Which log lines and metrics each fault writes while it happens over HTTP."""

from typing import Any

import pytest
from calls_of_papers import GRADE, READ, WELL
from runtime_api import Output
from whole_site import Site, Visitor
from wire import WireServer, fails

from turnkeep.entries import Entry, entries

type Metrics = dict[str, float | str]

ASKED = {"message": "What is low-rank adaptation?"}
THREAD = "/threads/t1/turns"


@pytest.fixture
async def visitor(site: Site, model: WireServer, output: Output) -> Visitor:
    """Has said nothing yet in the thread `t1`; what was told of its making is left out."""
    opened = await site.serve(model)
    assert (await opened.http.post("/threads", json={"thread_id": "t1"})).status_code == 200
    output()
    return opened


def metrics(lines: list[dict[str, Any]]) -> list[Metrics]:
    """The metrics of each line that holds some, with the code that comes with it."""
    found = []
    for line in lines:
        if "_aws" in line:
            [declared] = line["_aws"]["CloudWatchMetrics"]
            values: Metrics = {metric["Name"]: line[metric["Name"]][0] for metric in declared["Metrics"]}
            found.append(values | ({"code": line["code"]} if "code" in line else {}))
    return found


def sentences(lines: list[dict[str, Any]]) -> list[str]:
    return [line["message"] for line in lines if "message" in line]


def timed(values: Metrics) -> Metrics:
    """Without the time, once it is plausible. Only a stream has a first token."""
    rest = dict(values)
    assert 0 < float(rest.pop("TurnLatency")) < 60_000
    return rest


TWO_CALLS = {"ModelCalls": 2, "TokensIn": 22, "TokensOut": 14}
THREE_CALLS = {"ModelCalls": 3, "TokensIn": 33, "TokensOut": 21}


# Turns


async def test_a_kept_turn_is_one_line_of_metrics_and_one_sentence(
    visitor: Visitor, model: WireServer, output: Output
) -> None:
    model.script += WELL
    answer = await visitor.http.post(THREAD, json=ASKED, headers={"X-Correlation-Id": "c-1"})
    assert answer.json()["persisted"]
    lines = output()
    [line] = metrics(lines)
    assert timed(line) == {**THREE_CALLS, "Persisted": 1}
    assert sentences(lines) == ["turn kept", "request answered"]
    for line in lines:
        assert (line["correlation_id"], line["turn_number"], line["service"]) == ("c-1", 1, "turnkeep")
        assert len(line["thread_hash"]) == len(line["caller_hash"]) == 12
    kept = lines[1]
    assert kept["duration_ms"] >= answer.json()["duration_ms"]
    assert (kept["agent"], kept["model"], kept["input_tokens"], kept["output_tokens"]) == ("papers", "test", 33, 21)


async def test_a_replay_is_no_second_turn(visitor: Visitor, model: WireServer, output: Output) -> None:
    model.script += WELL
    for expected in ("turn", "replay"):
        assert (await visitor.http.post(THREAD, json=ASKED, headers={"Idempotency-Key": "k"})).status_code == 200
        found = metrics(output())
        assert found == [{"Replayed": 1}] if expected == "replay" else found[0]["Persisted"] == 1


async def test_a_reply_that_could_not_be_kept_is_counted_and_so_is_the_turn_of_the_same_request(
    visitor: Visitor, site: Site, model: WireServer, output: Output
) -> None:
    model.script += WELL * 2
    site.refused.add("BatchWriteItem")
    key = {"Idempotency-Key": "k"}
    assert not (await visitor.http.post(THREAD, json=ASKED, headers=key)).json()["persisted"]
    lines = output()
    assert [timed(line) for line in metrics(lines)] == [{**THREE_CALLS, "Persisted": 0}]
    assert sentences(lines) == ["turn not persisted", "request answered"]
    site.refused.clear()
    assert (await visitor.http.post(THREAD, json=ASKED, headers=key)).json()["persisted"]
    assert metrics(output())[0]["Persisted"] == 1


# Faults


@pytest.mark.parametrize("route", [THREAD, f"{THREAD}/stream"])
async def test_a_failed_model_is_counted_once_with_its_usage(
    route: str, visitor: Visitor, model: WireServer, output: Output
) -> None:
    model.script += [READ, GRADE, fails("500 Internal Server Error")]
    answer = await visitor.http.post(route, json=ASKED, headers={"X-Correlation-Id": "c-2"})
    assert "model_error" in answer.text
    lines = output()
    assert metrics(lines) == [TWO_CALLS, {"ModelFault": 1, "code": "model_error"}]
    assert {line["correlation_id"] for line in lines} == {"c-2"}
    assert sentences(lines).count("request failed") == 1
    [ended] = [line for line in lines if line.get("message") == "run ended early"]
    assert ended["code"] == "model_error"


@pytest.mark.parametrize("operation", ["UpdateItem", "Query", "GetItem"])
async def test_an_unavailable_store_is_counted(
    operation: str, visitor: Visitor, site: Site, model: WireServer, output: Output
) -> None:
    model.script += WELL
    await visitor.http.post(THREAD, json=ASKED)
    output()
    site.refused.add(operation)
    request = visitor.http.get("/threads/t1") if operation == "GetItem" else visitor.http.post(THREAD, json=ASKED)
    assert (await request).status_code == 503
    site.refused.clear()
    assert metrics(output()) == [{"StoreUnavailable": 1, "code": "store_unavailable"}]


async def test_an_internal_error_is_counted(site: Site, output: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(entries(), "papers", Entry("of the test", "json:no_such_function"))
    broken = await site.open()
    assert (await broken.http.post("/chat", json=ASKED)).status_code == 500
    lines = output()
    assert metrics(lines) == [{"InternalError": 1, "code": "internal_error"}]
    [told] = [line for line in lines if line.get("message") == "unexpected exception"]
    assert told["error"] == "AttributeError"


async def test_what_the_caller_did_wrong_is_no_metric(visitor: Visitor, output: Output) -> None:
    for request in (
        visitor.http.post(THREAD, json={"message": ""}),
        visitor.http.post(THREAD, content=b"{"),
        visitor.http.get("/threads/unknown"),
        visitor.http.get("/nowhere"),
        visitor.http.put(THREAD),
    ):
        assert 400 <= (await request).status_code < 500
    lines = output()
    assert (metrics(lines), sentences(lines)) == ([], ["request answered"] * 5)
