"""What papers are called: by id, by title, by its part before a colon, and by the name with which the text opens."""

import re
from collections.abc import Iterable, Mapping

from turnkeep.blocks.documents import Document
from turnkeep.blocks.words import singular, words

LONGEST_NAME = 40

_TOKEN = re.compile(r"[\w-]+")
_SPELLED_LIKE_A_NAME = re.compile(r"(?=\w*[A-Z]\w*[A-Z]|[\w-]*\d|\w+-[A-Z])[A-Za-z][\w-]*")
_SHORT_FORM = re.compile(r"^(?P<long>[^.(]{3,60}) \((?P<short>[A-Za-z][\w-]{1,15})\)")
_ARTICLE = re.compile(r"^(The|An?) ")
_LOWER_CASE = re.compile(r"\b[a-z][a-z-]+")


class Names:
    """Finds the papers that a text calls by name."""

    def __init__(self, papers: Iterable[Document]):
        every = list(papers)
        ordinary = {word for paper in every for word in _LOWER_CASE.findall(paper.text)}
        self._ids: dict[tuple[str, ...], str] = {}
        self._spelled: set[str] = set()
        shared: set[tuple[str, ...]] = {()}  # what two papers are called tells neither from the other
        for paper in every:
            names = _own_names(paper, ordinary)
            self._spelled |= {name for name in names if _SPELLED_LIKE_A_NAME.fullmatch(name)}
            shared |= {phrase for phrase in map(_phrase, names) if self._ids.setdefault(phrase, paper.id) != paper.id}
        for phrase in shared:
            self._ids.pop(phrase, None)
        self._longest = max(map(len, self._ids), default=0)

    def find(self, text: str) -> list[str]:
        """The ids of the papers that `text` names, in its order; of names within names the longest counts."""
        said = _phrase(text)
        found: dict[str, None] = {}
        at = 0
        while at < len(said):
            lengths = range(min(self._longest, len(said) - at), 0, -1)
            length = next((n for n in lengths if said[at : at + n] in self._ids), 0)
            if length:
                found[self._ids[said[at : at + length]]] = None
            at += max(length, 1)
        return list(found)

    def is_spelled_in(self, text: str) -> bool:
        """True where `text` spells a name just as its paper does, in whatever language the rest is."""
        return not self._spelled.isdisjoint(spelled_like_names(text))

    @property
    def phrases(self) -> Mapping[tuple[str, ...], str]:
        """Each name as words, with the id of its paper."""
        return self._ids


def spelled_like_names(text: str) -> list[str]:
    """Words that are spelled as no ordinary word is: capitals inside, digits."""
    tokens = dict.fromkeys(token for token in _TOKEN.findall(text) if len(token) <= LONGEST_NAME)
    found = [token for token in tokens if _SPELLED_LIKE_A_NAME.fullmatch(token)]
    return [word for word in found if len(word) > 2 or not word.isalpha()]


def _own_names(paper: Document, ordinary: set[str]) -> list[str]:
    head = paper.title.split(":")[0]
    names = [paper.id, paper.title, *([] if head.lower() in ordinary else [head])]
    text = _ARTICLE.sub("", paper.text)
    if short_form := _SHORT_FORM.match(text):
        names += [short_form["long"], short_form["short"]]
    opening, _, rest = text.partition(" ")
    is_capital = opening[:1].isupper() and not {opening.lower(), opening.lower() + "s"} & ordinary
    is_alone = short_form is None and rest[:1].islower() and "-" not in opening
    if _SPELLED_LIKE_A_NAME.fullmatch(opening) or (is_capital and is_alone):
        names.append(opening)
    return names


def _phrase(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in words(text))
