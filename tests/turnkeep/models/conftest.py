import pytest


@pytest.fixture(autouse=True)
def _no_key_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL", "MODEL_SMALL"):
        monkeypatch.delenv(name, raising=False)
