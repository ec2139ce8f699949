"""A checked request to one specialist: which figures, of what, from when. Frozen and plain, so that it can be stored in
the state of a turn."""

from datetime import date, timedelta
from typing import Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

Dimension: TypeAlias = Literal["advertiser", "insertion_order", "line_item", "audience", "creative", "size"]
Grain: TypeAlias = Literal["day", "week", "month"]
Intent: TypeAlias = Literal["figures", "overview", "why", "advice", "forecast"]
Specialist: TypeAlias = Literal[
    "performance_diagnosis", "budget_risk", "audience_targeting", "creative_inventory", "delivery_optimization"
]

SPECIALISTS: tuple[Specialist, ...] = get_args(Specialist)


class Frozen(BaseModel):
    """Fields that nobody knows are passed over: threads outlive deployments, and models say more than is asked."""

    model_config = ConfigDict(frozen=True)


class Period(Frozen):
    """Whole days, both ends included."""

    start: date
    end: date
    label: str = Field(description='as a finding names it, such as "May 2026"')

    @model_validator(mode="after")
    def _is_forward(self) -> Self:
        if self.end < self.start:
            raise ValueError("a period ends on or after the day it starts")
        return self

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    def before(self) -> "Period":
        """Return as many days, ending where this period starts."""
        end = self.start - timedelta(days=1)
        label = "the day before" if self.days == 1 else f"the {self.days} days before"
        return Period(start=end - timedelta(days=self.days - 1), end=end, label=label)


class Request(Frozen):
    """`filters` name things as the warehouse spells them."""

    intent: Intent = "figures"
    metrics: tuple[str, ...] = ()
    by: tuple[Dimension | Grain, ...] = ()
    filters: dict[Dimension, tuple[str, ...]] = {}
    period: Period | None = None
    compared: Period | None = None
    limit: int | None = Field(None, ge=1, le=100)
    order: Literal["best", "worst"] | None = None
    week_start: int = Field(6, ge=0, le=6, description="the first day of a week that is grouped by; 0 is Monday")

    @property
    def asks_why(self) -> bool:
        """Return whether causes or advice are requested, not figures alone."""
        return self.intent in ("why", "advice")
