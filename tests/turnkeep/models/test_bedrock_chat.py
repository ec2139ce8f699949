"""Inner calls of a model of Bedrock, and what it needs at its start."""

import bedrock_wire as wire
import pytest
from asking import asked, bedrock
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field, ValidationError
from wire import Answer, WireServer

from turnkeep.errors import ModelError
from turnkeep.models.answer_reader import REASONING_TOKENS
from turnkeep.models.calls import TypedCall, ask_typed
from turnkeep.settings import Settings


@pytest.fixture
def server(bedrock_server: WireServer) -> WireServer:
    return bedrock_server


class Verdict(BaseModel):
    """A judgement."""

    score: int = Field(ge=0, le=100)


CALL = TypedCall("papers.judge", Verdict, max_tokens=300)
ASKED = [SystemMessage("Judge."), HumanMessage("Bees?")]
GOOD = wire.calls("Verdict", {"score": 95})


@pytest.mark.parametrize("answer", [GOOD, wire.says('{"score": 95}')])
async def test_a_typed_call_returns_its_result(server: WireServer, answer: Answer) -> None:
    server.script.append(answer)
    assert (await ask_typed(bedrock(), CALL, ASKED)).score == 95
    body = server.bodies[0]
    assert body["toolConfig"]["toolChoice"] == {"tool": {"name": "Verdict"}}
    assert body["inferenceConfig"] == {"temperature": 0.0, "maxTokens": 300}
    assert "papers.judge" not in str(body)


@pytest.mark.parametrize(
    "unusable", [wire.says("It is surely relevant."), wire.fails("400 Bad Request", "ValidationException")]
)
async def test_an_unusable_result_is_retried_without_a_schema(server: WireServer, unusable: Answer) -> None:
    server.script += [unusable, GOOD]
    assert (await ask_typed(bedrock(), CALL, ASKED)).score == 95
    again = server.bodies[1]
    assert [message["role"] for message in again["messages"]] == ["user"]
    assert "could not be used" in str(again["messages"])
    assert "outputConfig" not in again


REASONING_MODEL = "openai.gpt-oss-120b-1:0"
TOOL_CHOICES = {
    "mistral.mistral-large-2407-v1:0": {"any": {}},
    "meta.llama3-1-70b-instruct-v1:0": {"auto": {}},
    "cohere.command-r-v1:0": None,
    REASONING_MODEL: None,
}


@pytest.mark.parametrize("name", TOOL_CHOICES)
async def test_the_strictest_supported_tool_choice_and_limit_are_sent(server: WireServer, name: str) -> None:
    server.script.append(GOOD)
    assert (await ask_typed(bedrock(name), CALL, ASKED)).score == 95
    body, more = server.bodies[0], REASONING_TOKENS if name == REASONING_MODEL else 0
    assert body["toolConfig"].get("toolChoice") == TOOL_CHOICES[name]
    assert body["inferenceConfig"]["maxTokens"] == 300 + more


def test_without_a_region_the_error_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(ModelError, match="AWS_REGION"):
        bedrock()


async def test_without_credentials_no_request_is_sent(server: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    with pytest.raises(ModelError, match="NoCredentials"):
        await asked(bedrock(), "ainvoke")
    assert server.bodies == []


@pytest.mark.parametrize("name", ["", "arn:aws:bedrock:eu-west-1:1:application-inference-profile/x"])
def test_an_invalid_model_name_is_rejected_at_start(name: str) -> None:
    with pytest.raises(ValidationError, match="id of a model or inference profile"):
        Settings(model=f"bedrock:{name}")
