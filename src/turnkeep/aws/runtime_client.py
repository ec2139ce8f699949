"""awslambdaric's runtime client, except that an answer may send itself. functions/stream/wrapper runs this module."""

import os
from typing import Any

from awslambdaric import bootstrap
from awslambdaric.lambda_runtime_client import LambdaRuntimeClient
from awslambdaric.lambda_runtime_marshaller import LambdaMarshaller

from turnkeep.aws.streaming import StreamedAnswer


class StreamMarshaller(LambdaMarshaller):  # type: ignore[misc]  # awslambdaric has no types
    def marshal_response(self, response: Any) -> Any:
        if isinstance(response, StreamedAnswer):
            return response, None
        return super().marshal_response(response)


class StreamingRuntimeClient(LambdaRuntimeClient):  # type: ignore[misc]
    marshaller = StreamMarshaller()

    def post_invocation_result(
        self, invoke_id: str, result_data: Any, content_type: Any = "application/json", invocation_id: Any = None
    ) -> None:
        if isinstance(result_data, StreamedAnswer):
            result_data.send_to(self.lambda_runtime_address, invoke_id, invocation_id)
            return
        super().post_invocation_result(invoke_id, result_data, content_type, invocation_id)


if __name__ == "__main__":
    bootstrap.run(os.environ["_HANDLER"], StreamingRuntimeClient(os.environ["AWS_LAMBDA_RUNTIME_API"]))
