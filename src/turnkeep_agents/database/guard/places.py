"""Where in a query an expression stands, and what each database sees there."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from turnkeep_agents.database.guard.verdicts import Dialect

Place: TypeAlias = Literal["select", "where", "group", "having", "order"]

MISUSE = "Aggregate functions stand neither in WHERE, ON or GROUP BY nor inside each other. Use HAVING."
ORDER_OF_SETS = "After UNION, ORDER BY takes the names or numbers of the result's columns."
PLACES: Mapping[str, Place] = {
    "distinct": "select", "where": "where", "group": "group", "having": "having", "windows": "select", "order": "order"
}  # fmt: skip
ROW_IDS = {"rowid", "oid", "_rowid_"}
ALIASES_SEEN: Mapping[Dialect, frozenset[Place]] = {
    "sqlite": frozenset({"where", "group", "having", "order"}),
    "mysql": frozenset({"group", "having", "order"}),
    "postgres": frozenset({"group", "having", "order"}),  # in HAVING only after `fitting`
}
