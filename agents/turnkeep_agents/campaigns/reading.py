"""Reads a message into checked requests: names by nearest spelling, periods as days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from turnkeep.kit.words import words
from turnkeep.models.calls import TypedCall
from turnkeep_agents.campaigns.periods import DAY, FIRST_DAY, Days, Week, resolve
from turnkeep_agents.campaigns.requests import Dimension, Grain, Intent, Period, Request, Specialist
from turnkeep_agents.campaigns.warehouse.sums import Coverage

ORDER: tuple[Dimension, ...] = ("advertiser", "insertion_order", "audience", "line_item", "creative", "size")
ALIKE, NEAR = 0.8, 0.5  # difflib ratios, of 1
MOST_MEANT = 12

Names: TypeAlias = Mapping[Dimension, Sequence[str]]
Meant: TypeAlias = tuple[Dimension, tuple[str, ...]]


def find_name(text: str, names: Names) -> Meant | None:
    """Match a full name; else names with all its words ("Lookbook"); else by nearest spelling ("oakmer")."""
    asked = words(text)
    if not asked:
        return None
    if found := _holding(asked, names, whole=True) or _holding(asked, names):
        return found
    known = {word for dimension in ORDER for name in names[dimension] for word in words(name)}
    spelled = [near[0] for word in asked if (near := get_close_matches(word, known, 1, ALIKE))]
    return _holding(spelled, names) if len(spelled) == len(asked) else None


def _holding(asked: Sequence[str], names: Names, *, whole: bool = False) -> Meant | None:
    for dimension in ORDER:
        held = [(name, words(name)) for name in names[dimension]]
        found = [name for name, own in held if (own == asked if whole else set(asked) <= set(own))]
        if found:
            return dimension, tuple(found[:MOST_MEANT])
    return None


Kind: TypeAlias = Literal["specialists", "clarify", "smalltalk"]
MetricName: TypeAlias = Literal[
    "impressions", "clicks", "cost", "conversions", "revenue", "ctr", "cvr", "cpc", "cpm", "cpa", "roas"
]


class Ask(BaseModel):
    """What one specialist is asked."""

    specialist: Specialist
    intent: Intent
    names: list[str] = Field(description="limited to these advertisers, insertion orders, audiences, ...")
    but_not: list[str] = Field([], description="names left out")
    metrics: list[MetricName] = Field(description="empty: the usual ones")
    by: list[Dimension | Grain] = Field(max_length=3, description="one row each; empty: totals")
    period: Days
    compared: Days | None = Field(None, description="only if the message names what to compare with")
    order: Literal["best", "worst"] | None = Field(None, description="rank by the first metric")
    limit: int | None = Field(None, ge=1, le=50)


class Reading(BaseModel):
    """How the message is read."""

    reasoning: str = Field(description="what is asked for, in one short sentence")
    language: str = Field(description="of the message, such as en, it")
    standalone: str = Field(description="the message as one question that needs no history, in the user's words")
    kind: Kind
    week: Literal["sunday", "monday", "rolling", "open"] = Field(
        description="first day of a week as the user has settled it; rolling: the last 7 days each; open: not settled"
    )
    requests: list[Ask] = Field(max_length=6)
    amounts: list[float] = Field([], description="of money that the user plans with, such as an extra budget")
    reply: str = Field("", description="for clarify and an open week the question, for smalltalk the reply")
    confidence: float = Field(ge=0, le=1)


READ_CALL = TypedCall("campaigns.read", Reading, max_tokens=900)


@dataclass
class Checked:
    """`wrong` are sentences for the model; `asks_week`: the days of a week must be settled before it runs."""

    requests: list[Request] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    asks_week: bool = False

    @property
    def runs(self) -> bool:
        return bool(self.requests) and not self.wrong and not self.asks_week


@dataclass(frozen=True)
class Check:
    """Checks a reading against the warehouse. `week` was settled earlier in the thread."""

    names: Names
    coverage: Coverage
    today: date
    week: Week | None = None

    def __call__(self, reading: Reading) -> Checked:
        checked = Checked()
        if reading.kind != "specialists":
            return checked
        if not reading.requests:
            checked.wrong.append("kind is specialists, but there is no request")
        periods = [days for ask in reading.requests for days in (ask.period, ask.compared) if days]
        checked.asks_week = any(each.named == "last_weeks" for each in periods) and self.settled(reading) is None
        for ask in reading.requests:
            self._add(ask, self.settled(reading) or "sunday", checked)
        return checked

    def settled(self, reading: Reading) -> Week | None:
        return self.week if reading.week == "open" else reading.week

    def _add(self, ask: Ask, week: Week, checked: Checked) -> None:
        filters = self._found(ask.names, checked)
        for kind, names in self._found(ask.but_not, checked).items():
            filters[kind] = tuple(name for name in filters.get(kind, self.names[kind]) if name not in names)
        try:
            period, compared = self._days(ask, ask.period, week), self._days(ask, ask.compared, week)
        except ValueError as error:
            checked.wrong.append(str(error))
            return
        checked.requests.append(
            Request(
                intent=ask.intent,
                metrics=tuple(ask.metrics),
                by=tuple(dict.fromkeys(ask.by)),
                filters=filters,
                period=period,
                compared=compared,
                limit=ask.limit,
                order=ask.order or ("best" if ask.limit else None),
                week_start=FIRST_DAY.get(week, FIRST_DAY["sunday"]),
            )
        )

    def _found(self, text: Sequence[str], checked: Checked) -> dict[Dimension, tuple[str, ...]]:
        found: dict[Dimension, tuple[str, ...]] = {}
        every = {name.lower(): name for dimension in ORDER for name in self.names[dimension]}
        for name in text:
            if meant := find_name(name, self.names):
                found[meant[0]] = tuple(dict.fromkeys((*found.get(meant[0], ()), *meant[1])))
            else:
                near = ", ".join(every[each] for each in get_close_matches(name.lower(), every, 3, NEAR))
                checked.wrong.append(f"the warehouse has no “{name}”; nearest: {near or 'none'}")
        return found

    def _days(self, ask: Ask, days: Days | None, week: Week) -> Period | None:
        """Return the period; None for a plan of future days, which uses the newest figures. On the first day of a week,
        "this week" is the one that has ended, also for the comparison."""
        begun = self.today - DAY if ask.period.named.startswith("this_") else self.today
        period = resolve(days, week, self.today, begun=begun) if days else None
        is_plan = ask.intent in ("advice", "forecast") and period and period.start > self.coverage.last
        return None if is_plan else period


def as_json(asks: Sequence[Ask]) -> list[Mapping[str, object]]:
    """Return the requests as they are stored in the thread and shown to the model again."""
    return [ask.model_dump(mode="json", exclude_defaults=True) for ask in asks]
