"""Text made shorter by rules: what a model that summarises would write, where none is there. All limits are in bytes as
JSON packs them, so that what is stored stays within them in any script."""

import json
import re
from collections.abc import Iterable, Sequence

from turnkeep.blocks.words import STOP_WORDS

LEFT_OUT = " … "
ASKED_BYTES = 44  # of one message
READ_CHARACTERS = 2_000  # of one message
MOST_NAMED = 8
LONGEST_WORD = 20  # a longer one is cut: it may be a line without spaces

_SENTENCE = re.compile(r"[^.?!\n]+[?!]?")
_NAME = re.compile(r"\b[A-Z][\w-]*(?: [A-Z0-9][\w-]*){1,4}|(?<=[\w,;)] )[A-Z][\w-]+")
_FIGURE = re.compile(r"(?:[$€£] ?)?\d(?:[\d,.]*\d)?(?: ?(?:%|[A-Z]{2,3}\b))?")


def cut(text: str, most: int) -> str:
    """One line of at most `most` bytes, ended between words; control characters and half characters are left out."""
    line = " ".join(_shown(text[: 4 * most]).split())
    if _size(line) <= most:
        return line
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(line[:middle]) <= most - 3 else (low, middle - 1)
    shorter = line[:low].rsplit(" ", 1)[0] if " " in line[:low][low // 2 :] else line[:low]
    return shorter.rstrip(" ,;") + "…"


def joined(texts: Iterable[str], most: int) -> str:
    """One after the other; of what is too long, the beginning and the end, for where a conversation began lasts."""
    whole = " ".join(filter(None, texts))
    if _size(whole) <= most:
        return whole
    head = cut(whole.split(LEFT_OUT)[0], most // 3).rstrip("…")
    return head + LEFT_OUT + _end(whole, most - _size(head) - _size(LEFT_OUT))


def outline(said: Sequence[tuple[bool, str]], most: int) -> str:
    """What was asked, and the names and figures of the answers; `said` holds whether it was the user, and the text."""
    asked = [cut(_first_sentence(text), ASKED_BYTES) for is_user, text in said if is_user]
    told = " ".join(text[:READ_CHARACTERS] for is_user, text in said if not is_user)
    named = list(dict.fromkeys(filter(None, map(_without_opening, _NAME.findall(told)))))[:MOST_NAMED]
    figures = list(dict.fromkeys(found[0] for found in _FIGURE.finditer(_NAME.sub(" ", told))))[:MOST_NAMED]
    parts = {"Asked": "; ".join(filter(None, asked)), "Named": ", ".join(named), "Figures": ", ".join(figures)}
    lines = [f"{title}: {text}" for title, text in parts.items() if text]
    return cut(" ".join(line if line.endswith("?") else f"{line}." for line in lines) or "Nothing was said.", most)


def _without_opening(name: str) -> str:
    """A name at the start of a sentence without the sentence's first word."""
    first, _, rest = name.partition(" ")
    return rest if first.lower() in STOP_WORDS else name


def _first_sentence(text: str) -> str:
    found = _SENTENCE.search(text[:READ_CHARACTERS])
    return found[0].strip() if found else ""


def _end(text: str, most: int) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _size(text[middle:]) <= most else (middle + 1, high)
    first, _, rest = text[low:].partition(" ")
    return rest if len(first) < LONGEST_WORD else text[low:]


def _shown(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable() or letter.isspace())


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode(errors="replace")) - 2
