"""The HTTP application. It reads nothing from the environment; `create_app` gets everything that the routes need."""

from collections.abc import Callable
from uuid import uuid4

from fastapi import FastAPI, Request
from starlette.types import ASGIApp

from turnkeep import __version__
from turnkeep.api.attachments import AttachmentRoutes
from turnkeep.api.bodies import JsonRoute
from turnkeep.api.browsers import for_browsers
from turnkeep.api.document import describe
from turnkeep.api.edge import Edge
from turnkeep.api.errors import HANDLERS
from turnkeep.api.internal import InternalRoutes
from turnkeep.api.late import LateRoutes
from turnkeep.api.me import MeRoutes
from turnkeep.api.service import ServiceRoutes
from turnkeep.api.threads import ThreadRoutes
from turnkeep.api.turns import TurnRoutes
from turnkeep.api.usage import UsageRoutes
from turnkeep.records import JSON, Principal
from turnkeep.services import Services


class Api(FastAPI):
    def build_middleware_stack(self) -> ASGIApp:
        app = Edge(self.state.late.before(super().build_middleware_stack()), new_id=self.state.new_id)
        return for_browsers(app, self.state.cors_origins, self.state.cors_pattern)

    def openapi(self) -> JSON:
        self.openapi_schema = self.openapi_schema or describe(self.title, self.version, self.routes)
        return self.openapi_schema


def create_app(
    services: Services,
    *,
    authenticate: Callable[[Request], Principal],
    new_id: Callable[[], str] = lambda: str(uuid4()),
) -> FastAPI:
    """Return the application. `authenticate` raises Unauthorized. Swagger's page is off: it loads external scripts."""
    app = Api(
        title="Turnkeep",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,
        exception_handlers=dict(HANDLERS),
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.authenticate = authenticate
    app.state.new_id = new_id
    app.state.cors_origins = services.settings.cors_origins
    app.state.cors_pattern = None
    app.state.salt = services.settings.log_salt
    app.router.route_class = JsonRoute
    for routes in (ServiceRoutes, ThreadRoutes, TurnRoutes, AttachmentRoutes, InternalRoutes, UsageRoutes, MeRoutes):
        routes(services, new_id).register(app.router)
    app.state.late = LateRoutes(app.router, services, new_id)
    return app
