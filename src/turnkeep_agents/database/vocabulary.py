"""The words that a schema and a manual talk of: they tell a question about the data or the application from others."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import JoinGraph, Table
from turnkeep_agents.database.manual.manual import Manual
from turnkeep.blocks.rarity import stem_of, stems
from turnkeep.blocks.words import STOP_WORDS, singular, words

LONGEST_VALUE_WORDS = 4
# They stand in half of all schemas and titles and say nothing of either.
_PLAIN = frozenset(map(stem_of, words("id key name code type number date time value list new day year first last")))


@dataclass(frozen=True)
class Vocabulary:
    """Stems: of tables, of columns with their synonyms, of what the manual speaks of, and of the titles alone. `values`
    are those of columns that have few, in lower case and the singular."""

    tables: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    manual: frozenset[str] = frozenset()

    @cached_property
    def data(self) -> frozenset[str]:
        return self.tables | self.columns

    def names_value(self, message: str) -> bool:
        """Whether a value of the data stands in `message`, as it is written there or in the plural."""
        said = [singular(word) for word in words(message)]
        runs = (said[at : at + size] for size in range(1, LONGEST_VALUE_WORDS + 1) for at in range(len(said)))
        return any(" ".join(run) in self.values for run in runs)


def vocabulary_of(graph: JoinGraph, manual: Manual) -> Vocabulary:
    """The words of the names, synonyms and values of `graph`, and of the titles and texts of `manual`."""
    tables = graph.tables.values()
    titles = [document.title for document in manual.documents]
    return Vocabulary(
        tables=_stems(name for table in tables for name in (table.name, *table.synonyms)),
        columns=_stems(name for table in tables for name in _column_names(table)),
        values=frozenset(_values(tables)),
        titles=_stems(titles),
        manual=_stems([*titles, *(document.text for document in manual.documents)]),
    )


def content_stems(text: str) -> list[str]:
    """The words of `text` that say what it is about, as a vocabulary holds them."""
    return [stem_of(word) for word in words(text) if word not in STOP_WORDS and len(word) > 1]


def _stems(texts: Iterable[str]) -> frozenset[str]:
    found = {stem for text in texts for stem in stems(" ".join(name_words(text)))}
    return frozenset(found - _PLAIN - STOP_WORDS)


def _column_names(table: Table) -> list[str]:
    return [name for column in table.columns.values() for name in (column.name, *column.synonyms)]


def _values(tables: Iterable[Table]) -> Iterable[str]:
    """Numbers and words as short as a flag would be found in any sentence."""
    for table in tables:
        for column in table.columns.values():
            said = (" ".join(map(singular, words(value))) for value in column.values)
            yield from (value for value in said if len(value) > 2 and not value.isdigit() and value not in STOP_WORDS)
