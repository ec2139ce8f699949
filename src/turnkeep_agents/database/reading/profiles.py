"""What a table is, told from its names and links: what its rows are called by, which date is its own, whether it only
connects others. Guesses, made once for each join graph."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table
from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep_agents.database.reading.words.vocabulary import RATES
from turnkeep.blocks.grammar import word_class

NUMERIC: frozenset[Kind] = frozenset(["integer", "number"])
DATED: frozenset[Kind] = frozenset(["date", "datetime"])

_IS = word_class("is has can was are allows needs")
_DATE_WORDS = word_class("date at on time datetime timestamp day")
_NUMBER_WORDS = word_class("""
    amount total price cost rate quantity qty count hours minutes days weight size length balance salary wage score
    percent percentage rating fee tax discount subtotal limit capacity mileage duration number_of age year
    """)
_MONEY = word_class("amount total price cost balance fee salary wage value revenue subtotal charge premium")
_ORDINALS = word_class("year version sequence ordinal position rank floor")
_NAME_WORDS = ("name", "title", "label", "subject", "caption")
_CODE_WORDS = word_class("number code no nr reference ref sku isbn serial plate vin barcode")
_PERSON_PARTS = (("first", "last"), ("given", "family"), ("given", "sur"), ("fore", "sur"), ("first", "sur"))
_MINOR = word_class("""
    log history audit archive archived backup tmp temp detail setting preference attachment note comment mapping map
    link translation version snapshot queue token session permission template import export
    """)
_NEVER_MAIN = word_class("updat modif chang delet birth expir void archiv retir last sync remov login termin")
_AFTERWARDS = word_class("complet clos finish end due pay approv cancel deliver return resolv review send clock")
_BEGINNINGS = word_class("schedul start plan perform issu work order begin visit occur hold effectiv")
_ARRIVALS = frozenset(
    map(root, word_class("hired hire joined start starts began begin since formed opened assigned from"))
)
_LEAVINGS = frozenset(
    map(root, word_class("terminated termination left leaving leave end ends disbanded closed returned until released"))
)
_CREATED = word_class("creat add insert enter record register")
_BRIDGE_MOST = 2
_LOOKUP_MOST = 6
_HOUSEKEEPING = 9


@dataclass(frozen=True)
class Profile:
    """`label` are the columns that name a row for people, `dates` the dates of its own, the main one first. `names` and
    `codes` are texts that a row may be asked for by. `span` are the columns of begin and end of rows that last.
    `weight` says how much the table is a thing of its own."""

    table: str
    kinds: dict[str, Kind]
    label: tuple[str, ...]
    dates: tuple[str, ...]
    names: tuple[str, ...]
    codes: tuple[str, ...]
    measures: tuple[str, ...]
    span: tuple[str, str] | None
    is_person: bool
    is_bridge: bool
    is_lookup: bool
    weight: float
    links: dict[str, Relationship] = field(default_factory=dict)

    @property
    def main_measure(self) -> str:
        """The figure that is meant where none is named, money before all else, never a year; empty where none is."""
        money = sorted(filter(is_money, self.measures), key=lambda name: (_money_rank(name), self.measures.index(name)))
        counted = [name for name in self.measures if _ORDINALS.isdisjoint(name_words(name))]
        return next(iter(money or sorted(counted, key=is_rate)), "")

    @property
    def main_total(self) -> str:
        """The same where its sum means something: no rating, price or level, and no figure that describes a person."""
        is_meant = not (is_rate(self.main_measure) or (self.is_person and not is_money(self.main_measure)))
        return self.main_measure if is_meant else ""

    @property
    def main_money(self) -> str:
        """The same where it is an amount of money."""
        return self.main_measure if is_money(self.main_measure) else ""


def profiles_of(graph: JoinGraph) -> dict[str, Profile]:
    """The profile of each table of the graph."""
    incoming = Counter(link.to_table for link in graph.relationships if not is_audit_column(link.from_column))
    links: dict[str, dict[str, Relationship]] = {name: {} for name in graph.tables}
    for link in graph.relationships:
        if link.from_table in links and not link.others:
            links[link.from_table].setdefault(link.from_column, link)
    return {name: _profile(table, links[name], incoming[name]) for name, table in graph.tables.items()}


def kind_of(column: Column) -> Kind:
    """What can be done with a column, by its name where the graph does not say."""
    parts = name_words(column.name)
    if parts and parts[0] in _IS and len(parts) > 1 and column.kind in ("other", "integer", "number", "boolean"):
        return "boolean"
    if column.kind != "other" or not parts:
        return column.kind
    if parts[-1] == "id":
        return "integer"
    if parts[-1] in _DATE_WORDS:
        return "datetime" if parts[-1] in ("at", "timestamp", "datetime") else "date"
    return "number" if parts[-1] in _NUMBER_WORDS else "text"


def is_key(column: str, table: Table, links: dict[str, Relationship]) -> bool:
    """Whether the column holds a key, which is never summed and seldom shown."""
    return column in table.primary_key or column in links or name_words(column)[-1:] in (("id",), ("uuid",), ("guid",))


def is_rate(column: str) -> bool:
    """Whether figures of the column are averaged where others are summed."""
    return not RATES.isdisjoint(map(singular, name_words(column)))


def is_money(column: str) -> bool:
    return not _MONEY.isdisjoint(map(singular, name_words(column)))


def _profile(table: Table, links: dict[str, Relationship], incoming: int) -> Profile:
    kinds = {name: kind_of(column) for name, column in table.columns.items()}
    plain = [name for name in table.columns if not is_key(name, table, links) and not is_audit_column(name)]
    texts = [name for name in plain if kinds[name] in ("text", "other")]
    label = _label(table, texts)
    business = [name for name in plain if not _is_housekeeping(name)]
    is_bridge = len(links) >= 2 and len(business) <= _BRIDGE_MOST and incoming == 0 and not _has_name(label)
    real = [name for name in table.columns if not is_audit_column(name) and not _is_housekeeping(name)]
    is_lookup = incoming > 0 and len(real) <= _LOOKUP_MOST and not links and _has_name(label)
    return Profile(
        table.name,
        kinds,
        label,
        tuple(sorted((name for name in table.columns if kinds[name] in DATED), key=lambda n: _date_rank(table, n))),
        tuple(name for name in texts if name_words(name)[-1] in _NAME_WORDS),
        tuple(name for name in plain if name_words(name)[-1] in _CODE_WORDS and kinds[name] != "boolean"),
        tuple(name for name in plain if kinds[name] in NUMERIC),
        _span(table, kinds),
        len(label) > 1 or any(part in ("birth", "gender") for name in plain for part in name_words(name)),
        is_bridge,
        is_lookup,
        _weight(table, incoming, is_bridge=is_bridge, is_lookup=is_lookup),
        links,
    )


def is_own_date(name: str) -> bool:
    """Whether a date tells of what the row is about, and not of when it was typed in."""
    return not _is_housekeeping(name)


def _label(table: Table, texts: list[str]) -> tuple[str, ...]:
    parts = {name_words(name): name for name in texts}
    for first, last in _PERSON_PARTS:
        pair = [parts.get((word, "name")) or parts.get((word + "name",)) for word in (first, last)]
        if pair[0] and pair[1]:
            return pair[0], pair[1]
    own = name_words(table.name)
    for word in (*_NAME_WORDS, "description"):
        for name in ((word,), (*own, word), (own[-1], word), ("full", word), ("display", word)):
            if name in parts:
                return (parts[name],)
    named = [name for name in texts if name_words(name)[-1] in _NAME_WORDS]
    codes = [name for name in table.columns if name_words(name)[-1:] and name_words(name)[-1] in _CODE_WORDS]
    for found in (named, codes):
        if found:
            return (found[0],)
    return tuple(table.unique_columns[:1] or table.primary_key[:1] or list(table.columns)[:1])


def _span(table: Table, kinds: dict[str, Kind]) -> tuple[str, str] | None:
    """Only where the main date is the begin."""
    dates = sorted((name for name in table.columns if kinds[name] in DATED), key=lambda name: _date_rank(table, name))
    ends = [name for name in dates[1:] if not _LEAVINGS.isdisjoint(map(root, name_words(name)))]
    begins = dates and not _ARRIVALS.isdisjoint(map(root, name_words(dates[0])))
    lasts = begins and ends and kinds[dates[0]] == "date"
    return (dates[0], ends[0]) if lasts else None


def _has_name(label: Iterable[str]) -> bool:
    return any(name_words(name)[-1] in (*_NAME_WORDS, "description") for name in label)


def _is_housekeeping(name: str) -> bool:
    roots = set(map(root, name_words(name)))
    return not roots.isdisjoint(_NEVER_MAIN | _CREATED) or is_audit_column(name)


def _date_rank(table: Table, name: str) -> tuple[int, int]:
    parts = name_words(name)
    if "date" in table.columns[name].synonyms:
        return -1, 0
    said = {root(part) for part in parts if part not in _DATE_WORDS}
    own = {root(part) for part in name_words(table.name)}
    place = list(table.columns).index(name)
    if not said.isdisjoint(_NEVER_MAIN):
        return _HOUSEKEEPING, place
    if not said or (said <= own and said):
        return 0, place
    ranks = ((own, 1), (_BEGINNINGS, 2), (_CREATED, 4), (_AFTERWARDS, 5))
    return min((rank for known, rank in ranks if not said.isdisjoint(known)), default=3), place


def _weight(table: Table, incoming: int, *, is_bridge: bool, is_lookup: bool) -> float:
    parts = set(map(singular, name_words(table.name)))
    weight = min(incoming, 12) / 12 + min(len(table.columns), 16) / 16 + 0.5 / max(len(parts), 1)
    weight -= 1.0 if is_bridge else 0.6 if is_lookup else 0
    return weight - (0.7 if not parts.isdisjoint(_MINOR) else 0)


def _money_rank(name: str) -> int:
    folded = name.lower()
    for rank, word in enumerate(("grandtotal", "totalamount", "total_amount", "total", "amount")):
        if word in folded and "sub" not in folded and "tax" not in folded:
            return rank
    return 9
