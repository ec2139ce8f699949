"""A principal's day against its limits: usage, reservations, refusals. No I/O. Sums in micro-dollars are exact."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from turnkeep.errors import BudgetExceeded, OverLimit, TooManyAtOnce, TooManyTurns
from turnkeep.records import iso
from turnkeep.store.attributes import Item
from turnkeep.store.keys import next_day
from turnkeep.tuning import BudgetTuning

MICRO = 1_000_000
MINUTE_MS = 60_000
_NUMBERS = ("tokens", "micro", "turns", "m", "mt")
SOON_SECONDS = 2  # retry time for amounts that a run still reserves


@dataclass(frozen=True)
class Reservation:
    """Reservation of one run; it stops counting after `until`, in epoch milliseconds."""

    until: int
    tokens: int
    micro: int
    id: str

    @classmethod
    def read(cls, mark: str) -> Self:
        until, tokens, micro, name = mark.split(".")
        return cls(int(until), int(tokens), int(micro), name)

    @property
    def mark(self) -> str:
        return f"{self.until}.{self.tokens}.{self.micro}.{self.id}"


@dataclass(frozen=True)
class Day:
    """One item: `tokens` and `micro` with reserved `holds`; turns `begun` in `minute` of the epoch; ended `turns`."""

    day: str
    tokens: int = 0
    micro: int = 0
    turns: int = 0
    minute: int = 0
    begun: int = 0
    holds: tuple[Reservation, ...] = ()

    @classmethod
    def read(cls, day: str, item: Item | None) -> Self:
        found: dict[str, Any] = item or {}
        tokens, micro, turns, minute, begun = (found.get(name, 0) for name in _NUMBERS)
        holds = tuple(map(Reservation.read, sorted(found.get("open", ()))))
        return cls(day, tokens, micro, turns, minute, begun, holds)

    def live(self, now: int) -> tuple[Reservation, ...]:
        return tuple(hold for hold in self.holds if hold.until >= now)

    @property
    def used(self) -> tuple[int, int]:
        tokens, micro = sum(hold.tokens for hold in self.holds), sum(hold.micro for hold in self.holds)
        return self.tokens - tokens, self.micro - micro

    def begun_in(self, minute: int) -> int:
        return self.begun if self.minute == minute else 0


def rooms(limits: BudgetTuning, want: Reservation) -> Iterator[tuple[str, int, int]]:
    """Yield each budget that is set: attribute, limit, and the highest usage at which such a turn may begin."""
    if limits.tokens_a_day:
        yield "tokens", limits.tokens_a_day, limits.tokens_a_day - want.tokens
    if limits.usd_a_day:
        most = round(limits.usd_a_day * MICRO)
        yield "micro", most, most - want.micro


def refusal(day: Day, limits: BudgetTuning, want: Reservation, now: int) -> OverLimit | None:
    minute = now // MINUTE_MS
    if limits.turns_a_minute and day.begun_in(minute) >= limits.turns_a_minute:
        ends = (minute + 1) * MINUTE_MS
        detail = f"{limits.turns_a_minute} turns may be started in a minute."
        return TooManyTurns(f"{detail} {TooManyTurns.advice}", retry_after=_seconds(ends - now))
    if limits.turns_at_once and len(day.live(now)) >= limits.turns_at_once:
        detail = f"{limits.turns_at_once} turns may run at once."
        return TooManyAtOnce(f"{detail} {TooManyAtOnce.advice}", retry_after=SOON_SECONDS)
    for name, most, room in rooms(limits, want):
        amount: int = getattr(day, name)
        if amount > room and (day.holds or amount >= most):
            return _exceeded(day, name, most, now)
    return None


def _exceeded(day: Day, name: str, most: int, now: int) -> BudgetExceeded:
    used = day.used[0 if name == "tokens" else 1]
    left, resets = max(0, most - used), iso(next_day(now) / 1000)
    amounts = (
        f"{left:,} of {most:,} tokens" if name == "tokens" else f"{left / MICRO:.4f} of {most / MICRO:.2f} dollars"
    )
    if left:
        detail = f"{amounts} are left today, and your running turns may need them. Send it again when they have ended."
        return BudgetExceeded(detail, retry_after=SOON_SECONDS, resets_at=resets)
    detail = f"{amounts} are left today; they start again at {resets}. {BudgetExceeded.advice}"
    return BudgetExceeded(detail, retry_after=_seconds(next_day(now) - now), resets_at=resets)


def _seconds(milliseconds: int) -> int:
    return max(1, -(-milliseconds // 1000))
