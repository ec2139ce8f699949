"""What one run of the agent knows. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from turnkeep.blocks.memory import ThreadMemory
from turnkeep.records import JSON

LASTING = frozenset({"messages", "memory", "chain", "last"})


class Last(TypedDict):
    """What the next turn may go on from: its route, and for `sql` the statement before it was checked, with the page of
    its rows that was shown, the rows with which its pages begin, as far as known, and the one behind those shown, all
    from 0."""

    route: str
    sql: str
    page: int
    starts: list[int]
    end: int


def without_rows(route: str) -> Last:
    """Of a turn that leaves no pages to turn."""
    return Last(route=route, sql="", page=0, starts=[0], end=0)


class Heard(TypedDict):
    """What a message says on its own. `search` is for a retriever."""

    is_follow_up: bool
    query: str
    search: str


class Ran(TypedDict):
    """A statement as the database got it; tables, columns and joins by their logical names."""

    sql: str
    tables: list[str]
    columns: list[str]
    joins: list[str]


class Attempt(TypedDict):
    """A statement that was not the last, and why."""

    sql: str
    problem: str


class Rows(TypedDict):
    """What the database gave, and to which statement. `has_cut_texts` where a row was too long by itself."""

    columns: list[str]
    rows: list[list[Any]]
    is_cut: bool
    has_cut_texts: bool
    ran: Ran | None


class QueryState(TypedDict):
    """The part that the SQL graph works on."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation; its last message is the question until a reply is there. Lasting."""

    memory: ThreadMemory
    """Summaries, with tiered memory; absent in the first turn. By `understand`. Lasting."""

    chain: list[str]
    """The questions to the database since the last that stood alone, oldest first. By `choose_route`. Lasting."""

    last: Last
    """Absent in the first turn. By the node that replies. Lasting."""

    standalone_query: str
    """The message so that it needs no history. By `understand`, then `choose_route`."""

    page: int
    """Which page of the last statement's rows is asked for; 0 for a question. By `choose_route`."""

    start: int | None
    """The row that this page begins with, from 0; None for a question. By `choose_route`."""

    tables: list[str]
    """The tables that the question needs. By `select_tables`, then `plan_joins`."""

    plan: list[str]
    """The joins in words. By `plan_joins`."""

    asking: str
    """The question that has to be asked back; empty where none. By `plan_joins`."""

    sql: str
    """The statement as it was written. By `choose_route` (a page), `write_sql` or `correct_sql`."""

    ran: Ran | None
    """The statement as it may run; None where it may not. By `check_sql`."""

    problem: str
    """What is wrong with `sql`; empty where nothing is. By `check_sql` or `run_sql`."""

    attempts: list[Attempt]
    """By `check_sql` and `run_sql`."""

    corrections: int
    """How often `correct_sql` ran."""

    is_second_look: bool
    """Whether the statement was written once more because the first gave no rows. By `write_sql`."""

    result: Rows | None
    """By `run_sql`."""

    failure: str
    """The code of what ended the query; empty where nothing did. By the node that met it."""

    told: str
    """What is wrong, for the user. By the node that met it."""

    route: str | None
    """`sql`, `rag`, `general` or `clarify`. By `choose_route`, then `clarify`."""

    steps: int
    """Of the SQL graph."""

    reply: str
    """The text of the reply. By the node that replies."""

    reasoning_steps: list[str]
    """One sentence a node, for the ledger. By every node."""

    warnings: list[str]
    """Codes that the client sees. By every node that asks a model."""


class DatabaseState(QueryState):
    understood: Heard
    """By `understand`."""

    confidence: float | None
    """Of the route. By `choose_route`."""

    sources: list[JSON]
    """Pages of the manual: `{id, title, url, score, cited}`. By `search_manual`, then `answer_from_manual`."""

    pages: list[JSON]
    """The sections found, as documents. By `search_manual`."""

    context: JSON
    """How much of the history the prompts show. By `understand`."""


def new_turn() -> dict[str, Any]:
    """Every key that belongs to one turn, as it is when the turn begins."""
    return {
        "understood": {"is_follow_up": False, "query": "", "search": ""},
        "standalone_query": "",
        "confidence": None,
        "page": 0,
        "start": None,
        "tables": [],
        "plan": [],
        "asking": "",
        "sql": "",
        "ran": None,
        "problem": "",
        "attempts": [],
        "corrections": 0,
        "is_second_look": False,
        "result": None,
        "failure": "",
        "told": "",
        "route": None,
        "steps": 0,
        "sources": [],
        "pages": [],
        "context": {},
        "reply": "",
        "reasoning_steps": [],
        "warnings": [],
    }
