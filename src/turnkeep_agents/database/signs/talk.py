"""The grammar of small talk, writing tasks, sums, and questions about the assistant."""

from turnkeep_agents.database.signs.asking import sign

_NUMBER = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundred|thousand)"
)
_LANGUAGES = (
    "spanish|french|german|italian|english|dutch|chinese|japanese|portuguese|russian|latin|korean"
    "|arabic|hindi|greek|swedish|polish|turkish|thai"
)

TALK_SIGNS = (
    sign(
        "general", 4.0, "it greets",
        r"^\W*(?:hi|hello|hey|heyo|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day|night)"
        r"|goodnight|sup|what's up)\b(?:\W+(?:there|all|everyone|again|you|to you|ai|bot|my friend"
        r"|friend|assistant))*\W*$",
        r"^\W*how(?:'s|s| is|'ve| are| have|ya|) ?(?:it going|things|life|ya|you|u|everything|your day)\b(?:"
        r" been| doin'?| doing| today| going| feeling| are)*\W*$",
        r"\b(?:nice|good|pleased) to (?:meet|see) you\b",
    ),
    sign(
        "general", 3.5, "it thanks or takes leave",
        r"\b(?:thanks|thank you|thankful|thx|cheers|gratitude|grateful|appreciate[ds]?|much obliged"
        r"|owe you)\b",
        r"\b(?:bye|goodbye|farewell|see (?:you|ya)|take care|until next|talk (?:to you )?(?:later"
        r"|soon)|nice (?:chat|talk|conversation)|catch you later|later)\b\W*$",
        r"\b(?:our|this|the) (?:talk|chat|conversation)\b",
        r"\b(?:to|with) (?:speak|chat|talk)(?:ing)? (?:to|with) you\b|\b(?:speak|chat|talk)ing (?:to"
        r"|with) you\b",
    ),
    sign(
        "general", 2.6, "it asks about the assistant",
        r"\b(?:you|your(?! (?:answer|response|results?|output)\b)|yours|yourself|ur|the (?:ai|bot|chatbot"
        r"|assistant))\b",
    ),
    sign(
        "general", -1.8, "it means anybody",
        r"\b(?:when|if|should|must|before|after|as|once|unless|until|that|can|could|does|do) you (?:need"
        r"|use|want|have to|should|must|get|are|migrate|delete|change|start|add|remove|create|open"
        r"|stay|apply|provide|find|see|recommend|mean)\b|\byou (?:need|should|must|have to)\b|\b(?:require[sd]?"
        r"|allows?|for|lets?) you (?:to )\b",
    ),
    sign(
        "general", 2.4, "it asks who is there",
        r"\b(?:real|actual|live) (?:person|human)\b|\b(?:your|ur) (?:\w+ )?(?:name|age|birthday)\b",
    ),
    sign(
        "general", 2.4, "it asks how the assistant does",
        r"\bhow (?:do|are|did|is|have) (?:you|your) (?:feel|doing|work|know|think|like|been|day)\b",
    ),
    sign(
        "general", 3.2, "it asks what may be asked",
        r"\bask(?:ed|ing)? (?:you|the ai|the bot|this)\b|^\W*(?:what|which) (?:\w+ )*(?:can|could|may"
        r"|should) i ask\b|^\W*(?:help|menu|options)\W*$",
    ),
    sign(
        "general", 3.0, "it wants to be amused",
        r"\b(?:jokes?|funny|trivia|riddles?|fun facts?|cool facts?|laugh|story about|poem|sing|song"
        r"|interesting (?:fact|thing)?s?\b.*\babout|amuse|entertain)\b",
    ),
    sign(
        "general", 3.2, "it asks for weather or time",
        r"\b(?:weather|forecast|temperature|rain(?:ing)?|snow(?:ing)?|sunny|humidity|degrees outside)\b",
        r"^(?:what|which|give me|tell me|the)?(?:'s| is)? ?(?:the )?(?:current |exact |right )?(?:time"
        r"|date|hour|day)(?: of (?:the )?(?:day|week|month))?(?: it)?(?: is| are| will| in| we| now| right"
        r"|\W*$)|\bwhat (?:time|day|date) (?:it|will|is)\b|\bday (?:is it|of the week)\b"
        r"|^is (?:it|today)\b|\b(?:days?|weeks?) from (?:now|today)\b|\btoday's (?:date"
        r"|high|low)\b",
        r"\bhow (?:cold|hot|warm|late) \w+",
    ),
    sign(
        "general", 3.2, "it asks what a word means",
        r"\b(?:define|definition|synonyms?|antonyms?|spell(?:s|ed|ing)?|pronounce[ds]?)\b",
        r"^(?:what does|what is|what's|what|the word)(?: the word)? (?!.*\b(?:button|status|column"
        r"|field|icon|screen|label|message)\b)[\w'-]+ means?\W*$",
        r"\b(?:meaning|definition) (?:of|behind)\b",
    ),
    sign(
        "general", 3.6, "it asks for another language",
        r"^translate\b|\btranslate .+ (?:in|into|to|for)\b",
        rf"^(?:in|what|how|i|the|say|tell|which)\b.* (?:in|into|to|for) (?:{_LANGUAGES})\W*$",
        rf"^in (?:{_LANGUAGES})\b",
        r"\b(?:say|ask|word for|call) (?:\S+ ){1,8}in (?!the\b|my\b|a\b)[a-z]+\W*$",
    ),
    sign(
        "general", 4.6, "it asks how something is said",
        r"\bhow (?:do|can|would|to|does|should|is|are) ?(?:i|you|we|one|people)? (?:say|said)\b",
    ),
    sign(
        "general", 3.4, "it asks for thoughts on life",
        r"\b(?:meaning|purpose|point) (?:of|behind) (?:life|living|existence|it all|being)\b",
        r"\bwhat (?:life|living) is\b|\blife's (?:purpose|meaning)\b|\blife (?:is )?(?:really |all )?about\b",
        r"\b(?:higher calling|(?:we|humans?) (?:are |were )?(?:\w+ )?(?:here|on earth)|our purpose)\b",
    ),
    sign(
        "general", 3.0, "it wants something written",
        r"^(?:please )?(?:write|compose|draft|craft|create|develop|design|generate|construct|make|build"
        r"|produce|prepare|implement|code)(?: me| up| out)? (?:an?|some|me|another|two|three|five|your)\b",
        r"^(?:which word|rewrite|rephrase|paraphrase|proofread|edit|correct|improve|shorten|continue"
        r"|extract|evaluate|anal[yz]+e|classify|translate|solve|prove|simplify|share|suggest|recommend"
        r"|brainstorm|discuss|describe|explain|elaborate|outline|provide insights?|read|help me|assume"
        r"|express|think of|argue)\b",
        r"\b(?:essay|poem|haiku|blog|short story|cover letter|headline|lesson plan|persuasive|(?:python"
        r"|java|c\+\+|html|javascript) (?:program|code|function|script|website)?)\b|\bwrite a (?:function"
        r"|program|script)\b",
    ),
    sign(
        "general", 3.4, "it gives a part to play",
        r"\b(?:pretend|act as|act like|embrace the role|embody|imagine|picture (?:yourself|a)|suppose"
        r"|take on the (?:role|persona)|role ?play|assume the role|you are (?:an?|now|given|participating)"
        r"|you have been (?:tasked|asked|given)|put yourself)\b",
    ),
    sign(
        "general", 3.2, "it sets a sum or a puzzle",
        r"(?<![\w/.:-])\d+(?:[.,]\d+)?\s*(?:[+*^\u00d7\u00f7]|\s[-/x]\s|plus|minus|times|divided by|to the power of"
        r"|percent of|% of)\s*\d+(?![\w/:-])",
        rf"^(?:what(?:'s| is) )?(?:the )?(?:sum of|multiply|add|add up|subtract|divide|{_NUMBER} (?:plus"
        rf"|minus|times|divided by)) {_NUMBER}?",
        r"\bdivisible by\b",
        r"\b[a-z]\s*[=^]\s*-?\d+\w?\b(?!')|\b[a-z]\([a-z]\)|\b\w\s*[-+*/]\s*\w\s*=",
        r"\b(?:probability|inequality|equation|remainder|square root|factorial|derivative|integral"
        r"|triangle|polynomial|vertices|dice|coin|prime numbers?|riddle|solve)\b",
        r"\b(?:first two statements|does not belong|relationship between [A-Z] and|next in the (?:series"
        r"|sequence))\b",
    ),
    sign(
        "general", 4.5, "it brings its own material",
        r"\b(?:(?:the|these|this) )?(?:following|below|given) (?:\w+ ){0,4}?(?:sentences?|texts?|passages?"
        r"|paragraphs?|articles?|reviews?|data|questions?|records?|equations?|code|statements?|story"
        r"|categories|email|strings?|lists? of)\b|\b(?:passage|paragraph|text|code) below\b|\bpresented texts?\b"
        r"|\bjson (?:format|dictionary|object)\b|^given (?:that|these|an?|the|two)\b",
    ),
    sign(
        "general", 2.6, "it tells a story",
        r"^(?:an? |the |some |one |[A-Z][a-z]+ )(?!.*\b(?:list|show)\b)[^?]{40,}[.] .*\?",
        r"^(?:given|consider|here is|below|read|the following|each (?:problem|question)|parents|in a"
        r"|at a|when a|if an?)\b.{60,}",
    ),
    sign(
        "general", 1.2, "it gives a task",
        r"^(?:please |now )?(?:give me|tell me|read me|find me|show me|let me (?:hear|know)|i (?:want"
        r"|need|would like|'d like) (?:to )?(?:hear|know)) (?:(?:an?|some|your|something|about|what)\b)",
        r"^i(?:'m| am|'d| would| want| need| enjoyed| have| owe| like| love)\b",
    ),
)  # fmt: skip
