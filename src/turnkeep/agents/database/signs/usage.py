"""The grammar of questions about how something is done, what it means and whether it is allowed."""

from turnkeep.agents.database.signs.asking import sign

_WHO = r"(?:i|we|one|my|someone|somebody|anyone|users?|people|an? \w+)"

USAGE_SIGNS = (
    sign(
        "rag", 3.0, "it asks how to do something",
        rf"\bhow (?:do|can|could|should|would|must|may|might) {_WHO}\b",
        r"\bhow (?:to|do you|does one|can you)\b",
        rf"\bways? (?:to|{_WHO} can)\b.*\?",
    ),
    sign(
        "rag", 2.6, "it asks what is possible",
        rf"(?:^|[.!?,] )(?:can|could|may|should|must|am|shall|do|would|will|might) {_WHO} "
        r"(?!please|have (?!to\b)|got\b)\w+",
        r"\bis (?:it|there)\b.{0,20}\b(?:possible|allowed|any way|a way|an option|worth|true|necessary"
        r"|mandatory|safe|supported)\b",
        r"\b(?:am|are) (?:i|we) (?:allowed|able|supposed|required)\b",
    ),
    sign(
        "rag", 2.6, "it asks where something is done",
        rf"\bwhere (?:can|do|could|should|would|is|are|to)?\b.{{0,12}}\b(?:{_WHO}|option|settings?|button"
        r"|menu|find)\b",
        r"^where (?:is|are) the \w+",
    ),
    sign(
        "rag", 2.4, "it asks for a limit",
        r"\bhow (?:many|much|long|large|big|often|far) (?:[\w-]+ ){0,5}?(?:can|may|must|should|could"
        r"|do i|am i|are allowed|is allowed)\b",
    ),
    sign(
        "rag", 2.4, "it asks who may",
        r"^(?:who|which \w+|what \w+) (?:can|may|must|should|could|is allowed|are allowed)\b(?! you\b)",
    ),
    sign(
        "rag", 2.0, "it asks for the steps",
        r"\b(?:steps?|instructions?|guide|procedure|tutorial|walk me through|process of|process for)\b",
    ),
    sign(
        "rag", 2.0, "it asks what follows",
        r"\bwhat (?:happens?|if)\b",
        r"\bwhat (?:should|can|must|do|could) (?:i|we|people)\b",
        r"\bwhat (?:i|we) (?:should|need|can)\b",
    ),
    sign(
        "rag", 1.7, "it asks for an explanation",
        r"\b(?:differ|differences?) (?:from|between|in)\b",
        r"\bdiffers?\b",
        r"\bwhat (?:is|are|was) the (?:\w+ ){0,2}?(?:differences?|purpose|goals?|features?|function"
        r"|benefits?|advantages?|default|limits?|requirements?|meaning|role|rules?|options?"
        r"|types?|reasons?|objectives?|attributes?|plans?|policy|process)\b",
        r"\b(?:advantages|disadvantages|benefits|pros and cons|types) of\b",
        r"^(?:summarize|summary|overview)\b",
        r"\bkinds? of\b",
        r"\bwhat does (?:the|an?) .+ (?:do|mean)\b",
    ),
    sign(
        "rag", 1.5, "it asks why or how",
        r"^why\b",
        r"^how long (?:are|is)\b",
        r"^how (?:does|do(?! i\b| we\b| you\b)|is|are|was|long (?:does|do|is)|often (?:does|do|is|should)"
        r"|far|old do|much (?:does|do|can|is))\b",
    ),
    sign(
        "rag", 1.3, "it asks whether something is so",
        r"^(?:does|do|is|are|will|can|should|would|has|have)\b(?! you\b)",
    ),
    sign(
        "rag", 1.6, "it tells of own trouble",
        r"\b(?:i|we|my \w+) (?:can't|cannot|can not|could not|couldn't|am unable|are unable|don't see|am not able)\b",
    ),
    sign(
        "rag", 1.2, "it tells of trouble",
        r"\b(?:cannot|can't|unable|won't|doesn't|does not|don't|isn't|not) (?:\w+ ){0,4}?(?:work\w*"
        r"|open|load|save|find|see|get|log|sign|sync|upload|start|connect|show|appear\w*|change|delete"
        r"|edit|send|print|close)\b",
        r"\b(?:error|fails?|failed|stuck|greyed out|grayed out|crash\w*|troubleshoot\w*|fix|missing"
        r"|forgot\w*|lost)\b",
    ),
    sign(
        "rag", 0.9, "it speaks of handling",
        r"\b(?:click|tap|button|screen|menus?|settings?|options?|tabs?|page|icon|enable|disable|activate"
        r"|turn (?:on|off|it)|set ?up|configur\w+|install\w*|customi[sz]e\w*|apps?|password|log ?in"
        r"|sign ?in|accounts?|export|import|notifications?|permissions?|delete|edit|upload|download"
        r"|sync\w*|shortcuts?|filter|reset|device|keyboard|feature|mode|support(?:s|ed)?|default|plan)\b",
    ),
    sign(
        "rag", 1.0, "it asks what something is",
        r"^what(?:'s| is| are| do| does| was)\b",
        r"^when\b",
        r"^what (?:\w+ ){1,3}(?:is|are|does|do|should|can)\b",
    ),
    sign(
        "rag", 0.3, "it is a question",
        r"\?",
    ),
)  # fmt: skip
