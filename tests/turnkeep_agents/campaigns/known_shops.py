"""What a small warehouse knows, for the tests of reading and routing. Today is a Thursday."""

from datetime import date

from turnkeep_agents.campaigns.reading.message import Known
from turnkeep_agents.campaigns.requests import Dimension

FIRST, LAST, TODAY = date(2025, 11, 1), date(2026, 6, 10), date(2026, 6, 11)

NAMES: dict[Dimension, tuple[str, ...]] = {
    "advertiser": ("Blue Door Homes", "Café Noir", "Quiz", "Samsung"),
    "insertion_order": (
        "Blue Door Lettings",
        "Café Noir Loyalty",
        "Quiz Clearance",
        "Quiz Party Season",
        "Samsung Galaxy Launch",
    ),
    "line_item": (
        "Blue Door Lettings Remarketing",
        "Quiz Clearance Prospecting",
        "Quiz Clearance Remarketing",
        "Samsung Galaxy Launch Native",
    ),
    "audience": ("First Jobbers", "High", "Movers", "Night Owls", "Renters"),
    "creative": ("Espresso 300x250", "Glitter 300x250", "Glitter 728x90", "Hallway 160x600"),
    "size": ("160x600", "300x250", "728x90"),
}
OWNERS: dict[Dimension, dict[str, tuple[str, ...]]] = {
    "insertion_order": {
        "Blue Door Lettings": ("Blue Door Homes",),
        "Café Noir Loyalty": ("Café Noir",),
        "Quiz Clearance": ("Quiz",),
        "Quiz Party Season": ("Quiz",),
        "Samsung Galaxy Launch": ("Samsung",),
    },
    "line_item": {
        "Blue Door Lettings Remarketing": ("Blue Door Homes",),
        "Quiz Clearance Prospecting": ("Quiz",),
        "Quiz Clearance Remarketing": ("Quiz",),
        "Samsung Galaxy Launch Native": ("Samsung",),
    },
    "creative": {
        "Espresso 300x250": ("Café Noir",),
        "Glitter 300x250": ("Quiz",),
        "Glitter 728x90": ("Quiz", "Samsung"),
        "Hallway 160x600": ("Blue Door Homes",),
    },
}
KNOWN = Known(NAMES, FIRST, LAST, TODAY, OWNERS)
