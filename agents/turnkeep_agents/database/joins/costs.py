"""What a join costs a path, in hundredths of a plain one. Who created or changed a row is seldom what a question is
about, so such links are long, and doubtful ones are; so is the way through a table that most others point at."""

from collections import defaultdict
from functools import lru_cache

from turnkeep.blocks.words import words
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

PLAIN = 100
AUDIT = 200
"""More. One such link is as long as three plain ones, two are longer than any path that a plan may hold."""
HUB = 400
"""For the way through a table that `FULL_HUB` of all others point at, in proportion down to none at `HUB_SHARE`. A way
to such a table costs no more than to any other."""
DOUBT = 100
"""More for a confidence of 0, in proportion."""
MANY_TO_MANY = 30
"""More where neither side is unique: rows multiply."""

HUB_TABLES = 6
HUB_SHARE = 0.2
FULL_HUB = 0.6

_MAKERS = frozenset(words("creator modifier editor updater changer deleter remover inserter voider"))
_MAKING = frozenset(
    words(
        """
        create created insert inserted add added enter entered record recorded register registered modify modified
        change changed update updated edit edited alter altered delete deleted remove removed void voided retire retired
        archive archived touch touched
        """
    )
)
_PERSONS = frozenset(words("by user users employee person staff member operator admin account login usr"))


class Costs:
    """The costs of the relationships of one graph."""

    def __init__(self, graph: JoinGraph, *, audit_rule: bool = True):
        """`audit_rule`: off only to show what it is good for."""
        self._audit_rule = audit_rule
        self._hubs = hub_surcharges(graph)

    def of(self, link: Relationship) -> int:
        """What `link` costs in either direction."""
        audit = AUDIT if self._audit_rule and is_audit_link(link) else 0
        many = MANY_TO_MANY if link.cardinality == "N:N" else 0
        return PLAIN + audit + round(DOUBT * (1 - link.confidence)) + many

    def through(self, table: str) -> int:
        """What a path costs more that enters `table` and leaves it again."""
        return self._hubs.get(table, 0)


def is_audit_link(link: Relationship) -> bool:
    """Whether the link says who made, changed or removed a row, and not what the row is about."""
    return not link.others and is_audit_column(link.from_column)


@lru_cache(maxsize=20_000)
def is_audit_column(name: str) -> bool:
    """The same for the name of a column: `created_by`, `modifierId`, `last_update_user`."""
    said = set(name_words(name))
    return not said.isdisjoint(_MAKERS) or not (said.isdisjoint(_MAKING) or said.isdisjoint(_PERSONS))


def hub_surcharges(graph: JoinGraph) -> dict[str, int]:
    """What it costs to pass through the tables that very many point at. Audit links count for none: they have a price
    of their own, and a table of employees is more than who typed something in. Many-to-many links point at nobody."""
    pointing: defaultdict[str, set[str]] = defaultdict(set)
    for link in graph.relationships:
        if link.from_table != link.to_table and link.cardinality != "N:N" and not is_audit_link(link):
            pointing[link.to_table].add(link.from_table)
    shares = {table: len(froms) / len(graph.tables) for table, froms in pointing.items() if len(froms) >= HUB_TABLES}
    return {
        table: round(HUB * min(1.0, (share - HUB_SHARE) / (FULL_HUB - HUB_SHARE)))
        for table, share in shares.items()
        if share > HUB_SHARE
    }
