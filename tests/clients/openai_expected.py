"""The expected result of `openai_calls`, for both SDKs."""

EVENTS = ["response.created", "response.in_progress", "response.output_item.added", "response.content_part.added"]
EVENTS += ["response.output_text.delta", "response.output_text.done", "response.content_part.done"]
EVENTS += ["response.output_item.done", "response.completed"]
EXPECTED = {
    "models": True,
    "model": "parcels",
    "chat": "you said two",
    "chat object": ["chat.completion", "parcels", "stop", "assistant"],
    "chat streamed": "you said two",
    "chat in pieces": True,
    "chat ends": "stop",
    "chat usage": True,
    "chat on a thread": "you said one",
    "conversation": ["you said one", "you said two", "you said yes"],
    "response": ["response", "completed", "parcels", "message"],
    "response events": EVENTS,
    "response read again": "you said two",
    "response input": ["two"],
    "chained": ["you said alpha", "you said beta", True],
    "unstored": ["you said gamma", ["NotFoundError", 404, "not_found"]],
    "items": [
        ["user", "one"],
        ["assistant", "you said one"],
        ["user", "two"],
        ["assistant", "you said two"],
        ["user", "yes"],
        ["assistant", "you said yes"],
    ],
    "conversation read": True,
    "conversation updated": {"about": "more"},
    "conversation deleted": True,
    "conversation gone": ["NotFoundError", 404, "not_found"],
    "unknown model": ["NotFoundError", 404, "model_not_found"],
    "unknown model asked for": ["NotFoundError", 404, "model_not_found"],
    "temperature of five": ["BadRequestError", 400, "invalid_request"],
    "two answers": ["BadRequestError", 400, "unsupported_parameter"],
    "no message": ["BadRequestError", 400, "invalid_request"],
    "unknown response": ["NotFoundError", 404, "not_found"],
    "tools": "you said hello",
    "a failure": ["InternalServerError", 500, "agent_error"],
}
