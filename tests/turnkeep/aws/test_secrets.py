"""The model's key is read where MODEL_KEY says, anew when it was refused, and never quoted. Over moto's SSM and Secrets
Manager."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from botocore.config import Config

from hand_clock import HandClock
from turnkeep.aws.secrets import REREAD_SECONDS, ModelKey, SecretReader, usable_key
from turnkeep.aws.signingkey import SecretError
from turnkeep.errors import ModelKeyUnavailable

OLD, NEW = "sk-old-canary", "sk-new-canary"
ONE_TRY = Config(connect_timeout=1, read_timeout=120, retries={"total_max_attempts": 1})

type Output = Callable[[], list[dict[str, Any]]]


def client(service: str, url: str) -> Any:
    make: Callable[..., Any] = boto3.client
    return make(service, endpoint_url=url, config=ONE_TRY)


@pytest.fixture
def ssm(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", s3_url)
    return client("ssm", s3_url)


@pytest.fixture
def secrets_manager(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", s3_url)
    return client("secretsmanager", s3_url)


# When the model's key is read


class Store:
    """Gives `value`, or fails with it where it is an error; records whether the cache was to be passed by."""

    def __init__(self, value: str | SecretError):
        self.value = value
        self.reads: list[bool] = []

    def __call__(self, is_fresh: bool) -> str:
        self.reads.append(is_fresh)
        if isinstance(self.value, SecretError):
            raise self.value
        return self.value


def opened(clock: HandClock) -> tuple[ModelKey, Store]:
    """A key that was read once, when it was first asked for, and where it is read."""
    store = Store(OLD)
    key = ModelKey(store, clock=clock)
    assert store.reads == []
    assert key() == OLD
    return key, store


def test_a_refused_key_is_read_anew_at_once(clock: HandClock) -> None:
    key, store = opened(clock)
    store.value = NEW
    assert (key(OLD), key(), store.reads) == (NEW, NEW, [False, True])


def test_a_key_that_stays_refused_is_read_once_in_some_seconds(clock: HandClock) -> None:
    key, store = opened(clock)
    assert [key(OLD) for _ in range(10)] == [OLD] * 10
    assert store.reads == [False, True]
    store.value, clock.now = NEW, clock.now + REREAD_SECONDS
    assert key() == NEW
    assert store.reads == [False, True, True]


def test_a_key_that_is_accepted_after_all_is_read_from_the_cache_again(clock: HandClock) -> None:
    key, store = opened(clock)
    key(OLD)
    for _ in range(3):
        clock.now += REREAD_SECONDS
        key()
    assert store.reads == [False, True, False, False, False]


def test_who_was_refused_with_an_older_key_gets_the_newer_without_a_read(clock: HandClock) -> None:
    key, store = opened(clock)
    store.value = NEW
    key(OLD)
    clock.now += REREAD_SECONDS
    assert key(OLD) == NEW
    assert store.reads == [False, True, False]


def test_where_no_key_can_be_read_an_older_one_is_used_and_a_warning_written(clock: HandClock, output: Output) -> None:
    key, store = opened(clock)
    store.value = SecretError("ThrottlingException")
    assert [key(), key(), key(OLD)] == [OLD] * 3
    [line] = output()
    assert (line["level"], line["message"]) == ("WARNING", "model key not read")
    assert (line["reason"], line["older_is_used"]) == ("ThrottlingException", True)
    assert OLD not in json.dumps(line)
    assert store.reads == [False, False]
    store.value, clock.now = NEW, clock.now + REREAD_SECONDS
    assert (key(), key()) == (NEW, NEW)
    assert store.reads == [False, False, True]


def test_where_there_never_was_a_key_the_call_is_refused_with_when_to_come_again(
    clock: HandClock, output: Output
) -> None:
    store = Store(SecretError("AccessDeniedException"))
    key = ModelKey(store, clock=clock)
    for _ in range(2):
        with pytest.raises(ModelKeyUnavailable) as caught:
            key()
        assert caught.value.retry_after == REREAD_SECONDS
    assert [line["older_is_used"] for line in output()] == [False]
    store.value, clock.now = NEW, clock.now + REREAD_SECONDS
    assert key() == NEW


def test_calls_at_once_make_one_read_of_a_refused_key() -> None:
    class SlowStore(Store):
        def __call__(self, is_fresh: bool) -> str:
            gate.wait(0.05)
            return super().__call__(is_fresh)

    gate, store = threading.Event(), SlowStore(OLD)
    key = ModelKey(store)
    key()
    store.value = NEW
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(key, [OLD] * 8)) == {NEW}
    assert store.reads.count(True) == 1


# Where it is read


def read(location: str, *, is_fresh: bool = False) -> str:
    return SecretReader(location, usable_key)(is_fresh)


def test_a_key_is_decrypted_has_no_line_end_and_is_kept_for_some_minutes_unless_asked_for_anew(
    ssm: Any, name: str
) -> None:
    ssm.put_parameter(Name=name, Value=f"{OLD}\n", Type="SecureString")
    reader = SecretReader(f"ssm:{name}", usable_key)
    assert reader(False) == OLD
    ssm.put_parameter(Name=name, Value=NEW, Type="SecureString", Overwrite=True)
    assert [reader(False), reader(True), reader(False)] == [OLD, NEW, NEW]


def test_a_secret_that_was_no_key_is_used_as_soon_as_it_is_one(
    secrets_manager: Any, name: str, clock: HandClock
) -> None:
    secrets_manager.create_secret(Name=name, SecretString="to be filled in")
    key = ModelKey(SecretReader(f"secretsmanager:{name}", usable_key), clock=clock)
    with pytest.raises(ModelKeyUnavailable):
        key()
    secrets_manager.put_secret_value(SecretId=name, SecretString=NEW)
    clock.now += REREAD_SECONDS
    assert key() == NEW


@pytest.mark.parametrize(("held", "field"), [(OLD, ""), (json.dumps({"api_key": OLD, "other": NEW}), "#api_key")])
def test_a_secret_is_found_by_name_and_by_arn_whole_or_in_a_field(
    secrets_manager: Any, name: str, held: str, field: str
) -> None:
    arn = secrets_manager.create_secret(Name=name, SecretString=held)["ARN"]
    assert read(f"secretsmanager:{name}{field}") == read(f"secretsmanager:{arn}{field}") == OLD


NO_KEYS = [
    ("", '{"api_key":"sk-old-canary"}'),
    ("", f"{OLD} {NEW}"),
    ("", f"{OLD}\x07"),
    ("", OLD.encode()),
    ("#api_key", OLD),
    ("#api_key", '{"other": "sk-old-canary"}'),
    ("#api_key", '{"api_key": 7}'),
    ("#api_key", '{"api_key": ""}'),
    ("#api_key", '"sk-old-canary"'),
]


@pytest.mark.parametrize(("field", "held"), NO_KEYS)
def test_what_is_no_key_is_not_sent_as_one(secrets_manager: Any, name: str, field: str, held: str | bytes) -> None:
    kind = "SecretString" if isinstance(held, str) else "SecretBinary"
    secrets_manager.create_secret(Name=name, **{kind: held})
    with pytest.raises(SecretError) as caught:
        read(f"secretsmanager:{name}{field}")
    assert str(caught.value) in ("no key in it", "not JSON")
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_missing_secret_is_told_by_the_code_of_aws(ssm: Any, secrets_manager: Any, name: str) -> None:
    with pytest.raises(SecretError, match=r"^ParameterNotFound$"):
        read(f"ssm:{name}")
    with pytest.raises(SecretError, match=r"^ResourceNotFoundException$"):
        read(f"secretsmanager:{name}")


def test_a_store_that_is_down_is_told_by_the_kind_of_its_failure(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", "http://127.0.0.1:9")
    with pytest.raises(SecretError, match=r"^EndpointConnectionError$"):
        read(f"ssm:{name}")


def test_nothing_is_loaded_until_it_is_asked_for() -> None:
    code = (
        "import sys; from turnkeep.aws.databases import with_late_secrets; from turnkeep.settings import Settings;"
        "with_late_secrets(Settings(model_key='ssm:/a'));"
        "print('aws_lambda_powertools.utilities.parameters' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
