"""The function `api` and its first turn, a stateless one with the demo model: what it loads, and the run besides."""

import json
from typing import Any

from app import handler  # type: ignore[import-not-found]


class Context:
    aws_request_id = "request-1"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


event: dict[str, Any] = {
    "resource": "/chat",
    "path": "/chat",
    "httpMethod": "POST",
    "headers": {"Content-Type": "application/json", "Host": "localhost"},
    "multiValueHeaders": {"Content-Type": ["application/json"], "Host": ["localhost"]},
    "queryStringParameters": None,
    "multiValueQueryStringParameters": None,
    "requestContext": {
        "requestId": "request-1",
        "identity": {"sourceIp": "127.0.0.1"},
        "authorizer": {"tenant": "acme", "user": "ann", "acts_for": "false", "credential": "key-1"},
    },
    "body": json.dumps({"message": "How are language models adapted to a task?"}),
    "isBase64Encoded": False,
}
answer = handler(event, Context())
if answer["statusCode"] != 200 or json.loads(answer["body"])["model"] != "demo":
    raise SystemExit(f"the first turn failed: {answer}")
