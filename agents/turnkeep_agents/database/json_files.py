"""The agent's JSON files, validated by their shape: access rules, the join graph and its sources. An unusable file is
refused with the place of the fault and a remedy."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from turnkeep.kit.documents import read_text
from turnkeep.settings import UnusableFile

S = TypeVar("S", bound="Shape")

Text: TypeAlias = Annotated[str, Field(min_length=1)]

CLOSED = ConfigDict(extra="forbid")  # a misspelt field would be ignored silently
_UNKNOWN = "no such field is known; remove it or correct its name"
_REMEDIES = {
    "missing": "add it",
    "extra_forbidden": _UNKNOWN,
    "unexpected_keyword_argument": _UNKNOWN,
    "string_type": "write a text",
    "string_too_short": "write a name that is not empty",
    "tuple_type": "write a list",
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type"), "write an object"),
}


class Shape(BaseModel):
    model_config = ConfigDict(**CLOSED, frozen=True)


def read_shape(path: Path, shape: type[S], remedy: str = "") -> S:
    """Read the JSON object in a file; raise UnusableFile with file and place. `remedy` replaces the advice to correct
    that place."""
    text, otherwise = read_text(path), remedy or "Correct it there."
    try:
        found = json.loads(text, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise UnusableFile(f"{path} is nested too deeply. {otherwise}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UnusableFile(f"{path} is not valid JSON: {error.msg} at {where}. {otherwise}") from None
    except ValueError as error:
        raise UnusableFile(f"{path}: {error}. {otherwise}") from None
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        raise UnusableFile(f"{path}: {_first_fault(error)}{f'. {remedy}' if remedy else ''}") from None


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"]).lstrip(".")
    message = fault["msg"].removeprefix("Value error, ")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{place or 'as a whole'}: {_REMEDIES.get(fault['type']) or message[0].lower() + message[1:]}{more}"
