"""The grammar of questions about how something is done, what it means and whether it is allowed."""

from turnkeep_agents.database.signs.asking import sign

_WHO = r"(?:i|we|one|my|someone|somebody|anyone|users?|people|an? \w+)"

_THING = (
    r"(?:it|this|that|app|system|software|programm?e?|screen|page|button|thing|phone|tablet|computer|map|list|menu"
    r"|timer|calendar|my \w+|the \w+)"
)

USAGE_SIGNS = (
    sign(
        "rag", 2.6, "it tells what does not work",
        rf"\b{_THING} (?:just |still |always |really )?(?:won't|will not|wouldn't|refuses?|doesn't want|keeps?"
        rf"|kept|never"
        r" (?!been\b)\w+s\b|stopped \w+ing|(?:is|has|have) (?:gone|disappeared|vanished|stuck|frozen|missing"
        r"|blank|greyed"
        r"|grayed)|disappeared|vanished|crashes|crashed|freezes|froze)\b",
        r"\bwhy (?:can't|cannot|won't|doesn't|don't|isn't|aren't|didn't|is my|are my|does it|is it|do i|am i)\b",
        r"^how come\b",
        r"\b(?:locked|logged|signed|kicked|thrown) (?:me |him |her |us )?out\b",
        r"\b(?:i|we) (?:keep|kept|still) (?:get|see|hav)(?:ting|ing)?\b|\bis (?:that|this|it) normal\b",
        r"\b(?:i'm|i am|we're|we are|i've been|been) trying to\b",
    ),
    sign(
        "rag", 2.2, "it tells of a mistake",
        r"\b(?:by|in) (?:mistake|accident|error)\b|\b(?:accidentally|mistakenly|wrongly)\b|\btoo (?:early|soon)\b",
        r"^(?:oops |sorry |help )?(?:i|we)(?:'ve)? (?:just |already |only )?(?:put|sent|left|lost|forgot|made"
        r"|gave|took|got"
        r"|\w{3,}ed)\b",
        r"\bwrong \w+",
        r"^forgot\b",
    ),
    sign(
        "rag", 2.6, "it asks for a way out",
        r"\bwhat (?:now|next|then)\b\W*$|\bnow what\b|\bwhat (?:do|should|can|must) (?:i|we) (?:do|click|press"
        r"|tap|choose)\b",
        r"\bwho (?:do|should|must|can) (?:i|we)\b|[,.;] who (?:can|may|must|should)\b",
        r"^(?:i|we)(?:'d| would)? (?:need|want|like|have|got|wish) to (?!know\b|see\b|get (?:all|the|a list)"
        r"|find\b|have\b|list\b"
        r"|compare\b|count\b|check\b|look\b|view\b|calculate\b|analy|understand\b|pull\b|report\b|hear\b)\w+",
        r"^how (?:quick|quickly|fast|soon) (?:do|must|should|can|does|will)\b",
        r"\bany (?:way|chance|trick|option) (?:to|of|i|we)\b|\bwhat's the (?:trick|best way|easiest way|way)\b",
        r"(?:^|[.,;!?] |\b(?:and|but|so) )(?:can|could|does|will|should) (?:it|the (?:app|system|software|program))\b",
        r"\bwhere (?:does|do|did|would) (?:the|it|this|that|those|my)\b",
    ),
    sign(
        "rag", 1.4, "it tells what happened",
        r"^(?!(?:how|which|what|who|list|show|give|find|count)\b)(?:the |a |an |our |my |one of (?:the |our |my"
        r" )?)?(?:\w+ )"
        r"{1,2}(?:says?|said|reckons?|claims?|complains?|complained|rang|called|phoned|sent|typed|got|wants?"
        r"|doesn't want"
        r"|didn't|fell|broke|handed|delivered|paid)\b",
        r"\b(?:twice|two times) in\b|\bin there (?:twice|two times)\b",
    ),
    sign(
        "rag", 3.8, "it asks how to do something",
        rf"\bhow (?:do|can|could|should|would|must|may|might) {_WHO}\b",
        r"\bhow (?:to|do you|does one|can you)\b",
        rf"\bways? (?:to|{_WHO} can)\b.*\?",
    ),
    sign(
        "rag", 2.6, "it asks what is possible",
        rf"(?:^|[.!?,] |\b(?:and|but|so|or|then) )(?:can|could|may|should|must|am|shall|do|would|will|might) {_WHO} "
        r"(?!please|have (?!to\b)|got\b)\w+",
        r"\bis (?:it|there)\b.{0,20}\b(?:possible|allowed|any way|a way|an option|worth|true|necessary"
        r"|mandatory|safe|supported)\b",
        r"\b(?:am|are) (?:i|we) (?:allowed|able|supposed|required)\b",
    ),
    sign(
        "rag", 3.0, "it asks where something is done",
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
