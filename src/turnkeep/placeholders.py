"""What stands for personal data in a stored text, such as "[EMAIL_3f9a1c2b]". Whoever reads a thread for its owner
needs no more than this; `blocks.pii` makes them."""

import re
from collections.abc import Mapping

PLACEHOLDER = re.compile(r"\[([A-Z_]{2,24})_[0-9a-f]{8}\]")


def restored(text: str, values: Mapping[str, str]) -> str:
    """The text with what its placeholders stand for. One that stands for nothing stays as it is."""
    return PLACEHOLDER.sub(lambda at: values.get(at[0], at[0]), text)


def shown(text: str) -> str:
    """The text as a list may show it: "[EMAIL_3f9a1c2b]" is "[EMAIL]"."""
    return PLACEHOLDER.sub(r"[\1]", text)
