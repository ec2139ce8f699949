"""What a function needs of its environment before it can serve."""

import pytest

from turnkeep.aws.deployment import NotDeployable, deployed_app, deployed_settings


def test_a_setting_that_cannot_be_used_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", "canary")
    with pytest.raises(NotDeployable, match=r"^A setting of the function cannot be used\. MODEL: use ") as caught:
        deployed_app({})
    assert "canary" not in str(caught.value)


def test_without_a_seal_key_nothing_is_served() -> None:
    with pytest.raises(NotDeployable, match="Neither SEAL_KEY nor SEAL_KEY_PARAMETER is set"):
        deployed_app({})


def test_a_seal_key_of_the_environment_needs_no_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAL_KEY", "of the environment")
    settings = deployed_settings({"SEAL_KEY_PARAMETER": "/never/read"})
    assert settings.seal_key.get_secret_value() == "of the environment"
