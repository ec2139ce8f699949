"""The caller of a request, from the verified credential only, never from a body."""

import re
from typing import Annotated

from fastapi import Depends, Request

from turnkeep.errors import InvalidId, InvalidRequest, Unauthorized
from turnkeep.http.schemas import check_id
from turnkeep.observability import annotate, fingerprint, logger
from turnkeep.records import Principal
from turnkeep.store.keys import is_storable

USER_HEADER = "X-Turnkeep-User"
_PASSED_ON = re.compile(
    r"origin|via|(cdn|cf|fly|fastly|akamai)-.*|(.*-)?(forwarded|real|original|remote|envoy|arr|proxy\w*|\w*ip)(-.*)?"
)
"""Headers in which a browser names its page, or a proxy its client."""


def local_principal(request: Request) -> Principal:
    """Return the caller on a laptop. Only programs on this machine may name another user in X-Turnkeep-User: a web page
    or a proxy could send it on behalf of someone who did not ask for it."""
    user = request.headers.get(USER_HEADER)
    if user is None:
        return Principal("local", "local")
    is_here = request.client is not None and request.client.host in ("127.0.0.1", "::1", "::ffff:127.0.0.1")
    if not is_here or any(map(_PASSED_ON.fullmatch, request.headers)):
        raise Unauthorized(f"{USER_HEADER} is for programs on this machine only. Omit it.")
    return Principal("local", check_id(user, where=USER_HEADER))


def identify(request: Request) -> None:
    """Authenticate the caller and add it to the log lines of this request."""
    principal: Principal = request.scope.get("turnkeep.principal") or request.app.state.authenticate(request)
    request.state.principal = principal
    annotate(caller_hash=fingerprint(request.app.state.salt, principal.tenant, principal.user))
    if thread_id := request.path_params.get("thread_id"):
        name_thread(request, thread_id)


def name_thread(request: Request, thread_id: str) -> None:
    """Add the thread to the log lines of this request."""
    principal: Principal = request.state.principal
    annotate(thread_hash=fingerprint(request.app.state.salt, principal.tenant, principal.user, thread_id))


def act_for(request: Request, user: str | None, company: str | None) -> Principal:
    """Return the principal named by a body with a user and a company, the tenant (seed 003). Both are ignored unless
    the caller may act for others; a missing one is the caller's own. Raise InvalidRequest for a tenant that the caller
    may not act for, InvalidId for names under which no thread can be stored."""
    principal: Principal = request.state.principal
    if user is None and company is None:
        return principal
    if not principal.acts_for:
        logger.info("ids in the body ignored")
        return principal
    acting = Principal(company or principal.tenant, user or principal.user)
    if principal.acts_for == "tenant" and acting.tenant != principal.tenant:
        raise InvalidRequest("The caller may act within its own tenant only. Omit `company_id`, or send that tenant.")
    if not is_storable(acting):
        raise InvalidId("user_id, company_id: Both together must be under 900 bytes of UTF-8.")
    request.state.principal = acting
    annotate(acting_hash=fingerprint(request.app.state.salt, acting.tenant, acting.user))
    logger.info("caller acts for another")
    return acting


async def caller(request: Request) -> Principal:  # FastAPI would run a synchronous dependency in a thread
    principal: Principal = request.state.principal
    return principal


Caller = Annotated[Principal, Depends(caller)]
