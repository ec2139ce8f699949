"""Sorting, the first so many, and superlatives: newest, cheapest."""

import re

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Field
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.rankings import MANY, MOST
from turnkeep_agents.database.reading.profiles import DATED, NUMERIC, is_money
from turnkeep_agents.database.reading.times.days import GRAINS
from turnkeep_agents.database.reading.words.lexicon import ROOT
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind
from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep_agents.database.reading.words.vocabulary import QUALITIES, TIME_SPENT
from turnkeep.blocks.grammar import word_class

_WORDS = (
    (
        r"\b(?P<x>with|has|have|had|having|got) (?:the )?(?:highest|largest|greatest|biggest) (?:number|count)s? of\b",
        r"\g<x> the most",
    ),
    (
        r"\b(?P<x>with|has|have|had|having|got) (?:the )?(?:lowest|smallest) (?:number|count)s? of\b",
        r"\g<x> the fewest",
    ),
    (r"\bmost recent(?:ly)?\b|\bmost newly\b", "latest"),
    (r"\b(?:least recent|longest ago)\b", "oldest"),
    (r"\b(?:most expensive|most costly|best paid|highest paid|most valuable)\b", "costliest"),
    (r"\b(?:least expensive|worst paid|lowest paid|least valuable)\b", "cheapest"),
    (r"\b(?:most (?:common|frequent|popular|used|frequently|often)(?:ly)?|commonest)\b", "commonest"),
    (r"\b(?:least (?:common|frequent|popular|used)|rarest)\b", "rarest"),
    (r"\bby (?:the |their )?(?:total |overall )?(?:number|count) of\b", "by"),
    (r"\bhighest rated\b|\bbest rated\b|\btop rated\b", "best"),
)

_QUALITY = r"(?:" + "|".join(sorted(QUALITIES, key=len, reverse=True)) + r"|commonest|rarest)"

_N = kind("N")

_BAD = frozenset(
    map(root, word_class("delay late lateness lost loss overdue breach fine cost debt damage defect penalty"))
)
_FIGURES = word_class("count number total sum average amount figure figures frequency")
_AMOUNTS = word_class("highest largest biggest greatest lowest smallest")

_WAYS = r"ascending|descending|asc|desc|reverse|alphabetical(?:ly)?|increasing|decreasing"
_DIRECTION = (
    rf"(?: (?:in )?(?P<way>{_WAYS})(?: order)?"
    rf"| (?:with |from )?(?:the )?(?P<quality>{_QUALITY})(?: (?:to|ones)? ?\w*)? ?(?:first|on top)?)?"
)

_SORT = (
    rf"\bsort(?:ed)?(?: it| them| these| those| that| this| the list| all)?(?: (?P<first>{_WAYS}))? by (?:the |their "
    rf"|its )?(?P<by>{ITEM}|name|{'|'.join(GRAINS)}|{'|'.join(_FIGURES)})" + _DIRECTION
)
_REVERSE = (
    r"\b(?:(?:reverse|flip|invert|turn)(?: around)? (?:the |this |that |its |their )?(?:sort )?"
    r"(?:order|list|sorting|sort|it|them)(?: around)?|in (?:the )?(?:reverse|reversed|opposite)(?: order)?"
    r"|reversed?)\b"
)
REVERSED = "reversed"


def simplify_superlatives(text: str) -> str:
    """One word for each superlative of two."""
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text, flags=re.I)
    return text


def take_orders(draft: Draft) -> None:
    """What says how rows are sorted and how many of them are wanted."""
    line = draft.line
    found = line.take(_SORT)
    if found:
        draft.order, draft.order_item = "ascending", _mention(draft, found["by"])
        way = found["way"] or found["first"] or ""
        if way[:4] in ("desc", "reve", "decr") or (found["by"] in _FIGURES and not way):
            draft.order = "descending"
        if found["quality"]:
            draft.order = QUALITIES.get(found["quality"], ("descending", frozenset()))[0]
    elif draft.before is not None and line.take(_REVERSE):
        draft.order = REVERSED
    elif draft.before is not None and (way := line.take(rf"^\W*(?:in )?(?P<way>{_WAYS})(?: order)?(?: please)?\W*$")):
        draft.order = "descending" if way["way"][:4] in ("desc", "decr") else "ascending"
    first = line.take(rf"(?:with |from )?(?:the )?\b(?P<q>{_QUALITY})(?: ones?| to \w+)? (?:first|on top|at the top)\b")
    if first:
        draft.quality = first["q"]
    few = line.search(rf"\b(?:which|what|the) (?P<n>{_N}) (?=<)")
    if few and draft.limit is None and "M" not in line.at(few["n"]).kinds:
        draft.limit = max(int(line.at(few["n"]).number), 1)
        line.drop(few["n"])
    last = line.search(rf"(?:\b(?:the|our|my|your) (?:very )?|^\W*)(?P<word>last|latest|first|next) (?P<x>{kind('T')})")
    if last and singular(line.at(last["x"]).text.lower()) == line.at(last["x"]).text.lower():
        line.code = line.code.replace(last[0], last["x"], 1)
        draft.quality, draft.limit = {"first": "oldest", "next": "next"}.get(last["word"], "latest"), 1
    _take_top(draft)
    if not draft.quality:
        _take_quality(draft)


def _mention(draft: Draft, item: str) -> Mention | None:
    return (
        draft.line.at(item)
        if item.startswith("<")
        else Mention(item, "C", draft.ground.lexicon.meanings([item], draft.allowed))
    )


def _take_top(draft: Draft) -> None:
    line = draft.line
    for pattern, order in (
        (rf"\b(?:the )?(?P<word>top|best|first|leading) (?P<n>{_N})", ""),
        (rf"\b(?:the )?(?P<word>bottom|worst) (?P<n>{_N})", "ascending"),
        (rf"\b(?:the )?(?P<word>last) (?P<n>{_N})", "descending"),
        (rf"(?:\b(?:the|our|my|show|list|me) |^\W*)(?P<word>next) (?P<n>{_N})(?= {kind('T')})", "ascending"),
        (
            rf"(?<!with )\b(?:limit(?:ed)?(?: it| them)? to|just|only|no more than) (?P<n>{_N})"
            rf"(?= {ITEM}|$| \||\.| please| of)",
            "",
        ),
        (r"\b(?P<word>top)\b", ""),
    ):
        found = line.take(pattern)
        if found is None:
            continue
        said = found.groupdict()
        draft.limit = int(line.at(said["n"]).number) if said.get("n") else MANY
        draft.limit = max(draft.limit, 1)
        if said.get("word") in ("top", "best", "leading", "bottom", "worst"):
            draft.quality = "lowest" if order else "highest"
        elif said.get("word") == "last":
            draft.quality = "latest"
        elif said.get("word") == "next":
            draft.quality = "next"
        elif said.get("word") == "first" and re.search(_QUALITY, line.code) is None:
            draft.quality = ""
        return


def _take_quality(draft: Draft) -> None:
    """A superlative before a noun, with its number on either side."""
    line = draft.line
    found = line.search(rf"(?:(?P<a>{_N}) )?\b(?P<word>{_QUALITY})\b(?: (?P<b>{_N}))?")
    if found is None or (re.search(MOST, found[0]) and _counts_behind(draft, found.end())):
        return
    if draft.measure in ("maximum", "minimum"):
        return
    if draft.limit is None and re.match(rf" {kind('X')} (?:of|for|in|on|among)\b", line.code[found.end() :]):
        draft.limit = None if found["a"] or found["b"] else 1
    is_had = re.search(r"\b(?:has|have|had|with|got|made|earned|the) (?:the )?$", line.code[: found.start()])
    if (
        is_had
        and found["word"] in _AMOUNTS
        and re.match(rf" (?:total |combined )?(?:{ITEM} )*?{kind('X')}", line.code[found.end() :])
    ):
        return
    if re.search(r"\b(?:below|under|above|over|than|exceed)(?: the| their| its)? $", line.code[: found.start()]):
        return
    line.take(re.escape(found[0]))
    draft.quality = found["word"]
    number = found["a"] or found["b"]
    if number:
        draft.limit = max(int(line.at(number).number), 1)
    elif draft.limit is None:
        draft.limit = -1


def _counts_behind(draft: Draft, end: int) -> bool:
    return bool(re.match(r" (?:total |combined |overall )?(?:number|count|amount|total|sum)\b", draft.line.code[end:]))


def settle_order(draft: Draft) -> None:
    """Resolves superlatives and sorting, once the subject is known."""
    said = draft.order_item.text.lower() if draft.order_item else ""
    if draft.order_item is not None and (known := _known(draft, draft.order_item)):
        draft.order_by = known
    elif said == "name" and len(draft.profile.label) > 1:
        draft.order_by = draft.ground.label(draft.subject or "")[-1]
    elif draft.order_item is not None and (draft.order_item.meanings or said not in _FIGURES):
        one = draft.nearest(draft.order_item, "column")
        table = draft.nearest(draft.order_item, "table") if one is None or one.weight < 0.5 else None
        if table is not None:
            draft.order_by = None if table.table == draft.subject else draft.ground.label(table.table)[0]
        elif one is not None:
            draft.order_by = _sortable(draft, Field(one.table, one.column))
        elif said in GRAINS and draft.ground.dates(draft.subject or ""):
            draft.order_by = Field(draft.subject or "", draft.ground.dates(draft.subject or "")[0])
        elif said == "name":
            draft.order_by = draft.ground.label(draft.subject or "")[-1]
    if draft.quality:
        _settle_quality(draft)
    if draft.limit == -1:
        draft.limit = 1 if not _says_many(draft) else MANY


def _known(draft: Draft, mention: Mention) -> Field | None:
    """The column that the word names among those that are grouped by or shown already: no other is meant."""
    before = draft.before
    if mention.text.lower() in GRAINS:
        return before.grain_of if before else None
    meant = [one for one in mention.meanings if one.sort != "value" and one.weight >= ROOT]
    for field in (*draft.groups, *(before.groups if before else ()), *(before.shown if before else ())):
        if any(one.table == field.table and one.column in ("", field.column, field.via) for one in meant):
            return field
        if field.via and any(one.column == field.via for one in meant):
            return field
    return None


def _sortable(draft: Draft, field: Field) -> Field:
    link = draft.profile.links.get(field.column) if field.table == draft.subject else None
    if link is not None and draft.is_allowed(link.to_table):
        return draft.ground.label(link.to_table, draft.ground.via(field.table, link.to_table, field.column))[0]
    return field


def _says_many(draft: Draft) -> bool:
    said = list(re.findall(r"[a-z]+", draft.line.text.lower()))
    names = {word for word in said if singular(word) != word and draft.ground.lexicon.is_word(word)}
    return bool(names) and not re.search(r"\b(?:which|what) (?:is|was)\b", draft.line.text, re.I)


def _settle_quality(draft: Draft) -> None:
    if draft.quality in ("commonest", "rarest"):
        draft.order = "descending" if draft.quality == "commonest" else "ascending"
        return
    way, names = QUALITIES.get(draft.quality, ("ascending", frozenset(["date"])))
    if draft.quality == "worst" and any(_is_bad(mention) for mention in draft.line.mentions):
        way = "descending"
    draft.order = draft.order or way
    if draft.order_by is not None or draft.groups:
        return
    ground, subject = draft.ground, draft.subject or ""
    if "date" in names:
        dates = [
            name
            for mention in draft.dated
            for one in mention.of("column")
            if one.table == subject
            for name in [one.column]
        ]
        own = dates or list(ground.dates(subject))
        draft.order_by = Field(subject, own[0]) if own else None
        return
    item = next((item for item in draft.line.items() if set(draft.line.at(item).kinds) & set("XD")), None)
    one = draft.nearest(draft.line.at(item), "column", kinds=NUMERIC | DATED) if item else None
    is_near = one is not None and ground.distance(subject, one.table) < 1.5
    if item and one and is_near and (not names or one.weight > 0.3):
        draft.line.drop(item)
        draft.order_by = Field(one.table, one.column)
        return
    draft.order_by = _fitting(draft, subject, names)


def _is_bad(mention: Mention) -> bool:
    """Whether the word is of something that is the worse the more there is of it."""
    columns = [name for one in mention.of("column") for name in name_words(one.column)]
    return not _BAD.isdisjoint(map(root, (*mention.text.lower().split(), *columns[:9])))


def _fitting(draft: Draft, subject: str, names: frozenset[str]) -> Field | None:
    measures = draft.ground.profiles[subject].measures
    fitting = [name for name in measures if not names.isdisjoint(map(singular, name_words(name)))]
    if names and names != TIME_SPENT and any(map(is_money, fitting)):
        main = draft.ground.main_measure(subject)
        return main if main and main.column in fitting else Field(subject, fitting[0])
    if fitting:
        return Field(subject, fitting[0])
    return None if names else draft.ground.main_measure(subject)
