"""The subject of a question: the table whose rows it counts, lists or sums."""

import re
from collections.abc import Iterator
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Absence, Condition, Field
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.measures import (
    owner_of,
    read_column_beside,
    read_counted_figure,
    read_measure_behind,
    read_measured_column,
    read_named_measure,
    spent_with,
)
from turnkeep_agents.database.reading.nouns import (
    flagged,
    is_noun,
    is_plural,
    is_plural_value,
    names_rows,
    sure_tables,
    table_of,
)
from turnkeep_agents.database.reading.openings import read_opening
from turnkeep_agents.database.reading.profiles import is_money, is_rate
from turnkeep_agents.database.reading.words.lexicon import EXACT, Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, TAKEN, Mention, kind
from turnkeep_agents.database.reading.words.vocabulary import FUNCTION_WORDS, GUESSED

_INSIDE = r"(?:on|in|at|part|with|inside|a|members?)"


def find_subject(draft: Draft) -> None:
    """Sets the subject, and `of` where a column is measured."""
    spent = None if _take_doers(draft) else spent_with(draft)
    if spent:
        draft.subject, draft.of = spent, draft.ground.main_measure(spent)
    elif draft.subject is None and _asks_who(draft):
        draft.subject = _doer(draft) or _somebody(draft)
    elif draft.subject is None and (named := _named_person(draft)):
        draft.subject = named
    elif draft.subject is None:
        _find_noun(draft)


def _find_noun(draft: Draft) -> None:
    """The subject of a line that names what it asks for."""
    line = draft.line
    head = _spent_on(draft) or next(_heads(draft), None)
    if head is None:
        draft.subject = _somebody(draft)
        return
    item, mention = head
    table = table_of(mention, draft)
    if table:
        draft.subject = table
        _keep_value(draft, item, mention, table)
        read_named_measure(draft, mention, table)
        read_counted_figure(draft, table)
        read_column_beside(draft, item)
        read_measure_behind(draft, item)
        return
    if draft.before is None and re.search(r"\b(?:their|its|them|they|those|these|ones)\b", line.text.lower()):
        return
    read_measured_column(draft, item, mention)
    if draft.subject is None and mention.of("column"):
        draft.subject = owner_of(draft, mention, ())
        draft.is_distinct = draft.is_distinct or (draft.is_list and is_plural(mention))
    if draft.subject and draft.is_list and "C" in mention.kinds and line.code.find(item) >= 0:
        return


def _take_doers(draft: Draft) -> bool:
    """Persons that are called by what they do, as links are: drivers, owners. Those are meant that have done it."""
    found = re.match(rf"^\W*(?:[a-z]+ )*?(?P<x>{ITEM})", draft.line.code)
    mention = draft.line.at(found["x"]) if found else None
    if mention is None or not set("L") <= set(mention.kinds) <= set("CL") or not is_plural(mention):
        return False
    ground = draft.ground
    ends = {(one.table, one.column): ground.profiles[one.table].links.get(one.column) for one in mention.of("column")}
    people = {link.to_table for link in ends.values() if link and ground.profiles[link.to_table].is_person}
    if len(people) != 1 or not mention.text.lower().endswith(("ers", "ors")):
        return False
    draft.subject = people.pop()
    named = {table for one in draft.line.mentions for table in sure_tables(one)}
    done = next((pair for pair in ends if pair[0] in named), None)
    if done:
        draft.absences.append(Absence(done[0], False, via=done[1]))
    draft.line.drop(found["x"] if found else "")
    return True


def _doer(draft: Draft) -> str | None:
    """The persons of a flag that stands right behind "who": then it is no table of the same name."""
    found = re.match(rf"^\W*who (?P<x>{kind('B')})", draft.line.code)
    if found is None:
        return None
    at = int(re.sub(r"\D", "", found["x"]))
    mention = draft.line.mentions[at]
    draft.line.mentions[at] = replace(mention, meanings=mention.of("column"))
    return flagged(draft, mention)


def _asks_who(draft: Draft) -> bool:
    """Whether the line asks for persons by what they do: no noun follows "who is"."""
    code = draft.line.code
    found = re.match(
        rf"^\W*who(?:se|m)?\b(?P<being> (?:is|are|was|were)(?: the| our| all| currently)*)?(?P<next>(?: \|)* {ITEM})?",
        code,
    )
    if found is None:
        return False
    if not found["being"] or not found["next"]:
        return not (
            found["being"] and re.match(rf" (?!{_INSIDE} )(?:the|our|my|all|[a-z]+) (?:[a-z]+ )?<", code[found.end() :])
        )
    mention = draft.line.at(found["next"])
    is_table = "T" in mention.kinds and max(one.weight for one in mention.of("table")) >= EXACT and is_noun(mention)
    is_rows = is_table or is_plural_value(mention, draft)
    return not is_rows and "L" not in mention.kinds


def _spent_on(draft: Draft) -> tuple[str, Mention] | None:
    """What money goes into: "how much do we spend on X", where X is a table with money."""
    found = draft.line.search(rf"\b(?:on|for) (?:the )?(?P<x>{kind('TC')})") if draft.measure == "sum" else None
    if found is None or not re.search(r"\b(?:spen[dt]|pa(?:y|id)|cost)", draft.line.text.lower()):
        return None
    mention = draft.line.at(found["x"])
    stem = name_words(mention.text)[:1]
    for table, profile in draft.ground.profiles.items():
        if name_words(table)[:1] == stem and any(map(is_money, profile.measures)) and draft.is_allowed(table):
            return found["x"], Mention(mention.text, "T", (Meaning("table", table),))
    return None


def _heads(draft: Draft) -> Iterator[tuple[str, Mention]]:
    """The noun that the question is about: the last table of its first noun phrase."""
    line = draft.line
    yield from _paid_for(draft)
    start = line.search(rf"{ITEM}")
    if start is None:
        return
    if draft.measure == "count" and not draft.before and _is_foreign(line.code, start.start()):
        return
    for number, phrase in enumerate(_phrases(line.code)):
        items = [(item, line.at(item)) for item in line.items(phrase)]
        nouns = [pair for pair in items if names_rows(pair[1], draft)]
        if number == 0 and draft.measure and not nouns and "X" in items[0][1].kinds:
            yield items[0]
        if nouns:
            yield from reversed(_first_run(phrase, nouns))
    columns = [item for item in line.items() if "C" in line.at(item).kinds and not set(line.at(item).kinds) & set("PN")]
    for item in sorted(columns, key=lambda item: "B" in line.at(item).kinds and "X" not in line.at(item).kinds):
        yield item, line.at(item)


def _paid_for(draft: Draft) -> Iterator[tuple[str, Mention]]:
    """Where money is asked for, the noun or verb whose rows have some: "how much did they spend"."""
    if draft.measure != "sum" or not re.search(r"\bhow much\b", draft.line.text, re.I):
        return
    if any("X" in draft.line.at(item).kinds and "T" not in draft.line.at(item).kinds for item in draft.line.items()):
        return
    for item in draft.line.items():
        mention = draft.line.at(item)
        for one in (*mention.of("table"), *_done(draft, mention)):
            main = draft.ground.main_measure(one.table)
            if main and one.weight >= 0.5 and is_money(main.column) and not is_rate(main.column):
                named = replace(mention, text=one.table, kinds="T", meanings=(one,))
                yield item, mention if is_noun(mention) and mention.of("table") else named
                return


def _done(draft: Draft, mention: Mention) -> list[Meaning]:
    """The rows whose date a verb of the line names, where money is asked for by that word: what money came in."""
    if not re.search(r"\bmoney\b", draft.line.text, re.I) or "D" not in mention.kinds:
        return []
    columns = [one for one in mention.of("column") if draft.is_allowed(one.table)]
    return [Meaning("table", one.table, weight=one.weight) for one in columns if not _is_guess(draft, one.table)]


def _is_guess(draft: Draft, table: str) -> bool:
    main = draft.ground.main_measure(table)
    return main is None or not GUESSED.isdisjoint(name_words(main.column))


def _phrases(code: str) -> Iterator[str]:
    """Stretches of mentions and unknown words between function words, in order."""
    for part in re.split(
        r"[,;:.?!|]|\b(?:of|in|on|at|by|for|from|with|without|to|that|who|which|whose|where|when|is|are"
        r"|was|were|do|does|did|has|have|had|per|than|and|or|as|into|not|no|been)\b",
        code,
    ):
        if "<" in part:
            yield part


def _first_run(phrase: str, nouns: list[tuple[str, Mention]]) -> list[tuple[str, Mention]]:
    """The nouns that stand directly one behind the other, from the first."""
    run = nouns[:1]
    for pair in nouns[1:]:
        gap = phrase.split(run[-1][0], 1)[1].split(pair[0], 1)[0]
        if gap.strip() or not is_noun(pair[1]) or (is_plural(run[-1][1]) and not is_plural(pair[1])):
            break
        run.append(pair)
    tables = [pair for pair in run if "T" in pair[1].kinds and is_noun(pair[1])]
    return tables[-1:] if tables else run[:1]


def _keep_value(draft: Draft, item: str, mention: Mention, table: str) -> None:
    """A noun that is a value stays in the line, as a filter; a table's name is understood."""
    is_named = any(one.table == table for one in mention.of("table"))
    if is_named:
        draft.line.code = draft.line.code.replace(item, "@", 1)
    for one in mention.of("value"):
        if is_named and one.table == table and one.weight >= EXACT:
            draft.conditions.append(Condition(Field(table, one.column), "is", (one.value,)))


def _named_person(draft: Draft) -> str | None:
    """Persons, where a line asks whether somebody with two names is in a state that persons have."""
    found = re.match(
        rf"^\W*(?:is|was) (?P<who>{kind('Q')}) (?:(?:an?|still|currently|now|on) )*(?P<state>{kind('BV')})\W*$",
        draft.line.code,
    )
    if found is None or len(draft.line.at(found["who"]).text.split()) != 2:
        return None
    person = nearest_person(draft, [])
    return person if any(one.table == person for one in draft.line.at(found["state"]).meanings) else None


def _somebody(draft: Draft) -> str | None:
    """Who is asked for without a noun: a person near what else is said."""
    if not re.search(r"\b(?:who|whom|whose|anyone|anybody|someone|somebody|people)\b", draft.line.code):
        return None
    named = {table for one in draft.line.mentions for table in sure_tables(one)}
    for mention in draft.line.mentions:
        for one in mention.of("column"):
            link = draft.ground.profiles[one.table].links.get(one.column) if one.table in named else None
            if (
                link
                and "ed" in mention.text
                and draft.ground.profiles[link.to_table].is_person
                and draft.is_allowed(link.to_table)
            ):
                return link.to_table
    return nearest_person(draft, [table for one in draft.line.mentions for table in sure_tables(one)])


def nearest_person(draft: Draft, near: list[str]) -> str | None:
    ground = draft.ground
    people = [name for name, one in ground.profiles.items() if one.is_person and draft.is_allowed(name)]

    def worth(name: str) -> float:
        return ground.profiles[name].weight - 0.4 * min(sum(ground.distance(name, other) for other in near[:2]), 10)

    return max(people, key=worth, default=None)


def _is_foreign(code: str, start: int) -> bool:
    """Whether the noun behind "how many" is one that the schema does not know."""
    between = code[:start].rsplit(TAKEN, 1)[-1].split()
    unknown = [word for word in between if word[0].isalnum() and word not in FUNCTION_WORDS]
    stops = [word for word in between if word in FUNCTION_WORDS]
    return bool(unknown) and bool(stops) and between.index(unknown[0]) < between.index(stops[-1])


__all__ = ["find_subject", "kind", "nearest_person", "read_opening"]
