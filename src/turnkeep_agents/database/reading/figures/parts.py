"""Parts of rows held against each other or against the whole: what percentage failed, this month versus last month,
diesel compared to electric. A share is read twice, as the whole and as the part; a comparison once, with both sides."""

import re
from dataclasses import replace
from datetime import date, timedelta

from turnkeep_agents.database.reading.asked import Asked, Condition, Part
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.words.lines import Mention, kind

_SHARE = re.compile(
    r"\b(?:(?:what|which|how many|how much|how big|how large) )?(?:(?:is|was|are|were) )?(?:the |our |a )?"
    r"(?:percentage|percent|per cent|proportion|share(?! (?:prices?|options?|capital|certificates?)\b)|fraction|% ?)"
    r"(?: of| are| is)?"
    r" (?:all |the |our |all our |all the )*",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\s(?:(?:that|who|which) )?(?:is|are|was|were|has|have|had|do|does|did|got|gets|get|with|without|went|came)\b",
    re.IGNORECASE,
)
_YEAR = r"(?:19|20)\d\d"
_VERSUS = re.compile(
    r",? ?(?:\bversus\b|\bvs\b\.?|\b(?:as )?compared? (?:to|with|against)\b|\bas opposed to\b"
    r"|\bin comparison (?:to|with)\b"
    r"|\bagainst\b(?= (?:last|this|the|previous|in|\w+ ones)\b))(?: (?:that|those) (?:of|in|from))?",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"^(?:what is |show |give me |tell me )?(?:the )?difference (?:between|in|of) (?:the )?"
    r"(?P<count>(?:number|count|numbers|counts) of )?",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"^(?:please )?(?:can you )?compare (?:the )?(?P<count>(?:number|count|numbers) of )?", re.IGNORECASE
)
_AMOUNT = re.compile(
    r"(?:\w+ ){0,2}(?:costs?|spending|revenue|turnover|sales|hours|kilomet(?:er|re)s|amounts?)\b", re.I
)
_MORE = re.compile(
    r"\b(?:is|are|was|were|did|do|does|have|has|had) (?P<who>[\w ]*?)\b(?:more|fewer|less|higher|lower) (?P<what>.+?)"
    r"(?: in)? than (?=(?:in |during )?(?:the )?(?:last|this|previous|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|\d{4}|q[1-4]|yesterday|today)\b)",
    re.IGNORECASE,
)


def share_texts(text: str) -> tuple[str, str] | None:
    """Of a question for a share: as questions that count, the rows that are the part, and the noun of the whole."""
    found = _SHARE.search(text)
    if found is None or not re.search(r"%|percent|per cent|proportion|share|fraction", found[0], re.IGNORECASE):
        return None
    rest = text[found.end() :].strip()
    if not rest or not re.search(r" (?:of|are|is) ", f"{found[0]} "):
        return None
    predicate = _PREDICATE.search(f" {rest}")
    whole = rest[: max(predicate.start() - 1, 0)] if predicate else ""
    return f"how many {rest}", f"how many {whole}" if whole else ""


def compared(text: str) -> tuple[str, bool]:
    """The line with its sides joined by "and", and whether they are to be compared."""
    plain = _MORE.sub(lambda found: f"how many {found['what']} and ", text)
    plain = _VERSUS.sub(" and", plain)
    for pattern in (_DIFFERENCE, _COMPARE):
        plain = pattern.sub(lambda found: "how many " if found["count"] else "", plain)
        if plain != text and _AMOUNT.match(plain) and pattern.match(text):
            plain = f"total {plain}"
    return plain, plain != text


def take_second_time(draft: Draft) -> None:
    """Takes the second of two times that stand side by side out of the line."""
    line = draft.line
    found = line.search(
        rf"(?P<a>{kind('P')})(?P<between> (?:, )?(?:and|or|,)(?: (?:in|for|of|from|the))*) (?P<b>{kind('P')})"
    )
    if found is None:
        _take_second_year(draft)
        return
    draft.second = line.at(found["b"])
    line.code = f"{line.code[: found.end('a')]} {line.code[found.end() :]}"


def _take_second_year(draft: Draft) -> None:
    """The same of years, of which the second is a number like any other."""
    line = draft.line
    found = line.search(rf"(?P<a>{kind('P')}) and(?: (?:in|for|of|from))* (?P<b>{kind('N')})")
    first = line.at(found["a"]) if found else None
    if found is None or first is None or first.stretch is None or not first.text.isdecimal():
        return
    number = line.at(found["b"])
    if not re.fullmatch(_YEAR, number.text):
        return
    days = date(int(number.text), 1, 1), date(int(number.text), 12, 31)
    draft.second = replace(number, stretch=replace(first.stretch, start=days[0], end=days[1], words=number.text))
    line.code = f"{line.code[: found.end('a')]} {line.code[found.end() :]}"


def with_parts(asked: Asked, draft: Draft) -> Asked:
    """The question with the sides that it compares; a side that cannot be told apart is lost."""
    if draft.second is not None:
        return _by_time(asked, draft, draft.second)
    if not draft.is_compared:
        return asked
    sides = next((one for one in asked.conditions if one.test == "is" and len(one.values) > 1), None)
    if sides is None or asked.also:
        draft.lost.append("compare")
        return asked
    rest = tuple(one for one in asked.conditions if one is not sides)
    parts = tuple(Part(str(value), (replace(sides, values=(value,)),)) for value in sides.values)
    return _measured(replace(asked, conditions=rest, parts=parts))


def _by_time(asked: Asked, draft: Draft, second: Mention) -> Asked:
    period, stretch = asked.period, second.stretch
    if period is None or stretch is None or asked.also:
        draft.lost.append(second.text)
        return asked
    if asked.measure == "rows" and not draft.is_compared:
        first, last = sorted([(period.start, period.end), (stretch.start, stretch.end)])
        if first[1] + timedelta(days=1) != last[0]:
            draft.lost.append(second.text)
        words = f"{period.words} and {stretch.words}"
        return replace(asked, period=replace(period, start=first[0], end=last[1], words=words))
    other = replace(period, start=stretch.start, end=stretch.end, words=stretch.words)
    parts = tuple(Part(one.words, period=one) for one in (period, other))
    return _measured(replace(asked, period=None, parts=parts))


def _measured(asked: Asked) -> Asked:
    """Rows that are compared are counted."""
    if asked.measure != "rows":
        return asked
    return replace(asked, measure="count", shown=(), order=None, order_by=None, limit=None)


def share(part: Asked, whole: Asked | None) -> Asked:
    """How much of the whole the part is. Where nothing tells them apart, the word for the share is missing."""
    held: tuple[Condition, ...] = whole.conditions if whole and whole.subject == part.subject else ()
    lacked = whole.absences if whole and whole.subject == part.subject else ()
    conditions = tuple(one for one in part.conditions if one not in held)
    absences = tuple(one for one in part.absences if one not in lacked)
    measure_fits = part.measure == "count" or (part.measure == "sum" and part.less is None)
    if not (conditions or absences) or not measure_fits or part.parts or part.also or part.is_distinct:
        return replace(part, missing=part.missing or ("share",))
    return replace(
        part,
        measure="share",
        parts=(Part("part", conditions, None, absences),),
        conditions=held,
        absences=lacked,
        of=part.of if part.measure == "sum" else None,
    )
