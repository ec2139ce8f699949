"""Routes about the service: health, version and agents. Health needs no credential and loads no graph."""

from fastapi import APIRouter
from fastapi.routing import APIRoute

from turnkeep import __version__
from turnkeep.entries import default_agent, entries
from turnkeep.errors import AgentUnavailable, InvalidRequest, NotFound, Unauthorized, UnknownAgent
from turnkeep.http.routes import ALWAYS, Routes, problems
from turnkeep.http.schemas import AgentName
from turnkeep.http.views import AgentDiagram, AgentView, Health, Info

NO_MODEL_KEY = (
    "No model API key is set, so the demo model answers by rules. Set OPENAI_API_KEY, or deploy with "
    "ModelKeyParameter or ModelKeySecret. MODEL=bedrock:<model id> needs no key. MODEL=demo hides this note."
)


class ServiceRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        known, diagram = problems(Unauthorized), problems(*ALWAYS, InvalidRequest, NotFound, AgentUnavailable)
        router.routes.append(APIRoute("/ok", self.ok, methods=["GET"], response_model=Health))
        router.add_api_route("/info", self.info, methods=["GET"], responses=known)
        router.add_api_route("/agents", self.agents, methods=["GET"], responses=known)
        router.add_api_route("/agents/{name}", self.agent, methods=["GET"], responses=diagram)

    async def ok(self) -> Health:
        return Health()

    async def info(self) -> Info:
        is_used = any(entry.build for entry in entries().values())  # graphs of a langgraph.json have their own models
        model = self._settings.main_model if is_used else ""
        warnings, notes = (["demo_model"], list[str]()) if model == "demo" else ([], [])
        if warnings and not self._settings.model:
            warnings.append("no_model_key")
            notes.append(NO_MODEL_KEY)
        names = {"agents": list(entries()), "default_agent": default_agent(self._settings.default_agent)}
        return Info(version=__version__, model=model, **names, warnings=warnings, notes=notes)

    async def agents(self) -> list[AgentView]:
        return [AgentView(name=name, description=entry.description) for name, entry in entries().items()]

    def agent(self, name: AgentName) -> AgentDiagram:
        """Return the agent with a diagram of its graph."""
        try:
            diagram = self._turns.drawing(name).mermaid()
        except UnknownAgent:
            raise NotFound(UnknownAgent.advice) from None
        return AgentDiagram(name=name, description=entries()[name].description, mermaid=diagram)
