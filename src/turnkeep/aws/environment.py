"""The environment of own graphs on AWS: what stands under a path of Parameter Store becomes variables of the process
before a graph is loaded. Read once, when a function starts: a value that changes counts for what starts later."""

from collections.abc import MutableMapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.aws.sealkey import SecretError, code_of
from turnkeep.observability import logger


def take_environment(ssm: Any, path: str, environ: MutableMapping[str, str]) -> None:
    """Sets every parameter right under `path`, such as "/turnkeep/hello/env/OPENAI_API_KEY", that has no value yet.
    `ssm` is a client of boto3. Raises SecretError."""
    # The template sets what nobody gave to nothing. We take that for unset, but OpenAI's client for an address.
    for name in [name for name, value in environ.items() if not value]:
        del environ[name]
    for name, value in _under(ssm, path).items():
        environ.setdefault(name, value)


def _under(ssm: Any, path: str) -> dict[str, str]:
    pages = ssm.get_paginator("get_parameters_by_path").paginate(Path=path, WithDecryption=True)
    try:
        found = {each["Name"].rpartition("/")[2]: each["Value"] for page in pages for each in page["Parameters"]}
    except (BotoCoreError, ClientError) as error:
        needed = "it needs ssm:GetParametersByPath"
        raise SecretError(f"what stands under {path} cannot be read ({code_of(error)}); {needed}", error) from None
    logger.info("environment of own graphs read", path=path, names=sorted(found))
    return found
