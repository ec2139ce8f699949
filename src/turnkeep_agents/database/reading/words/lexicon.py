"""What the words of a question can mean in one schema: tables, columns and values by their names, synonyms and roots.
Several meanings of one phrase are all kept; what stands around it decides later."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table
from turnkeep_agents.database.reading.profiles import DATED, NUMERIC, Profile
from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep_agents.database.reading.words.vocabulary import ALIKE, STATES, is_function_word
from turnkeep.blocks.grammar import word_class
from turnkeep.blocks.words import words

type Sort = Literal["table", "column", "value"]

MOST_WORDS = 6
MOST_MEANINGS = 500
EXACT, ROOT, SHORT, ALIKE_WORD = 1.0, 0.8, 0.6, 0.4
"""How much a meaning weighs, by how it was found: by the whole name, its root, a part of it, a word like it."""
_AUDIT_SHARE = 0.5
_TAIL = word_class("id at on by date time datetime number no code name value flag address amount text status")
_HEAD = word_class("is has can was are tbl dim fact number total current actual")
_STATES_TOO = word_class("ok okay new individual")
_UNITS = word_class("kg g lb t km m cm mm eur usd gbp pct percent sec secs mins")
_BEING = word_class("is are was were")
_LINKING = word_class("is are was were be equals being set to of =")
_ROOT_SHORTEST = 3
_CODE_MOST = 5
_CUT_SHORTEST, _CUT_LEAST = 4, 3  # letters of a word that is cut short, and how many at least are cut off


@dataclass(frozen=True, slots=True)
class Meaning:
    """A table, a column of it, or a value of that column."""

    sort: Sort
    table: str
    column: str = ""
    value: str = ""
    weight: float = EXACT


class Lexicon:
    """The phrases of one schema."""

    def __init__(self, graph: JoinGraph, profiles: dict[str, Profile]):
        self._profiles = profiles
        self._exact: defaultdict[tuple[str, ...], dict[tuple[str, ...], Meaning]] = defaultdict(dict)
        self._roots: defaultdict[tuple[str, ...], dict[tuple[str, ...], Meaning]] = defaultdict(dict)
        for table in graph.tables.values():
            self._add_table(table)
            for column in table.columns.values():
                self._add_column(table, column)
        for table in graph.tables.values():
            self._add_tails(table)
        self._states = self._state_values()
        self._single = [key for key in self._exact if len(key) == 1]

    def find(
        self, said: Sequence[str], at: int, allowed: Collection[str] | None
    ) -> tuple[int, tuple[Meaning, ...]] | None:
        """The longest phrase of the words in lower case that begins at the word: where it ends, and its meanings."""
        for end in range(min(len(said), at + MOST_WORDS), at, -1):
            if end == at + 1 and is_function_word(said[at]) and singular(said[at]) not in ("name", "date"):
                return self._as_value(said, at, allowed)
            if end == at + 1 and said[at] in ("day", "week", "month", "quarter", "year"):
                return None
            if end > at + 1 and is_function_word(said[end - 1]) and self._begins(said, end - 1, allowed):
                continue
            found = self.meanings(said[at:end], allowed)
            if end > at + 1 and said[end - 1].endswith("ed") and found[:1] and found[0].sort == "table":
                found = tuple(one for one in found if one.weight >= EXACT)
            if found:
                return self._with_tail(said, end, found)
        return None

    def _as_value(
        self, said: Sequence[str], at: int, allowed: Collection[str] | None
    ) -> tuple[int, tuple[Meaning, ...]] | None:
        """A function word that is a value all the same: a state, as in "new orders", or behind its column."""
        values = tuple(one for one in self.meanings(said[at : at + 1], allowed) if one.sort == "value")
        is_told = at > 0 and said[at - 1] in _BEING and not any(word.isalnum() for word in said[at + 1 :])
        if said[at] in _STATES_TOO or is_told:
            return (at + 1, values) if values else None
        named = next((word for word in reversed(said[:at]) if word not in _LINKING), "")
        columns = {(one.table, one.column) for one in self.meanings([named], allowed) if one.sort == "column"}
        fitting = tuple(one for one in values if (one.table, one.column) in columns)
        return (at + 1, fitting) if fitting else None

    def _begins(self, said: Sequence[str], at: int, allowed: Collection[str] | None) -> bool:
        """Whether a phrase of several words begins with the function word."""
        return any(self.meanings(said[at:end], allowed) for end in (at + 2, at + 3) if end <= len(said))

    def _with_tail(self, said: Sequence[str], end: int, found: tuple[Meaning, ...]) -> tuple[int, tuple[Meaning, ...]]:
        """A word like "number" or "name" behind a phrase belongs to it: the phone number, the customer's name."""
        tail = singular(said[end]) if end < len(said) else ""
        columns = tuple(one for one in found if one.sort == "column" and one.weight >= ROOT)
        if tail in ("number", "address") and columns:
            return end + 1, columns
        if tail in ("name", "id", "number", "code") and found[0].sort == "table" and found[0].weight >= ROOT:
            named = tuple(self._column_of(one.table, tail) for one in found if one.sort == "table")
            kept = tuple(one for meanings in named for one in meanings)
            if kept:
                return end + 1, kept
        return end, found

    def _column_of(self, table: str, tail: str) -> tuple[Meaning, ...]:
        if tail == "name":
            return tuple(Meaning("column", table, column) for column in self._profiles[table].label)
        own = self._exact.get((tail,), {}).values()
        return tuple(one for one in own if one.sort == "column" and one.table == table)

    def meanings(self, said: Sequence[str], allowed: Collection[str] | None = None) -> tuple[Meaning, ...]:
        """What exactly these words can mean, the likeliest first."""
        key = tuple(singular(word) for word in said)
        found = dict(self._exact.get(key, {}))
        is_known = any(meaning.weight >= EXACT and meaning.sort != "value" for meaning in found.values())
        for name, meaning in self._by_root(key).items():
            if not (is_known and meaning.sort == "table"):
                found.setdefault(name, meaning)
        if len(key) == 1:
            for name, meaning in self._states.get(root(key[0]), {}).items():
                found.setdefault(name, meaning)
        if not any(meaning.weight >= SHORT for meaning in found.values()):
            for name, meaning in self._alike(key):
                found.setdefault(name, meaning)
        if not found and len(key) == 1:
            found = self._shortened(key[0])
        kept = [one for one in found.values() if allowed is None or one.table in allowed]
        return tuple(sorted(kept, key=lambda one: -one.weight)[:MOST_MEANINGS])

    def coded(self, code: str, allowed: Collection[str] | None) -> tuple[Meaning, ...]:
        """The tables whose rows go by such a code, as its letters tell: the initials of a name, or how it begins."""
        letters = "".join(sign for sign in code.lower() if sign.isalpha())
        if len(letters) < 2:
            return ()
        named = [(name, name_words(name)) for name, profile in self._profiles.items() if profile.codes]
        fitting = [
            name
            for name, parts in named
            if letters == "".join(part[0] for part in parts) or "".join(parts).startswith(letters)
        ]
        shortest = min(map(len, fitting), default=0)
        kept = [name for name in fitting if len(name) == shortest and (allowed is None or name in allowed)]
        return tuple(Meaning("table", name) for name in kept)

    def is_word(self, word: str) -> bool:
        """Whether the word alone means something here."""
        return bool(self.meanings([word]))

    def _by_root(self, key: tuple[str, ...]) -> dict[tuple[str, ...], Meaning]:
        if len(key) > 1 and is_function_word(key[-1]):
            return {}
        roots = tuple(map(root, key))
        return self._roots.get(roots, {}) if len("".join(roots)) >= _ROOT_SHORTEST else {}

    def _shortened(self, word: str) -> dict[tuple[str, ...], Meaning]:
        """What the beginning of just one word of the schema can mean: tech, cert, admin; a part-timer is part time."""
        if len(word) < _CUT_SHORTEST:
            return {}
        longer = [key for key in self._single if key[0].startswith(word) and len(key[0]) >= len(word) + _CUT_LEAST]
        if len({key[0] for key in longer}) != 1:
            return {}
        return {name: replace(one, weight=one.weight * ROOT) for name, one in self._exact[longer[0]].items()}

    def _alike(self, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Meaning]]:
        for other in ALIKE.get(" ".join(key), ()):
            for name, meaning in self._exact.get(other, {}).items():
                if meaning.weight >= SHORT:
                    yield name, replace(meaning, weight=meaning.weight * ALIKE_WORD)

    def _state_values(self) -> dict[str, dict[tuple[str, ...], Meaning]]:
        """Values of columns that no value of the word itself is in, by words for the same state."""
        states: defaultdict[str, dict[tuple[str, ...], Meaning]] = defaultdict(dict)
        for alike in STATES:
            values = [one for word in alike for one in self._roots.get((word,), {}).items() if one[1].sort == "value"]
            for word in alike:
                own = {(one.table, one.column) for one in self._roots.get((word,), {}).values() if one.sort == "value"}
                for name, meaning in values:
                    if (meaning.table, meaning.column) not in own:
                        states[word][name] = replace(meaning, weight=ALIKE_WORD)
        return states

    def _add(self, said: Sequence[str], meaning: Meaning, weight: float) -> None:
        """Without accents, as the words of a question arrive."""
        key = tuple(singular(word) for word in words(" ".join(said)))
        name = (meaning.sort, meaning.table, meaning.column, meaning.value)
        if not key or not any(any(map(str.isalpha, word)) for word in key):
            return
        for index, at, share in ((self._exact, key, weight), (self._roots, tuple(map(root, key)), weight * ROOT)):
            known = index[at].get(name)
            if known is None or known.weight < share:
                index[at][name] = replace(meaning, weight=share)

    def _add_table(self, table: Table) -> None:
        meaning = Meaning("table", table.name)
        parts = name_words(table.name)
        self._add(parts, meaning, EXACT)
        if len(parts) > 1:
            self._add(["".join(parts)], meaning, EXACT)
            self._add(parts[-1:], meaning, SHORT - 0.1)
            if parts[0] in _HEAD:
                self._add(parts[1:], meaning, EXACT)
        if self._profiles[table.name].main_money:
            for said in (parts, *map(words, table.synonyms)):
                money = Meaning("column", table.name, self._profiles[table.name].main_money)
                for tail in ("total", "amount", "value"):
                    self._add((*said, tail), money, EXACT - 0.1)
        for synonym in table.synonyms:
            self._add(words(synonym), meaning, EXACT)

    def _add_tails(self, table: Table) -> None:
        """The last word of a synonym of two, where nothing else goes by that word: review, for a customer review."""
        for said in map(words, table.synonyms):
            known = self._exact.get((singular(said[-1]),), {}).values() if said else ()
            if len(said) == 2 and not any(one.weight > SHORT for one in known):
                self._add(said[-1:], Meaning("table", table.name), SHORT - 0.15)

    def _add_column(self, table: Table, column: Column) -> None:
        share = _AUDIT_SHARE if is_audit_column(column.name) else 1.0
        meaning = Meaning("column", table.name, column.name)
        for synonym in column.synonyms:
            self._add(words(synonym), meaning, EXACT)
        for said, weight in _names_of(table, column, self._profiles[table.name]):
            self._add(said, meaning, weight * share)
        for value in column.values:
            self._add_value(meaning, value)

    def _add_value(self, meaning: Meaning, value: str) -> None:
        said = name_words(value) if value.replace("_", "").isalnum() and " " not in value else tuple(words(value))
        if said and len("".join(said)) > 1:
            if value.isupper() and len(value) <= _CODE_MOST:
                self._exact[said].setdefault(
                    ("value", meaning.table, meaning.column, value),
                    replace(meaning, sort="value", value=value, weight=SHORT),
                )
                return
            self._add(said, replace(meaning, sort="value", value=value), EXACT)
            whole = tuple(words(value))
            if whole != said:
                self._add(whole, replace(meaning, sort="value", value=value), EXACT)


def _names_of(table: Table, column: Column, profile: Profile) -> Iterator[tuple[Sequence[str], float]]:
    parts = name_words(column.name)
    kind = profile.kinds[column.name]
    own = name_words(table.name)
    if column.name in table.primary_key and parts[-1:] == ("id",):
        yield ("id",), EXACT
        return
    yield parts, EXACT
    if len(parts) < 2:
        return
    if kind in DATED:
        core = tuple(part for part in parts if part not in ("at", "on", "date", "time", "datetime"))
        yield core, EXACT
        yield (*core, "date"), EXACT
        if len(core) > 1:
            yield core[-1:], SHORT
        return
    if kind == "boolean" and parts[0] not in _HEAD:
        yield parts[:1], SHORT
    rest = (parts[len(own) :] if parts[: len(own)] == own else parts) or parts
    rest = rest[1:] if rest[0] in _HEAD and len(rest) > 1 else rest
    yield rest, EXACT
    while len(rest) > 1 and (rest[-1] in _TAIL or (rest[-1] in _UNITS and kind in NUMERIC)):
        rest = rest[:-1]
        yield rest, EXACT if parts[-1] in ("id", "by") else EXACT - 0.1
    yield parts[-1:], SHORT
    if len(parts) > 2 and not is_function_word(parts[-2]):
        yield parts[-2:], SHORT
