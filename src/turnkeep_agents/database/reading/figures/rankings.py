"""Rows held against each other by what belongs to them: the most of something, more than five of it."""

import re
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Condition, Field, Test
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.measures import money_columns
from turnkeep_agents.database.reading.profiles import NUMERIC
from turnkeep_agents.database.reading.subjects import nearest_person
from turnkeep_agents.database.reading.times.days import GRAINS
from turnkeep_agents.database.reading.words.lexicon import EXACT, Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind, tidy
from turnkeep_agents.database.reading.words.stems import singular

MANY = 10
_BESIDE = 0.6

"""How many are meant by a superlative of several."""

_DOWN, _UP = ("highest", "best", "biggest", "largest", "greatest"), ("lowest", "worst", "smallest")
_TOTAL = frozenset(["total", "amount", "value", "net"])

_PAYING = (
    r"\b(?:spends?|spent|pays?|paid|bought|buys?|earns?|earned|brings?|brought|costs?|sells?|sold|owes?)(?: us| in)*"
    r" (?:the )?(?:most|least)\b"
)

_N = kind("N")
MOST = (
    r"(?:the )?\b(?P<way>most|fewest|least|more|(?:highest|largest|greatest|biggest|lowest|smallest)"
    r"(?: (?:total )?(?:number|count|amount|total|share|sum)(?: of)?| total| combined| overall)?)\b"
)

_HAVING: dict[str, Test] = {
    "more than": "over",
    "over": "over",
    "above": "over",
    "at least": "at_least",
    "no fewer than": "at_least",
    "fewer than": "under",
    "less than": "under",
    "under": "under",
    "at most": "at_most",
    "no more than": "at_most",
    "up to": "at_most",
    "exactly": "is",
    "only": "is",
}

_HAS = rf"\b(?P<test>{'|'.join(_HAVING)}) (?P<n>{_N})(?P<more> or more)? (?:[a-z]+ )?"


_GRAIN = r"(?P<grain>day|week|month|quarter|year|<\d+[A-Z]+>)s?"
_DOING = r"(?:is|are|was|were|had|has|have|saw|did|do|does|we|they|our|there|brought|took|get|got|with)"
_TIME_WITH_MOST = re.compile(
    r"^\W*(?:(?:and|on|in|during|at|for) )*(?:which|what)(?: (?:is|was|are|were))?(?: the)?"
    rf"(?P<n> <\d+N>)? {_GRAIN}(?: {_DOING})*(?P<verb> <\d+[A-Z]*D[A-Z]*>| [a-z]+)??"
    r" (?:the )?(?P<way>most|fewest|least|highest|lowest|largest|smallest|biggest|greatest)"
    r"(?: (?:number|count)s? of| in number)?(?= |$)"
)


_BEST_TIME = (
    r"\b(?:what|which) (?:is|was|are|were) (?:the|our)(?P<n> <\d+N>)?"
    rf" (?P<way>best|strongest|busiest|worst|weakest|quietest|slowest)(?P<m> <\d+N>)? {_GRAIN}"
    r"(?: (?:for|of|in|by|with))*"
)


_WHEN = rf"^\W*(?:(?:on|in|during|at|for) )?(?:which|what) {_GRAIN}(?P<when>(?: (?:of|in))? {kind('P')}) "


def take_time_with_most(draft: Draft) -> None:
    """ "Which day had the most X": X is counted or summed by that stretch of time, and the first of these is wanted."""
    line = draft.line
    within = line.search(_WHEN)
    if within:
        code = line.code.strip(" ?.!")
        line.code = f"{code[: within.start('when')]}{code[within.end('when') :]}{within['when']}"
    best = line.search(_BEST_TIME)
    if best:
        most = "most" if best["way"] in ("best", "strongest", "busiest") else "least"
        number = best["n"] or best["m"] or ""
        line.code = f"which{number} {best['grain']} had the {most} {line.code[best.end() :].strip()}"
    found = line.search(_TIME_WITH_MOST.pattern)
    grain = "" if found is None else line.at(found["grain"]).text.lower() if "<" in found["grain"] else found["grain"]
    if found is None or grain.removesuffix("s") not in GRAINS:
        return
    rest = line.code[found.end() :].strip(" ?.!|")
    item = re.match(rf"(?:total |average |sum of )?(?P<x>{ITEM})", rest)
    done = re.search(rf"{ITEM} (?:been |being )?(?P<x>{kind('D')})(?= <\d+P>|$)", rest)
    if done and line.at(done["x"]).text.lower().endswith(("ed", "en", "id", "nt", "ld")):
        draft.dated.append(line.at(done["x"]))
        rest = rest.replace(done["x"], "", 1).strip()
    if rest and item is None and found["way"] not in ("most", "fewest", "least"):
        return
    run = re.findall(ITEM, re.match(rf"(?:total |sum of )?(?:{ITEM} ?)*", rest)[0])  # type: ignore[index]
    is_sum = bool(run) and not any("T" in line.at(each).kinds for each in run)
    line.code = (
        f"{'total' if is_sum else 'average' if rest.startswith('average') else 'how many'} {rest}" if rest else ""
    )
    if (found["verb"] or "").startswith(" <"):
        draft.dated.append(line.at(found["verb"]))
    draft.grain = GRAINS[grain.removesuffix("s")]
    draft.order = "ascending" if found["way"] in ("fewest", "least", "lowest", "smallest") else "descending"
    draft.limit = max(int(line.at(found["n"].strip()).number), 1) if found["n"] else 1


def take_most(draft: Draft) -> tuple[str, Mention] | None:
    """ "... with the most X": the way and X, which are rows to be counted or a column to be summed."""
    line = draft.line
    if re.search(_PAYING, line.text.lower()) and line.search(rf"\b(?:most|least)\b(?! {kind('TXCV')})"):
        way = "ascending" if line.take(r"\b(?:the )?(?:most|least)\b")[0].endswith("least") else "descending"  # type: ignore[index]
        return way, Mention("money", "X", tuple(money_columns(draft)))
    behind = line.search(
        rf"(?P<x>{kind('T')})(?: (?:from|to|with|at|for|on|of))*(?: the)? (?P<way>most|least)(?: often)?\W*$"
    )
    if behind:
        line.code = line.code[: behind.start()] + "@"
        return ("ascending" if behind["way"] == "least" else "descending"), line.at(behind["x"])
    found = line.search(rf"{MOST}(?: (?!than\b)[a-z]+)?(?P<mods>(?: {ITEM})*?) (?P<x>{ITEM})(?! {kind('T')})")
    if found is None or found["way"] == "more" or (found["way"] in ("least",) and "at least" in found.string):
        return None
    mention = line.at(found["x"])
    if not set(mention.kinds) & set("TX"):
        return None
    if (
        found["way"] in ("highest", "largest", "greatest", "biggest", "lowest", "smallest")
        and "T" in mention.kinds
        and "X" not in mention.kinds
    ):
        return None
    line.code = line.code[: found.start("way")] + "|" + line.code[found.end("way") :].replace(found["x"], "@", 1)
    way = "ascending" if found["way"].split()[0] in ("fewest", "least", "lowest", "smallest") else "descending"
    return way, mention


def rank_by(draft: Draft, way: str, mention: Mention, *, keep: tuple[Test, float] | None = None) -> bool:
    """Turns "A with the most X" into rows of X, by A. False where X is a column of A itself."""
    ground, asker = (
        draft.ground,
        draft.subject
        or nearest_person(draft, [one.table for one in mention.of("table", "column") if one.weight >= 1][:1]),
    )
    if asker is None:
        return False
    tables = [one for one in mention.of("table") if draft.is_allowed(one.table)]
    columns = [one for one in mention.of("column") if draft.kind_of(one) in NUMERIC and draft.is_allowed(one.table)]
    table = ground.nearest([one for one in tables if one.table != asker], [asker])
    column = ground.nearest(surest(columns), [asker])
    is_column = column is not None and (table is None or column.weight > table.weight)
    if column is not None and is_column and not ground.is_many(asker, column.table):
        if keep:
            draft.conditions.append(Condition(Field(column.table, column.column), keep[0], (tidy(keep[1]),)))
            return False
        draft.order, draft.order_by = way, Field(column.table, column.column)
        draft.limit = draft.limit or (MANY if _is_plural(draft) else 1)
        return False
    chosen = column if is_column else table
    if chosen is None:
        return False
    draft.subject, draft.beside = chosen.table, [asker, *draft.beside]
    draft.measure = "sum" if is_column else "count"
    draft.of = Field(chosen.table, chosen.column) if is_column else None
    draft.groups = [*ground.told_apart(asker, _role(draft, chosen.table, asker)), *draft.groups]
    draft.order = way
    if keep:
        field = draft.of or Field(chosen.table, (ground.graph.tables[chosen.table].primary_key or ("",))[0])
        draft.keep = Condition(field, keep[0], (tidy(keep[1]),))
    else:
        draft.limit = draft.limit if draft.limit and draft.limit > 0 else (MANY if _is_plural(draft) else 1)
    return True


def rank_by_group(draft: Draft) -> bool:
    """ "The top five A by X": X is what they are ranked by, and no group."""
    if draft.quality not in (*_DOWN, *_UP) or draft.limit is None or len(draft.group_items) != 1:
        return False
    if draft.measure is not None or draft.grain or draft.subject is None:
        return False
    mention = draft.group_items[0]
    if not set(mention.kinds) & set("TX"):
        return False
    way = "ascending" if draft.quality in _UP else "descending"
    draft.group_items, draft.quality = [], ""
    if not rank_by(draft, way, mention) and draft.order_by is None:
        draft.group_items = [mention]
    return True


def rank_by_figure(draft: Draft) -> None:
    """ "A with the highest average X": the figure is that of each A."""
    if draft.measure not in ("average", "sum") or not draft.beside or draft.groups or draft.group_items or draft.grain:
        return
    if draft.quality in ("highest", "lowest", "best", "worst"):
        draft.order = "ascending" if draft.quality in ("lowest", "worst") else "descending"
        draft.groups = list(draft.ground.told_apart(draft.beside[0]))
        draft.quality = ""
        draft.limit = draft.limit if draft.limit and draft.limit > 0 else (MANY if _is_plural(draft) else 1)


def surest(columns: list[Meaning]) -> list[Meaning]:
    """Those that bear exactly the name that was said, if any does."""
    return [one for one in columns if one.weight >= EXACT] or columns


def _role(draft: Draft, table: str, asker: str) -> str:
    """The link column by which rows of the table hang on the asker, where a word of the line names one of several."""
    profile = draft.ground.profiles[table]
    said = {
        (one.table, one.column)
        for mention in draft.line.mentions
        if "L" in mention.kinds
        for one in mention.of("column")
    }
    for column, link in profile.links.items():
        if link.to_table == asker and (table, column) in said:
            return draft.ground.via(table, asker, column)
    return ""


def _is_plural(draft: Draft) -> bool:
    """Whether several are asked for: "which crews have the most"."""
    words = re.findall(r"[a-z]+", draft.line.text.lower().split(" most ")[0])
    if re.match(r"\W*who (?!are\b|were\b)\w+s?\b", draft.line.text.lower()):
        return False
    noun = re.match(r"\W*(?:which|what) (?:\w+ )??(?P<noun>[a-z]+)\b", draft.line.text.lower())
    if noun and singular(noun["noun"]) == noun["noun"] and draft.ground.lexicon.is_word(noun["noun"]):
        return False
    asked = [word for word in words if word.endswith("s") and not word.endswith(("ss", "us", "is", "as", "has"))]
    return bool(asked) and not re.search(r"\bwhich \w+(?: \w+)? (?:has|had|is|was|did)\b", draft.line.text, re.I)


def take_having(draft: Draft) -> tuple[Test, float, Mention] | None:
    """ "... with more than five X": the test, the number and X."""
    line = draft.line
    often = line.search(rf"(?P<x>{kind('TD')}) (?P<test>{'|'.join(_HAVING)}) (?P<n>{_N}) (?:times|occasions)\b")
    if often:
        line.code = line.code[: often.start()] + "| " + line.code[often.end() :]
        return _HAVING[often["test"]], line.at(often["n"]).number, _rows_of(line.at(often["x"]))
    found = line.search(rf"{_HAS}(?P<mods>(?:{ITEM} )*?)(?P<x>{ITEM})(?! {kind('TX')})")
    if found is None:
        return None
    mention = line.at(found["x"])
    if not set(mention.kinds) & set("TX") or "M" in line.at(found["n"]).kinds:
        return None
    line.code = line.code[: found.start("test")] + "| " + found["mods"] + "@ " + line.code[found.end("x") :]
    return _HAVING[found["test"]], line.at(found["n"]).number, mention


def _rows_of(mention: Mention) -> Mention:
    """A verb that names a date stands for the rows of that date."""
    tables = {one.table: one.weight for one in mention.of("column")} if "T" not in mention.kinds else {}
    rows = tuple(Meaning("table", table, weight=weight) for table, weight in tables.items())
    return replace(mention, meanings=(*mention.of("table"), *rows))
