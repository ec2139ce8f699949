"""What parts cost, in pence."""

from turnkeep_agents.database.sample.rows.dice import mix

LABOUR_PENCE = 6_800
"""An hour."""
TRAVEL_PENCE = 4_500
"""A visit."""


def list_pence(item: int) -> int:
    """What a customer pays for one."""
    return 250 + mix(item, 81) % 180 * 50


def cost_pence(item: int) -> int:
    """What the company pays for one."""
    return list_pence(item) * 62 // 100
