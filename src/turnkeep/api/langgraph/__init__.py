"""LangGraph's protocol for runs. Routes for threads are in `api.threads`, one object for all protocols."""

from collections.abc import Callable
from functools import partial

from fastapi import APIRouter

from turnkeep.api.langgraph.assistants import AssistantRoutes
from turnkeep.api.langgraph.runs import RunRoutes
from turnkeep.api.langgraph.states import StateRoutes
from turnkeep.api.langgraph.store import StoreRoutes
from turnkeep.services import Services


def register(router: APIRouter, services: Services, new_id: Callable[[], str]) -> None:
    add = partial(router.add_api_route, response_model=None, include_in_schema=False)
    for routes in (AssistantRoutes, StateRoutes, RunRoutes, StoreRoutes):
        routes(services, new_id).register(add)
