"""The average or an extreme of how many rows belong to each row of the subject, those with none counted as well."""

from sqlglot import exp

from turnkeep_agents.database.reading.asked import Absence
from turnkeep_agents.database.writing.aggregates import over_groups
from turnkeep_agents.database.writing.listings import named
from turnkeep_agents.database.writing.names import alias, column_words, many_of
from turnkeep_agents.database.writing.sources import Source


def tallied(source: Source) -> exp.Select:
    """One figure over the rows of the subject."""
    [tally] = source.asked.tallies
    name = tally_name(tally)
    place = source.tally(tally)
    source.restrict()
    ways = source.scope.ways()
    key = source.key(()) if source.doubles((), ways) else []
    rows = source.select(*key, named(place, name, source))
    rows = rows.distinct(copy=False) if key else rows
    return over_groups(source.asked.measure, rows, name, source)


def tally_name(tally: Absence) -> str:
    """What the column of the number, or of the sum, is called."""
    return alias("total", *column_words(tally.of.column)) if tally.of else alias(*many_of(tally.table))
