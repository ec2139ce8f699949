"""The rows of one company, area by area; `all_rows` has them all."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.agreements import agreements
from turnkeep_agents.database.sample.rows.checks import checks, forms
from turnkeep_agents.database.sample.rows.courses import courses
from turnkeep_agents.database.sample.rows.customers import customers
from turnkeep_agents.database.sample.rows.equipment import equipment
from turnkeep_agents.database.sample.rows.fleet import fleet
from turnkeep_agents.database.sample.rows.money import money
from turnkeep_agents.database.sample.rows.offers import offers
from turnkeep_agents.database.sample.rows.papers import papers
from turnkeep_agents.database.sample.rows.people import people
from turnkeep_agents.database.sample.rows.quality import quality
from turnkeep_agents.database.sample.rows.shapes import Pieces
from turnkeep_agents.database.sample.rows.stock import orders, stock
from turnkeep_agents.database.sample.rows.system import system
from turnkeep_agents.database.sample.rows.work import work
from turnkeep_agents.database.sample.rows.world import World

_AREAS = (
    system, people, customers, agreements, work, equipment, checks, forms, stock, orders, offers, money, quality, fleet,
    courses, papers,
)  # fmt: skip


def all_rows(world: World) -> Iterator[Pieces]:
    for area in _AREAS:
        yield from area(world)
