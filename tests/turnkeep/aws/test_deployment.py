"""What a function needs of its environment before it can serve."""

import gc
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.stub import Stubber

from turnkeep.aws.deployment import NotDeployable, deployed_app, take_environment
from turnkeep.aws.loading import LateClient, loading
from turnkeep.aws.signingkey import SecretError


def test_an_invalid_setting_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", "canary")
    with pytest.raises(NotDeployable, match=r"^A setting of the function is invalid\. MODEL: use ") as caught:
        deployed_app({})
    assert "canary" not in str(caught.value)


def test_nothing_is_served_without_a_signing_key() -> None:
    with pytest.raises(NotDeployable, match="Neither SEAL_KEY nor SEAL_KEY_PARAMETER is set"):
        deployed_app({})


def test_pydantic_v1_is_not_loaded_at_the_start_and_can_be_later() -> None:
    code = (
        "import os, sys; from turnkeep.aws.deployment import deployed_app; deployed_app(os.environ);"
        "print('pydantic.v1' in sys.modules); import pydantic.v1"
    )
    command, environ = [sys.executable, "-c", code], {**os.environ, "SEAL_KEY": "of the environment"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


# The environment of own graphs: the parameters under a path


def test_every_parameter_becomes_a_variable_that_is_not_set_and_no_value_is_logged(ssm, name, output):
    values = {f"NAME_{number}": f"canary {number}" for number in range(12)}  # AWS gives ten at a time
    for path, value in (*((f"{name}/{each}", value) for each, value in values.items()), (f"{name}-other/NAME_0", "x")):
        ssm.put_parameter(Name=path, Value=value, Type="SecureString")
    environ = {"NAME_1": "of the function", "NAME_2": "", "OPENAI_BASE_URL": ""}
    take_environment(ssm, name, environ)
    assert environ == values | {"NAME_1": "of the function"}
    [line] = output()
    assert sorted(line["names"]) == sorted(values)
    assert "canary" not in str(line)


def test_an_unreadable_path_is_reported_with_the_missing_permission(ssm: Any, name: str) -> None:
    with Stubber(ssm) as stub:
        stub.add_client_error("get_parameters_by_path", "AccessDeniedException")
        reason = rf"parameters under {name} cannot be read \(AccessDenied.*ssm:GetParametersByPath"
        with pytest.raises(SecretError, match=reason):
            take_environment(ssm, name, {})


def test_loading_pauses_garbage_collection_and_freezes_its_result() -> None:
    gc.unfreeze()
    with loading():
        assert not gc.isenabled()
        kept = [[n] for n in range(1000)]
    assert gc.get_freeze_count() > len(kept)
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()
    gc.unfreeze()


def test_a_late_client_is_created_once_on_first_use() -> None:
    made = []
    late = LateClient(lambda: made.append(1) or SimpleNamespace(region="eu-west-1"))
    assert made == []
    assert (late.region, late.region, made) == ("eu-west-1", "eu-west-1", [1])
