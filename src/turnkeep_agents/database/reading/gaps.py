"""Which of the words that nothing in the schema answers to a question cannot do without: what it counts, lists or asks
of something, and what narrows that down. A verb that only links what is known, a remark, a word of praise are told."""

import re
from collections.abc import Sequence

from turnkeep_agents.database.reading.asides import are_beside, is_praise, is_turn_of_phrase
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.restating import tables_of
from turnkeep_agents.database.reading.words.idioms import SAID
from turnkeep_agents.database.reading.words.lines import ITEM, TAKEN
from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep_agents.database.reading.words.vocabulary import (
    ARTICLES,
    FINAL_STATES,
    FUNCTION_WORDS,
    IDLE,
    PREPOSITIONS,
    STATES,
    UNFINISHED,
)
from turnkeep.blocks.grammar import AUXILIARIES, QUALITIES, word_class

_SUBJECT = "@"
_SPEAKERS = word_class("we they you i he she it")
_STATES = frozenset(word for alike in STATES for word in alike) | FINAL_STATES | UNFINISHED
_STOPS = frozenset(",;:.?!")
_SPEAKER = word_class("i me my you your myself")
_MEANT = word_class(
    "free late early negative positive full complete own short high low current available original primary several"
    " highest lowest longest"
)
_VAGUE = (QUALITIES - _MEANT) | word_class(
    "lovely nice neat tidy wonderful great fantastic brilliant awesome beautiful fine decent proper dear beloved poor"
    " usual relevant actual real whole entire exact precise quick brief simple rough handy useful"
    " interesting funny weird fancy pretty existing respective corresponding valued precious trusty"
)
_ADVERBS = word_class("perhaps maybe somehow somewhat anyway though alright afterwards meanwhile nowadays altogether")
_DOERS = AUXILIARIES | word_class("who that which we they you i he she to not")
_DOING = word_class("do does did")
_AMOUNTS = word_class("most least fewest more fewer no")
_LINKING = frozenset(
    map(
        root,
        word_class(
            "raise place create open issue book log file submit record add enter begin start arise happen occur"
            " carry perform conduct write produce generate come came go went arrive receive serve handle process"
            " manage operate maintain keep run use take took make made do done get got hold held offer provide"
            " register sit face encounter experience suffer see saw seen meet met tackle juggle attract collect"
            " gather accumulate accrue amass bring brought expect await put pull clock rack notch land turn churn"
            " crank chase track monitor watch park stash house buy bought lie sit sitting stand stay remain appear"
            " list store need require involve concern belong written taken given sent"
        ),
    )
)
"""Verbs that say of rows hardly more than that there are some."""
_WAIVER = re.compile(
    r"^\W*(?:(?:yes|yeah|ok|okay|fine|sure|please|just|then|well)\W+)*(?:(?:leave|drop|skip|ignore|forget|omit)"
    r"(?: about)? (?:it|that|this|them|those)(?: out| away)?|(?:go )?without (?:it|that|them)|never ?mind(?: that| it)?"
    r"|yes|yes please|ok|okay|sure|do that|leave out)\W*(?:please|then|thanks)?\W*$",
    re.IGNORECASE,
)


def waives(text: str) -> bool:
    """Whether the line says that an answer may do without the words that nothing answered to."""
    return _WAIVER.match(text) is not None


def missing_words(draft: Draft, asked: Asked) -> list[str]:
    """Those of the unread words that the answer may not do without, as they were said, and those that the reading found
    only so far away from its subject that something else must be meant."""
    tokens = draft.line.code.split()
    found, last = [*draft.lost, *_far_words(draft, asked)], -2
    for at, token in enumerate(tokens):
        said = _said(draft, token)
        if said not in draft.unread or not _is_decisive(draft, tokens, at, said):
            continue
        if last == at - 1 and found:
            found[-1] = f"{found[-1]} {said}"
        else:
            found.append(said)
        last = at
    return list(dict.fromkeys(found))


def still_missing(draft: Draft, amended: Asked, before: Asked) -> tuple[str, ...]:
    """What the line lacks; what the one before lacked, where this one puts nothing in its place."""
    is_same = (amended.subject, amended.conditions, amended.absences) == (
        before.subject,
        before.conditions,
        before.absences,
    )
    return tuple(missing_words(draft, amended)) or (before.missing if is_same else ())


def _far_words(draft: Draft, asked: Asked) -> list[str]:
    far = {table for table in tables_of(asked) if draft.ground.is_remote(asked.subject, table)}
    if far and asked.of and asked.of.table == asked.subject:
        far = {asked.subject}
    named = [one for one in draft.line.mentions if far & {meaning.table for meaning in one.meanings}]
    return [one.text for one in named]


def _said(draft: Draft, token: str) -> str:
    return draft.line.at(token).text if re.fullmatch(ITEM, token) else SAID.get(token, token)


def _is_decisive(draft: Draft, tokens: Sequence[str], at: int, said: str) -> bool:
    word = said.lower()
    if word in _VAGUE or word in _ADVERBS or word in SAID.values() or _is_adverb(tokens, at, word):
        return False
    known = [one.text for one in draft.line.mentions if one.of("table", "value") and one.text not in draft.unread]
    if _is_remark(draft, tokens, at) or are_beside(draft.line.text, said, known):
        return False
    if is_turn_of_phrase(tokens, at, word):
        return False
    if is_praise(word) and _is_before_noun(draft, tokens, at):
        return False
    return not (_links(draft, tokens, at, word) or _names_kind(draft, tokens, at, word))


def _is_adverb(tokens: Sequence[str], at: int, word: str) -> bool:
    before = tokens[at - 1] if at else ""
    return len(word) > 4 and word.endswith("ly") and before not in ARTICLES | PREPOSITIONS


def _is_remark(draft: Draft, tokens: Sequence[str], at: int) -> bool:
    """Whether the word stands in a part of the line in which somebody speaks of himself, beside the question."""
    begin = max((place for place in range(at) if tokens[place] in _STOPS), default=-1) + 1
    end = next((place for place in range(at, len(tokens)) if tokens[place] in _STOPS), len(tokens))
    part, rest = tokens[begin:end], [*tokens[:begin], *tokens[end:]]
    is_asked = _SUBJECT in part or not any(map(_is_understood, rest))
    is_strange = not any(_is_understood(token) and _said(draft, token) not in draft.unread for token in part)
    return not is_asked and (bool(_SPEAKER & set(part)) or is_strange)


def _is_before_noun(draft: Draft, tokens: Sequence[str], at: int) -> bool:
    """Whether it stands before a noun that is understood, be it with other adjectives between them."""
    said = (token for token in tokens[at + 1 :] if token not in QUALITIES)
    behind = next((token for token in said if not is_praise(_said(draft, token).lower())), "")
    return _is_understood(behind) and _said(draft, behind) not in draft.unread


def _links(draft: Draft, tokens: Sequence[str], at: int, word: str) -> bool:
    """Whether it is a verb that only connects what is understood on both sides of it."""
    before = next(
        (tokens[place] for place in range(at - 1, -1, -1) if not _is_adverb(tokens, place, tokens[place])), ""
    )
    place = next((place for place in range(at + 1, len(tokens)) if not _is_small(tokens[place])), len(tokens))
    behind = tokens[place] if place < len(tokens) else ""
    is_last = not behind or behind in _STOPS
    if root(word) in _STATES or before in ARTICLES:
        return False
    if not is_last and place > at + 1 and is_turn_of_phrase(tokens, place, _said(draft, behind).lower()):
        return True
    is_light = root(word) in _LINKING and _is_understood(behind)
    if (is_last or is_light) and _ends_inverted(tokens, at):
        return True
    if _is_of_speaker(tokens, at) and not _is_timed(draft, word):
        return True
    is_said_of = before in _DOERS or (
        _is_understood(before) and (_follows_plural(draft, word) or _has_object(tokens, at))
    )
    is_before_noun = at + 1 < len(tokens) and _is_understood(tokens[at + 1])
    if not (is_said_of or (_is_verb(word) and not is_before_noun)):
        return False
    says_little = root(word) in _LINKING or (draft.measure == "sum" and (_is_verb(word) or before in _DOERS))
    return is_last or _is_understood(behind) if says_little else _is_understood(behind) and not _is_timed(draft, word)


def _has_object(tokens: Sequence[str], at: int) -> bool:
    return at + 1 < len(tokens) and (tokens[at + 1] in ARTICLES or tokens[at + 1] in _AMOUNTS)


def _is_small(token: str) -> bool:
    return token not in _STOPS and (token in FUNCTION_WORDS or token in IDLE or token in PREPOSITIONS)


def _is_verb(word: str) -> bool:
    return word.endswith(("ed", "ing", "wn", "ven"))


def _is_understood(token: str) -> bool:
    return token in (TAKEN, _SUBJECT) or bool(re.fullmatch(ITEM, token))


def _follows_plural(draft: Draft, word: str) -> bool:
    """Whether the noun before it is complete: what follows one in the singular goes on with its name, or is a verb of
    the third person."""
    found = re.search(rf"([^\W\d_]+)\s+{re.escape(word)}\b", draft.line.text.lower())
    if found is None:
        return False
    is_third = word.endswith("s") and bool(re.match(r"\W*(?:which|what|who)\b", draft.line.text.lower()))
    return singular(found[1]) != found[1] or is_third


def _ends_inverted(tokens: Sequence[str], at: int) -> bool:
    """Whether it is the verb at the end of a question whose doer is named before it: how many of them that one has."""
    auxiliaries = AUXILIARIES if tokens[at].endswith("ing") else _DOING
    doing = max((place for place in range(at) if tokens[place] in auxiliaries), default=-1)
    between = tokens[doing + 1 : at]
    is_named = any(map(_is_understood, between)) and not any(token in _SPEAKERS for token in between)
    return doing >= 0 and is_named and all(_is_understood(token) or _is_small(token) for token in between)


def _is_of_speaker(tokens: Sequence[str], at: int) -> bool:
    """Whether it is what somebody says that he does with what is understood: which ones do we look into."""
    doing = tokens[max(at - 2, 0) : at]
    is_asked = len(doing) == 2 and doing[0] in AUXILIARIES and doing[1] in _SPEAKERS
    return is_asked and at > 2 and _is_understood(tokens[at - 3])


def _is_timed(draft: Draft, word: str) -> bool:
    """Whether nothing but a time stands behind it: what happened then is what the question is about."""
    text = draft.line.text.lower()
    found = re.search(rf"\b{re.escape(word)}\b", text)
    times = [mention.stretch for mention in draft.line.mentions if mention.stretch is not None]
    return found is not None and any(
        all(each in FUNCTION_WORDS for each in text[found.end() : max(time.at, found.end())].split())
        for time in times
        if time.to > found.end()
    )


def _names_kind(draft: Draft, tokens: Sequence[str], at: int, word: str) -> bool:
    """Whether it is the noun of a kind that is understood: hotel stays, where expenses are of the kind hotel."""
    found = re.search(rf"([^\W\d_]+)\s+{re.escape(word)}\b", draft.line.text.lower())
    if found is None or singular(word) == word or not (at and tokens[at - 1] == TAKEN):
        return False
    kinds = [one for one in draft.ground.lexicon.meanings([found[1]], draft.allowed) if one.sort == "value"]
    held = {(one.field.table, one.field.column) for one in draft.conditions}
    return any((one.table, one.column) in held and draft.ground.profiles[one.table].is_lookup for one in kinds)
