"""What `store` of a langgraph.json asks for."""

from collections.abc import Callable, Mapping
from typing import Any

from turnkeep.graphfile import GraphFile
from turnkeep.memory.meaning import Meaning
from turnkeep.settings import UnusableFile

_INDEX = '"index": {"embed": "openai:text-embedding-3-small", "dims": 1536}'


def options_of(file: GraphFile, load: Callable[[str, str], Any]) -> dict[str, Any]:
    """As DynamoDBStore takes them; `load` gives what a file or module of the folder calls so. Raises UnusableFile."""
    index, ttl = file.store.get("index"), file.store.get("ttl")
    if index is None:
        return {"ttl": ttl}
    if not isinstance(index, Mapping) or not isinstance(index.get("embed"), str):
        raise UnusableFile(f"{file.path}: `store.index` names no `embed`; write {_INDEX}")
    source, _, name = index["embed"].rpartition(":")
    own = load(source, name) if source.endswith(".py") or "/" in source else None
    try:
        return {"index": Meaning({**index, "embed": own or index["embed"]}), "ttl": ttl}  # type: ignore[typeddict-item]
    except Exception as error:  # whatever the package of the model raises where it lacks a key or is not installed
        why = f"{type(error).__name__}: {error}"
        raise UnusableFile(f"{file.path}: `store.index.embed` {index['embed']!r} cannot be used: {why}") from error
