"""The OpenAPI document is correct: responses to generated requests conform to it."""

import pytest
import schemathesis
from fastapi import FastAPI
from httpx import AsyncClient
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]


async def test_every_route_describes_its_problems(client: AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            answers = operation["responses"]
            problems = [answer for status, answer in answers.items() if status >= "400"]
            assert path == "/ok" or problems, (method, path)
            for answer in problems:
                [(kind, media)] = answer["content"].items()
                assert (kind, media["schema"]["$ref"]) == ("application/problem+json", "#/components/schemas/Problem")
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.mark.parametrize("mode", GenerationMode)
def test_responses_match_the_openapi_document(app: FastAPI, mode: GenerationMode) -> None:
    tried = 0
    for result in schemathesis.openapi.from_asgi("/openapi.json", app).get_all_operations():
        operation = result.ok()
        if mode is GenerationMode.POSITIVE or operation.body or operation.path_parameters or operation.query:
            conform(operation, mode)
            tried += 1
    assert tried > 10


def conform(operation: APIOperation, mode: GenerationMode) -> None:
    """Compare the responses to valid requests, or to ones that break the schema, with the document."""

    @given(operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=20,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answers_as_it_says(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    answers_as_it_says()
