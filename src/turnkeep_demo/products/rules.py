"""What the demo says in place of a model."""

from collections.abc import Mapping
from typing import Any


def rules() -> Mapping[str, Any]:
    return {}
