"""Whether a message wants figures, a state or reasons."""

import re

from turnkeep_agents.campaigns.requests import Intent

_ANALYSIS = re.compile(
    r"\b(?:why|how\s+come|wrong|diagnos\w+|root\s+causes?|reasons?|causes?|caused|causing|explain\w*|investigat\w+"
    r"|analy[sz]\w+|problems?|issues?|troubles?|concern\w*|should|improv\w+|recommend\w*|advi[cs]e|suggest\w*"
    r"|optimi[sz]\w*|fix|drop(?:s|ped|ping)?|fell|fall(?:s|en|ing)?|declin\w+|decreas\w+|collaps\w+|plummet\w*|tank\w*"
    r"|los(?:e[sd]?|ing|t)|underperform\w*|struggl\w+|suffer\w*|wast(?:e[sd]?|ing)|worse|worried|what\s+(?:can|could)\s+(?:we|i|be)"
    r"|fatigue\w*|tired?|worn\s+out|too\s+(?:expensive|dear|costly|much|little|slow\w*|fast)|(?:over|under)-?spen[dt]\w*"
    r"|how\s+(?:can|could|do|should)\s+(?:we|i)|went\s+down|going\s+down|behind\s+the|driv(?:es?|ing|ers?))\b",
    re.I,
)
_STATUS = re.compile(
    r"\bhow(?:'s|\s+(?:is|are|were|was))\s+(?:things|it)\b|\bhow(?:'s|\s+(?:is|are|was|were|did|does|do|has|have))\b.*\b(?:doing|going|look(?:s|ing)?|perform(?:s|ing|ed)?"
    r"|do|done|fare[sd]?|getting\s+on|been|pacing|tracking|run(?:ning)?)\b"
    r"|\bon\s+(?:track|pace|budget|target|course|plan|schedule)\b|\bunder\s+control\b|\bstatus\b|\bhealth(?:y)?\b"
    r"|\b(?:everything|all|things)\s+(?:ok(?:ay)?|fine|good|well|alright|in\s+order)\b|\bdoing\s+(?:ok(?:ay)?|well|fine|good)\b"
    r"|\b(?:is|are|was|were)\s+(?:that|this|it|these|those|they)\s+(?:any\s+)?(?:good|bad|ok(?:ay)?|fine|normal|usual|high|low)\b",
    re.I | re.S,
)

_TROUBLE = re.compile(
    r"\b(?:wrong|problems?|issues?|troubles?|concern\w*|everything|health\w*|wast(?:e[sd]?|ing))\b", re.I
)
_ADVICE = re.compile(
    r"\b(?:recommend\w*|advi[cs]e|suggest\w*|improv\w+|what\s+(?:should|can|could|shall)\s+(?:we|i|be)"
    r"|what\s+to\s+(?:do|change|improve|fix)|next\s+steps?)\b",
    re.I,
)


def intent_of(text: str) -> Intent | None:
    """None where the text leaves it open, which is taken as informational."""
    if _ANALYSIS.search(text):
        return "analysis"
    return "status" if _STATUS.search(text) else None


def is_open_trouble(text: str) -> bool:
    """Whether it asks for what is wrong, wherever that may be."""
    return _TROUBLE.search(text) is not None


def wants_advice(text: str) -> bool:
    """Whether it asks what to do."""
    return _ADVICE.search(text) is not None
