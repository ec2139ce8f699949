"""A conversation with the agent over a small schema, and a database that plays what it is told to and records what
reaches it. Its model follows a script of readings, statements and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from langchain_core.messages import HumanMessage

from turnkeep.blocks.documents import Document
from turnkeep.blocks.manual.manual import Manual
from turnkeep.databases.results import Result
from turnkeep.models.chat import Models
from turnkeep.records import Principal, Reply, RunContext
from turnkeep_agents.database.access import Access, Rule, SecureView
from turnkeep_agents.database.graph import compile_graph, read_reply
from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.prompts import Written
from turnkeep_agents.database.reading import Ask, Reading
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.state import LASTING, new_turn
from turnkeep_agents.database.verified import Pair, Verified
from turnkeep_agents.database.workspace import Workspace

READ, WRITE, CORRECT, ANSWER, TALK = (
    f"database.{name}" for name in ("read", "write_sql", "correct_sql", "answer", "talk")
)
ACCESS = Access(
    views=(SecureView("employee", "secure_employee", "companyId", ("firstName",)),),
    rules=(Rule(user="guest", without=("employee",)), Rule(user="nobody", tables=()), Rule()),
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
PAIRS = (Pair("How many crews are there?", "SELECT COUNT(*) AS crews FROM crew"),)


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
            table("visitPhoto", Column("visitId", "integer"), Column("fileName", "text")),
        )
    },
    relationships=(
        Relationship("crew", "leadId", "employee", "id", role="led by"),
        Relationship("crew", "plannerId", "employee", "id", role="planned by"),
        Relationship("visit", "crewId", "crew", "id"),
        Relationship("visitPhoto", "visitId", "visit", "id"),
    ),
)
SEVEN = Result(("employees",), ((7,),))
NONE = Result(("employees",), ())
COUNT = "SELECT COUNT(*) AS employees FROM employee WHERE status = 'active'"


def ask(question: str, *tables: str, **others: Any) -> Ask:
    fields = {"kind": "sql", "goes_on": False, "words": [], "pages": [], "rows": "first", **others}
    return Ask(question=question, tables=list(tables), **fields)


def read(*asks: Ask, language: str = "en") -> tuple[str, Reading]:
    return READ, Reading(language=language, asks=list(asks))


def written(sql: str = "", **others: Any) -> Written:
    fields = {"kind": "sql", "understood_as": "", "left_out": [], "need_tables": [], "ask_back": "", **others}
    return Written(sql=sql, **fields)


def write(sql: str = "", **others: Any) -> tuple[str, Written]:
    return WRITE, written(sql, **others)


def correct(sql: str = "", **others: Any) -> tuple[str, Written]:
    return CORRECT, written(sql, **others)


@dataclass
class PlayedDatabase:
    """Gives the results in their order, or raises them; `ran` are the statements that reached it. Where the data begin
    and end is another matter, for which `span` stands."""

    plays: list[Result | Exception] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    callers: list[Principal] = field(default_factory=list)
    fault: Exception | None = None
    dialect: str = "sqlite"
    access: Access = ACCESS
    span: tuple[str | None, str | None] = (None, None)

    def graph(self) -> JoinGraph:
        if self.fault:
            raise self.fault
        return GRAPH

    def run(self, sql: str, principal: Principal) -> Result:
        if "first_day" in sql:
            return Result(("first_day", "last_day"), (self.span,))
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
    told: list[Any] = field(default_factory=list)

    async def say(self, message: str) -> Reply:
        self.turns += 1
        asked = HumanMessage(message, id=f"h{self.turns}")
        given = {**self.kept, **new_turn(), "messages": [*self.kept.get("messages", []), asked]}
        values: Mapping[str, Any] = {}
        modes = ["custom", "values"]
        async for place, mode, data in self.graph.astream(
            given, context=self.context, stream_mode=modes, subgraphs=True
        ):
            if mode == "custom":
                self.told.append(data)
            elif not place:
                values = data
        self.kept = {name: value for name, value in values.items() if name in LASTING}
        return read_reply(values)


def workspace_on(database: PlayedDatabase, tuning: DatabaseSettings) -> Workspace:
    def open_database(_: date) -> Any:
        return database

    return Workspace(open_database, Manual(PAGES), Verified(PAIRS), tuning)


def talk_to(database: PlayedDatabase, models: Models, context: RunContext, tuning: DatabaseSettings) -> Talk:
    return Talk(compile_graph(models, workspace_on(database, tuning), tuning), context)
