"""How a deployed function has a background run made: an asynchronous invocation, which Lambda keeps and repeats."""

import asyncio
import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.errors import StoreUnavailable


class Workers:
    """`client` is boto3's of Lambda, `function` the name of functions/worker."""

    def __init__(self, client: Any, function: str):
        self._client = client
        self._function = function

    async def __call__(self, token: str) -> None:
        """Raises StoreUnavailable."""
        await asyncio.to_thread(self._invoke, json.dumps({"run": token}))

    def _invoke(self, payload: str) -> None:
        try:
            self._client.invoke(FunctionName=self._function, InvocationType="Event", Payload=payload)
        except (BotoCoreError, ClientError) as error:
            told = "The run is kept, but no worker could be asked. Send the same request again."
            raise StoreUnavailable(told, retry_after=2) from error
