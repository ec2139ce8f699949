"""A little English grammar for rules that read messages without a model: clauses, noun phrases, names, topics.
Function words are closed lists; a run of other words counts as a noun phrase, verbs included, which is near enough."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from turnkeep.blocks.words import STOP_WORDS, singular, words

_TOKEN = re.compile(r"[^\W_]+(?:[-'./&][^\W_]+)*|[^\w\s]")
_CONTRACTED = re.compile(r"n?'\w*$")


def word_class(text: str) -> frozenset[str]:
    return frozenset(text.split())


AUXILIARIES = word_class(
    "is are was were am be been being do does did has have had having can ca could will wo would shall should may"
    " might must cannot"
)
QUESTION_WORDS = word_class("what who whom whose which when where why how")
CONJUNCTIONS = word_class("and or but if because so while although though then nor yet when unless whether that")
PREPOSITIONS = word_class(
    "of in on at by for with from to about into over between among during against within without per via like than as"
    " under after before behind around near across through since until out up down off besides except regarding"
    " toward towards upon"
)
DETERMINERS = word_class(
    "a an the some any each every no this that these those my your our his her its their another other such both many"
    " much more most few several all what which whose"
)
SPEAKER = word_class("i me we us my our mine myself")
PRONOUNS = word_class("it itself its they them their theirs themselves he him his himself she her hers herself")
REQUESTS = word_class(
    "tell explain describe define compare give show list find name clarify summarize elaborate discuss please help"
    " let know want need see say mean think"
)
_FILLERS = word_class(
    "there here not also just even ever really very too again still now only else instead yes no ok okay oh well"
    " right you your one ones"
)
FUNCTION_WORDS = (
    AUXILIARIES | QUESTION_WORDS | CONJUNCTIONS | PREPOSITIONS | DETERMINERS | SPEAKER | PRONOUNS | REQUESTS | _FILLERS
)
_CLAUSE_OPENERS = QUESTION_WORDS | AUXILIARIES | SPEAKER | PRONOUNS | {"you", "there"}
_SENTENCE_ENDS = frozenset('.?!:"')
_CLAUSE_BREAKS = word_class("; . ? ! if when because that since")
LINKS = word_class("of between for behind in to on against with from about at during")
RELATIONAL = word_class(
    """
    advantage disadvantage benefit drawback pro con cause effect symptom sign impact implication consequence risk
    feature characteristic property component part element ingredient member type kind sort form variety version
    variant category class example instance role purpose goal aim objective function use application history origin
    root beginning founding creation invention discovery development evolution importance significance meaning
    definition difference similarity relationship relation connection comparison alternative option choice price cost
    fee charge rate size weight height length number amount limit limitation requirement criterion condition rule law
    regulation step process procedure method way approach technique treatment solution remedy cure fix answer reason
    evidence argument criticism controversy result outcome finding conclusion theme character author creator founder
    inventor owner name title topic age date location place source detail information status level population
    problem issue challenge danger future past influence factor deadline penalty fine exception eligibility support
    layer contribution side
    """
)
"""Nouns that are somebody's or something's: without a complement they lean on what was said."""
TWO_SIDED = word_class(
    "role impact effect influence contribution implication relationship relation connection difference similarity"
    " comparison advantage disadvantage benefit alternative"
)
"""Relational nouns with two sides: the role of one thing in another."""
QUALITIES = word_class(
    """
    good bad best better worst big biggest small smallest large largest main major minor key important common popular
    famous typical general basic different similar new old oldest modern traditional current recent first last early
    late other own short long longest high highest low lowest many full special specific certain particular natural
    possible potential available various negative positive well known likely usual several free real some more most
    iconic original primary youngest interesting significant notable essential
    """
)
PERIODS = word_class("year week month day morning evening afternoon summer winter time century season")
_EMPTY = word_class(
    """
    become begin book change come compare end fact get give happen idea make made people start story study thing
    two three work world used using value written wrote write mention mentioned called named found created cause
    go going look like take have anything something everything someone anyone question lot bit word talk talking
    speaking sure thank thanks great sorry hi hello
    """
)
_NO_TOPICS = STOP_WORDS | FUNCTION_WORDS | RELATIONAL | QUALITIES | PERIODS | _EMPTY


@dataclass(frozen=True)
class Phrase:
    """A run of content words: its words in the singular, the tokens around it, its place among the tokens."""

    words: tuple[str, ...]
    before: str
    after: str
    is_named: bool
    start: int
    end: int

    @cached_property
    def topics(self) -> frozenset[str]:
        return frozenset(filter(is_topic, self.words))


class Reading:
    """The first `most` characters of a text as tokens without contracted endings ("it's" is "it"), and its phrases."""

    def __init__(self, text: str, most: int):
        self.text = text[:most].replace("\u2019", "'").strip()
        self._written: list[str] = _TOKEN.findall(self.text)
        self.tokens = [_CONTRACTED.sub("", word.lower()) or word for word in self._written]

    @cached_property
    def phrases(self) -> list[Phrase]:
        return list(self._phrases())

    @cached_property
    def topics(self) -> frozenset[str]:
        return frozenset(topic for phrase in self.phrases for topic in phrase.topics)

    @cached_property
    def names(self) -> list[str]:
        """Words that carry a capital inside a sentence, or a digit, in lower case."""
        places = (at for phrase in self.phrases for at in range(phrase.start, phrase.end) if self._is_name(at))
        return [word for at in places for word in words(self.tokens[at])]

    def after(self, at: int) -> str:
        return self.tokens[at + 1] if at + 1 < len(self.tokens) else ""

    def before(self, at: int) -> str:
        return self.tokens[at - 1] if at else ""

    def unbound(self) -> Iterator[int]:
        """The places of tokens before which no earlier clause of the text has named anything."""
        topic_ends = (phrase.end for phrase in self.phrases if phrase.topics)
        first = next(topic_ends, len(self.tokens))
        for at in range(len(self.tokens)):
            yield at
            if at >= first and self._opens_clause(at):
                return

    def complement(self, number: int) -> Phrase | None:
        """The phrase tied to the phrase of that number: "the cell" in "the wall of the cell", and in "the wall and the
        core of the cell" too."""
        tied = self._tied(number)
        if tied is None and self.phrases[number].after in {"and", "or"}:
            return self._tied(number + 1)
        return tied

    def _tied(self, number: int) -> Phrase | None:
        pair = self.phrases[number : number + 2]
        is_tied = len(pair) == 2 and pair[0].after in LINKS and pair[1].start <= pair[0].end + 4
        return pair[1] if is_tied else None

    def _opens_clause(self, at: int) -> bool:
        word, following = self.tokens[at], self.after(at)
        if word in {"and", "or", "but", ","}:
            return following in _CLAUSE_OPENERS or (word == "," and following in CONJUNCTIONS)
        return word in _CLAUSE_BREAKS

    def _phrases(self) -> Iterator[Phrase]:
        start = None
        for at in range(len(self.tokens) + 1):
            if at < len(self.tokens) and self._is_content(at):
                start = at if start is None else start
            elif start is not None:
                yield self._phrase(start, at)
                start = None

    def _phrase(self, start: int, end: int) -> Phrase:
        inside = tuple(singular(word) for joined in self.tokens[start:end] for word in words(joined))
        is_named = any(map(self._is_name, range(start, end)))
        return Phrase(inside, self.before(start), self.after(end - 1), is_named, start, end)

    def _is_content(self, at: int) -> bool:
        return self.tokens[at][0].isalnum() and self.tokens[at] not in FUNCTION_WORDS

    def _is_name(self, at: int) -> bool:
        word = self._written[at]
        if any(map(str.isdigit, word)) or (len(word) > 1 and word.isupper()):
            return True
        return at > 0 and word[0].isupper() and self._written[at - 1] not in _SENTENCE_ENDS


def is_topic(word: str) -> bool:
    """Whether a word in the singular says what a text is about."""
    return len(word) > 1 and word not in _NO_TOPICS
