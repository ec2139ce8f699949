"""Figures that rows are held against: over 500, at least 3 hours, between 10 and 20, below the minimum."""

import re

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Condition, Field, Test, Value
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import NUMERIC
from turnkeep_agents.database.reading.words.lexicon import Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind, tidy
from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep_agents.database.reading.words.vocabulary import MONEY, TIME_SPENT
from turnkeep.blocks.grammar import word_class

_N = kind("N")
_STORES = frozenset(["stock", "inventory", "level", "levels", "warehouse", "holding"])
_STOCKED = frozenset(["quantity", "stock", "count", "level", "amount"])
_TESTS: tuple[tuple[str, Test], ...] = (
    (
        r"(?:more|greater|higher|larger|bigger|longer|later) than or equal to|> =|at least|no (?:less"
        r"|fewer) than|not (?:less|under|below) than?|a minimum of|minimum|from",
        "at_least",
    ),
    (
        r"(?:less|fewer|lower|smaller) than or equal to|< =|at most|no more than|not more than|up to"
        r"|a maximum of|maximum|not over|not exceeding",
        "at_most",
    ),
    (
        r"(?:more|greater|higher|larger|bigger|longer|better|worth more|heavier|costing more"
        r"|older) than|dearer than|over|above|exceed(?:s|ing|ed)?|beyond|>|in excess of",
        "over",
    ),
    (r"(?:less|fewer|lower|smaller|shorter|cheaper|worse|lighter|younger) than|under|below|beneath|<", "under"),
    (r"exactly|equal(?:s| to)?|=|of exactly|precisely", "is"),
    (r"not equal to|other than|! =", "is_not"),
)
_IN_STOCK = r"\b(?:in stock|on hand|in the [\w ]*store|do we have|have we got|left)\b"
_OPTIONAL = frozenset(map(root, word_class("lost delay late overtime bonus discount penalty tip overdue")))
_UNITS = {
    "hourly": frozenset(["hourly"]),
    "monthly": frozenset(["monthly"]),
    "hour": TIME_SPENT,
    "minute": TIME_SPENT,
    "day": frozenset(["day", "duration"]),
    "year": frozenset(["year", "age"]),
    "month": frozenset(["month"]),
    "percent": frozenset(["percent", "percentage", "rate", "share", "discount"]),
    "point": frozenset(["score", "point"]),
    "star": frozenset(["rating", "star", "score"]),
    "kilometer": frozenset(["kilometer", "mileage", "distance", "odometer"]),
    "km": frozenset(["kilometer", "mileage", "odometer"]),
    "mile": frozenset(["mile", "mileage", "distance", "odometer"]),
    "kilometre": frozenset(["kilometer", "mileage", "odometer"]),
}
_BETWEEN = (
    rf"(?:(?P<c>{ITEM}) (?:(?:is|are|was|were|of|lies|lie|has|a) )*)?(?:between"
    rf"|from) (?P<a>{_N}) (?:and|to) (?P<b>{_N})(?: (?P<d>{ITEM}|[a-z]+))?"
)


def read_comparisons(draft: Draft) -> None:
    """Makes conditions of all figures that something is held against."""
    _between(draft)
    _some(draft)
    for words, test in _TESTS:
        pattern = (
            rf"(?:(?P<c>{kind('CXT')}) (?:(?:is|are|was|were|of|has|have|a|be|being|that|which|with"
            rf"|costs?) )*)?(?<![<\w])(?:{words})(?!\w) "
            rf"(?:a |an |the |their |its )?(?:(?P<n>{_N})(?P<more> or (?:more|less|fewer|above|over|better"
            rf"|higher|lower))?"
            rf"(?: (?:left |units |pieces )?(?:of )?(?:in )?(?P<d>{ITEM}|[a-z]+))?|(?P<f>{kind('X')})"
            r"|(?P<g>minimum|maximum|limit|threshold))"
        )
        for _ in range(3):
            found = re.search(pattern, draft.line.code)
            if found is None or not _apply(draft, found, test):
                break
    found = re.search(
        rf"(?:(?P<c>{kind('CX')}) (?:(?:of|is|are|was|only|just|a) )*)?(?P<n>{_N}) (?:(?P<d>{ITEM}) )?(?:or"
        rf"|and) (?P<way>more|less|fewer|above|over|better|higher|lower|below|under|worse"
        rf"|up)\b(?: (?P<e>{kind('X')}))?",
        draft.line.code,
    )
    if found:
        _apply(
            draft,
            found,
            "at_most" if found["way"] in ("less", "fewer", "lower", "below", "under", "worse") else "at_least",
        )
    _equal(draft)


def _between(draft: Draft) -> None:
    found = re.search(_BETWEEN, draft.line.code)
    if found is None:
        return
    low, high = draft.line.at(found["a"]), draft.line.at(found["b"])
    one = _column(draft, found, high)
    if one is None:
        return
    values = sorted((tidy(low.number), tidy(high.number)))
    draft.conditions.append(Condition(one, "between", tuple(values)))
    _cut(draft, found, one)


def _apply(draft: Draft, found: re.Match[str], test: Test) -> bool:
    said = found.groupdict()
    if said.get("f") or said.get("g"):
        return _against_column(draft, found, test)
    number = draft.line.at(found["n"])
    if said.get("more"):
        test = "at_least" if said["more"].split()[-1] in ("more", "above", "over", "better", "higher") else "at_most"
    field = _column(draft, found, number)
    if field is None:
        return False
    value = tidy(number.number)
    draft.conditions.append(Condition(field, test, (value,)))
    _cut(draft, found, field)
    return True


def _against_column(draft: Draft, found: re.Match[str], test: Test) -> bool:
    """Another column of the same row: "below their minimum"."""
    other = (
        draft.nearest(draft.line.at(found["f"]), "column", kinds=NUMERIC) if found["f"] else _bound(draft, found["g"])
    )
    own = draft.nearest(draft.line.at(found["c"]), "column", kinds=NUMERIC) if found["c"] else None
    field = Field(own.table, own.column) if own else None
    if field is None and other:
        field = _sibling(draft, other)
    if other is None or field is None or field == Field(other.table, other.column):
        return False
    draft.conditions.append(Condition(field, test, (Field(other.table, other.column),)))
    _cut(draft, found, field)
    return True


def _bound(draft: Draft, word: str) -> Meaning | None:
    """The column of a least or most, of the subject or of what is nearest to it."""
    near = draft.ground.reached(draft.subject or "", draft.allowed, 1.5)
    columns = [(table, name) for table in near for name in draft.ground.profiles[table].measures]
    for begin in (word[:3], *(["reorder"] if word == "minimum" else [])):
        found = next((pair for pair in columns if name_words(pair[1])[0].startswith(begin)), None)
        if found:
            return Meaning("column", *found)
    return None


def _sibling(draft: Draft, other: Meaning) -> Field | None:
    """The column that a limit belongs to: the one whose name is part of its name, or the first measure."""
    profile = draft.ground.profiles[other.table]
    parts = set(name_words(other.column))
    rest = [name for name in profile.measures if name != other.column]
    kin = [name for name in rest if set(name_words(name)) <= parts]
    chosen = (kin or [name for name in rest if set(name_words(name)) & _STOCKED])[:1]
    if chosen:
        return Field(other.table, chosen[0])
    return _in_store(draft, other.table)


def _in_store(draft: Draft, subject: str) -> Field | None:
    """How many there are of a thing, in the table of what is in store."""
    for table in draft.ground.reached(subject, draft.allowed, 1.5):
        for name in draft.ground.profiles[table].measures:
            if set(name_words(name)) <= _STOCKED and set(name_words(table)) & _STORES:
                return Field(table, name)
    return None


def _some(draft: Draft) -> None:
    """ "With" a figure that many rows have none of: with lost days, with overtime."""
    found = re.search(rf"\bwith (?:any |some |an? )?(?P<c>{kind('X')})(?! {_N})", draft.line.code)
    one = draft.nearest(draft.line.at(found["c"]), "column", kinds=NUMERIC) if found else None
    if found and one and not _OPTIONAL.isdisjoint(map(root, name_words(one.column))):
        draft.conditions.append(Condition(Field(one.table, one.column), "over", (0,)))
        draft.line.drop(found["c"])


def _column(draft: Draft, found: re.Match[str], number: Mention) -> Field | None:
    """The column named before or behind the figure, or the one that its unit or the subject suggests."""
    return _named(draft, found) or _suggested(draft, found, number)


def _named(draft: Draft, found: re.Match[str]) -> Field | None:
    said = found.groupdict()
    for item in (said.get("c"), said.get("d"), said.get("e")):
        if item and item.startswith("<"):
            mention = draft.line.at(item)
            one = draft.nearest(mention, "column", near=_owners(draft, item), kinds=NUMERIC) or (
                _mass(draft, mention) if item == said.get("c") or f" in {item}" in found[0] else None
            )
            if one and draft.ground.distance(draft.anchors[0], one.table) < 3.5:
                return Field(one.table, one.column)
    return None


def _suggested(draft: Draft, found: re.Match[str], number: Mention) -> Field | None:
    """By the unit of the figure, what is in stock, or the main figure of the subject."""
    said = found.groupdict()
    unit = singular(said.get("d") or "") if not (said.get("d") or "<").startswith("<") else ""
    if "M" in number.kinds:
        return _fitting(draft, MONEY)
    if unit in _UNITS or "%" in number.text or "percent" in number.text:
        return _fitting(draft, _UNITS.get(unit, _UNITS["percent"]))
    if re.search(r"\b(?:longer|shorter)\b", found[0]):
        return _fitting(draft, TIME_SPENT)
    if said.get("d") and said["d"].startswith("<") and "T" in draft.line.at(said["d"]).kinds:
        return None
    if draft.subject is None:
        return None
    is_stock = re.search(_IN_STOCK, draft.line.text.lower())
    return (_in_store(draft, draft.subject) if is_stock else None) or draft.ground.main_measure(draft.subject)


def _owners(draft: Draft, item: str) -> list[str]:
    """The table that is named right before a column counts before the subject: a review score."""
    found = re.search(rf"(?P<x>{kind('T')}) {re.escape(item)}", draft.line.code)
    table = draft.nearest(draft.line.at(found["x"]), "table") if found else None
    return [*([table.table] if table else []), *draft.anchors]


def _mass(draft: Draft, mention: Mention) -> Meaning | None:
    """The figure that a noun without a plural stands for: a stock of 20."""
    table = draft.nearest(mention, "table")
    if table is None or table.table == draft.subject or singular(mention.text.lower()) != mention.text.lower():
        return None
    main = draft.ground.main_measure(table.table)
    return Meaning("column", table.table, main.column) if main else None


def _fitting(draft: Draft, names: frozenset[str]) -> Field | None:
    main = draft.ground.main_measure(draft.subject or "")
    if main and not names.isdisjoint(map(singular, name_words(main.column))):
        return main
    for table in draft.anchors:
        for name in draft.ground.profiles[table].measures:
            if not names.isdisjoint(map(singular, name_words(name))):
                return Field(table, name)
    return None


def _cut(draft: Draft, found: re.Match[str], field: Field) -> None:
    """Takes the comparison out; what stands behind the figure only where it is the column."""
    line, said = draft.line, found.groupdict()
    kept = ""
    behind = said.get("d")
    if behind and behind.startswith("<"):
        is_column = any((one.table, one.column) == (field.table, field.column) for one in line.at(behind).of("column"))
        kept = "" if is_column else behind
    elif behind and singular(behind) not in _UNITS:
        kept = behind
    line.code = f"{line.code[: found.start()]} | {kept} {line.code[found.end() :]}"


def _equal(draft: Draft) -> None:
    """A column and a figure side by side: "rating 5", "a score of 80"."""
    for pattern in (
        rf"(?P<c>{kind('X')}) (?:(?:of|is|are|was|equals|=|:) )*(?P<n>{_N})",
        rf"(?P<n>{_N}) (?P<c>{kind('X')})",
    ):
        found = re.search(pattern, draft.line.code)
        if found is None:
            continue
        one = draft.nearest(draft.line.at(found["c"]), "column", kinds=NUMERIC)
        if one is None or draft.ground.distance(draft.anchors[0], one.table) > 2.5:
            continue
        value: Value = tidy(draft.line.at(found["n"]).number)
        draft.conditions.append(Condition(Field(one.table, one.column), "is", (value,)))
        draft.line.code = f"{draft.line.code[: found.start()]} | {draft.line.code[found.end() :]}"
