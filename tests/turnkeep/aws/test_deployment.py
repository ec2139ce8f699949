"""What a function needs of its environment before it can serve."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.stub import Stubber
from starlette.testclient import TestClient

from turnkeep.aws.deployment import NotDeployable, deployed_app, deployed_settings, take_environment
from turnkeep.aws.signingkey import SecretError
from turnkeep.signing import secrets_of
from turnkeep.store.codec import Codec

type Output = Callable[[], list[dict[str, Any]]]


def test_an_invalid_setting_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", "canary")
    with pytest.raises(NotDeployable, match=r"^A setting of the function is invalid\. MODEL: use ") as caught:
        deployed_app({})
    assert "canary" not in str(caught.value)


def test_nothing_is_served_without_a_signing_key() -> None:
    with pytest.raises(NotDeployable, match="Neither SEAL_KEY nor SEAL_KEY_PARAMETER is set"):
        deployed_app({})


def test_a_deleted_signing_key_works_again_below_the_new_one(ssm: Any, name: str) -> None:
    environ = {"SEAL_KEY_PARAMETER": name}
    first, again = (deployed_settings(environ).seal_key.get_secret_value() for _ in range(2))
    assert first == again
    ssm.delete_parameter(Name=name)
    second = deployed_settings(environ).seal_key.get_secret_value()
    ssm.put_parameter(Name=name, Value=f"{second}\n{first}", Type="SecureString", Overwrite=True)
    restored = Codec(*deployed_settings(environ).signing_secrets)
    for text in (first, second):
        assert restored.unpack(Codec(*secrets_of(text)).pack("x", "pk"), "pk") == "x"


def test_an_unusable_file_is_logged_and_the_function_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: Output
) -> None:
    monkeypatch.setenv("SEAL_KEY", "of the environment")
    monkeypatch.setenv("DATABASE__ACCESS", str(tmp_path / "access.json"))
    app = deployed_app({})
    [line] = output()
    assert (line["level"], line["agent"]) == ("ERROR", "database")
    assert line["reason"] == f"{tmp_path}/access.json: cannot be read (No such file or directory); check the path"
    assert TestClient(app).get("/ok").json() == {"ok": True}


def test_pydantic_v1_is_not_loaded_at_the_start_and_can_be_later() -> None:
    code = (
        "import os, sys; from turnkeep.aws.deployment import deployed_app; deployed_app(os.environ);"
        "print('pydantic.v1' in sys.modules); import pydantic.v1"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SEAL_KEY": "of the environment"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "False"


# The environment of own graphs: the parameters under a path


def put(ssm: Any, path: str, **values: str) -> None:
    for name, value in values.items():
        ssm.put_parameter(Name=f"{path}/{name}", Value=value, Type="SecureString")


def test_every_parameter_becomes_a_variable_and_no_value_is_logged(ssm: Any, name: str, output: Output) -> None:
    values = {f"NAME_{number}": f"canary {number}" for number in range(12)}  # AWS gives ten at a time
    put(ssm, name, **values)
    put(ssm, f"{name}-other", NAME_0="of another stack")
    environ: dict[str, str] = {}
    take_environment(ssm, name, environ)
    assert environ == values
    [line] = output()
    assert sorted(line["names"]) == sorted(values)
    assert "canary" not in str(line)


def test_variables_of_the_function_win_and_empty_ones_are_unset(ssm: Any, name: str) -> None:
    put(ssm, name, TABLE_NAME="another", MODEL="openai/gpt-4o")
    environ = {"TABLE_NAME": "turnkeep", "MODEL": "", "OPENAI_BASE_URL": ""}
    take_environment(ssm, name, environ)
    assert environ == {"TABLE_NAME": "turnkeep", "MODEL": "openai/gpt-4o"}


def test_an_unreadable_path_is_reported_with_the_missing_permission(ssm: Any, name: str) -> None:
    with Stubber(ssm) as stub:
        stub.add_client_error("get_parameters_by_path", "AccessDeniedException")
        reason = rf"parameters under {name} cannot be read \(AccessDenied.*ssm:GetParametersByPath"
        with pytest.raises(SecretError, match=reason):
            take_environment(ssm, name, {})
