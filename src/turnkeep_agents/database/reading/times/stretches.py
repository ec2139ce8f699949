"""Single expressions that name a stretch of days by themselves: a date, a month, a weekday, last week."""

import calendar
import re
from collections.abc import Callable
from datetime import date

from turnkeep_agents.database.reading.asked import EARLIEST, LATEST
from turnkeep_agents.database.reading.times.days import WEEK_DAYS, shift, whole
from turnkeep_agents.database.reading.words.vocabulary import NUMBERS

_MONTH_NAMES = [name.lower() for name in calendar.month_name][1:]

_DAY_NAMES = [name.lower() for name in calendar.day_name]

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)

COUNT = (
    r"(?P<count>\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty|sixty|ninety|few|couple of)"
)

_WEEKDAY = rf"(?:{'|'.join(_DAY_NAMES)})"

YEAR = r"(?:19|20)\d\d"

DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"

_FEASTS = {"new year": (1, 1), "christmas": (12, 25), "xmas": (12, 25), "halloween": (10, 31)}
_FEAST = r"(?:the\s+)?(?:new\s+year|christmas|xmas|halloween)(?:'?s)?(?:\s+(?:day|eve))?"

# One expression that names a stretch of days by itself.
STRETCH = rf"""(?:
    \d{{4}}-\d\d-\d\d | \d{{4}}-\d\d(?!\d)
  | {DAY}\s+(?:of\s+)?{MONTH}\b\.?(?:,?\s+{YEAR})? | {MONTH}\s+{DAY}\b(?!\s*%)(?:,?\s+{YEAR})?
    | \d{{1,2}}/\d{{1,2}}/{YEAR}
  | {MONTH}\b,?(?:\s+(?:of\s+)?(?:{YEAR}|(?:last|this)\s+year))? | (?:last|past|previous|this|next|coming)\s+{MONTH}\b
  | (?:{_FEAST})(?:\s+(?:{YEAR}|last\s+year))?
  | (?:the\s+)?(?:first|second|third|fourth|1st|2nd|3rd|4th|last)\s+(?:quarter|half)(?:\s+of)?\s+
      (?:{YEAR}|(?:last|this|the)\s+year)
  | q[1-4](?:\s+(?:of\s+)?(?:{YEAR}|(?:last|this)\s+year))?
  | (?:the\s+)?(?:year\s+)?{YEAR}\b
  | (?:the\s+)?(?:last|past|previous|this|current|next|coming|following)\s+
      (?:day|week|fortnight|month|quarter|year|weekend|{_WEEKDAY})\b
  | the\s+(?:month|week|year|quarter|day)\s+before\s+last
  | today | yesterday | tomorrow | the\s+day\s+before\s+yesterday
  | {_WEEKDAY}\b(?!s) | (?:the\s+)?(?:beginning|start|end)\s+of\s+(?:the|this|last|next)\s+(?:week|month|quarter|year)
  | (?:{COUNT.replace("?P<count>", "?:")}\s+(?:day|week|month|year)s?\s+ago)
)"""


def days_of(text: str, today: date, *, is_future: bool = False) -> tuple[date, date] | None:
    """The days that one expression names; a month or weekday without a year is the newest that has begun, or the next
    one where the future is meant."""
    for pattern, resolve in _STRETCHES:
        match = pattern.fullmatch(text.strip())
        if match:
            return resolve(match.groupdict(), today, is_future)
    return None


type _Said = dict[str, str | None]

type Days = tuple[date, date] | None


def _iso(said: _Said, today: date, is_future: bool) -> Days:
    year, month = int(said["y"] or 0), int(said["m"] or 0)
    return _on(year, month, int(said["d"] or 0)) if said.get("d") else _month(year, month)


def _on(year: int, month: int, day: int) -> Days:
    if not (1 <= month <= 12 and EARLIEST.year <= year <= LATEST.year):
        return None
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return date(year, month, day), date(year, month, day)


def _month(year: int, month: int) -> Days:
    return whole("month", date(year, month, 1)) if 1 <= month <= 12 and EARLIEST.year <= year <= LATEST.year else None


def _slashed(said: _Said, today: date, is_future: bool) -> Days:
    first, second, year = int(said["a"] or 0), int(said["b"] or 0), int(said["y"] or 0)
    return _on(year, second, first) if second <= 12 else _on(year, first, second)


def _named(said: _Said, today: date, is_future: bool) -> Days:
    month = next(at for at, name in enumerate(_MONTH_NAMES, 1) if name.startswith((said["month"] or "")[:3]))
    day = int(re.sub(r"\D", "", said["day"] or "")) if said.get("day") else 0
    year = _year_said(said, today)
    if year is None:
        begun = month < today.month or (month == today.month and max(day, 1) <= today.day)
        year = today.year if begun != is_future or month == today.month else today.year + (1 if is_future else -1)
    return _on(year, month, day) if day else _month(year, month)


def _month_of(said: _Said, today: date, is_future: bool) -> Days:
    """The month of that name before today's month or after it."""
    days = _named({"month": said["month"]}, today, False)
    if said["way"] in ("next", "coming"):
        return days_of(f"{said['month']} {today.year + (days[0].month <= today.month)}", today) if days else None
    if said["way"] == "this":
        return days_of(f"{said['month']} {today.year}", today)
    is_now = days is not None and days[0] <= today <= days[1]
    return days_of(f"{said['month']} {today.year - 1}", today) if is_now else days


def _feast(said: _Said, today: date, is_future: bool) -> Days:
    """The last one, or the next where the future is meant."""
    name = " ".join((said["feast"] or "").split())
    month, day = next(at for feast, at in _FEASTS.items() if feast in name)
    year = _year_said(said, today)
    if year is None:
        is_past = (month, day) <= (today.month, today.day)
        year = today.year + (1 if is_past and is_future else 0 if is_past or is_future else -1)
    return _on(year, month, day)


def _year_said(said: _Said, today: date) -> int | None:
    if said.get("y"):
        return int(said["y"] or 0)
    return {"last": today.year - 1, "this": today.year, "the": today.year}.get(said.get("whose") or "")


def _part(said: _Said, today: date, is_future: bool) -> Days:
    year = _year_said(said, today) or today.year
    which = (said.get("which") or said.get("q") or "1")[0:2]
    number = {"fi": 1, "se": 2, "th": 3, "fo": 4, "la": 0}.get(which) if which[0].isalpha() else int(which[0])
    months = 6 if said.get("part") == "half" else 3
    number = number or 12 // months
    if number * months > 12:
        return None
    start = date(year, (number - 1) * months + 1, 1)
    return start, shift(shift(start, "month", months), "day", -1)


def _year(said: _Said, today: date, is_future: bool) -> Days:
    return whole("year", date(int(said["y"] or 0), 1, 1))


def _relative(said: _Said, today: date, is_future: bool) -> Days:
    unit = said["unit"] or "day"
    step = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1, "following": 1}.get(said["way"] or "", 0)
    if unit == "weekend":
        saturday = shift(whole("week", today)[0], "day", 5 + WEEK_DAYS * step)
        return saturday, shift(saturday, "day", 1)
    if unit in _DAY_NAMES:
        return _weekday(unit, today, step if step else 0)
    return whole(unit, shift(today, unit, step))


def _weekday(name: str, today: date, step: int) -> tuple[date, date]:
    ahead = (_DAY_NAMES.index(name) - today.weekday()) % WEEK_DAYS
    day = shift(today, "day", ahead or WEEK_DAYS) if step > 0 else shift(today, "day", ahead - WEEK_DAYS)
    if step == 0 and ahead == 0:
        day = today
    return day, day


def _bare_weekday(said: _Said, today: date, is_future: bool) -> Days:
    return _weekday(said["name"] or "", today, 1 if is_future else 0)


def _before_last(said: _Said, today: date, is_future: bool) -> Days:
    return whole(said["unit"] or "day", shift(today, said["unit"] or "day", -2))


def _near(said: _Said, today: date, is_future: bool) -> Days:
    day = shift(today, "day", {"today": 0, "yesterday": -1, "tomorrow": 1}.get(said["word"] or "", -2))
    return day, day


def _edge(said: _Said, today: date, is_future: bool) -> Days:
    unit = said["unit"] or "month"
    start, end = whole(unit, shift(today, unit, {"last": -1, "next": 1}.get(said["way"] or "", 0)))
    return (end, end) if said["edge"] == "end" else (start, start)


def _ago(said: _Said, today: date, is_future: bool) -> Days:
    day = shift(today, said["unit"] or "day", -number_of(said["count"]))
    return day, day


def number_of(said: str | None) -> int:
    text = (said or "1").removesuffix(" of")
    if text.isdecimal():
        return int(text)
    return NUMBERS.get(text, {"a": 1, "an": 1, "couple": 2, "few": 3}.get(text, 1))


_STRETCHES: list[tuple[re.Pattern[str], Callable[[_Said, date, bool], Days]]] = [
    (re.compile(pattern, re.X), resolve)
    for pattern, resolve in (
        (r"(?P<y>\d{4})-(?P<m>\d\d)(?:-(?P<d>\d\d))?", _iso),
        (rf"(?P<day>{DAY})\s+(?:of\s+)?(?P<month>{MONTH})\.?(?:,?\s+(?P<y>{YEAR}))?", _named),
        (rf"(?P<month>{MONTH})\s+(?P<day>{DAY})(?:,?\s+(?P<y>{YEAR}))?", _named),
        (rf"(?P<way>last|past|previous|this|next|coming)\s+(?P<month>{MONTH})", _month_of),
        (rf"(?P<feast>{_FEAST})(?:\s+(?:(?P<y>{YEAR})|(?P<whose>last)\s+year))?", _feast),
        (rf"(?P<month>{MONTH}),?(?:\s+(?:of\s+)?(?:(?P<y>{YEAR})|(?P<whose>last|this)\s+year))?", _named),
        (rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<y>{YEAR})", _slashed),
        (
            r"(?:the\s+)?(?P<which>first|second|third|fourth|1st|2nd|3rd|4th|last)\s+(?P<part>quarter|half)(?:\s+of)?"
            rf"\s+(?:(?P<y>{YEAR})|(?P<whose>last|this|the)\s+year)",
            _part,
        ),
        (rf"q(?P<q>[1-4])(?:\s+(?:of\s+)?(?:(?P<y>{YEAR})|(?P<whose>last|this)\s+year))?", _part),
        (rf"(?:the\s+)?(?:year\s+)?(?P<y>{YEAR})", _year),
        (r"(?:the\s+)?(?P<way>\w+)\s+(?P<unit>day|week|fortnight|month|quarter|year|weekend|\w+day)", _relative),
        (r"the\s+(?P<unit>month|week|year|quarter|day)\s+before\s+last", _before_last),
        (r"(?P<word>today|yesterday|tomorrow|the\s+day\s+before\s+yesterday)", _near),
        (rf"(?P<name>{_WEEKDAY})", _bare_weekday),
        (
            r"(?:the\s+)?(?P<edge>beginning|start|end)\s+of\s+(?P<way>the|this|last|next)\s+(?P<unit>week|month|quarter|year)",
            _edge,
        ),
        (rf"{COUNT}\s+(?P<unit>day|week|month|year)s?\s+ago", _ago),
    )
]
