"""The schema as the rules ask about it: how far tables are apart, which column is meant by a word near some table, and
by which columns a table is named."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph, Kind, Relationship
from turnkeep_agents.database.reading.asked import Field
from turnkeep_agents.database.reading.profiles import Profile, is_own_date, profiles_of
from turnkeep_agents.database.reading.words.lexicon import Lexicon, Meaning

FAR = 50.0
WORTH_A_JOIN = 2.2
"""How many joins further away an exact name may be than no name at all."""
_MANY_SIDE = 0.4
_TIMED = 0.3  # what happens at some time is asked for more often than what was summed up of it
_HUB = 2.0  # a company or a login that nearly every row points at is seldom what is meant
_HUB_SHARE = 0.3
_FEW = 8
_PEERS = 2.0  # rows that only point at the same third one have little to do with each other
_HUNDREDTHS = 100
_REMOTE, _REMOTE_BY_THIRD = 9.0, 5.0


_GIVING = frozenset({"assignment", "allocation", "membership"})


class Ground:
    """One join graph with everything derived from it."""

    def __init__(self, graph: JoinGraph, finder: PathFinder):
        self.graph, self.finder = graph, finder
        self.profiles: dict[str, Profile] = profiles_of(graph)
        self.lexicon = Lexicon(graph, self.profiles)
        self.hubs = _hubs(graph)
        self.bridges = self._bridges()
        self._near: dict[str, list[tuple[float, str]]] = {}
        self.distance = lru_cache(maxsize=50_000)(self._distance)
        self.is_many = lru_cache(maxsize=50_000)(self._is_many)

    def path(self, a: str, b: str) -> tuple[Relationship, ...] | None:
        """The shortest path; rather one through a table that links just these two than through a third that both
        happen to point at."""
        path = self.finder.shortest(a, b)
        own = self.links_to(a, b) if path is not None and len(path) == 1 else []
        if own:
            return (self.profiles[a].links[own[0]],)
        if path is None or len(path) != 2:
            return path
        for bridge in self.bridges.get((a, b), ()):
            to_a, to_b = self.finder.shortest(a, bridge) or (), self.finder.shortest(bridge, b) or ()
            if len(to_a) == len(to_b) == 1:
                return to_a[0], to_b[0]
        return path

    def _bridges(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """For two tables, those whose name is made of both of theirs and that point at both; or of the one and a word
        that says that the other was given it."""
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for table, profile in self.profiles.items():
            parts = name_words(table)
            ends = {link.to_table for name, link in profile.links.items() if not is_audit_column(name)}
            named = [end for end in ends if set(name_words(end)) & set(parts)]
            for a in named:
                for b in named:
                    if a != b and set(parts) <= {*name_words(a), *name_words(b), *_GIVING, "link", "map", "member"}:
                        found[a, b] = (*found.get((a, b), ()), table)
            others = [end for end in ends if end not in named]
            people = [end for end in others if self.profiles[end].is_person]
            others = [end for end in others if end not in self.hubs] or people
            if len(named) == len(others) == 1 and not _GIVING.isdisjoint(parts):
                a, b = named[0], others[0]
                found[a, b], found[b, a] = (*found.get((a, b), ()), table), (*found.get((b, a), ()), table)
        return found

    def _distance(self, a: str, b: str) -> float:
        """In joins, dear ones counting more; FAR where no path leads there."""
        path = self.path(a, b)
        if path is None:
            return FAR
        at, cost, was_forward = a, 0.0, False
        for link in path:
            is_forward = link.from_table == at
            cost += _PEERS if was_forward and not is_forward else 0
            cost += _HUB if link.to_table in self.hubs and is_forward else 0
            was_forward = is_forward
            at = link.to_table if is_forward else link.from_table
            cost += self.finder.cost(link).total / _HUNDREDTHS + (0 if is_forward else _MANY_SIDE)
        return cost

    def is_remote(self, a: str, b: str) -> bool:
        """Whether rows of the two have so little to do with each other that a word for both hardly means them: they are
        many joins apart, or some joins by way of a third that both only point at."""
        path = self.path(a, b) if a != b else ()
        if path is None:
            return True
        at, was_forward, is_by_third = a, False, False
        for link in path:
            is_forward = link.from_table == at
            is_by_third = is_by_third or (was_forward and not is_forward)
            at, was_forward = (link.to_table if is_forward else link.from_table), is_forward
        return self.distance(a, b) > (_REMOTE_BY_THIRD if is_by_third else _REMOTE)

    def _is_many(self, a: str, b: str) -> bool:
        """Whether several rows of `b` may belong to one of `a`."""
        at = a
        for link in self.path(a, b) or ():
            is_forward = link.from_table == at
            at = link.to_table if is_forward else link.from_table
            if not is_forward and link.cardinality != "1:1":
                return True
        return False

    def many_end(self, a: str, b: str) -> str:
        """The last table on the way from `a` to `b` of which several rows belong to one before it."""
        at, end = a, b
        for link in self.path(a, b) or ():
            is_forward = link.from_table == at
            at = link.to_table if is_forward else link.from_table
            end = end if is_forward else at
        return end

    def belonging(self, a: str, b: str) -> str:
        """The table whose rows a row of `a` lacks where it is said to lack those of `b`: the table between, where that
        does nothing but join the two, else `b`."""
        end = self.many_end(a, b)
        return end if self.profiles[end].is_bridge or end in self.bridges.get((a, b), ()) else b

    def through(self, subject: str, tables: Iterable[str]) -> tuple[str, ...]:
        """The bridges to those tables that the finder would not take by itself."""
        found: list[str] = []
        for table in tables:
            own = self.path(subject, table)
            if own and len(own) == 2 and own != self.finder.shortest(subject, table):
                found.append(own[0].from_table)
        return tuple(dict.fromkeys(found))

    def user_of(self, table: str, allowed: Collection[str] | None) -> str | None:
        """The table whose rows a list of mere names sorts into kinds."""
        described = self.described_by(table, allowed)
        if described:
            return described
        users = [link.from_table for link in self.graph.relationships if link.to_table == table]
        users = [name for name in users if allowed is None or name in allowed]
        stem = name_words(table)[:1]
        return max(users, key=lambda name: (name_words(name)[:1] == stem, self.profiles[name].weight), default=None)

    def described_by(self, table: str, allowed: Collection[str] | None) -> str | None:
        """The table that a list of kinds is named after: the kinds of X sort rows of X, however far it lies."""
        stem = name_words(table)[:-1] if self.profiles[table].is_lookup else ()
        tables = [name for name in self.graph.tables if stem and (allowed is None or name in allowed)]
        linked = {link.from_table for link in self.graph.relationships if link.to_table == table}
        exact = next((name for name in tables if name_words(name) == stem), None)
        return exact or next(
            (name for name in tables if name in linked and name_words(name)[-len(stem) :] == stem), None
        )

    def named(self, table: str) -> tuple[Field, ...]:
        """The columns that name a row for people, and the number it goes by."""
        profile, unique = self.profiles[table], self.graph.tables[table].unique_columns
        numbers = [] if profile.is_person else [name for name in profile.codes if name in unique]
        return tuple(dict.fromkeys((*self.label(table), *(Field(table, name) for name in numbers[:1]))))

    def is_near(self, a: str, b: str) -> bool:
        return self.distance(a, b) < FAR

    def nearest(
        self,
        meanings: Iterable[Meaning],
        anchors: Sequence[str],
        fits: Callable[[Meaning], bool] = lambda _: True,
    ) -> Meaning | None:
        """The meaning that weighs most and is nearest to the first anchor; the other anchors break ties."""
        scored = [(self.score(one, anchors), one) for one in meanings if fits(one)]
        best = max(scored, key=lambda pair: pair[0], default=None)
        return best[1] if best and best[0] > -FAR else None

    def score(self, one: Meaning, anchors: Sequence[str]) -> float:
        first = self.distance(anchors[0], one.table) if anchors else 0.0
        rest = sum(0.3 * min(self.distance(other, one.table), 5.0) for other in anchors[1:])
        audit = 1.0 if one.column and is_audit_column(one.column) else 0.0
        profile = self.profiles[one.table]
        own = 0.3 * profile.weight + (_TIMED if profile.dates and is_own_date(profile.dates[0]) else 0)
        return WORTH_A_JOIN * one.weight - first - rest - audit + own

    def kind(self, field: Field) -> Kind:
        return self.profiles[field.table].kinds.get(field.column, "other")

    def links_to(self, a: str, b: str) -> list[str]:
        """The columns of `a` that point at rows of `b`, those left out that say who typed a row in."""
        return [
            name for name, link in self.profiles[a].links.items() if link.to_table == b and not is_audit_column(name)
        ]

    def settled(self, subject: str, field: Field) -> Field:
        """The field through the subject's own link where the other table points back at the subject as well."""
        if field.via or field.table == subject:
            return field
        own = self.links_to(subject, field.table)
        return replace(field, via=own[0]) if len(own) == 1 and self.links_to(field.table, subject) else field

    def via(self, subject: str, table: str, column: str) -> str:
        """The link's column where it is one of several from the subject to the table, else nothing."""
        links = self.profiles[subject].links if subject in self.profiles else {}
        many = sum(link.to_table == table and not is_audit_column(name) for name, link in links.items())
        is_telling = many > 1 or is_audit_column(column) or table == subject
        return column if column in links and is_telling else ""

    def label(self, table: str, via: str = "") -> tuple[Field, ...]:
        """The columns that name a row of the table."""
        return tuple(Field(table, column, via) for column in self.profiles[table].label)

    def told_apart(self, table: str, via: str = "") -> tuple[Field, ...]:
        """The columns to group rows of the table by: its label, or the whole key where that is but a part of it."""
        key = self.graph.tables[table].primary_key
        is_part = len(key) > 1 and set(self.profiles[table].label) <= set(key)
        return tuple(Field(table, column, via) for column in key) if is_part else self.label(table, via)

    def main_measure(self, table: str) -> Field | None:
        """The figure of a table that is meant when nothing is said."""
        main = self.profiles[table].main_measure
        return Field(table, main) if main else None

    def main_total(self, table: str) -> Field | None:
        """The same where its sum means something."""
        main = self.profiles[table].main_total
        return Field(table, main) if main else None

    def main_date(self, table: str) -> Field | None:
        """The date that a time is said of; that of a table it points at, where its own say only when it was entered."""
        own = self.profiles[table].dates
        if own and is_own_date(own[0]):
            return Field(table, own[0])
        for other in self.reached(table, None, 1.5):
            dates = self.profiles[other].dates
            is_own = other != table and dates and is_own_date(dates[0])
            if is_own and not self.is_many(table, other) and not self.profiles[other].is_person:
                return Field(other, dates[0])
        return Field(table, own[0]) if own else None

    def dates(self, table: str) -> tuple[str, ...]:
        return self.profiles[table].dates

    def reached(self, table: str, allowed: Collection[str] | None, most: float) -> list[str]:
        """The tables that are at most so many joins away, the nearest first."""
        near = self._near.get(table)
        if near is None:
            near = self._near[table] = sorted((self.distance(table, name), name) for name in self.graph.tables)
        return [name for far, name in near if far <= most and (allowed is None or name in allowed)]


def _hubs(graph: JoinGraph) -> frozenset[str]:
    """The tables that a large share of all others point at."""
    pointing: dict[str, set[str]] = {}
    for link in graph.relationships:
        pointing.setdefault(link.to_table, set()).add(link.from_table)
    least = max(_HUB_SHARE * len(graph.tables), _FEW)
    return frozenset(table for table, tables in pointing.items() if len(tables) > least)
