"""Usage of a principal per day: one item under a digest of its name, in tokens and micro-dollars.

    reserve   one conditional update before a run: a rough need, the turn of this minute, its own mark in `open`
    settle    one conditional update after it: the real usage; the mark is removed

The mark makes each safe to repeat; only if both arrive again later, in this order, the run counts twice. It expires, so
the next reader gives back the reservation of a dead process. Sums in micro-dollars are exact."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from turnkeep import errors
from turnkeep.records import Principal, iso
from turnkeep.store.attributes import Item
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import DEPLOYMENT_USAGE, day, next_day, usage_of, user_key
from turnkeep.tuning import BudgetTuning

MICRO = 1_000_000
MINUTE_MS = 60_000
SOON_SECONDS = 2  # retry time for amounts that a run still reserves
USAGE_LAYOUT = 1  # of these items alone: a new layout of threads leaves a user's day valid
KEPT_SECONDS = 31 * 86_400
CEILING_SECONDS = 10  # for which a process trusts its count of all users
_MARK_BYTES = 6
_NUMBERS = ("tokens", "micro", "turns", "m", "mt")
_OURS = "(attribute_not_exists(v) OR v = :v)"


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


@dataclass(frozen=True)
class Reserved:
    """The reservation of one run, on the day on which it began."""

    pk: str
    day: str
    hold: Reservation


class Usage:
    def __init__(self, heads: Heads, limits: BudgetTuning) -> None:
        self.limits = limits
        self.now = heads.now
        self._items = heads.items
        self._random_bytes = heads.random_bytes
        self._minutes: dict[str, int] = {}
        self._all, self._all_read = Day(""), 0

    def reserve(self, principal: Principal, tokens: int, micro: int, seconds: float) -> Reserved | None:
        """Reserve the need of a run of at most `seconds`; None without limits for each user. Raises BudgetExceeded,
        TooManyTurns, TooManyAtOnce, DeploymentCeiling, StoreUnavailable."""
        self._stay_below_the_ceiling()
        if not self.limits.is_of_users:
            return None
        now, pk = self.now(), usage_of(user_key(principal))
        want = Reservation(now + int(seconds * 1000), tokens, micro, self._random_bytes(_MARK_BYTES).hex())
        today, minute = day(now), now // MINUTE_MS
        is_new = self._minutes.get(pk) != minute
        for _ in range(6):  # tries
            try:
                used = Day.read(today, self._take(pk, today, want, minute, is_new=is_new))
            except Refused as refused:
                used = Day.read(today, refused.item)
                if want not in used.holds:
                    used = self._without_stale(pk, used, now)
                    if error := _refusal(used, self.limits, want, max(now, used.minute * MINUTE_MS)):
                        raise error from None
                    minute = max(minute, used.minute)
                    is_new = used.minute < minute
                    continue
            if len(self._minutes) >= 10_000:  # users
                self._minutes.clear()
            self._minutes[pk] = minute
            self._without_stale(pk, used, now)
            return Reserved(pk, today, want)
        raise errors.StoreUnavailable(retry_after=1)

    def settle(self, reserved: Reserved, tokens: int, micro: int, turns: int) -> None:
        """Replace a reservation by the actual usage of its run, once. Raises StoreUnavailable."""
        hold = reserved.hold
        values: Item = {":tokens": tokens - hold.tokens, ":micro": micro - hold.micro, ":turns": turns, ":zero": 0}
        values |= {":mark": hold.mark, ":marks": frozenset({hold.mark})}
        changes = "SET tokens = tokens + :tokens, micro = micro + :micro, turns = if_not_exists(turns, :zero) + :turns"
        changes += " DELETE #open :marks"
        with suppress(Refused):  # only its acknowledgement was lost
            self._items.update(reserved.pk, reserved.day, changes, values, condition="contains(#open, :mark)")

    def _take(self, pk: str, today: str, want: Reservation, minute: int, *, is_new: bool) -> Item:
        """Reserve. Raises Refused at a limit, or if `is_new` (the item's minute is over) is wrong."""
        values: Item = {":tokens": want.tokens, ":micro": want.micro, ":zero": 0, ":v": USAGE_LAYOUT}
        values |= {":mark": want.mark, ":marks": frozenset({want.mark}), ":ttl": self.now() // 1000 + KEPT_SECONDS}
        changes = ["tokens = if_not_exists(tokens, :zero) + :tokens", "micro = if_not_exists(micro, :zero) + :micro"]
        changes += ["v = :v", "#ttl = :ttl"]
        allowed = [_OURS, "NOT contains(#open, :mark)"]
        for name, most, room in _rooms(self.limits, want):
            values |= {f":{name}_room": room, f":{name}_most": most}
            alone = f"(attribute_not_exists(#open) AND {name} < :{name}_most)"
            allowed.append(f"(attribute_not_exists({name}) OR {name} <= :{name}_room OR {alone})")
        if self.limits.turns_at_once:
            values[":at_once"] = self.limits.turns_at_once
            allowed.append("(attribute_not_exists(#open) OR size(#open) < :at_once)")
        if most := self.limits.turns_a_minute:
            values |= {":m": minute, ":one": 1} | ({} if is_new else {":a_minute": most})
            changes += ["m = :m", "mt = :one" if is_new else "mt = mt + :one"]
            allowed.append("(attribute_not_exists(m) OR m < :m)" if is_new else "m = :m AND mt < :a_minute")
        return self._items.update(
            pk, today, f"SET {', '.join(changes)} ADD #open :marks", values, condition=" AND ".join(allowed)
        )

    def _without_stale(self, pk: str, used: Day, now: int) -> Day:
        """Return the day after giving back the reservations of runs that died."""
        stale = tuple(hold for hold in used.holds if hold.until < now)[:50]
        if not stale:
            return used
        values: Item = {":tokens": -sum(hold.tokens for hold in stale), ":micro": -sum(hold.micro for hold in stale)}
        values |= {":marks": frozenset(hold.mark for hold in stale)}
        marks = {f":s{n}": hold.mark for n, hold in enumerate(stale)}
        changes = "SET tokens = tokens + :tokens, micro = micro + :micro DELETE #open :marks"
        allowed = " AND ".join(f"contains(#open, {name})" for name in marks)
        try:
            item: Item | None = self._items.update(pk, used.day, changes, values | marks, condition=allowed)
        except Refused as refused:  # another process was first
            item = refused.item
        return Day.read(used.day, item)

    def add_to_all(self, tokens: int, micro: int) -> None:
        """Count without deduplication: a request sent twice counts twice. It stops a runaway and is not a bill."""
        today = day(self.now())
        values = {":tokens": tokens, ":micro": micro, ":turns": 1, ":v": USAGE_LAYOUT}
        values[":ttl"] = self.now() // 1000 + KEPT_SECONDS
        changes = "SET v = :v, #ttl = :ttl ADD tokens :tokens, micro :micro, turns :turns"
        item = self._items.update(DEPLOYMENT_USAGE, today, changes, values, condition=_OURS)
        self._all, self._all_read = Day.read(today, item), self.now()

    def _stay_below_the_ceiling(self) -> None:
        if not self.limits.has_ceiling:
            return
        now, today = self.now(), day(self.now())
        if self._all.day != today or now - self._all_read >= CEILING_SECONDS * 1000:
            self._all, self._all_read = Day.read(today, self._items.get(DEPLOYMENT_USAGE, today)), now
        tokens, usd = self.limits.deployment_tokens_a_day, self.limits.deployment_usd_a_day
        if (tokens and self._all.tokens >= tokens) or (usd and self._all.micro >= usd * MICRO):
            ends = next_day(now)
            raise errors.DeploymentCeiling(retry_after=_seconds(ends - now), resets_at=iso(ends / 1000))

    def days(self, principal: Principal, count: int | None = None) -> list[Day]:
        """Return the days with usage among the newest `count` (None: all), newest first."""
        now = self.now()
        first = day(now - (count - 1) * 86_400_000) if count else " "
        found = self._items.between(usage_of(user_key(principal)), first, day(now))
        return [Day.read(item["SK"], item) for item in reversed(found)]


def _rooms(limits: BudgetTuning, want: Reservation) -> Iterator[tuple[str, int, int]]:
    """Yield each budget that is set: attribute, limit, and the highest usage at which such a turn may begin."""
    if limits.tokens_a_day:
        yield "tokens", limits.tokens_a_day, limits.tokens_a_day - want.tokens
    if limits.usd_a_day:
        most = round(limits.usd_a_day * MICRO)
        yield "micro", most, most - want.micro


def _refusal(day: Day, limits: BudgetTuning, want: Reservation, now: int) -> errors.OverLimit | None:
    minute = now // MINUTE_MS
    if limits.turns_a_minute and day.begun_in(minute) >= limits.turns_a_minute:
        ends = (minute + 1) * MINUTE_MS
        detail = f"{limits.turns_a_minute} turns may be started in a minute."
        return errors.TooManyTurns(f"{detail} {errors.TooManyTurns.advice}", retry_after=_seconds(ends - now))
    if limits.turns_at_once and len(day.live(now)) >= limits.turns_at_once:
        detail = f"{limits.turns_at_once} turns may run at once."
        return errors.TooManyAtOnce(f"{detail} {errors.TooManyAtOnce.advice}", retry_after=SOON_SECONDS)
    for name, most, room in _rooms(limits, want):
        amount: int = getattr(day, name)
        if amount > room and (day.holds or amount >= most):
            return _exceeded(day, name, most, now)
    return None


def _exceeded(day: Day, name: str, most: int, now: int) -> errors.BudgetExceeded:
    used = day.used[0 if name == "tokens" else 1]
    left, resets = max(0, most - used), iso(next_day(now) / 1000)
    dollars = f"{left / MICRO:.4f} of {most / MICRO:.2f} dollars"
    amounts = f"{left:,} of {most:,} tokens" if name == "tokens" else dollars
    if left:
        detail = f"{amounts} are left today, and your running turns may need them. Send it again when they have ended."
        return errors.BudgetExceeded(detail, retry_after=SOON_SECONDS, resets_at=resets)
    detail = f"{amounts} are left today; they start again at {resets}. {errors.BudgetExceeded.advice}"
    return errors.BudgetExceeded(detail, retry_after=_seconds(next_day(now) - now), resets_at=resets)


def _seconds(milliseconds: int) -> int:
    return max(1, -(-milliseconds // 1000))
