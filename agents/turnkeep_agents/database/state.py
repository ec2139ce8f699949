"""The state of one run, in plain JSON types: it is stored with strict msgpack."""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.kit.memory import ThreadMemory
from turnkeep.kit.nodes import fresh
from turnkeep.records import JSON

LASTING = frozenset({"messages", "memory", "shown"})


class Shown(TypedDict):
    """A result that the user has seen, for follow-up turns. `head` are its first rows; `start` and `end` delimit the
    rows that were shown, from 0."""

    question: str
    sql: str
    understood_as: str
    tables: list[str]
    columns: list[str]
    head: list[list[Any]]
    start: int
    end: int
    has_more: bool


class Ran(TypedDict):
    """A statement as the database got it; tables, columns and joins by their logical names."""

    sql: str
    tables: list[str]
    columns: list[str]
    joins: list[str]


class Attempt(TypedDict):
    sql: str
    problem: str


class QueryResult(TypedDict, total=False):
    """The outcome of one ask; which keys are set depends on how it ended."""

    kind: str
    question: str
    understood_as: str
    left_out: list[str]  # what the database has nothing about
    sql: str  # as it was written
    ran: Ran
    columns: list[str]
    rows: list[list[Any]]
    start: int
    size: int  # how many of `rows` are shown
    has_more: bool  # beyond `rows`
    near: list[str]  # results without one condition, if there are no rows
    cautions: list[str]  # what is doubtful in the figures
    problem: str  # why there is no result
    asked_back: str
    sections: list[JSON]  # of the manual, as documents


class OneAsk(TypedDict):
    """Keys that are reset for each ask."""

    tables: list[str]  # tables whose columns `write_sql` sees. By `select_tables`, then `plan_joins`
    wanted: list[str]  # tables that it missed. By `write_sql`
    join_notes: list[str]  # notes for the model on joins between them. By `plan_joins`
    written: JSON  # as in `prompts.Written`; empty if there is no statement. By `write_sql`, `correct_sql`, `turn_page`

    ran: Ran | None  # the statement as it may run; None if it may not. By `check_sql`
    start: int  # the first row of the requested page, from 0. By `turn_page`
    attempts: list[Attempt]  # statements of this ask that were refused. By `check_sql` and `run_sql`
    cautions: list[str]  # by `check_sql`


class AskState(OneAsk):
    # the conversation; its last message is the question until there is a reply. Lasting
    messages: Annotated[list[AnyMessage], add_messages]

    shown: list[Shown]  # newest last; absent in the first turn. By `answer`. Lasting

    language: str  # of the message, as ISO 639-1. By `read`
    asks: list[JSON]  # as `reading.Ask` has them. By `read`
    at: int  # which of `asks` is worked on. By the node that ends one
    findings: list[QueryResult]  # by the node that ends an ask
    all_attempts: list[Attempt]  # those of the asks before. By the node that ends one
    warnings: list[str]  # codes that the client sees. By every node
    reasoning_steps: list[str]  # one sentence for each node. By every node


class DatabaseState(AskState):
    memory: ThreadMemory  # summaries, with tiered memory; absent in the first turn. By `read`. Lasting
    context: JSON  # how much of the history the prompts show. By `read`
    route: str | None  # `sql`, `rag`, `general` or `clarify`. By `read`, then `answer`
    reply: str  # by `answer`
    sources: list[JSON]  # sections of the manual: `{id, title, url, score, cited}`. By `answer`


fresh_ask = fresh(OneAsk)
new_turn = fresh(DatabaseState, LASTING)  # each key of one turn, as it begins
