"""The few forms of question that the demo knows. A message is understood completely or not at all."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnkeep.kit.words import STOP_WORDS, words
from turnkeep.records import JSON

LONGEST = 300  # characters: a longer message matches none of these forms
ABOUT, AUTHORS, YEAR, LINK, COMPARE, MENTIONS, BY = "about", "authors", "year", "link", "compare", "mentions", "by"

_CITED = re.compile(r"\[([^\[\]\s]+)\]")
_LEAD = re.compile(r"^(?:(?:and|so|ok|okay|then|please|now|can you|could you)[ ,]+)+", re.IGNORECASE)
_WHAT_IS = r"what(?:'s| is| are)"
_MADE = r"(?:published|written|introduced|released|proposed|invented|come out|appear)"
_LISTED = r"(?:(?:which|what|list|show me|show|find|are there)(?: all| any| the| more)* )?papers"
_TAIL = re.compile(r"(?: to me| about| briefly| in simple (?:words|terms)| do you have| are there)+$", re.IGNORECASE)
_FORMS = tuple(
    (form, re.compile(pattern, re.IGNORECASE))
    for form, pattern in (
        (COMPARE, rf"(?:compare|{_WHAT_IS} the difference between) (.+?) (?:and|with|to) (.+)"),
        (COMPARE, r"how (?:does|do|is|are) (.+?) (?:differ|different|compare|compared) (?:from|with|to) (.+)"),
        (COMPARE, r"(.+?) (?:vs\.?|versus) (.+)"),
        (AUTHORS, r"who (?:wrote|invented|introduced|proposed|created|published|made|are the authors of) (.+)"),
        (AUTHORS, r"who (?:is|was) the author of (.+)"),
        (YEAR, rf"when (?:was|were|did) (.+?) {_MADE}"),
        (YEAR, rf"(?:in )?(?:what|which) year (?:was|were|did) (.+?) {_MADE}"),
        (LINK, r"where can i (?:read|find|get|download) (.+)"),
        (LINK, r"(?:give me )?(?:the |a )?(?:link|url) (?:to|of|for) (.+)"),
        (BY, rf"{_LISTED} (?:by|written by|did) (.+?)(?: write| publish)?"),
        (MENTIONS, rf"{_LISTED} (?:are |there )*(?:about|on|build on|use|mention|deal with|speak of) (.+)"),
        (ABOUT, r"how (?:does|do) (.+?) work"),
        (ABOUT, r"what (?:problem )?(?:does|do) (.+?) (?:do|solve|propose)"),
        (ABOUT, rf"(?:{_WHAT_IS}|explain|describe|summari[sz]e|tell me about|tell me more about|what about) (.+)"),
    )
)
_TALK: Mapping[str, re.Pattern[str]] = {
    "greeting": re.compile(r"(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?", re.IGNORECASE),
    "thanks": re.compile(r"(?:many )?(?:thanks|thank you|thx)(?: a lot| so much| very much)?", re.IGNORECASE),
    "help": re.compile(r"(?:what can (?:i ask(?: you)?|you do)|who are you|help)", re.IGNORECASE),
    "summary": re.compile(
        r"(?:summari[sz]e|sum up) (?:it|that|this|your answer|our conversation|the conversation)"
        r"(?: (?:in|as) (?:a|one) (?:single )?sentence)?",
        re.IGNORECASE,
    ),
}
_POINTING = re.compile(
    r"(?:it|this|that|its|they|them|(?:this|that|the) (?:paper|method|model|one)"
    r"|the (?P<place>first|second|third|last)(?: one| paper)?)",
    re.IGNORECASE,
)
_PLACES = {"first": 0, "second": 1, "third": 2, "last": -1}
_KIND = re.compile(r"\s(?:paper|papers|architecture|method|model|algorithm|approach|networks?)$", re.IGNORECASE)


# Text that would be ignored, outside of a quoted title: "but not LoRA", "BERT or GPT-3", "in 2020", not "2005.14165".
_MORE = re.compile(
    r"\b(?:not|no|nor|or|but|without|except|excluding|besides|before|after|since|(?:19|20)\d\d(?!\.\d))\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"")


@dataclass(frozen=True)
class Asked:
    """A question: its form and the contents of its slots, as written."""

    form: str
    subjects: tuple[str, ...]


def talk_of(message: str) -> str | None:
    """Return `greeting`, `thanks`, `help` or `summary` if the whole message is one of these."""
    plain = _plain(message)
    return next((name for name, pattern in _TALK.items() if pattern.fullmatch(plain)), None)


def question_of(message: str) -> Asked | None:
    plain = _plain(message)
    if not plain or len(plain) > LONGEST or _MORE.search(_QUOTED.sub("", plain)):
        return None
    for form, pattern in _FORMS:
        if found := pattern.fullmatch(plain):
            return Asked(form, tuple(subject.strip() for subject in found.groups()))
    return None


def meant_by(subject: str, conversation: Sequence[JSON], titles: Mapping[str, str]) -> str | None:
    """Return the subject without pointing words; None if "it" has no referent among the last answer's citations."""
    pointing = _POINTING.fullmatch(subject)
    if not pointing:
        return subject
    replies = [one["content"] for one in reversed(conversation) if one["role"] == "assistant"]
    cited = next((ids for reply in replies if (ids := list(dict.fromkeys(_CITED.findall(reply))))), [])
    place = _PLACES[(pointing["place"] or "first").lower()]
    known = [titles[id_] for id_ in cited if id_ in titles]
    return f"“{known[place]}”" if -len(known) <= place < len(known) else None


def named(subject: str) -> str:
    """Return the subject without quotes, article and the word for its kind, as in "the U-Net architecture"."""
    bare = re.sub(r"^(?:the|a|an)\s", "", subject.strip(" “”\"'"), flags=re.IGNORECASE)
    return _KIND.sub("", bare)


def terms(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS] or words(text)


def _plain(message: str) -> str:
    plain = _LEAD.sub("", message[: LONGEST + 1].strip().rstrip("?!. ")).strip()
    return _TAIL.sub("", plain) if len(plain) <= LONGEST else plain
