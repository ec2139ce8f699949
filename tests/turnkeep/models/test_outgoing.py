"""All text of a request to a model is redacted in a run with redaction."""

import json

import bedrock_wire
import pytest
from asking import MODES, asked, bedrock, model_of
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from wire import WireServer, says

from turnkeep.models.outgoing import redacting

CALL = {"name": "look_up", "args": {"who": "Ann"}, "id": "call-Ann", "type": "tool_call"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QW5uAnn="}}
MESSAGES = [
    SystemMessage("You serve Ann."),
    HumanMessage([{"type": "text", "text": "I am Ann."}]),
    AIMessage("Ann?", tool_calls=[CALL]),
    ToolMessage("Found Ann.", tool_call_id="call-Ann"),
    HumanMessage("Ann, yes."),
]


def redact(text: str) -> str:
    return text.replace("Ann", "[PERSON]")


@pytest.mark.parametrize("mode", MODES)
async def test_openai_requests_are_redacted(mode: str) -> None:
    with WireServer([says("Hello."), says("Hello.")]) as server:
        model = model_of(server)
        with redacting(redact):
            await asked(model, mode, [*MESSAGES, HumanMessage([PICTURE])])
        await asked(model, mode, MESSAGES)
    hidden, plain = (body["messages"] for body in server.bodies)
    assert [each["role"] for each in plain] == [each["role"] for each in hidden][:-1]
    assert json.dumps(hidden).count("Ann") == 3  # two ids of a call and the picture
    assert json.dumps(hidden[:-1]).replace("[PERSON]", "Ann") == json.dumps(plain)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:Tool messages were passed without toolConfig")
async def test_bedrock_requests_are_redacted(mode: str, bedrock_server: WireServer) -> None:
    bedrock_server.script.append(bedrock_wire.says("Hello."))
    with redacting(redact):
        assert (await asked(bedrock(), mode, MESSAGES)).strip() == "Hello."
    (body,) = bedrock_server.bodies
    assert json.dumps(body).count("[PERSON]") == 6
    assert "Ann" not in json.dumps(body)
