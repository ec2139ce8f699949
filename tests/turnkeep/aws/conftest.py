"""What several tests of this folder ask for."""

import uuid
from typing import Any

import boto3
import pytest

from hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def name() -> str:
    """Of a parameter or a secret that no other test has."""
    return f"/turnkeep/{uuid.uuid4().hex}"


@pytest.fixture
def ssm(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", s3_url)
    return boto3.client("ssm")


@pytest.fixture
def secrets_manager(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", s3_url)
    return boto3.client("secretsmanager")
