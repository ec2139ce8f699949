"""OpenAI's protocol: models, chat completions, responses and conversations, over the same threads and turns."""

from collections.abc import Callable
from functools import partial

from fastapi import APIRouter

from turnkeep.errors import NotFound, TurnkeepError
from turnkeep.http.openai import conversations as has
from turnkeep.http.openai.chat import ChatRoutes
from turnkeep.http.openai.error_format import OpenAIRoute, UnsupportedParameter
from turnkeep.services import Services

NO_ROUTE = "No route has this path and method. `GET /v1/models` lists the models."
NO_CANCEL = "Responses do not run in the background. To cancel a streamed response, close its connection."


def register(router: APIRouter, services: Services, new_id: Callable[[], str]) -> None:
    """Add the routes under /v1, including those of OpenAI that are not supported."""
    add = partial(router.add_api_route, response_model=None, route_class_override=OpenAIRoute, include_in_schema=False)
    for routes in (ChatRoutes, has.ResponseRoutes, has.ConversationRoutes):
        routes(services, new_id).register(add)
    add(f"{has.RESPONSE}/cancel", _refuse(UnsupportedParameter, "response_id", NO_CANCEL), methods=["POST"])
    add(f"{has.CONVERSATION}/items", _refuse(UnsupportedParameter, "items", has.ONLY_RUNS_ADD), methods=["POST"])
    add(has.ITEM, _refuse(UnsupportedParameter, "item_id", has.ONLY_WHOLE), methods=["DELETE"])
    add("/v1/{path:path}", _refuse(NotFound, NO_ROUTE), methods=["GET", "POST", "PUT", "PATCH", "DELETE"])


def _refuse(kind: type[TurnkeepError], *given: str) -> Callable[[], None]:
    def refuse() -> None:
        raise kind(*given)

    return refuse
