"""The forms of messages that the demo knows: talk, follow-ups, words for an attached document, a computation."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from turnkeep.records import JSON
from turnkeep_agents.regulations.prompts import ACTIVE
from turnkeep_demo.regulations.vocabulary import MOST_CHARACTERS, field_of

_form = partial(re.compile, flags=re.IGNORECASE)
_GREETING = _form(r"^(?:ciao|salve|buon ?giorno|buona ?sera|hi|hello|hey|good (?:morning|afternoon|evening))\b[,! ]*")
_TALK: Mapping[str, re.Pattern[str]] = {
    "thanks": _form(r"(?:ok,? )?(?:(?:molte )?grazie(?: mille)?|(?:many )?thanks|thank you)(?: (?:so|very) much)?"),
    "help": _form(
        r"(?:che )?cosa (?:sai|puoi) fare|chi sei|come stai|aiuto|help|who are you|what can (?:i ask|you do)"
    ),
}
# "E per il part-time?", "E se sono in prova?", "And for part-time workers?", "What about Sunday?"
_FOLLOW_UP = _form(
    r"(?:e|ma|and|but) (?P<more>(?:per|se|in|durante|nel|nella|nei|con|senza|dopo|prima|quando|for|if|during|with"
    r"|without|after|before|when)\b.+)|(?:what about|how about|e (?:invece )?(?:per )?quanto riguarda) (?P<about>.+)"
)
_LAST_FOR = _form(r"\s(?:per|for)\s(?:(?!\b(?:per|for)\b).)+$")
_NAME = re.compile(r"“([^”]+)”")
# "il contratto a termine" and "the agreement of the parties" are any.
_KIND = (
    r"(?:contratto|documento|allegato|file|lettera|cedolino|busta paga|regolamento|pdf|contract|document|attachment"
    r"|letter|payslip|handbook|agreement|policy)\b(?! (?:a |di |col|part|inter|nazion|indiv|for |of ))"
)
_OWN = r"(?:mi[oa]|my|our|nostr[oa]|quest[oa]|this|attached)"
_THE = rf"(?:il|lo|la|(?:d|n)el(?:lo|la)?|dal|al(?:la)?|sul|the|that|{_OWN})"
POINTING = _form(rf"\b(?:(?:(?:d|n|a)?(?:el|al)?l['\u2019])|{_THE} )(?:{_OWN} )?{_KIND}")
_ATTACHED = _form(
    r"\b(?:allegat[oa]|attached|attachment|file|pdf)\b"
    rf"|\b(?:quest[oa]|this|(?:dice|secondo|nel|in|does|says)(?: (?:il|la|the|{_OWN}))*) {_KIND}"
)
_LAW = _form(r"\b(?:legge|leggi|norm[ae]|normativa|law|legal|statutory)\b")
_ACTIONS: Mapping[str, re.Pattern[str]] = {
    "calculate": _form(
        r"^(?:(?:mi )?(?:puoi|può) calcol|calcola|(?:please )?(?:compute|calculate))"
        r"|\bquant[aoei]\b.*\b(?:pago|verso|devo pagare)\b|\bhow much\b.*\b(?:i|we) (?:have to )?(?:pay|owe)\b"
    ),
    "summarise": _form(r"\b(?:riassum\w+|sintesi|sintetizza|summari[sz]e|summary|sum up|di (?:che )?cosa parla)\b"),
    "define": _form(r"^(?:(?:che )?cos(?:a |['\u2019])(?:è|sono|significa)|definizione|what (?:is|are)|define)\b"),
}
# A case of the writer's own, where a mistake costs much.
OWN_CASE = _form(
    r"\b(?:mi (?:hanno|ha) (?:licenziat|notificat|contestat)\w*|sono stat[oa] licenziat\w|vogliono licenziarmi"
    r"|ho ricevuto (?:una?|la|il|l['\u2019]) ?(?:cartella|avviso|accertamento)"
    r"|i (?:was|got) (?:fired|dismissed)|i (?:received|got) an? (?:tax )?(?:assessment|payment notice))\b"
)


def talk_of(message: str) -> str | None:
    """The kind of talk, where the whole message is that, or a greeting with no word of the law."""
    said = message[:MOST_CHARACTERS].strip().rstrip("?!. ")
    plain = _GREETING.sub("", said, count=1)
    if plain != said and not field_of(plain)[0]:
        return "greeting"
    return next((name for name, form in _TALK.items() if form.fullmatch(plain)), None)


def standalone(message: str, conversation: Sequence[JSON]) -> str:
    """A follow-up behind the question that it follows, which may be one itself; else the message as it is."""
    found = _FOLLOW_UP.fullmatch(message[:MOST_CHARACTERS].strip().rstrip("?. "))
    asked = [said for said in conversation if said["role"] == "user" and not talk_of(said["content"])]
    if not found or not asked:
        return message
    before = standalone(asked[-1]["content"], asked[:-1]).strip().rstrip("?. ")
    more = found["more"] or f"per {found['about']}"
    is_for = re.match(r"(?:per|for) ", more, re.IGNORECASE)
    return f"{_LAST_FOR.sub('', before) if is_for else before} {more}?"


def action_of(message: str, *, is_named: bool) -> str:
    said = message[:MOST_CHARACTERS].strip()
    actions = [name for name, form in _ACTIONS.items() if form.search(said)]
    return "look_up" if is_named and actions != ["calculate"] else next(iter(actions), "explain")


def composition_of(message: str, notes: Sequence[str], *, is_law: bool) -> tuple[str, float]:
    """And how sure that is. A message may speak of a document that is not there; what speaks neither of one nor in
    words of the law is a guess."""
    names = [name for note in notes if note.startswith(ACTIVE) for name in _NAME.findall(note)]
    said = message[:MOST_CHARACTERS].lower()
    is_called = any(name.rpartition(".")[0].lower() in said for name in names if "." in name)
    if is_called or (POINTING if names else _ATTACHED).search(said):
        return ("hybrid" if _LAW.search(said) else "pure_doc"), 0.9
    return ("pure_doc", 0.5) if names and not is_law else ("pure_kb", 0.5 if names else 0.9)
