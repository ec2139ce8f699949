"""LangGraph's protocol for runs. Routes for threads are in `http.native.threads`, one object for all protocols."""

from collections.abc import Callable
from functools import partial

from fastapi import APIRouter

from turnkeep.http.langgraph.assistants import AssistantRoutes
from turnkeep.http.langgraph.protocol import ProtocolRoutes
from turnkeep.http.langgraph.runs import RunRoutes
from turnkeep.http.langgraph.states import StateRoutes
from turnkeep.http.langgraph.store import StoreRoutes
from turnkeep.services import Services


def register(router: APIRouter, services: Services, new_id: Callable[[], str]) -> None:
    add = partial(router.add_api_route, response_model=None, include_in_schema=False)
    for routes in (AssistantRoutes, StateRoutes, RunRoutes, ProtocolRoutes, StoreRoutes):
        routes(services, new_id).register(add)
