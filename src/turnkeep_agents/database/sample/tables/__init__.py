"""The tables of the sample, by area; `metadata` holds them all."""

from turnkeep_agents.database.sample.tables import (
    administration,
    assets,
    communication,
    contracts,
    customers,
    inspections,
    inventory,
    invoicing,
    people,
    safety,
    training,
    vehicles,
    work,
)
from turnkeep_agents.database.sample.tables.columns import metadata

AREAS = (
    administration,
    assets,
    communication,
    contracts,
    customers,
    inspections,
    inventory,
    invoicing,
    people,
    safety,
    training,
    vehicles,
    work,
)

__all__ = ["AREAS", "metadata"]
