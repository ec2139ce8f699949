"""Memory filters with the semantics of LangGraph's InMemoryStore."""

from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from turnkeep.errors import InvalidRequest

_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {"$eq": eq, "$ne": ne}
_ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}


def fits(value: Any, wanted: Mapping[str, Any] | None) -> bool:
    """Return whether a value matches: `{"age": {"$gte": 18}, "home": {"town": "Pisa"}}`. Raise InvalidRequest."""
    return all(_fits(_at(value, name), each) for name, each in (wanted or {}).items())


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, name, other) for name, other in wanted.items())
        return isinstance(value, Mapping) and fits(value, wanted)
    if isinstance(wanted, list | tuple):
        is_list = isinstance(value, list | tuple) and len(value) == len(wanted)
        return is_list and all(map(_fits, value, wanted))
    return bool(value == wanted)


def _at(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _compares(value: Any, operator: str, other: Any) -> bool:
    if operator in _COMPARED:
        return _COMPARED[operator](value, other)
    if operator not in _ORDERED:
        raise InvalidRequest(f"filter: Send {', '.join([*_COMPARED, *_ORDERED])}; there is no other operator.")
    try:
        return _ORDERED[operator](float(value), float(other))
    except (TypeError, ValueError):  # dates such as "2026-11-23" are ordered too; unordered values do not match
        return isinstance(value, str) and isinstance(other, str) and _ORDERED[operator](value, other)
