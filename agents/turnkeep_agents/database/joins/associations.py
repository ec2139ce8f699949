"""Read an extract of the application's Sequelize models. It may be older or wider than the database: associations that
do not match are reported and left out."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from turnkeep_agents.database.joins.link_costs import is_sound
from turnkeep_agents.database.joins.naming import name_words, thing_words
from turnkeep_agents.database.joins.records import Cardinality, JoinGraph, Relationship, Table, merged
from turnkeep_agents.database.json_files import Shape, Text, read_shape

CONFIDENCE = 0.95
REMEDY = 'Each association is {"type": "belongsTo", "source": TABLE, "target": TABLE, "foreignKey": COLUMN}.'

# Sequelize takes a column's name, or an object with the name
Key: TypeAlias = Annotated[str, BeforeValidator(lambda key: key.get("name", "") if isinstance(key, dict) else key)]


class Association(Shape):
    """As in Sequelize: `foreignKey` is a column of the source for belongsTo, of the target for hasOne and hasMany, of
    `through` for belongsToMany, where `otherKey` points at the target."""

    type: Literal["belongsTo", "hasOne", "hasMany", "belongsToMany"]
    source: Text
    target: Text
    foreign_key: Key = Field("", alias="foreignKey")
    other_key: Key = Field("", alias="otherKey")
    source_key: Key = Field("", alias="sourceKey")
    target_key: Key = Field("", alias="targetKey")
    through: Key = ""
    role: str = Field("", alias="as")


class Associations(Shape):
    version: Literal[1] = 1
    associations: tuple[Association, ...]


def with_associations(graph: JoinGraph, path: Path) -> tuple[JoinGraph, list[str]]:
    """Return the graph with the links of an extract, and the associations that do not match the database. Raises
    UnusableFile."""
    extract = read_shape(path, Associations, REMEDY)
    links, left_out = [], []
    for place, association in enumerate(extract.associations):
        found = list(_links_of(graph, association))
        sound = [link for link in found if is_sound(graph, link)]
        links += sound
        if not sound or len(sound) < len(found):
            left_out.append(f"associations[{place}]: {association.source} {association.type} {association.target}")
    return replace(graph, relationships=merged(graph.relationships, links)), left_out


def _links_of(graph: JoinGraph, association: Association) -> Iterator[Relationship]:
    source, target = _table(graph, association.source), _table(graph, association.target)
    if source is None or target is None:
        return
    own = association.foreign_key or _guessed_key(source, association.role or target.name)
    theirs = association.foreign_key or _guessed_key(target, source.name)
    if association.type == "belongsTo":
        yield _link(source, own, target, association.target_key, association.role)
    elif association.type == "belongsToMany":
        through = _table(graph, association.through)
        if through is not None:
            first = association.foreign_key or _guessed_key(through, source.name)
            yield _link(through, first, source, association.source_key, "")
            other = association.other_key or _guessed_key(through, target.name)
            yield _link(through, other, target, association.target_key, association.role)
    else:
        cardinality: Cardinality = "1:1" if association.type == "hasOne" else "N:1"
        yield replace(_link(target, theirs, source, association.source_key, ""), cardinality=cardinality)


def _link(table: Table, column: str, target: Table, key: str, role: str) -> Relationship:
    ends = key or (target.primary_key[0] if len(target.primary_key) == 1 else "id")
    cardinality: Cardinality = "1:1" if column in table.unique_columns else "N:1"
    is_plain = name_words(role) in {thing_words(target.name), name_words(target.name)}
    role = "" if is_plain else " ".join(name_words(role))
    return Relationship(table.name, column, target.name, ends, "association", CONFIDENCE, cardinality, role)


def _guessed_key(table: Table, name: str) -> str:
    """Return the column that Sequelize would use, however it is spelt: the other's name and `Id`."""
    wanted = {(*name_words(name), "id"), (*thing_words(name), "id")}
    return next((column for column in table.columns if name_words(column) in wanted), "")


def _table(graph: JoinGraph, name: str) -> Table | None:
    if name in graph.tables:
        return graph.tables[name]
    near = [table for table in graph.tables.values() if thing_words(table.name) == thing_words(name)]
    return near[0] if len(near) == 1 else None
