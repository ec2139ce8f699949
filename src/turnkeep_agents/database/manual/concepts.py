"""What a question is about, one concept for each word or turn of speech that says something, and how much a section
speaks of it: its heading and the index words behind it count for more than its text, the words of its page for less."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from turnkeep_agents.database.manual.idioms import IDIOMS
from turnkeep_agents.database.manual.stems import stem_of, stems
from turnkeep_agents.database.manual.wording import alike
from turnkeep.blocks.rarity import Weights
from turnkeep.blocks.rarity import stem_of as rough_stem_of
from turnkeep.blocks.words import STOP_WORDS, singular, words
from turnkeep.records import JSON

MOST_CHARACTERS = 1_000  # of a question that are read
OTHER_WORD = 0.7
IDIOM = 0.9
IDIOM_WEIGHT = 1.3  # a turn of speech says more than a word
HEADING, INDEX, TEXT, PAGE = 1.6, 1.5, 1.0, 0.6
STRANGE = 1.2  # of a word that the manual does not have: it may be the subject, or a way of talking
STRANGE_NAME = 0.3
OTHER_EVIDENCE = 0.6  # of a word that may stand for another, where it is to be told whether a section answers
SHORTEST_INFLECTED = 4  # letters: no form of a pronoun is a word
SHARE_OF_SEVERAL = 0.25  # what further words of an idiom add to the first that is found

# Words of asking, which say what kind of answer is wanted.
_ASKING = frozenset(
    """want need like know tell explain show give help please use used using get make made go let happen happens mean
    able possible allowed way steps step instruction guide kind type thing something someone anybody somebody many much
    long often big large work works find see look exactly really still now
    same two difference different differ between compare application system software product available
    exist""".split()  # noqa: SIM905
)
# Words of everyday talk, which say nothing of the subject whatever it is.
_EVERYDAY = frozenset(
    """got getting gets gotten gone going goes went come came coming keep keeps kept put puts say says said saying think
    thought try tried trying seem seems sit sits stick stuck ask asked asking told talk done doing did does happened
    ve ll re don doesn didn isn aren wasn won wouldn shouldn couldn can hasn haven hadn ain cannot im ive dont cant wont
    he she him her his hers herself himself myself yourself who whoever us ours
    today tomorrow yesterday tonight monday tuesday wednesday thursday friday
    january february march april june july august september october november december
    last next week month day past ago early later soon already yet again before just even only always never ever
    thing things stuff bit lot lots loads way ways everything nothing anything whole bunch couple
    first second one another other others else same each every few
    okay ok please thanks cheers sorry mate pal buddy dear hello hey hi well right actually basically probably maybe
    somehow anyway quickly easily properly correctly wrongly totally completely normal normally usually
    good bad nice great silly stupid damn bloody blasted flipping old new nasty big small little huge
    up down out off on in over under around back away through across into onto upon at here there where
    what which why when how because since until though although instead without within than too very so
    supposed gonna wanna gotta need needs wants wanting wish hope like prefer best better worse trick idea
    am let lets take takes took taken taking given giving gave clue point matter fact case reason sort sorts half
    minute once
    quick fast easy putting letting setting human person anywhere somewhere nowhere somehow eat eating bother
    bothered turns turned look looks looking sure unsure wonder
    wondering meant used pretty kinda sorta ages since myself guess bet seriously honestly annoying stupid
    constantly always
    isnt arent wasnt werent doesnt didnt hasnt havent hadnt couldnt wouldnt shouldnt mustnt neednt aint
    thats whats wheres whos theres hes shes theyre youre youve weve theyve theyll youll itll
    twenty thirty forty fifty sixty seventy eighty ninety hundred thousand dozen dozens
    program programme press pressed button function functioning earth hell heaven god middle moment meanwhile
    suddenly finally exactly currently permitted possible impossible
    summer winter spring autumn noon midnight clock
    white black blue green brown morning evening half full own owns yearly stuff kind sorts dead old young ours
    theirs mr mrs ms sir fine ten three four five six seven eight nine
    else someone anyone everyone nobody everybody""".split()  # noqa: SIM905
)
_SAYS_NOTHING = _ASKING | _EVERYDAY
_INFLECTED = _SAYS_NOTHING | frozenset(
    form
    for word in _SAYS_NOTHING
    if len(word) >= SHORTEST_INFLECTED
    for form in (f"{word}s", f"{word}ing", f"{word.removesuffix('e')}ing", f"{word.removesuffix('e')}ed",
                 f"{word.removesuffix('e')}er", f"{word.removesuffix('e')}est")
)  # fmt: skip
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?='s\b)|\b(?:Mr|Mrs|Ms|Dr)\.? [A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Concept:
    """Stems: `own` is the word that was said, empty for a turn of speech; `others` may stand for it. A name is one of
    people, whom no manual knows."""

    own: str
    others: frozenset[str]
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """The stems of a section, by where they stand."""

    heading: frozenset[str]
    index: frozenset[str]
    text: frozenset[str]
    page: frozenset[str]

    def place_of(self, stem: str) -> float:
        """How much the best place of the word counts; 0 where it stands nowhere."""
        if stem in self.heading:
            return HEADING
        if stem in self.index:
            return INDEX
        return TEXT if stem in self.text else PAGE if stem in self.page else 0.0


def asked_stems(question: str) -> list[str]:
    """What a question is about, each word once, in order; as schemas and routes know words."""
    said = [word for word in words(question) if word not in STOP_WORDS and len(word) > 1]
    kept = [word for word in said if singular(word) not in _ASKING and word not in _ASKING] or said
    return list(dict.fromkeys(rough_stem_of(word) for word in kept))


def concepts_of(question: str) -> tuple[Concept, ...]:
    """Each once, in order; the words of a turn of speech are none of their own."""
    said = " ".join(words(question[:MOST_CHARACTERS]))
    found: dict[Concept, None] = {}
    for pattern, meant in IDIOMS:
        for match in pattern.finditer(said):
            literal = set(_said_stems(match[0])) if meant else set()
            gap = set(_said_stems(" ".join(filter(None, match.groups()))))
            found[Concept("", frozenset({*map(stem_of, meant), *(literal - gap)}))] = None
        said = pattern.sub(lambda match: f" | {' '.join(filter(None, match.groups()))} | ", said)
    own = tuple(_said_stems(said))
    names = set(stems(" ".join(_NAME.findall(question[:MOST_CHARACTERS]))))
    for stem in own:
        found[Concept(stem, alike(stem).difference(own), stem in names)] = None
    return tuple(one for one in found if one.own or one.others)


def _said_stems(said: str) -> Iterator[str]:
    rest = [word for word in said.split() if word not in STOP_WORDS and len(word) > 1]
    kept = [word for word in rest if not {word, singular(word)} & _INFLECTED]
    yield from dict.fromkeys(map(stem_of, kept))


def fields_of(row: JSON) -> Fields:
    """Of a section as a prompt holds it."""
    return _fields(
        row["title"], row["text"], *(str(row.get("metadata", {}).get(key, "")) for key in ("also", "page_also"))
    )


def plain_fields(text: str) -> Fields:
    """Of a text without headings."""
    nothing: frozenset[str] = frozenset()
    return Fields(nothing, nothing, frozenset(stems(text)), nothing)


@lru_cache(maxsize=4_096)
def _fields(title: str, text: str, also: str, page_also: str) -> Fields:
    page, _, heading = title.rpartition(" > ")
    named = heading or page
    return Fields(*(frozenset(stems(one)) for one in (named, also, text, f"{page} {page_also}")))


def strength(concept: Concept, fields: Fields) -> float:
    """How much a section speaks of it: 1 where its text has the very word."""
    own = fields.place_of(concept.own) if concept.own else 0.0
    places = sorted((fields.place_of(stem) for stem in concept.others), reverse=True)
    other = places[0] if places else 0.0
    if concept.own:
        return max(own, OTHER_WORD * other)
    return IDIOM * (other + SHARE_OF_SEVERAL * sum(places[1:3]))


def evidence(concept: Concept, fields: Fields) -> float:
    """The same from 0 to 1, wherever it stands, with less trust in what may only stand for it."""
    if not concept.own:
        return min(1.0, strength(concept, fields))
    other = min(1.0, max((fields.place_of(stem) for stem in concept.others), default=0.0))
    return max(min(1.0, fields.place_of(concept.own)), OTHER_EVIDENCE * other)


def weight_of(concept: Concept, weights: Weights) -> float:
    """As of a word: by how few sections speak of it. What has a common word beside it is no rare subject."""
    known = [weights.of(stem) for stem in concept.others if weights.knows(stem)]
    if not concept.own:
        return IDIOM_WEIGHT * sum(known) / len(known) if known else 0.0
    own = weights.of(concept.own)
    if weights.knows(concept.own):
        return (own + min([own, *known])) / 2
    return min(known, default=(STRANGE_NAME if concept.is_name else STRANGE) * own)


def score(concepts: Sequence[Concept], fields: Fields, weights: Weights) -> float:
    """How much of what is asked a section speaks of, with the places where it does; 1 for all of it in the text."""
    total = sum(weight_of(one, weights) for one in concepts)
    return sum(weight_of(one, weights) * strength(one, fields) for one in concepts) / total if total else 0.0


def coverage(concepts: Sequence[Concept], fields: Fields, weights: Weights) -> float:
    """The share of what is asked that a section speaks of, wherever it does."""
    total = sum(weight_of(one, weights) for one in concepts)
    said = sum(weight_of(one, weights) * evidence(one, fields) for one in concepts)
    return said / total if total else 0.0
