"""Messages that are not about products: greetings, thanks, questions about the agent itself."""

import re
from typing import Literal

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


def small_talk(message: str) -> SmallTalk | None:
    if _SELF.search(message):
        return "self"
    if _CAPABILITIES.search(message):
        return "capabilities"
    if _THANKS.search(message):
        return "thanks"
    return "greeting" if _GREETING.search(message) else None
