"""How a deployed function has a background run made: an asynchronous invocation, which Lambda keeps and repeats."""

import asyncio
import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.errors import StoreUnavailable


async def invoke_worker(client: Any, function: str, token: str) -> None:
    """`client` is boto3's of Lambda, `function` the name of functions/worker. Raises StoreUnavailable."""
    asked = {"FunctionName": function, "InvocationType": "Event", "Payload": json.dumps({"run": token})}
    try:
        await asyncio.to_thread(client.invoke, **asked)
    except (BotoCoreError, ClientError) as error:
        told = "The run is kept, but no worker could be asked. Send the same request again."
        raise StoreUnavailable(told, retry_after=2) from error
