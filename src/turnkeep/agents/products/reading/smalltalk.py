"""Messages that are not about products: greetings, thanks, questions about the agent itself. And whether a message is
in English, the one language that rules read."""

import re
from typing import Literal

from turnkeep.blocks.words import words

type SmallTalk = Literal["greeting", "thanks", "capabilities", "self"]

_GREETING = re.compile(
    r"^\W*(hi|hello|hey|hiya|howdy|greetings|good (morning|afternoon|evening|day))\b"
    r"(\W+(there|all|everyone|again|you))*\W*$"
    r"|\bhow are you\b|\bnice to meet\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(\w+\W+){0,3}(thanks|thank you|thx|cheers|bye|goodbye|see you)\b(\W+\w+){0,5}\W*$"
    r"|^\W*(ok|okay|great|perfect|nice|cool|got it|that('s| is) all|no|nothing else)"
    r"(\W+(then|so far|for now|i see))*\W*$",
    re.IGNORECASE,
)
_CAPABILITIES = re.compile(
    r"\b(what|how) (else )?(can|could|do|are) you (do|help|able|know|offer|sell|stock|carry)\b"
    r"|^\W*(help|menu|start)\W*$|\bhow (does|do) (this|you) work\b"
    r"|\bwhat (kinds?|sorts?|types?) of (things|products|items|stuff)\b"
    r"|\b(which|what) (product )?(categories|departments|sections)\b|\b(what|how many) products\b"
    r"|\bwhat do you (have|sell)\W*$",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(who|what) are you\b|\bare you (a |an )?(real |chat)?(bot|robot|human|person|machine|computer)\b", re.IGNORECASE
)
_ENGLISH = frozenset(
    words(
        """
        the a an and or is are was do does did have has you your me my i we it its of in on for with to what which how
        who when where why can could would should tell show give more about under over than there any this that these
        those one please want need looking from by not no
        """
    )
)
_FOREIGN = frozenset(
    words(
        """
        il lo la gli le un uno una di da del della con per che quali quale quanto avete sono e costa meno sotto piu
        el los las una con para por que cual cuanto tienen tiene hay menos muy
        der die das und ein eine einen ist sind mit fur auf welche welches wie viel haben habt gibt unter nicht
        le les des une avec pour est sont quel quelle quels combien avez moins sous vous
        os uma com voce tem quanto quais abaixo
        een het zijn heeft hebben welke hoeveel onder van voor
        """
    )
)
_LATIN_SHARE = 0.5


def small_talk(message: str) -> SmallTalk | None:
    if _SELF.search(message):
        return "self"
    if _CAPABILITIES.search(message):
        return "capabilities"
    if _THANKS.search(message):
        return "thanks"
    return "greeting" if _GREETING.search(message) else None


def is_english(message: str) -> bool:
    """False only where another language is plain: more of its small words than of ours, or another script."""
    letters = [letter for letter in message if letter.isalpha()]
    if letters and sum(letter.isascii() or letter < "\u0250" for letter in letters) < _LATIN_SHARE * len(letters):
        return False
    said = words(message)
    ours, theirs = (sum(word in small for word in said) for small in (_ENGLISH, _FOREIGN))
    return theirs < 2 or theirs <= ours
