"""A server in the wire format of Bedrock."""

from collections.abc import Iterator

import pytest
from bedrock_wire import BedrockExchange
from wire import WireServer


@pytest.fixture
def bedrock_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    pytest.importorskip("langchain_aws", reason="needs the extra bedrock")
    with WireServer(kind=BedrockExchange) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.base_url)
        yield server
