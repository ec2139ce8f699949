"""The words that the demo goes by: the language of a message, its words that say something, its field of law."""

import re
from collections.abc import Mapping
from functools import cache

from turnkeep.blocks import italian
from turnkeep.blocks.words import STOP_WORDS, words

MOST_CHARACTERS = 500

_ITALIAN = (italian.STOP_WORDS - STOP_WORDS) | set(words("ciao grazie salve buongiorno art legge calcola definizione"))
_ENGLISH = (STOP_WORDS - italian.STOP_WORDS) | set(words("hello hi thanks explain calculate"))
# What an article may leave unsaid though it answers: that and how something is asked, and whom all this law is about.
_ASKING = frozenset(
    words(
        """
        confronta rispetta dire dice dicono prevede prevedono previsto prevista previsti previste stabilisce funziona
        significa vuol sapere spiega spiegami definizione legge leggi norma norme regola regole articolo art comma
        italia italiano italiana spetta spettano ammonta riguarda diritto diritti lavoratore lavoratori lavoratrice
        lavoratrici lavoro dipendente dipendenti succede dura durano durata cos dammi vorrei calcola tempo caso invece
        ogni anno all ed entro possono compare comply say says tell explain mean means definition law laws rule rules
        article italy italian work works worker workers employee employees job entitled right rights get got under
        please know much many long last lasts happens happen calculate compute time case need want there am been take
        year every per within
        """
    )
)
_NEGATIONS = frozenset(words("non no né senza nessun nessuno tranne eccetto salvo not without except never none"))
_NUMBERS = frozenset(words("due tre quattro cinque sei sette otto nove dieci dodici two three four five six ten sixty"))
_UNIT = (
    r"giorn[io]|giornate|mes[ei]|ann[io]|or[ae]|settiman[ae]|minuti|days?|months?|years?|hours?|weeks?|minutes?"
    r"|(?:gennaio|febbraio|marzo|aprile|giugno|luglio|agosto|\w+embre|ottobre)"
)
# "quanti giorni", "how long", "qual è l'aliquota": the words for the figure that is asked need not be those it is in.
_FIGURE = re.compile(
    rf"\bquant[aeio]\b(?:\s+(?:{_UNIT}|tempo|volte|euro)\b)?"
    rf"|\bhow (?:many|much|long|often)\b(?:\s+(?:{_UNIT}|time|times)\b)?"
    r"|\b(?:entro quando|by when|(?:qual|quale|quali|what|which)\b.{0,9}\b(?:aliquot[ae]|percentuale|importo|termine"
    r"|scadenza|durata|rates?|percentage|amount|deadline|time limit|length))\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"\b(?:massim[oai]|minim[oai]|maximum|minimum)\b", re.IGNORECASE)
_TIME = re.compile(rf"\b(?:{_UNIT}|mensilità)\b", re.IGNORECASE)
_TIME_ASKED = re.compile(
    rf"\b(?:{_UNIT}|dura\w*|tempo|entro quando|termine|scadenza|how long|by when|time|deadline|length)\b", re.IGNORECASE
)
# "(comma 1, dopo il D.L. 87/2018)", "Article 20", "dal 2024": numbers that are no figures.
_NO_FIGURE = re.compile(
    r"\([^()]*\)|\b(?:comm[ai]|paragraphs?|artt?\.|articol[oi]|articles?)\s\d\S*|\b\d+/\d{4}\b|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_FIELDS: Mapping[str, str] = {
    "tax": """
        irpef ires irap iva imu vat fiscal* tributar* impost* tass* aliquot* scaglion* detra* deduzion* deduc*
        deducti* reddit* fattur* forfet* forfait* tax* income invoic* addizional* cedolare plusvalenz* success*
        inherit* ritenut* withh* bonus superbonus ristruttur* renovation* accont* rottamazion*
        """,
    "labour": """
        lavor* rapporto licenzi* dimission* dimett* ferie permess* congedo stipend* retribu* tfr preavviso
        straordinari* turni orario part apprendist* contratt* assun* mansion* demansion* sciopero sindac* smart
        trasfert* infortuni* malattia dismiss* fired fire employ* holiday* vacation leave wage* salar* pay overtime
        notice resign* strike* union* severance apprentic* work* probation* sick rest break* paus* giusta duties night
        maternity paternity maternita paternita riposo notturno prova datore bust* mobbing sicurezza safety compete
        concorrenza collettiv* agile
        """,
    "social_security": """
        inps inail naspi coll contribut* contribution* pension* disoccupa* unemploy* previden* assegn* allowance
        benefit* invalid* disab* superstit* survivor* social cassa reversibilita
        """,
    "procedure": """
        ricors* ricorr* accertament* cartell* sanzion* penalt* appeal* assessment* ravvedimento interpello
        contribuent* taxpayer* autotutela amministra* administrat* forgotten privacy gdpr personal* accesso access
        silenzio procediment* procedure* riscossion* pignor* ipoteca fermo rateizza* instal* court* mult* ruling*
        audit* cancellazione erasure notific* prescri* agenzia
        """,
}
_ENDING = re.compile(r"(?<=\w{4})(?:ations?|ments?|ings?|als?|ed|ly|es|s|e)$")


def language_of(message: str) -> str:
    """ "it" or "en", by the small words; names of Italian law alone ("TFR?") are Italian."""
    said = words(message[:MOST_CHARACTERS])
    is_italian, is_english = sum(word in _ITALIAN for word in said), sum(word in _ENGLISH for word in said)
    return "en" if is_english > is_italian or (is_english == is_italian and not field_of(message)[0]) else "it"


def field_of(message: str) -> tuple[str, float]:
    """The field of law with the most words, and how sure that is; empty where no word is of any."""
    said = " ".join(words(message[:MOST_CHARACTERS]))
    hits = {name: len(pattern.findall(said)) for name, pattern in _fields().items()}
    best, second = sorted(hits, key=lambda name: -hits[name])[:2]
    return (best, 0.9 if hits[best] > hits[second] + 1 else 0.5) if hits[best] else ("", 0.5)


def content(question: str, language: str) -> list[str]:
    """The stems of the words that say something, each once; numbers as they stand."""
    nothing = _ASKING | (italian.STOP_WORDS if language == "it" else STOP_WORDS)
    said = words(_FIGURE.sub(" ", question[:MOST_CHARACTERS]))
    return list(dict.fromkeys(stem(word, language) for word in said if len(word) > 1 and word not in nothing))


def stems(text: str, language: str) -> set[str]:
    return {stem(word, language) for word in words(text)}


def stem(word: str, language: str) -> str:
    return italian.stem(word if language == "it" else _ENDING.sub("", word))


def asks_figure(question: str) -> bool:
    return any(form.search(question[:MOST_CHARACTERS]) for form in (_FIGURE, _MEASURE))


def has_figure(sentence: str, question: str) -> bool:
    """Of the kind that is asked: a length of time where the question is of one."""
    told = _NO_FIGURE.sub(" ", sentence)
    has_number = any(map(str.isdigit, told)) or not _NUMBERS.isdisjoint(words(told))
    return has_number and (bool(_TIME.search(told)) or not _TIME_ASKED.search(question[:MOST_CHARACTERS]))


def has_negation(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(words(text))


@cache
def _fields() -> Mapping[str, re.Pattern[str]]:
    forms = {name: "|".join(form.replace("*", "[a-z]*").split()) for name, form in _FIELDS.items()}
    return {name: re.compile(rf"\b(?:{form})\b") for name, form in forms.items()}
