"""What a turn is going to do: plain data, made by routing, carried out by search and tools. And what lasts of it."""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

from turnkeep_agents.products.filters import Filters, no_filters

type Route = Literal["retrieve", "tool", "respond", "clarify"]
type Tool = Literal["compare", "price", "availability"]
type Kind = Literal["list", "details", "similar"]


class Pending(TypedDict):
    """What a question back was about: the tool that waits for the answer, and the products that it has already."""

    tool: Tool | None
    ids: list[str]


class Search(TypedDict):
    """The last search: its filters, what it has shown, and whether a question is open. Lasts as long as the thread."""

    filters: Filters
    shown: list[str]
    pending: Pending | None


class Plan(TypedDict):
    """`ids` are products by name. A list is of `filters`, or `among` those only, without `left_out`. `reference` is the
    product that others are to be like or unlike; `asked` are attributes, with others that the same word can mean.
    `near` are products with a part of a name that there is not; `is_strange`: the kind that is wanted is unknown.
    `rank` is 2 where the second cheapest is wanted.
    `remarks` are sentences for the answer, `question` is what a clarification asks."""

    route: Route
    reason: str
    is_sure: bool
    uses_history: bool
    tool: NotRequired[Tool]
    kind: NotRequired[Kind]
    ids: NotRequired[list[str]]
    filters: NotRequired[Filters]
    among: NotRequired[list[str]]
    left_out: NotRequired[list[str]]
    reference: NotRequired[str]
    asked: NotRequired[list[list[str]]]
    is_best_only: NotRequired[bool]
    limit: NotRequired[int | None]
    rank: NotRequired[int]
    unknown: NotRequired[list[str]]
    near: NotRequired[list[str]]
    is_strange: NotRequired[bool]
    remarks: NotRequired[list[str]]
    question: NotRequired[str]
    options: NotRequired[list[str]]
    pending: NotRequired[Pending]


def no_search() -> Search:
    return Search(filters=no_filters(), shown=[], pending=None)


def no_pending() -> Pending:
    return Pending(tool=None, ids=[])


def respond(reason: str, *, is_sure: bool = True) -> Plan:
    return Plan(route="respond", reason=reason, is_sure=is_sure, uses_history=False)


def use(tool: Tool, ids: Sequence[str], reason: str, *, uses_history: bool) -> Plan:
    return Plan(route="tool", reason=reason, is_sure=True, uses_history=uses_history, tool=tool, ids=list(ids))


def ask(question: str, reason: str, pending: Pending, **more: Any) -> Plan:
    plan = Plan(route="clarify", reason=reason, is_sure=True, uses_history=False, question=question, pending=pending)
    return cast(Plan, {**plan, **more})


def look_for(filters: Filters, reason: str, *, uses_history: bool, **more: Any) -> Plan:
    plan = Plan(route="retrieve", reason=reason, is_sure=True, uses_history=uses_history, kind="list", filters=filters)
    return cast(Plan, {**plan, **more})


def tell_about(
    ids: Sequence[str], filters: Filters, asked: Sequence[Sequence[str]], reason: str, *, uses_history: bool
) -> Plan:
    plan = Plan(
        route="retrieve", reason=reason, is_sure=True, uses_history=uses_history, kind="details", filters=filters
    )
    return Plan(**{**plan, "ids": list(ids), "asked": [list(names) for names in asked]})
