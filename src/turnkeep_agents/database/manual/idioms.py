"""Turns of speech whose single words say nothing of what they mean together, with the words that manuals have for it.
They are read on words in lower case without signs, so that "can't" is two words."""

import re

_G = r"((?: \w+){0,4}?)"
"""What may stand between a verb and its particle: it is read on its own. No other part of a pattern is a group."""
_SPAN = r"(?:days?|weeks?|mornings?|afternoons?|time|fortnight|monday|tuesday|wednesday|thursday|friday)"

_IDIOMS = (
    # work and people
    (rf"(?:take|took|have|had|get|book|booked|want|need){_G} {_SPAN} off|{_SPAN} off", "leave request vacation"),
    (r"(?:(?:feel|feeling|fall|fell|taken|off|am|m|called?|calling) (?:in )?(?:sick|poorly|ill|unwell|rough)"
     r"|(?:can t|cannot|won t be able to) (?:come|make it|get) in(?: to work)?)", "sick report illness"),
    (rf"(?:clock|clocked|clocking|punch|punched){_G} (?:in|on|off|out)", "timer time start stop record"),
    (rf"(?:hand|handed|handing|give|gave|given|giving){_G} notice|(?:has|have|is|are|who) (?:left|leaving|quit)"
     r"(?: us| the (?:firm|company|business))?", "leave deactivate employee"),
    (r"(?:new (?:starter|hire|joiner|guy|girl|lad|member of staff|colleague))", "new employee add"),
    (r"(?:saw|seen|watched) (?:it|the accident|what happened)(?: happen)?", "witness"),
    (r"on the way|en route", "travel way"),
    (r"stand(?:s|ing)? in for|cover(?:s|ing)? for|while i m (?:away|off|gone)|in my place", "deputy"),
    (r"(?:who s|who is|anyone|anybody|somebody|someone) (?:got (?:the )?time|free|spare)|got time", "free crew"
     " suggest"),
    # doing and undoing
    (r"(?:get|got|getting) rid of|throw away|chuck(?:ed)? (?:out|away)", "delete remove disband"),
    (r"(?:by|in) (?:mistake|accident|error)|accidentally|mistakenly|too (?:early|soon)", "undo reverse"),
    (rf"(?:get|got|bring|have|want|change|put){_G} back(?! to)", "back restore reopen undo"),
    (rf"(?:take|took|pull|pulled|draw){_G} back", "cancel undo unpublish withdraw"),
    (rf"(?:hand|handed|give|gave|send|sent|bring|brought){_G} back", "return back"),
    (r"call(?:ed)? (?:it )?off|(?:don t|doesn t|didn t|no longer|not) (?:want|need|wants|needs)(?: \w+){0,2}?"
     r" (?:any ?more|any longer|after all|done)|not (?:needed|wanted) any ?more", "cancel withdrew"),
    (rf"(?:write|wrote|note|jot|put|set|take|took){_G} down|write{_G} up|(?:put|key|type|fill|punch){_G} in(?:to)?",
     "enter record add"),
    (rf"(?:send|sent|push|pushed|put|give|gave|let){_G} out", "publish send"),
    (rf"(?:roll|rolled|carry|take){_G} over(?: to)?", "copy carried"),
    (rf"(?:turn|turned|switch|switched|shut|get){_G} off|off switch|(?:mute|silence|shut{_G} up)", "off switch mute"),
    (rf"(?:turn|turned|switch|switched){_G} on", "on switch turn"),
    (r"(?:log|logged|logging|logs|sign|signed|signing)(?: me| him| her| us| them)? (?:on|in|into|out)|logs?"
     r" off", "sign signed signing"),
    (r"(?:locked|shut|kicked|thrown) out|can t get in(?! to work)", "lock account sign"),
    (r"(?:run|runs|running|ran) out(?: of (?!stock))?|(?:is|are|goes|gone) out of date", "expire expired low"),
    (r"out of stock|run(?:ning)? low", "low stock"),
    (r"(?:going|goes|go|went) (?:up|through|across)", "upload send"),
    (rf"(?:turn|turned|show|shown|showed){_G} up|(?:come|came|got|gone) through", "arrive shown"),
    (rf"(?:break|split){_G} (?:up|down)", "part split"),
    (rf"(?:set|sets|setting){_G} up", "create set new"),
    (rf"(?:fill|fills|filled){_G} (?:in|out)", "fill enter"),
    (r"(?:get|got|getting) (?:a )?hold of", "find open"),
    (rf"(?:pick|picked|choose){_G} up", "receive collect"),
    (r"on (?:its|their) own|by (?:it|them)sel(?:f|ves)|auto", "automatic itself"),
    (rf"sign(?:s|ed|ing)?{_G} off|give{_G} (?:the )?(?:nod|green light)|(?:can|to|must|should|who)"
     rf" okay", "approve approval"),
    (r"(?:said|says|saying|say) (?:yes|ok|okay)|go ahead|agreed? to", "accept accepted"),
    (r"(?:said|says|saying|say) no|turn(?:ed)? (?:it |us |him )?down", "reject rejected decline"),
    (rf"(?:isn t|isnt|aren t|arent|wasn t|not|nothing|never|doesn t|doesnt|don t|dont|didn t|didnt){_G}"
     r" (?:there|visible|show|shows|shown|showing|appear|appears|listed|on my (?:phone|list|screen|tablet))",
     "missing appear"),
    (r"(?:come|comes|came|coming) back|back (?:with|working for) us|rejoin(?:s|ed)?", "reactivate return"),
    (rf"(?:come|comes|came|fall|fell|drop|dropped|lose|lost){_G} (?:into|in|down) the \w+", "lost damage incident"),
    (r"(?:sick|tired|bored) of|fed up(?: with)?|had enough of|(?:drives?|driving) me (?:mad|nuts|crazy|insane)", ""),
    (r"(?:my|the|his|her) first (?:day|week|morning)|(?:am|m) new(?: here)?|(?:where|how) do i (?:start|begin)",
     "first day start getting"),
    (rf"(?:take|takes|took|taking){_G} over", "hand change takes"),
    (rf"(?:get|getting|got|pull){_G} out(?: of (?:it|this|here))?", "export cancel end"),
    (rf"(?:fit|squeeze|slot|cram){_G} in", "free schedule suggest"),
    (rf"(?:tell|say|let){_G} (?:to )?(?:we|that we) (?:won t|will not|can t|cannot|are not)|turn(?:s|ed|ing)? away",
     "decline reject"),
    # how often, how much
    (rf"(?:put|putting|go|going|push|jack){_G} up(?! (?:with|for|on))", "raise increase add"),
    (rf"(?:bring|bringing|cut|cutting){_G} down", "lower reduce"),
    (r"(?:have|has|had|ve|s|i) (?:got )?left(?! (?:the|us|my|our))|days left"
     r"|still (?:have|got|entitled)", "balance left"),
    (r"(?:keeps?|kept|always) asking|nags?(?: me| us)?|over and over|again and again|all the time", "again ask"),
    (r"(?:up to|out of) date|so old", "refresh old current"),
    (r"(?:how|that|so) (?:quick|fast|soon|quickly)", "response reaction within"),
    (r"no ?(?:body|one) (?:was )?(?:home|there|in)|not (?:at )?home|wasn t (?:home|there|in)|isn t (?:home|there)"
     r"|(?:was|were|is) out", "signature not there missing access"),
    (r"for me while|on my behalf|instead of me|for me when", "deputy"),
    (r"(?:all|several|many|both|two|three|four|five) (?:\w+ )?(?:at once|in one go|together|on one (?:bill|invoice))"
     r"|one (?:bill|invoice) for (?:all|both|several)|in one go|all at once|in bulk", "many once collective"),
    (r"(?:where|whereabouts) (?:i am|he is|she is|they are|we are|my \w+ (?:is|are))|(?:track|tracks|tracking"
     r"|follow|spy on)"
     r" (?:me|us|my)", "position location sharing"),
    (r"(?:half|quarter of)(?: an?)? hour|\d+ (?:hours?|minutes?|days?|weeks?)|in (?:an hour|a week|a month)", ""),
    (r"(?:every|each) (?:\w+ )?(?:day|week|month|quarter|year)|once an? (?:day|week|month|quarter|year)"
     r"|(?:monthly|weekly"
     r"|yearly)", "recurring repeat monthly interval"),
    (r"(?:in|on) (?:there|it|here|file)? ?twice|two times|same (?:\w+ )?(?:customer|client) (?:\w+ )*twice",
     "duplicate merge"),
    (r"up front|in advance|half now", "part advance"),
    (rf"(?:knock|knocked|take|took){_G} off", "discount remove deduct deducted"),
    (r"(?:too much|the extra|more than (?:owed|the total|they owe))|twice over|overpaid|overpayment", "credit much"),
    (r"less than|too (?:little|few)|short delivery|came up short|not everything", "less partly rest short"),
    (r"out of (?:my|his|her|their|our) own pocket|paid (?:\w+ )?(?:myself|himself|herself)|my own"
     r" money", "expense claim"),
    (r"(?:get|got|want|claim) (?:my|our|his|her|their|the) money back", "reimburse refund"),
    (r"late paying|(?:slow|late|bad) payers?|(?:never|won t|doesn t|don t|not) pay(?:s|ing)?(?! (?:vat|tax|by|for"
     r"|with|in|on|me|us))|haven t paid|hasn t paid",
     "unpaid overdue reminder"),
    # software
    (r"(?:eat|eats|eating|burn|burns|burning|use|uses|using) (?:up )?(?:all |so much |too much |a lot of )?(?:of"
     r" )?(?:my|our|the)"
     r" (?:data|battery)|mobile data", "battery data"),
    (r"(?:stop|quit|finish|end) (?:paying for|using|with) (?:this|the|fieldmoor|it)", "cancel subscription"),
    (r"see what (?:\w+ ){0,5}sees?|(?:as|like) (?:he|she|they|somebody|someone) (?:does|do|sees?)", "view role see"),
    (r"(?:everything|all|what) (?:we|you|is|s)? ?(?:have|hold|got|know|keep|stored|store) (?:on"
     r"|about)", "personal data stored"),
    (r"(?:last|take|takes|lasts|runs?) (?:\w+ )?(?:two|three|four|five|several|more|few) days", "several days work"),
    (r"only (?:mornings?|afternoons?|weekdays?)|part time|(?:can|could)(?: \w+){1,5}? (?:do"
     r" )?only", "availability weekdays hours"),
    (r"next of kin|(?:get|gets|got) hurt", "emergency contact injury"),
    (r"(?:to|for) (?:someone|somebody) else|(?:someone|somebody) else(?: do| have| take)", "change hand swap other"),
    (r"(?:each|every) (?:monday|tuesday|wednesday|thursday|friday|morning)", "schedule weekly recurring"),
    (r"(?:google|outlook|apple|ical) calendars?", "calendar subscribe"),
    (r"(?:do not|don t|doesn t|won t|can t|cannot) (?:load|open|come up|start|respond)|blank (?:page|screen)"
     r"|white screen|keeps? (?:crashing|freezing|hanging)", "load page"),
    (r"no (?:signal|reception|internet|wifi|coverage|bars|connection)|without (?:signal|reception|internet|wifi)",
     "offline connection"),
    (r"what (?:i|we) pay|how much (?:\w+ )?(?:earns?|gets? paid|makes?)|pay packets?", "pay rate"),
    (r"who (?:did|changed|touched|altered|edited|messed)|messed? (?:with|about with|up)|what was changed",
     "history changed"),
    (r"see what i (?:see|write)|(?:read|see) my (?:notes|comments)", "internal notes see"),
    (r"on the clock", "mileage"),
    (r"in (?:the )?(?:garage|workshop)", "repair maintenance"),
    (r"(?:what s|what is|what are) (?:left|remaining)|(?:how much|how many) (?:\w+ ){0,3}left", "balance"),
)  # fmt: skip
IDIOMS = tuple((re.compile(rf"\b(?:{pattern})\b"), words.split()) for pattern, words in _IDIOMS)
