"""The inner calls of the agent `campaigns`, as tests of served models play them."""

from wire import Answer, calls, says
from wire_talk import MADE_UP, Inner, Json, MadeUp, Prose

CLICKS = "Show me the clicks of Quiz last month"
ADVICE = "Why are budgets overspending this month, and what should we change?"
OVER = "Brightway City Breaks"


def reading(specialist: str, intent: str = "figures", **more: object) -> Json:
    asked = {"names": [], "metrics": [], "by": [], "period": {"named": "none"}, **more}
    return {
        "reasoning": "It is asked for.",
        "language": "en",
        "standalone": "The whole question",
        "kind": "specialists",
        "week": "open",
        "requests": [{"specialist": specialist, "intent": intent, **asked}],
        "reply": "",
        "confidence": 0.9,
    }


def analysis(action: str, cause: str = "It spends too fast.") -> Json:
    advice = {"priority": "high", "change": "decrease", "subject": OVER, "action": action, "reason": "It is too fast."}
    return {"causes": [cause], "links": [], "recommendations": [advice], "confidence": 0.7}


PERFORMANCE = reading("performance_diagnosis", names=["Quiz"], metrics=["clicks"], period={"named": "last_month"})
BUDGETS = reading("budget_risk", "advice")
READ, READ_BUDGETS = calls("Reading", PERFORMANCE), calls("Reading", BUDGETS)
TOLD = says("There they are.")

TYPED = {
    "campaigns.read": Inner(
        agent="campaigns",
        message=CLICKS,
        tool="Reading",
        result=reading("audience_targeting"),
        used='"name": "audience_targeting"',
        stood_in=None,
        after=(TOLD,),
    ),
    "campaigns.analyse": Inner(
        agent="campaigns",
        message=ADVICE,
        tool="Analysis",
        result=analysis("Pause Brightway City Breaks."),
        used="Pause Brightway City Breaks.",
        stood_in="diagnose_malformed",
        before=(READ_BUDGETS,),
        after=(TOLD,),
    ),
    "memory.fold of campaigns": Inner(
        agent="campaigns",
        message=CLICKS,
        tool="Summaries",
        result={"messages": "The user counted aloud."},
        used="The user counted aloud.",
        stood_in="memory_by_rules",
        said=("123",) * 10,
        after=(READ, TOLD),
    ),
}

WORDED = {"campaigns.answer": Prose("campaigns", CLICKS, "Quiz had many clicks.", before=(READ,))}


def dropped() -> Answer:
    """In place of a sentence that was refused."""
    return calls("Rewritten", {"sentences": [""]})


A_REPLY = {**reading("budget_risk"), "kind": "clarify", "requests": [], "reply": f"The one that lost £{MADE_UP}? Or?"}
INVENTIONS = {
    "a question of campaigns.read": MadeUp(TYPED["campaigns.read"], (calls("Reading", A_REPLY),) * 2),
    "a name in campaigns.read": MadeUp(
        TYPED["campaigns.read"], (calls("Reading", reading("budget_risk", names=[f"£{MADE_UP}"])),) * 2, warning=None
    ),
    "advice of campaigns.analyse": MadeUp(
        TYPED["campaigns.analyse"],
        (READ_BUDGETS, calls("Analysis", analysis(f"Cut Brightway City Breaks by £{MADE_UP}.")), TOLD),
        warning="figure_removed",
    ),
    "campaigns.answer": MadeUp(WORDED["campaigns.answer"], (READ, says(f"Quiz lost £{MADE_UP}."), dropped())),
    "campaigns.answer, again": MadeUp(
        WORDED["campaigns.answer"],
        (READ, says(f"Quiz lost £{MADE_UP}. So it is."), calls("Rewritten", {"sentences": [f"It lost £{MADE_UP}."]})),
    ),
}
