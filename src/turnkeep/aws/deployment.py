"""A deployed app, from a function's environment. At the start it reads the signing key and own graphs' variables."""

import asyncio
import functools
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session  # boto3 would load S3's transfer manager, a tenth of the start
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.requests import Request

from turnkeep.aws.callers import principal_of
from turnkeep.aws.loading import LateClient
from turnkeep.aws.secrets import with_late_secrets
from turnkeep.aws.signingkey import QUICK, SecretError, code_of, read_key, reread, seal_key, usable
from turnkeep.bootstrap import CLIENT_CONFIG, build, store_config
from turnkeep.errors import StoreUnavailable
from turnkeep.graphs.building import log_unusable, read_settings
from turnkeep.http.app import create_app
from turnkeep.http.loopback import serve_nodes
from turnkeep.observability import logger
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.settings import UNUSABLE, Settings, UnusableFile, explain
from turnkeep.store.blobs import S3Objects
from turnkeep.store.uploads import S3Uploads

REGIONAL = {"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"}
"""Signed links name the region: S3's global name redirects for hours, to a host that they are not signed for."""
_session = functools.cache(Session)


class NotDeployable(Exception):
    """The environment of the function is unusable; the message names what to change."""


def deployed_app(environ: Mapping[str, str]) -> FastAPI:
    """Build the app of the functions `api` and `stream`. Raise NotDeployable, SecretError."""
    services = deployed(environ)
    log_unusable_files(services.settings)
    launch_workers(services, environ.get("WORKER"))
    app = app_over(services, environ)
    serve_nodes(lambda: app)
    return app


def launch_workers(services: Services, function: str | None) -> None:
    """Execute queued runs by invoking this function, if one is set."""
    if function:
        client = LateClient(functools.partial(_client, "lambda"))
        services.runs.launch_by(functools.partial(invoke_worker, client, function))


def app_over(services: Services, environ: Mapping[str, str]) -> FastAPI:
    kind = environ.get("AUTH") or "keys"

    def authenticate(request: Request) -> Principal:
        return principal_of(request.scope.get("aws.event", {}), kind)

    with _unloaded("pydantic.v1"):  # FastAPI would load it, 24 modules, to ask whether any of our models is of it
        return create_app(services, authenticate=authenticate)


@contextmanager
def _unloaded(package: str) -> Iterator[None]:
    """Make imports of the package fail inside the block, unless it has been loaded before."""
    loaded = sys.modules.setdefault(package, None)  # type: ignore[arg-type]  # as the import system has it
    try:
        yield
    finally:
        if loaded is None:
            del sys.modules[package]


def deployed(environ: Mapping[str, str]) -> Services:
    """Build the services of any function that opens stored values. Raise NotDeployable, SecretError."""
    settings = deployed_settings(environ)
    if path := environ.get("GRAPHS_ENVIRONMENT"):  # after the settings, whose names a graph may use in another sense
        take_environment(_client("ssm"), path, os.environ)
    dynamodb = _client("dynamodb", **store_config(settings))
    ssm: Any = LateClient(functools.partial(_client, "ssm", **QUICK))
    parameter = "" if environ.get("SEAL_KEY") else environ.get("SEAL_KEY_PARAMETER", "")
    s3: Any = LateClient(functools.partial(_client, "s3", signature_version="s3v4", s3=REGIONAL))
    services = build(
        settings,
        dynamodb=dynamodb,
        credentials=_session().get_credentials(),
        objects=S3Objects(s3, settings.bucket_name),
        uploads=S3Uploads(s3, settings.bucket_name),
        refresh=functools.partial(reread, ssm, parameter) if parameter else None,
    )
    if environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
        from snapshot_restore_py import register_after_restore, register_before_snapshot  # noqa: PLC0415 - Lambda's own

        register_before_snapshot(services.turns.warm)
        # All random states are equal after a restore.
        for each in (services.store.heads.items.close, s3.close, random.seed):
            register_after_restore(each)
        if parameter:  # a snapshot may outlive the secrets
            register_after_restore(lambda: services.store.heads.codec.renew(usable(read_key(ssm, parameter))))
    return services


def deployed_settings(environ: Mapping[str, str]) -> Settings:
    """Return the settings with the signing key from SEAL_KEY or SEAL_KEY_PARAMETER. Other secrets are read on use."""
    try:
        settings = with_late_secrets(read_settings())
    except UNUSABLE as error:
        raise NotDeployable(f"A setting of the function is invalid. {explain(error)}") from None
    if settings.seal_key.get_secret_value():
        return settings
    if not (name := environ.get("SEAL_KEY_PARAMETER")):
        raise NotDeployable("Neither SEAL_KEY nor SEAL_KEY_PARAMETER is set. Set one of them to the signing key.")
    text = seal_key(_client("ssm", **QUICK), name)
    usable(text)
    return settings.model_copy(update={"seal_key": SecretStr(text)})


def take_environment(ssm: Any, path: str, environ: MutableMapping[str, str]) -> None:
    """Set each unset variable from its parameter under `path`, such as "/turnkeep/hello/env/OPENAI_API_KEY".
    They are read once, so a changed value applies to functions that start later. Raise SecretError."""
    # The template sets missing variables to "", which means unset to us, but an address to OpenAI's client.
    for name in [name for name, value in environ.items() if not value]:
        del environ[name]
    pages = ssm.get_paginator("get_parameters_by_path").paginate(Path=path, WithDecryption=True)
    try:
        found = {each["Name"].rpartition("/")[2]: each["Value"] for page in pages for each in page["Parameters"]}
    except (BotoCoreError, ClientError) as error:
        needed = "it needs ssm:GetParametersByPath"
        raise SecretError(f"the parameters under {path} cannot be read ({code_of(error)}); {needed}") from None
    logger.info("environment of own graphs read", path=path, names=sorted(found))
    for name, value in found.items():
        environ.setdefault(name, value)


async def invoke_worker(client: Any, function: str, token: str) -> None:
    """Start a background run by an asynchronous invocation, which Lambda retries. Raise StoreUnavailable."""
    invocation = {"FunctionName": function, "InvocationType": "Event", "Payload": json.dumps({"run": token})}
    try:
        await asyncio.to_thread(client.invoke, **invocation)
    except (BotoCoreError, ClientError) as error:
        detail = "The run is stored, but no worker could be started. Send the same request again."
        raise StoreUnavailable(detail, retry_after=2) from error


def log_unusable_files(settings: Settings) -> None:
    """Log each unusable file of the settings at start. Only its agent stops working, so the function starts anyway."""
    for own in settings.agents:
        try:
            own.check()
        except UnusableFile as error:
            log_unusable(own.agent, error)


def _client(service: str, **config: Any) -> Any:
    return _session().create_client(service, config=Config(**{**CLIENT_CONFIG, **config}))
