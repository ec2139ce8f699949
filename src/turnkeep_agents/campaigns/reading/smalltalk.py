"""What a message says apart from its request: yes, no, thanks, which days a week has, and whether it is English."""

import re
import unicodedata

from turnkeep_agents.campaigns.reading.days import Week
from turnkeep_agents.campaigns.reading.vocabulary import COMMON, plain
from turnkeep.blocks.words import STOP_WORDS, words

LONGEST_ARTICLE = 3
WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_RANGE = re.compile(
    rf"\b(?P<first>{WEEKDAY})\s*(?:-|to|till|until|through|thru|and)\s*(?P<last>{WEEKDAY})\b(?:\s+weeks?\b)?", re.I
)
_BEGIN = re.compile(
    rf"\bweeks?\s+(?:that\s+)?(?:should\s+|always\s+|to\s+)?(?:start|begin|run)\w*\s+(?:on\s+|from\s+)?(?:a\s+)?(?P<first>{WEEKDAY})\b(?!\s*\d)"
    rf"|\b(?P<other>{WEEKDAY})[\s-](?:based\s+)?weeks?\b|\biso\s+weeks?\b",
    re.I,
)
_ROLLING = re.compile(r"\b(?:rolling|trailing)(?:\s+(?:weeks?|window|ones?|days))?\b", re.I)
_DAYS = re.compile(r"\b(?:the\s+)?(?:last|past|previous)\s+(?:7|14|21|28|seven|fourteen)\s+days\b", re.I)
_DENIED = re.compile(r"\b(?:not|instead of|rather than|no longer)\s+(?:from\s+|the\s+)?$", re.I)

_FILLERS = frozenset(
    words(
        """
        and a all also are as but days do dates for from go have i in is it just let me mean meant make much my no
        of on please rather so take than thank thanks that the them then thing these this those to use very want was we
        week weeks well what whole with would you your s m d instead now one ones run mate lot ta cheers
        """
    )
)
_AGREES = re.compile(
    r"\b(?:yes|yeah|yep|yup|yea|aye|ya|ok|okay|okey|k|correct|right|exactly|precisely|perfect|sure|fine|great|good"
    r"|agreed?|confirm(?:ed|s)?|indeed|certainly|definitely|affirmative|absolutely|of\s+course|lovely|super|brilliant|cool|proceed|ideal"
    r"|(?:bang|spot)[\s-]+on|go\s+(?:ahead|for\s+it|on)|do\s+(?:it|so|that)|sounds\s+(?:good|right|fine|great)"
    r"|looks\s+(?:good|right|fine|great)|(?:no|not\s+a)\s+(?:problem|worries|objections?)|works\s+for\s+me|works"
    r"|(?:please|that)\s+do(?:es)?)\b"
    r"|[\U0001F44C\U0001F44D\U0001F197\U0001F4AF\u2705\u2714]\ufe0f?",
    re.I,
)
_REFUSES = re.compile(
    r"^\W*(?:no|nope|nah|neither|never)\b(?=\W*$|\s*[,.;:!-]|\s+(?:i|it|that|thats|the|this|use|please|make|thanks?"
    r"|not|rather|we|you|those|these|change|take|wrong|don'?t)\b)"
    r"|^\W*(?:wrong|incorrect|cancel|stop)\b|\bnot\s+(?:right|correct|quite|that|what|those|these|really|at\s+all)\b"
    r"|\b(?:is|was|are)\s+(?:wrong|incorrect)\b|\bnever\s*mind\b|\bforget\s+(?:it|that|about)\b"
    r"|^\W*(?:don'?t|do\s+not|i\s+don'?t\s+think)\b|[\U0001F44E\u274C]",
    re.I,
)
_THANKS = re.compile(r"\b(?:thanks?|thank\s+you|thx|cheers|ta|bye|goodbye|see\s+you|much\s+appreciated)\b", re.I)
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|hiya|howdy|good\s+(?:morning|afternoon|evening|day)|greetings)\b", re.I)
_HELP = re.compile(
    r"^\W*(?:help|options|menu)\b|\b(?:what|how)\s+(?:can|could|do)\s+(?:you|i)\s+(?:do|ask|know|offer|use)\b"
    r"|\bwho\s+are\s+you\b|\bhelp\s+me\W*$|\bwhat\s+is\s+this\W*$",
    re.I,
)
_SHARED = frozenset(words("a me no on per son come des she mi ma mes don es e o y il i ha ho met ja si al le stand"))
"""Words of several languages, English among them."""
_FOREIGN = (
    frozenset(
        words(
            """
        abbiamo aber afgelopen al alla alle auch auf aujourd aus ausgaben avec avez avons ayer bei bitte
        bonjour ce ces cette che ciao clic clics combien come comment como con cual cuales cuanta cuantas
        cuanto cuantos dame dammi de danke dans das dei del della delle dello dem den depenses der dernier
        derniere dernieres des deze dezember di donne drei du e een ein eine einem einen el elle elles enero
        es est esta et foi fue fur gasto gastos gennaio gestern gib giugno gli gracias grazie ha haben hanno
        hat hatte het heute hier ho hoe hola hoy hubo hui ich ieri il ils im ist ja janvier je juillet juin
        juli julio juni junio kann klicks konnen kosten las lauft le leistung les letzte letzten letzter
        letztes lo los luglio ma maar maggio mai mayo me merci mes mese meses mesi met mi mir mit mois mon
        monat monate montre mostra muestra nach nao nein nel nella nelle nicht noch non nos notre nous o oder
        oggi oktober ont os oui par para pas pasada pasado passado per perche por porque pour pourquoi
        prestazioni quale quali quanta quantas quante quanti quanto quantos que quel quelle quelles quels
        quiero rendimiento scorsa scorso semaine semaines semana semanas settimana settimane si sie sin sind
        sobre son sono sont spesa spese stand stata stato su sur sus tage tu uber ultima ultimas ultime ultimi
        ultimo ultimos uma umsatz una unas und une unos uns unter van veel vendite ventas ventes viel viele
        von voor vor vorige votre vous warum welche welcher welches wer wie wieviel wir wo woche wochen y zeig
        zeige zu zum zur zwei
        """
        )
    )
) - _SHARED


def read_week(text: str) -> Week | None:
    """Which days a week has, where the message settles that; the newest word counts."""
    said = plain(text)
    found = [(match.end(), week) for match, week in _weeks_in(said) if not _DENIED.search(said[: match.start()])]
    if found:
        return max(found)[1]
    answer = _DAYS.sub(" ", said)
    is_rolling = answer != said and not _content(answer)
    alone = [word for word in words(said) if word not in _FILLERS]
    if not is_rolling and len(alone) == 1 and not re.search(r"\b(?:on|last|since|this)\b", said, re.I):
        return _week_from(alone[0].rstrip("s"))
    return "rolling" if is_rolling else None


def week_words(text: str) -> list[re.Match[str]]:
    """Where the message says which days a week has."""
    return [match for match, _ in _weeks_in(text)]


def _weeks_in(said: str) -> list[tuple[re.Match[str], Week]]:
    found: list[tuple[re.Match[str], Week]] = []
    for match in _RANGE.finditer(said):
        week = _week_from(match["first"])
        ends = {"sunday": "sat", "monday": "sun"}.get(week or "")
        if week and match["last"].lower().startswith(ends or "?"):
            found.append((match, week))
    for match in _BEGIN.finditer(said):
        week = _week_from(match["first"] or match["other"] or "monday")
        found += [(match, week)] if week else []
    if len(words(said)) <= 6:
        found += [(match, "rolling") for match in _ROLLING.finditer(said)]
    return found


def _week_from(day: str) -> Week | None:
    name = day.lower()
    if name in ("sun", "sunday"):
        return "sunday"
    return "monday" if name in ("mon", "monday") else None


def is_agreement(text: str) -> bool:
    """Whether the message says yes, and nothing else."""
    said = plain(text) + "".join(c for c in text[:20] if ord(c) > 0x2700)
    rest = _AGREES.sub(" ", said)
    if rest == said or read_week(text) not in (None, "sunday") or is_refusal(text):
        return False
    return not _content(rest) and "?" not in said


def is_refusal(text: str) -> bool:
    return _REFUSES.search(plain(text)) is not None


def is_thanks(text: str) -> bool:
    said = plain(text)
    return _THANKS.search(said) is not None and not _content(_AGREES.sub(" ", _THANKS.sub(" ", said)))


def is_greeting(text: str) -> bool:
    return _GREETING.search(plain(text)) is not None


def asks_for_help(text: str) -> bool:
    return _HELP.search(plain(text)) is not None


def is_foreign(text: str) -> bool:
    """Whether the message is written in another language than English, as its little words tell."""
    if _is_other_script(text):
        return True
    said = set(words(text))
    foreign, english = said & _FOREIGN, said & STOP_WORDS
    is_clear = max(map(len, foreign), default=0) > LONGEST_ARTICLE and not said & COMMON - _SHARED
    return len(foreign) > len(english) and (len(foreign) > 1 or is_clear)


def _is_other_script(text: str) -> bool:
    letters = [c for c in text[:200] if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "LATIN") for c in letters)
    return len(letters) > 2 and latin < len(letters) / 2


def _content(text: str) -> list[str]:
    """The words that carry something, days of the week left out."""
    return [word for word in words(text) if word not in _FILLERS and not re.fullmatch(WEEKDAY, word)]
