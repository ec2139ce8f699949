"""An Asked in one line, so that tests can show what was read."""

from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Period


def in_words(asked: Asked | None) -> str:
    """Such as "count workOrder | where workOrder.status is open | by crew.name"."""
    if asked is None:
        return "nothing"
    parts = [
        f"{asked.measure} {asked.subject}",
        f"of {_field(asked.of)}" if asked.of else "",
        f"less {_field(asked.less)}" if asked.less else "",
        "distinct" if asked.is_distinct else "",
        f"show {_fields(asked.shown)}" if asked.shown else "",
        f"where {_all(asked.conditions)}" if asked.conditions else "",
        f"in {_period(asked.period)}" if asked.period else "",
        *map(_absence, asked.absences),
        f"by {_fields(asked.groups)}" if asked.groups else "",
        f"per {asked.grain} of {_field(asked.grain_of)}" if asked.grain and asked.grain_of else "",
        f"keep {_condition(asked.keep)}" if asked.keep else "",
        f"{asked.order} {_field(asked.order_by) if asked.order_by else 'measure'}" if asked.order else "",
        f"limit {asked.limit}" if asked.limit else "",
        f"page {asked.page}" if asked.page else "",
        f"through {', '.join(asked.through)}" if asked.through else "",
        f"unread {', '.join(asked.unread)}" if asked.unread else "",
    ]
    return " | ".join(filter(None, parts))


def _field(field: Field) -> str:
    return f"{field.table}.{field.column}" + (f"@{field.via}" if field.via else "")


def _fields(fields: tuple[Field, ...]) -> str:
    return ", ".join(map(_field, fields))


def _condition(one: Condition) -> str:
    values = ", ".join(_field(value) if isinstance(value, Field) else str(value) for value in one.values)
    return f"{' or '.join(map(_field, (one.field, *one.others)))} {one.test} {values}".strip()


def _all(conditions: tuple[Condition, ...]) -> str:
    return " and ".join(map(_condition, conditions))


def _period(period: Period) -> str:
    until = f" until {_field(period.until)}" if period.until else ""
    return f"{_field(period.field)} {period.start} to {period.end} ({period.words}){until}"


def _absence(one: Absence) -> str:
    word = "without" if one.is_absent else "with"
    times = "" if (one.test, one.times) == ("at_least", (1,)) else f"{one.test} {'-'.join(map(str, one.times))} "
    inner = f" where {_all(one.conditions)}" if one.conditions else ""
    when = f" in {_period(one.period)}" if one.period else ""
    via = f" by {one.via}" if one.via else ""
    return f"{word} {times}{one.table}{via}{inner}{when}"
