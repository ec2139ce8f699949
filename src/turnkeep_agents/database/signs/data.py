"""The grammar of questions about records: counting, listing, grouping, filters, and what a record holds."""

from turnkeep_agents.database.signs.asking import sign

_LISTS = (
    r"^(?:lists?|show|give|find|display|get|retrieve|fetch|name|state|indicate|identify|provide"
    r"|mention|tell|rank|pull|return|print)\b"
)
_PERIOD = r"(?:day|week|month|quarter|year|term|semester|season|morning|night)"

DATA_SIGNS = (
    sign(
        "sql", 2.2, "it counts",
        r"\bhow many\b",
        r"\bhow (?:much|often|long) (?:did|was|were|has|have|had)\b",
        r"\b(?:number|count)s? of\b",
        r"^count\b",
        r"\bhow many times\b",
    ),
    sign(
        "sql", 1.6, "it asks how long things took",
        r"\bhow long (?:does|do|did) (?:it|\w+|(?:an?|the|our) \w+) (?:typically |usually )?take\b(?:,? on average,?)?"
        r" (?:to|until|before)\b",
        r"\b(?:took|takes?) (?:the )?(?:longest|shortest|(?:more|less|longer) than \d+ \w+) to\b",
        r"\b(?:days|time) (?:between|from) \w+ (?:date )?(?:and|to|until) \w+",
    ),
    sign(
        "sql", -2.2, "it asks for a limit",
        r"\bhow (?:many|much|long|large|big|often|far) (?:[\w-]+ ){0,5}?(?:can|may|must|should|could"
        r"|do i|am i|are allowed|is allowed)\b",
    ),
    sign(
        "sql", 1.0, "it adds up",
        r"\b(?:sum|totals?|average|avg|mean|median|percentage|percent|proportion|ratio|share|difference) (?:of"
        r"|number|amount|cost|count|value|area|fee|hours|price|\w+ (?:of|for|per))\b",
        r"\b(?:total|overall|cumulative|running|percentage|proportion|ratio|rate of)\b",
        r"\b(?:average|median)\b",
        r"\bsubtotals?\b",
    ),
    sign(
        "sql", 1.0, "it asks for the extreme",
        r"\b(?:highest|lowest|largest|smallest|biggest|oldest|youngest|newest|latest|earliest|longest"
        r"|shortest|fastest|slowest|cheapest|maximum|minimum|max|min)\b",
        r"\b(?:the|with|has|have|had|spent|by) (?:the )?(?:most|least|fewest)\b",
        r"\b(?:top|bottom|first|last) (?:\d+|three|five|ten|twenty)\b",
        r"\bthe (?:top|best|worst|most (?!important|recent version)\w+)\b",
        r"\b(?!interest|forest|test|contest|request|rest|west|harvest|guest|invest|suggest|digest|modest"
        r"|honest|protest|latest)\w{3,}est\b",
    ),
    sign(
        "sql", 2.0, "it groups",
        r"\bfor (?:each|every)\b",
        r"\bgroup(?:ed)?\b.{1,80}\bby\b",
        r"\bbroken? down by\b",
        r"\beach (?:of the|one's)\b",
        r"\b(?:per|by) (?:each |every )?(?:\w+ ?){1,3}$",
    ),
    sign(
        "sql", 0.9, "it sorts",
        r"\b(?:sort|order|rank)(?:ed)? (?:them )?(?:by|from)\b",
        r"\b(?:ascending|descending|alphabetical)\b",
        r"\bin order of\b",
    ),
    sign(
        "sql", 0.9, "it wants each once",
        r"\b(?:distinct|unique|different) \w+",
        r"\bwithout (?:duplicates|repeats)\b",
    ),
    sign(
        "sql", 1.4, "it asks for a list",
        _LISTS + (r"(?!(?: me| us)? (?:an? |something |some |what |the (?:date|time)\b))(?: me| us| out)?(?: the"
        r"| all| every| each| both| any| a list| \d+)?\b(?! me an? )"),
    ),
    sign(
        "sql", 0.8, "it asks for all of a kind",
        r"^(?:list|show|give|find|display|get|retrieve|name)(?: me| us)? (?:all|every)\b",
        r"\ball (?:the|of the|our)\b",
        r"\b(?:their|its|his|her) (?:\w+ )?(?:names?|numbers?|dates?|address(?:es)?|emails?|phones?"
        r"|status|codes?|titles?|prices?|cost)\b",
    ),
    sign(
        "sql", 1.6, "it quotes a value",
        r"(?:^|[\s(])(?:'[^'\n]{2,40}'|\"[^\"\n]{2,40}\"|“[^”\n]{2,40}”)(?=[\s?.,)!]|$|'s)",
    ),
    sign(
        "sql", 1.1, "it names a date or a number",
        r"\b\d{1,4}[/-]\d{1,2}[/-]\d{1,4}\b",
        r"\b(?:no|nr|number|id|code)\.? ?#?\d+",
        r"#\d+",
        r"\b(?:in|of|at|from|for|is|has|was) (?:the )?[a-z]+ \d+\b"
        r"(?! (?:days?|hours?|minutes?|years?|months?|weeks?)\b)",
        r"\b(?:in|of|since|before|after|during|from|until|by|year|on|and|between) (?:the )?(?:(?:january"
        r"|february|march|april|may|june|july|august|september|october|november|december),? )?(?:19"
        r"|20)\d\d\b",
        r"\b(?:in|during|since|for|and) (?:january|february|march|april|june|july|august|september"
        r"|october|november|december)\b",
        r"\b(?:19|20)\d\d (?:fall|spring|summer|winter|season)\b",
        r"\d:\d\d",
    ),
    sign(
        "sql", 1.1, "it names a period",
        rf"\b(?:last|this|past|previous|current|coming) (?:\d+ |\w+ )?{_PERIOD}s?\b",
        r"\b(?:today|yesterday|tomorrow|so far|to date|currently|right now)\b.*\?*$",
    ),
    sign(
        "sql", 1.1, "it sets a limit",
        r"\b(?:more|less|fewer|greater|higher|lower|larger|smaller|older|younger) than\b",
        r"\b(?:at least|at most|over|under|above|below|exceed\w*|between) (?:\$|€|£)?\d",
        r"\b(?:start|begin|end)\w* with (?:the )?(?:letter )?['\"]?\w\b",
        r"\bcontaining\b",
    ),
    sign(
        "sql", 0.9, "it filters",
        r"\b(?:whose|among|out of (?:all|the))\b",
        r"\b(?:\w+s|\w+ren|people|person|one|that|those) (?:who|that|which) (?:are|is|was|were|have"
        r"|has|had|did|do not|does not|\w+ed)\b",
        r"\bwith(?:out)? (?:an? |any |no |the )?\w+ (?:of|as|equal)\b",
        r"\b(?:not|never) (?:been )?\w+ed\b",
        r"\bassociated with\b",
    ),
    sign(
        "sql", 1.0, "it asks which one",
        r"^(?:which|whose)\b(?! (?:way|is (?:the )?(?:best|better)))",
        r"^what (?:\w+ ){1,3}?(?:has|have|had|was|were|did|belongs?|\w{3,}ed)\b(?! (?:i|we|you)\b)",
        r"^who (?:is|are|was|were|has|have|had|did)? ?(?:the|\w+ed|in)\b",
        r"^(?:when|where) (?:did|was|were)\b",
    ),
    sign(
        "sql", 1.0, "it asks for what a record holds",
        r"\b(?:(?:full|first|last|sur|e)[ -]?names?|surname|phone numbers?|e-?mails?(?: address(?:es)?)?"
        r"|address(?:es)?|postal codes?|zip codes?|cit(?:y|ies)|state|country|status|amounts?|costs?"
        r"|budgets?|fees?|prices?|expenses?|revenue|salar(?:y|ies)|balance|quantit(?:y|ies)|descriptions?"
        r"|birth ?days?|date of birth|results?|scores?|ids?|hours) (?:of"
        r"|for|and|that|at|to|is|was|in|by|with|per)\b",
        r", (?:\w+ ){1,4}?(?:names?|numbers?|codes?|titles?|descriptions?|address|email|phone|city"
        r"|status|date|area|total|count)\b",
    ),
    sign(
        "sql", 1.5, "it asks of somebody by name",
        r"(?-i:\b[A-Z][\w-]*[a-z](?: [A-Z][a-z]+)*)(?:'s|s') (?-i:[a-z]+)\b",
        r"\b(?:by|named|called) (?-i:[A-Z][a-z]+ [A-Z][a-z]+\b)",
    ),
    sign(
        "sql", 0.4, "it holds a name",
        r"\S (?-i:[A-Z][a-z]+ [A-Z][a-z]+\b)",
    ),
    sign(
        "sql", 1.1, "it names a record",
        r"\b(?-i:[A-Z]{1,4}\d{2,}\w*)\b",
        r"\b\d{1,2}:\d\d(?::\d\d)?\b",
        r"\b(?:between|of|for) (?:\w+ )?\d+ and \d+\b",
    ),
    sign(
        "sql", 1.5, "it reckons with data",
        r"^(?:calculate|compute|count|tally|compare|consider|group|determine|sum(?: up)?|average|rank"
        r"|regarding)\b",
        r"^(?:among|for|from|of|based on|in) (?:all |the |each |every |those |\d+)",
        r"^(?:for|in|among|of|from|on|at|between) .{5,200}?, (?:please )?(?:calculate|list|give|state"
        r"|show|provide|indicate|find|what|which|how many|who|name)\b",
        r"[.?!] (?:please )?(?:list|indicate|state|give|provide|show|include|identify) (?:the|their"
        r"|all|its|his|out|them)\b",
    ),
    sign(
        "sql", 0.8, "it lists columns",
        r"^(?!.*[:;]\s).{0,400}?\b\w+, (?:(?:and |or )?[\w' -]{2,40}, ){1,}(?:and |or )",
    ),
    sign(
        "sql", 1.6, "it asks whether there are any",
        r"^(?:do|does|did) we (?:still |already )?(?:have|got)\b(?! to\b)",
        r"^(?:are|is|were|was) there (?:any|still|more|a|an|some)\b",
    ),
    sign(
        "sql", 0.8, "it asks whether it happened",
        r"^(?:did|was|were|has|have|had) (?!you|i |we |your)\w+",
    ),
    sign(
        "sql", 1.5, "it asks whether somebody by name is so",
        r"^(?:is|are|was|were|has|have|had|did) (?-i:[A-Z\u00c0-\u00de]\w+(?: [A-Z\u00c0-\u00de]\w+)+) \w+",
    ),
    sign(
        "sql", 0.5, "it asks for a fact",
        r"^(?:what|who|which|where|when)(?:'s| is| are| was| were)\b.*\b(?:of|for|in|at|from|on)\b",
    ),
)  # fmt: skip
