"""The seal key makes itself once, waits out a Parameter Store that is busy, and where it is lost that is told and none
is made in its place. Over moto's SSM, and over a stand-in where time or refusals matter."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from hand_clock import HandClock
from turnkeep.aws.sealkey import PATIENCE_SECONDS, SealParameter, SecretError, reread, seal_key, usable
from turnkeep.ring import Secret, read_ring
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.sealmark import Marked, SealMark

TOLD = "secret upstream text"


def client(service: str, url: str) -> Any:
    make: Callable[..., Any] = boto3.client
    return make(service, endpoint_url=url, config=Config(retries={"total_max_attempts": 1}))


class Ssm:
    """Parameters in memory; `faults` are what the next calls end with, and every call takes `seconds` of the clock."""

    def __init__(self, clock: HandClock, *faults: Exception | None, seconds: float = 0) -> None:
        self.values: dict[str, str] = {}
        self.calls: list[str] = []
        self._clock, self._faults, self._seconds = clock, iter(faults), seconds

    def get_parameter(self, **asked: Any) -> Any:
        self._begin("get")
        if asked["Name"] not in self.values:
            raise refused("ParameterNotFound")
        return {"Parameter": {"Value": self.values[asked["Name"]]}}

    def put_parameter(self, **asked: Any) -> Any:
        self._begin("put")
        if asked["Name"] in self.values and not asked["Overwrite"]:
            raise refused("ParameterAlreadyExists")
        self.values[asked["Name"]] = asked["Value"]
        return {"Version": 1}

    def _begin(self, call: str) -> None:
        self.calls.append(call)
        self._clock.now += self._seconds
        if fault := next(self._faults, None):
            raise fault


def refused(code: str, status: int = 400) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": TOLD}, "ResponseMetadata": {"HTTPStatusCode": status}}, "x")  # type: ignore[typeddict-item]


@pytest.fixture
def mark(dynamodb: Any, table_name: str, clock: HandClock) -> SealMark:
    return SealMark(Items(dynamodb, table_name), clock=clock)


def parameter(ssm: Any, clock: HandClock, **more: Any) -> SealParameter:
    return SealParameter(ssm, "/x/seal-key", clock=clock, sleep=clock.sleep, jitter=lambda: 1, **more)


def test_it_is_made_once_marked_and_kept_secret(s3_url: str, mark: SealMark, name: str) -> None:
    ssm = client("ssm", s3_url)
    first, again = (seal_key(SealParameter(ssm, name), mark) for _ in range(2))
    assert first == again
    assert ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Type"] == "SecureString"
    (secret,) = read_ring(first)
    assert len(secret.value) == 64
    assert secret.made is not None
    assert secret.value not in repr(secret)
    assert mark.read().ids == (secret.id,)


def test_functions_that_start_together_agree_on_one_key(s3_url: str, mark: SealMark, name: str) -> None:
    gate = threading.Barrier(4)
    clients = [client("ssm", s3_url) for _ in range(4)]

    def start(own: Any) -> str:
        gate.wait()
        return seal_key(SealParameter(own, name), mark)

    with ThreadPoolExecutor(4) as pool:
        (text,) = set(pool.map(start, clients))
    assert mark.read().ids == (read_ring(text)[0].id,)


def test_who_loses_the_race_takes_the_key_of_the_winner(mark: SealMark, clock: HandClock) -> None:
    ssm = Ssm(clock)

    def mint_while_another_puts() -> str:
        ssm.values["/x/seal-key"] = "the winner's"
        return "the loser's"

    assert seal_key(parameter(ssm, clock), mark, mint=mint_while_another_puts) == "the winner's"
    assert mark.read().ids == (Secret("the winner's").id,)


def test_a_lost_key_is_told_and_none_is_made_in_its_place(mark: SealMark, clock: HandClock) -> None:
    ssm = Ssm(clock)
    text = seal_key(parameter(ssm, clock), mark)
    lost = ssm.values.pop("/x/seal-key")
    said = rf"/x/seal-key is lost.*ids {read_ring(text)[0].id}.*bring its value back.*turnkeep seal forget"
    for _ in range(2):
        with pytest.raises(SecretError, match=said):
            seal_key(parameter(ssm, clock), mark)
    assert ssm.values == {}
    ssm.values["/x/seal-key"] = lost
    assert seal_key(parameter(ssm, clock), mark) == lost


def test_a_key_that_is_there_asks_nothing_of_the_table(clock: HandClock) -> None:
    ssm = Ssm(clock)
    ssm.values["/x/seal-key"] = "there"
    assert seal_key(parameter(ssm, clock), None) == "there"  # type: ignore[arg-type]
    assert ssm.calls == ["get"]


def test_a_mark_that_cannot_be_written_stops_the_start(clock: HandClock) -> None:
    class Denied:
        def __getattr__(self, _: str) -> Any:
            return self.refuse

        def refuse(self, **_: Any) -> Any:
            raise refused("AccessDeniedException")

    denied: Any = Denied()
    with pytest.raises(SecretError, match=r"mark of the seal key .*dynamodb:GetItem and dynamodb:PutItem") as caught:
        seal_key(parameter(Ssm(clock), clock), SealMark(Items(denied, "t"), clock=clock))
    assert TOLD not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [
        refused("ThrottlingException"),
        refused("TooManyUpdates"),
        refused("RequestLimitExceeded"),
        refused("InternalServerError", 500),
        refused("ServiceUnavailable", 503),
        ReadTimeoutError(endpoint_url="x"),
    ],
)
def test_a_parameter_store_that_is_busy_is_waited_out(fault: Exception, clock: HandClock) -> None:
    ssm = Ssm(clock, *[fault] * 9)
    ssm.values["/x/seal-key"] = "there"
    assert parameter(ssm, clock).read() == "there"
    assert len(ssm.calls) == 10
    assert clock.now - clock.began < PATIENCE_SECONDS


@pytest.mark.parametrize("seconds", [0, 0.3, 2])
def test_it_is_waited_for_no_longer_than_a_start_may_take(seconds: float, clock: HandClock) -> None:
    ssm = Ssm(clock, *[refused("ThrottlingException")] * 99, seconds=seconds)
    with pytest.raises(SecretError, match=r"busy \(ThrottlingException\): raise its limit"):
        parameter(ssm, clock).read()
    assert PATIENCE_SECONDS - 2 < clock.now - clock.began <= PATIENCE_SECONDS + seconds


def test_pauses_differ_from_function_to_function(clock: HandClock) -> None:
    pauses: list[list[float]] = [[], []]
    for jitter, slept in zip((0.0, 1.0), pauses, strict=True):
        ssm = Ssm(clock, *[refused("ThrottlingException")] * 3)
        ssm.values["/x"] = "there"
        SealParameter(ssm, "/x", clock=clock, sleep=slept.append, jitter=lambda jitter=jitter: jitter).read()
    assert pauses == [[0.05, 0.1, 0.2], [0.1, 0.2, 0.4]]


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ([refused("AccessDeniedException")], r"AccessDeniedException.*ssm:GetParameter and ssm:PutParameter"),
        ([None, refused("AccessDeniedException")], r"AccessDeniedException.*ssm:PutParameter"),
        ([EndpointConnectionError(endpoint_url="x")], "EndpointConnectionError"),
    ],
)
def test_what_no_waiting_mends_stops_the_start_at_once(
    faults: list[Exception | None], said: str, mark: SealMark, clock: HandClock
) -> None:
    with pytest.raises(SecretError, match=rf"/x/seal-key.*{said}") as caught:
        seal_key(parameter(Ssm(clock, *faults), clock), mark)
    assert clock.now == clock.began
    assert TOLD not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("faults", [[refused("AccessDeniedException")], [], [refused("ThrottlingException")] * 9])
def test_a_ring_that_cannot_be_read_anew_is_none_with_a_line_and_hardly_waited_for(
    faults: list[Exception], clock: HandClock, log: Any
) -> None:
    ssm = Ssm(clock, *faults)
    assert reread(ssm, "/x") == ()
    assert len(ssm.calls) <= 5
    assert "seal key not read" in log.getvalue()


def test_a_value_that_is_no_ring_is_told_without_it() -> None:
    with pytest.raises(SecretError, match=r"cannot be used: line 2") as caught:
        usable("2026-11-22 canary\ncanary")
    assert "canary" not in str(caught.value)


@pytest.fixture
def written(mark: SealMark) -> Marked:
    mark.write([Secret("a")], Marked())
    return mark.read()


def test_a_mark_is_replaced_by_whoever_has_seen_it_and_by_nobody_else(
    mark: SealMark, written: Marked, clock: HandClock
) -> None:
    clock.now += 1
    mark.write([Secret("b"), Secret("a")], written)
    assert mark.read().ids == (Secret("b").id, Secret("a").id)
    for since in (Marked(), written):
        clock.now += 1
        with pytest.raises(Refused):
            mark.write([Secret("c")], since)
    with pytest.raises(Refused):
        mark.forget(written)
    mark.forget(mark.read())
    mark.forget(Marked(("x",), 1))  # a second time, as after a lost answer
    assert mark.read() == Marked()
