"""Greetings, thanks and leave-taking: messages that are nothing else, down to the last word. Whatever else is said
makes a message one that asks for something."""

import re
from typing import Literal

from turnkeep.blocks.words import words

type SmallTalk = Literal["greeting", "thanks", "leave"]

MOST_WORDS = 18
MOST_CHARACTERS = 160

# On words in lower case without signs: "that's" is two words.
_GREETING = re.compile(
    r"^(?:hi+|hey+a?|hello+|hiya|howdy|yo|ahoy|greetings|g day|sup|(?:good )?(?:morning|afternoon|evening)|good day"
    r"|(?:al ?right|all right|wotcha|oi oi) (?:mate|pal|there|you|lads|guys|love|buddy|friend)|(?:you )?(?:al"
    r" ?right|ok)"
    r" (?:mate|pal|there|buddy)|what s (?:up|new|happening|good)|how (?:are|r) (?:you|u|ya)|how (?:is|s|are)"
    r" (?:it|things"
    r"|life|everything)|how do you do|long time no see|nice to meet you|pleased to meet you)\b"
)
_LEAVE = re.compile(
    r"\b(?:bye|goodbye|byebye|cya|farewell|cheerio|toodles|ttyl|good night|goodnight|adios|ciao|so long|over and out"
    r"|(?:see|catch|talk to|speak to) (?:you|ya|u)|(?:talk|speak|see you|back) (?:later|soon|tomorrow)|till (?:next"
    r"|tomorrow|later)|until (?:next|tomorrow|later)|take care|(?:have|enjoy) (?:a|an|your) (?:\w+ )?(?:one|day|evening"
    r"|weekend|night|afternoon|rest)|done for (?:today|now|the day)|(?:calling|call) it a day|off home|knocking off"
    r"|(?:i m|i am|am) (?:off|out|done|leaving|finished)|gotta (?:go|run|dash)|(?:have|need|got) to (?:go|run|dash))\b"
)
_THANKS = re.compile(
    r"\b(?:thanks?|thankyou|thx|tks|tnx|tanks|cheers|ta|much obliged|obliged|appreciate[ds]?|grateful|gratitude|danke"
    r"|merci|gracias|grazie|tack|nice one|good (?:job|work|stuff|one)|well done|great (?:job|work|stuff)|spot on"
    r"|bang on|(?:that|this|it) (?:s|is|was|ll be|will be) (?:all|it|everything|enough|perfect|great|brilliant|fine"
    r"|good|spot on|helpful|exactly)|that(?: ll| will)? (?:do|does|helps?|helped|works?|worked)|(?:very |so |most )"
    r"(?:good|nice|kind|helpful)|(?:you|u) (?:rock|rule|are (?:a )?(?:star|great|the best|awesome|legend))|you re"
    r" (?:a )?"
    r"(?:star|great|the best|awesome|legend)|(?:all )?sorted|gotcha|got (?:it|that)|understood|makes sense|fair enough"
    r"|no (?:worries|problem|bother|more questions)|not (?:at all|to worry)|all (?:good|done|clear|i (?:need"
    r"|needed|want"
    r"|wanted))|nothing (?:else|more|further)|is enough|(?:exactly |just )?what i (?:was (?:after|looking for)|needed"
    r"|wanted)|lifesaver|life saver|sounds (?:good|great|fine)|(?:you|u) (?:ve|have) been (?:\w+ ){0,3}(?:help"
    r"|helpful|great|kind|star)|(?:have|got|had)"
    r" (?:all|everything) (?:\w+ )?i (?:need|want|wanted|needed))\b"
)
_PRAISE = frozenset(
    words(
        "ok okay okey okie k kk right alright well good great fine super perfect lovely brilliant excellent"
        " awesome nice"
        " cool sweet wonderful fantastic amazing marvellous splendid grand ace top neat magic fab fabulous wicked class"
        " champion smashing yes yep yeah yup no nope nah oh ah aha hm hmm wow lol haha sure indeed noted done sorted"
        " legend star hero job work stuff mate pal"
    )
)
"""Alone they end a talk; beside other words they only lead to what follows."""
_AROUND = _PRAISE | frozenset(
    words(
        "a an and as at for from in is it its i im m ive ve me my of on so that thats the this to too was with you your"
        " youre u ya re s ll d be am are do does did have has had will would can all very much many million ton tons"
        " bunch lot lots again really just exactly what who after looking needed need wanted want help helped helping"
        " helpful helps answer answers information informations info support assistance time day today now night"
        " evening morning afternoon weekend week tomorrow monday friday later soon then there here everyone everybody"
        " all been ve have folks guys lads friend friends buddy bud love sir madam dear team boss man bro chap"
        " dude colleague bot"
        " best better kind regards wishes one nicely enough everything anything else nothing more questions question"
        " quick got get gotta go going run up how hope things life new up out off home see talk speak catch till until"
        " next take care enjoy rest or not problem worries bother any good great over doing feeling today fine thank"
        " thanks cheers ta bye goodbye hi hello hey hiya howdy yo greetings dash said say chat talking pleasure far"
        " amazing quickly fast clear works worked working please welcome back long no meet nice pleased same calling"
        " call knocking ok we us were"
    )
)


def small_talk(message: str) -> SmallTalk | None:
    """What the message is, if it is nothing but small talk."""
    said = words(message[: MOST_CHARACTERS + 1])
    if not said or len(said) > MOST_WORDS or len(message) > MOST_CHARACTERS:
        return None
    text = " ".join(said)
    is_whole = all(word in _AROUND or _is_opening(word) for word in said) or _covers(text)
    if not is_whole:
        return None
    if _GREETING.search(text) and not (_THANKS.search(text) and "?" not in message):
        return "greeting"
    if "?" in message:
        return None
    if _LEAVE.search(text):
        return "leave"
    return "thanks" if _THANKS.search(text) or all(word in _PRAISE for word in said) else None


def _is_opening(word: str) -> bool:
    return _GREETING.fullmatch(word) is not None


def _covers(text: str) -> bool:
    """Whether nothing is left but praise where thanks and leave-taking are taken out."""
    rest = _LEAVE.sub(" ", _THANKS.sub(" ", text)).split()
    return all(word in _AROUND for word in rest)
