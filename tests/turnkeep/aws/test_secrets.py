"""The model's key is read from MODEL_KEY's location, reread when it was refused, and never quoted. On moto."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import pytest
from runtime_api import Output

from hand_clock import HandClock
from turnkeep.aws.secrets import MAX_AGE_SECONDS, REREAD_SECONDS, CurrentSecret, read_secret, usable_key
from turnkeep.aws.signingkey import SecretError
from turnkeep.errors import ModelKeyUnavailable

OLD, NEW = "sk-old-canary", "sk-new-canary"


def model_key(read: Any, clock: Callable[[], float] = time.monotonic) -> CurrentSecret:
    return CurrentSecret(read, "MODEL_KEY", unavailable=ModelKeyUnavailable, clock=clock)


def opened(clock: HandClock) -> tuple[CurrentSecret, Mock]:
    """A key that was read once, on first use, and its store."""
    store = Mock(return_value=OLD)
    key = model_key(store, clock)
    store.assert_not_called()
    assert key() == OLD
    return key, store


def test_a_refused_key_is_reread_once_every_few_seconds(clock: HandClock) -> None:
    key, store = opened(clock)
    assert [key(OLD) for _ in range(10)] == [OLD] * 10
    assert store.call_count == 2
    store.return_value, clock.now = NEW, clock.now + REREAD_SECONDS
    assert (key(OLD), key(OLD)) == (NEW, NEW)
    clock.now += REREAD_SECONDS
    assert key(OLD) == NEW, "the newer key, without a read"
    assert store.call_count == 3


def test_an_accepted_key_is_reread_after_five_minutes(clock: HandClock) -> None:
    key, store = opened(clock)
    store.return_value, clock.now = NEW, clock.now + MAX_AGE_SECONDS - 1
    assert (key(), store.call_count) == (OLD, 1)
    clock.now += 1
    assert (key(), store.call_count) == (NEW, 2)


def test_an_older_key_is_used_with_a_warning_while_none_can_be_read(clock: HandClock, output: Output) -> None:
    key, store = opened(clock)
    store.side_effect, clock.now = SecretError("ThrottlingException"), clock.now + MAX_AGE_SECONDS
    assert [key(), key(), key(OLD)] == [OLD] * 3
    [line] = output()
    assert (line["level"], line["message"]) == ("WARNING", "secret not read")
    assert (line["reason"], line["older_is_used"]) == ("ThrottlingException", True)
    assert OLD not in json.dumps(line)
    assert store.call_count == 2
    store.side_effect, clock.now = [NEW], clock.now + REREAD_SECONDS
    assert (key(), key()) == (NEW, NEW)
    assert store.call_count == 3


def test_without_any_key_the_call_fails_with_a_retry_time(clock: HandClock, output: Output) -> None:
    store = Mock(side_effect=SecretError("AccessDeniedException"))
    key = model_key(store, clock)
    for _ in range(2):
        with pytest.raises(ModelKeyUnavailable) as caught:
            key()
        assert caught.value.retry_after == REREAD_SECONDS
    assert [line["older_is_used"] for line in output()] == [False]
    store.side_effect, clock.now = [NEW], clock.now + REREAD_SECONDS
    assert key() == NEW


def test_concurrent_calls_reread_a_refused_key_once() -> None:
    values = iter([OLD, NEW])
    key = model_key(lambda: time.sleep(0.05) or next(values))
    key()
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(key, [OLD] * 8)) == {NEW}


def read(location: str) -> str:
    return read_secret(location, usable_key)


def test_a_key_is_decrypted_and_stripped_or_reported_missing(ssm: Any, secrets_manager: Any, name: str) -> None:
    with pytest.raises(SecretError, match=r"^ParameterNotFound$"):
        read(f"ssm:{name}")
    with pytest.raises(SecretError, match=r"^ResourceNotFoundException$"):
        read(f"secretsmanager:{name}")
    ssm.put_parameter(Name=name, Value=f"{OLD}\n", Type="SecureString")
    assert read(f"ssm:{name}") == OLD


@pytest.mark.parametrize(("held", "field"), [(OLD, ""), (json.dumps({"api_key": OLD, "other": NEW}), "#api_key")])
def test_a_secret_is_found_by_name_or_arn_whole_or_in_a_field(secrets_manager, name, held, field):
    arn = secrets_manager.create_secret(Name=name, SecretString=held)["ARN"]
    assert read(f"secretsmanager:{name}{field}") == read(f"secretsmanager:{arn}{field}") == OLD


NO_KEYS = [
    ("", '{"api_key":"sk-old-canary"}'),
    ("", f"{OLD}\x07"),
    ("", OLD.encode()),
    ("#api_key", OLD),
    ("#api_key", '{"api_key": 7}'),
    ("#api_key", '{"api_key": ""}'),
    ("#api_key", '"sk-old-canary"'),
]


@pytest.mark.parametrize(("field", "held"), NO_KEYS)
def test_an_invalid_key_is_never_sent(secrets_manager: Any, name: str, field: str, held: str | bytes) -> None:
    kind = "SecretString" if isinstance(held, str) else "SecretBinary"
    secrets_manager.create_secret(Name=name, **{kind: held})
    with pytest.raises(SecretError) as caught:
        read(f"secretsmanager:{name}{field}")
    assert str(caught.value) in ("not a valid key", "nothing in it", "not JSON", "not a JSON object")
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
