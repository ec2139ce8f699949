"""What in a text looks as if it were meant for a model and not for its reader, by structure alone. It is told to the
owner and never relied on: the guard is that a document's text is data, whatever it says."""

import re
from collections import Counter

_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_INVISIBLE_RUN = re.compile(f"{_INVISIBLE.pattern}{{4,}}")  # single ones stand in honest text, as places to break it
_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007e]{4,}")  # letters that no font shows
_MARKERS = re.compile(
    r"<\|[a-z_]{2,20}\|>"  # "<|im_start|>"
    r"|\[/?INST\]|<</?SYS>>"
    r"|^[ \t#*]{0,8}(?:system|assistant)(?: prompt| message)?[ \t*]{0,4}:",  # "System:", a role of a protocol
    re.IGNORECASE | re.MULTILINE,
)


def suspicions(text: str) -> Counter[str]:
    """How often each was met: "invisible_characters", "tag_characters", "role_markers"."""
    patterns = {"invisible_characters": _INVISIBLE_RUN, "tag_characters": _TAG_CHARACTERS, "role_markers": _MARKERS}
    return +Counter({name: sum(1 for _ in pattern.finditer(text)) for name, pattern in patterns.items()})


def visible(text: str) -> str:
    """Without characters that nobody sees; joiners, which some scripts need, stay."""
    return _INVISIBLE.sub("", text)
