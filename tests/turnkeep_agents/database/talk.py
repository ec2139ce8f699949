"""A conversation with the agent over a small schema. A database plays scripted results and records statements; a model
follows a script of readings, statements and answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from join_graphs import graph, link

from agent_thread import Thread
from scripted_model import ScriptedModel, Step
from turnkeep.kit.documents import Document
from turnkeep.models.chat import Models
from turnkeep.records import Principal, Reply, RunContext
from turnkeep_agents.database.access import Access, Rule, SecureView
from turnkeep_agents.database.graph import compile_graph
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.manual import Manual
from turnkeep_agents.database.prompts import Written
from turnkeep_agents.database.reading import Ask, Reading
from turnkeep_agents.database.results import Result
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.verified import Pair, Verified
from turnkeep_agents.database.workspace import Workspace

READ, WRITE, CORRECT, ANSWER, TALK = (
    f"database.{name}" for name in ("read", "write_sql", "correct_sql", "answer", "talk")
)
ACCESS = Access(
    views=(SecureView("employee", "secure_employee", "companyId", ("firstName",)),),
    rules=(Rule(user="guest", without=("employee",)), Rule(user="nobody", tables=()), Rule()),
)
ADD = "Open Crews, choose New crew, give it a name and save."
PAGES = [
    Document("crews#add", "Crews > Add a crew", ADD, None, {"page": "Crews"}),
    Document("leave#ask", "Leave > Ask for leave", "Open My time and choose Leave.", None, {"page": "Leave"}),
]
PAIRS = (Pair("How many crews are there?", "SELECT COUNT(*) AS crews FROM crew"),)


GRAPH = graph(
    """
    employee: id* integer, firstName text, status text=active|inactive, companyId integer
    crew: id* integer, name text, leadId integer, plannerId integer
    visit: id* integer, crewId integer, visitedOn date, minutes integer
    visitPhoto: id* integer, visitId integer, fileName text
    """,
    link("crew.leadId > employee.id", role="led by"),
    link("crew.plannerId > employee.id", role="planned by"),
    "visit.crewId > crew.id",
    "visitPhoto.visitId > visit.id",
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
    """Returns or raises the results in order; `ran` are the statements that reached it. `span` answers questions about
    first and last dates."""

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
        played = self.plays.pop(0)
        if isinstance(played, Exception):
            raise played
        return played


@dataclass
class Talk(Thread):
    database: PlayedDatabase = field(default_factory=PlayedDatabase)

    async def say(self, message: str, *steps: Step, plays: Sequence[Result | Exception] = ()) -> Reply:
        self.database.plays += plays
        return await super().say(message, *steps)


def talk_to(database: PlayedDatabase, script: ScriptedModel, context: RunContext, tuning: DatabaseSettings) -> Talk:
    def open_database(_: date) -> Any:
        return database

    models = Models(script, script, "openai", "m")
    workspace = Workspace(open_database, Manual(PAGES), Verified(PAIRS), tuning)
    return Talk(compile_graph(models, workspace, tuning), context, script, database=database)
