"""Everyday turns of phrase, put into the words that the rules know: "the techs in charge of", "how much came in". What
stands between quotation marks is somebody's own and stays."""

import re

_QUOTED = re.compile(r"(\"[^\"]{1,80}\"|(?<!\w)'[^']{2,80}'(?!\w))")
KEEPS = "inchargeof"
"""Stands for all that somebody does who is responsible for something."""
REPORTS = "isunder"
"""Stands for working for somebody who is the boss."""
SAID = {KEEPS: "in charge", REPORTS: "report to", "unassigned": "nobody"}
"""How the words that stand for many are told to people."""
_NOT_MOST = r"(?! the (?:most|least|fewest))"
_KEEPING = (
    r"(?:(?:is|are|was|were) (?:currently |now )?(?:in charge of|responsible for|dealing with|looking after|handling"
    r"|working on|taking care of|running|leading|heading|managing|on top of"
    r"|the (?:boss|head|manager|owner) (?:of|for|behind)(?! (?-i:[A-Z]))|the person (?:of|for|behind))"
    r"|(?:runs?(?! (?:out|on))|ran|leads?|led|heads?|headed|manages?|managed|supervises?|supervised|handles?|handled"
    r"|owns?|looks? after|looked after|deals? with|dealt with|takes? care of|took care of|keeps?|sees? to|oversees?))"
    + _NOT_MOST
)
_NOBODY = r"(?:nobody|no[- ]?one|not anyone|not anybody)"
_TAKEN_ON = (
    r"(?:assigned|allocated|given|picked up|picked|taken on|taken care of|taken|looking after|looks after|handling"
    r"|handled|handles|working|works|responsible|in charge|dealing with|dealt with|followed up)"
)
_WE = r"(?:we|i|they|you|it|he|she)"
_IDIOMS: tuple[tuple[str, str], ...] = (
    (
        r"\b(?:(?:reports?|reporting|reported|answers?|answering) (?:directly )?to|works? (?:directly )?under"
        r"|working (?:directly )?under|(?:is|are) (?:supervised|managed|led) by)\b(?= (?-i:[A-Z]))",
        REPORTS,
    ),
    (rf"\b(?P<x>who|which \w+(?: \w+)?)(?: \w+ly| now)? {_KEEPING}\b", rf"\g<x> {KEEPS}"),
    (r"\bwho (?:did|made|performed|conducted|carried out) (?=(?:the|our) (?:last|latest|first)\b)", f"who {KEEPS} "),
    (
        rf"\b(?:(?:that|which|where) )?{_NOBODY}(?: (?:is|has|was|s|are|have))?(?: (?:been|yet))* {_TAKEN_ON}"
        r"(?: (?:to|on|up|for|of|after|with|it|them))*(?: yet)?\b",
        "unassigned",
    ),
    (
        rf"\b(?:has|have|had|with|having|got) (?:got )?{_NOBODY}(?: (?:\w+ )?{_TAKEN_ON}(?: (?:to|on|for|it|them))*)?"
        r"(?: yet)?\b",
        "unassigned",
    ),
    (rf"\b(?:(?:is|are|was|were) )?(?:assigned|allocated|given) to {_NOBODY}\b", "unassigned"),
    (r"\bnot (?:yet )?(?:been )?(?:assigned|allocated|given) to any(?:one|body)(?: yet)?\b", "unassigned"),
    (
        r"\b(?:(?:due|set|about) to (?:end|expire|run out|lapse)|(?:com(?:e|es|ing) )?up for renewal"
        r"|com(?:es?|ing) to an end|run(?:s|ning)? out|laps(?:es?|ing))\b",
        "expiring",
    ),
    (r"\bhead ?counts?\b(?: of)?(?! column)", "how many people"),
    (rf"\bwhat (?P<x>(?:did|do|does|have|has) {_WE} (?:spend|spent|pay|paid))\b", r"how much \g<x>"),
    (r"\bwhat (?:did|do|does) (?P<x>[\w ]{3,40}?) cost (?:us|you|them|the company)\b", r"how much did \g<x> cost"),
    (r"\bwhere (?:do|did|have) (?P<x>[\w' ]{3,40}?) (?:come|came) from\b", r"\g<x> by source"),
    (
        rf"\bthe (?P<way>most|least) (?:an?y?|{_WE}|one) (?P<x>\w+(?: \w+)?)(?= (?:pays?|has|have|had|owes?|costs?)\b)",
        r"the \g<way> by \g<x> that",
    ),
    (r"\b(?:work(?:s|ed)? (?:for (?:us|you|the company)|here)|(?:was|were) on (?:the|our) payroll)\b", "were there"),
    (rf"\b(?:that |which )?{_NOBODY} (?:has|holds|uses|drives)(?: now)?(?=\s*(?:[?.!,]|$))", "unassigned"),
    (r"\bmore than once\b", "more than 1 occasions"),
    (r"\bmore than twice\b", "more than 2 occasions"),
    (r"\bat least twice\b", "at least 2 occasions"),
    (
        r"^(?:(?:are|is|were|was) there |do we have |have we |did we have )?(?:any|some) (?P<x>[^.?!]*)[.?!]\s*"
        r"(?:please )?(?:list|show|name|give)(?: me)? (?:them|those|these|all)(?: all)?\W*$",
        r"list \g<x>",
    ),
    (r"\b(?P<x>part|full)[- ]timers?\b", r"\g<x>-time people"),
    (r"(?P<x>\d) (?:an|per|each|every) (?P<unit>hour|month)\b", r"\g<x> \g<unit>ly"),
    (r"\b(?:at|in) (?:the )?(?:workshop|body ?shop|repair shop)\b|\b(?:being|getting) repaired\b", "in repair"),
    (
        r"\b(?:have|has|are|is|were|was) not (?:yet )?(?:been )?(?:sorted out|dealt with|wrapped up|taken care of"
        r"|handled|looked at)(?: yet)?\b",
        "are open",
    ),
    (
        r"\b(?:still )?(?:(?:wait(?:s|ing)?|yet|left|have|has|need|needs) to be|to be|needing to be) approved\b"
        r"|\bneed(?:s|ing)? approval\b",
        "pending",
    ),
    (r"\bturned down\b|\bknocked back\b|\bthrown out\b", "rejected"),
    (r"\b(?:signed off)\b", "approved"),
    (r"\b(?:called off|scrapped)\b", "cancelled"),
    (r"\b(?:sorted out|dealt with|wrapped up|taken care of)\b", "resolved"),
    (
        r"\b(?:still )?being (?:worked on|dealt with|looked at)\b|\b(?:still )?in (?:the works|hand|the pipeline)\b",
        "open",
    ),
    (
        r"\b(?:still )?(?:wait(?:s|ing)?|awaiting|pending)(?: (?:for|on))? (?:an? |the |any )?"
        r"(?:approval|answer|reply|response|decision|reaction|go-ahead)\b",
        "pending",
    ),
    (r"\b(?:still )?(?:wait(?:s|ing)? (?:for|on)|awaiting) (?:an? |the )?(?:delivery|receipt)\b", "not yet received"),
    (r"\b(?:still )?(?:wait(?:s|ing)? (?:for|on)|awaiting) (?:an? |the )?payment\b", "unpaid"),
    (
        r"\b(?:not|never) (?:yet )?(?:been )?paid(?: for)?(?: yet)?\b(?! (?:an?|any|one|for (?:an?|any))\b)",
        "unpaid",
    ),
    (r"\b(?:not|never) (?:yet )?(?:been )?handed (?:back|in)\b", "not returned"),
    (r"\b(?:out of|no longer in) (?:use|order|operation|action)\b", "out of service"),
    (
        r"\b(?:minimum|min) (?:stock|level|quantity|amount|stock level|threshold)\b",
        "minimum",
    ),
    (
        r"\b(?:earns?|makes?|(?:is|are|gets?|get) paid)(?P<x>| the) (?P<way>most|least)(?: money)?"
        r"(?: (?:per|an|each) hour)",
        r"is \g<way> paid",
    ),
    (r"\bleast paid\b", "lowest paid"),
    (r"\bmost paid\b", "best paid"),
    (r"\b(?P<x>longest|shortest)[- ]serving\b", r"\g<x> serving"),
    (r"\b(?:holds?|holding|possess(?:es)?|owns?) (?P<x>an?y?|the|valid|no)\b", r"have \g<x>"),
    (r"\bmost money\b", "most"),
    (r"\bclocked up\b|\bracked up\b", "has"),
    (r"\bhas (?:done|made|got|had|seen) (?P<x>(?:the )?(?:most|fewest|least))\b", r"has \g<x>"),
    (r"\b(?P<x>check|sign|call|follow|write|top|pick)[- ]?ups\b", r"\g<x>-up"),
    (
        rf"\b(?:(?:that|which) )?(?:{_NOBODY} (?:has |have )?|(?:has |have |was |were )?not (?:yet )?(?:been )?)"
        r"(?:answered|replied to|responded to|reacted to|decided on)(?: yet)?\b|\bunanswered\b",
        "pending",
    ),
    (
        r"\b(?:with|have|has|had|having) neither (?P<x>[\w ]{2,40}?) nor (?P<y>[\w ]{2,40}?)"
        r"(?=[?.,!]|$| (?:in|since|last|this|during|on)\b)",
        r"without \g<x> and without \g<y>",
    ),
    (r"\btoo late\b", "late"),
    (r"\b(?:just |purely )?out of (?:pure |sheer |mere )?(?:interest|curiosity)\b", ""),
    (r"\bto date\b", "so far"),
    (
        r"\b(?:on|off|under) (?:our|my|your|the|their) "
        r"(?:plates?|books|radar|hands|minds?|belt|docket|agenda|horizon)\b",
        "",
    ),
    (r"(?<!on )\bthese days\b", "now"),
    (r"\bas of (?:today|now|right now|this (?:morning|week|month)|tonight)\b", ""),
    (rf"\b(?P<x>did {_WE}) (?:knock|crank|churn|finish|polish|bang|crunch) (?:out|off|through)\b", r"\g<x> complete"),
    (r"\b(?:shell|fork|cough|splash) (?:out|up)\b", "spend"),
    (r"\b(?:shelled|forked|coughed|splashed) (?:out|up)\b", "spent"),
    (r"\bfire (?:off|out|away)\b", "send"),
    (r"\bfired (?:off|out|away)\b", "sent"),
    (
        r"\b(?:have|has|had) (?:run|done|clocked|covered|travelled|traveled)(?: up)?"
        r"(?= (?:more|less|over|under|at least|at most|up to|fewer)\b)",
        "have",
    ),
    (
        r"^\W*(?:(?:hi|hello|hey|ok|okay|so|well|please|there|all|team)\W+)*(?:i|we|could|can|would|will|do|might|may)\b"
        r"(?:(?! (?:not|have|need|owe|spend|spent|pay|paid|get|got|buy|sell|make)\b)[\w' ]){2,60}?,? "
        r"(?=(?:how (?:many|much|long|often)|which|what|who|whose|when|where|list|show|count)\b)",
        "",
    ),
    (
        r"^(?:my|our|the|his|her|somebody|someone|everybody|everyone|he|she|they)(?: [\w']+){0,3}?"
        r" (?:needs?|wants?|asks?|asked|is asking|wonders?|is wondering|is curious"
        r"|would like|likes|has to)(?: (?:to|me|us|know|see|hear|learn"
        r"|find out|about))*,? (?=(?:how (?:many|much|long|often)|which|what|who|whose|when|where)\b)",
        "",
    ),
    (r"\b(?:thanks|thank you|cheers)\b[\w ]{0,20}(?=\W*$)", ""),
    (r"\bthis year so far\b|\bthe year so far\b|\bytd\b|\bso far this calendar year\b", "so far this year"),
    (r"\bthe month so far\b|\bthis month so far\b|\bmtd\b", "so far this month"),
)
_PATTERNS = [(re.compile(pattern, re.I), plain) for pattern, plain in _IDIOMS]


def without_idioms(text: str) -> str:
    """`text` said plainly."""
    return "".join(part if at % 2 else _plain(part) for at, part in enumerate(_QUOTED.split(text)))


def _plain(text: str) -> str:
    for pattern, plain in _PATTERNS:
        text = pattern.sub(plain, text)
    return text
