"""A conversation with the agent over a small schema, and a database that plays what it is told to and records what
reaches it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from langchain_core.messages import HumanMessage

from turnkeep_agents.database.access import Access, Rule, SecureView
from turnkeep_agents.database.desk import Desk
from turnkeep_agents.database.graph import compile_graph, read_reply
from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.manual.manual import Manual
from turnkeep_agents.database.state import LASTING, new_turn
from turnkeep.blocks.documents import Document
from turnkeep.databases.results import Result
from turnkeep.models.chat import Models
from turnkeep.records import Principal, Reply, RunContext
from turnkeep_agents.database.settings import DatabaseSettings

ACCESS = Access(
    views=(SecureView("employee", "secure_employee", "companyId", ("firstName",)),),
    rules=(Rule(user="guest", without=("employee",)), Rule()),
)
PAGES = [
    Document(
        "crews#add",
        "Crews > Add a crew",
        "Open Crews, choose New crew, give it a name and save.",
        None,
        {"page": "Crews"},
    ),
    Document("leave#ask", "Leave > Ask for leave", "Open My time and choose Leave.", None, {"page": "Leave"}),
]


def table(name: str, *columns: Column) -> Table:
    own = (Column("id", "integer"), *columns)
    return Table(name, {column.name: column for column in own}, ("id",), ("id",))


GRAPH = JoinGraph(
    tables={
        one.name: one
        for one in (
            table(
                "employee",
                Column("firstName", "text"),
                Column("status", "text", values=("active", "inactive")),
                Column("companyId", "integer"),
            ),
            table("crew", Column("name", "text"), Column("leadId", "integer"), Column("plannerId", "integer")),
            table("visit", Column("crewId", "integer"), Column("visitedOn", "date"), Column("minutes", "integer")),
        )
    },
    relationships=(
        Relationship("crew", "leadId", "employee", "id", role="led by"),
        Relationship("crew", "plannerId", "employee", "id", role="planned by"),
        Relationship("visit", "crewId", "crew", "id"),
    ),
)


@dataclass
class PlayedDatabase:
    """Gives the results in their order, or raises them; `ran` are the statements that reached it."""

    plays: list[Result | Exception] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    callers: list[Principal] = field(default_factory=list)
    fault: Exception | None = None
    dialect: str = "sqlite"
    access: Access = ACCESS

    def graph(self) -> JoinGraph:
        if self.fault:
            raise self.fault
        return GRAPH

    def run(self, sql: str, principal: Principal) -> Result:
        self.ran.append(sql)
        self.callers.append(principal)
        assert self.plays, f"nothing is left to answer {sql}"
        played = self.plays.pop(0)
        if isinstance(played, Exception):
            raise played
        return played


@dataclass
class Talk:
    """One thread, whose lasting keys go from turn to turn as the store would keep them."""

    graph: Any
    context: RunContext
    kept: dict[str, Any] = field(default_factory=dict)
    turns: int = 0

    async def say(self, message: str) -> Reply:
        self.turns += 1
        asked = HumanMessage(message, id=f"h{self.turns}")
        messages = [*self.kept.get("messages", []), asked]
        values: Mapping[str, Any] = await self.graph.ainvoke(
            {**self.kept, **new_turn(), "messages": messages}, context=self.context
        )
        self.kept = {name: value for name, value in values.items() if name in LASTING}
        return read_reply(values)


def desk_on(database: PlayedDatabase, tuning: DatabaseSettings) -> Desk:
    def open_database(_: date) -> Any:
        return database

    return Desk(open_database, Manual(PAGES), tuning)


def talk_to(database: PlayedDatabase, models: Models, context: RunContext, tuning: DatabaseSettings) -> Talk:
    return Talk(compile_graph(models, desk_on(database, tuning), tuning), context)
