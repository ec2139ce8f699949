"""The inner calls of the agent `campaigns`, as tests of served models play them."""

from wire import Answer, calls
from wire_talk import MADE_UP, Inner, Json, MadeUp

CLICKS = "Show me the clicks of Quiz last month"
ADVICE = "Why are budgets overspending and audiences wasting money this month, and what should we change?"
ROUTE: Json = {"specialists": ["budget_risk", "audience_targeting"], "confidence": 0.9}
DIAGNOSIS: Json = {"summary": "Money goes to audiences that do not buy."}
ADVICE_GIVEN: Json = {"recommendations": [{"priority": "high", "action": "Pause Commuters.", "reason": "They wait."}]}
PERFORMANCE = calls("Routing", {"specialists": ["performance_diagnosis"], "confidence": 0.9})
READ_AS_IT_IS = calls("Reading", {"depends_on_history": False, "standalone_query": CLICKS})

TYPED = {
    "campaigns.route": Inner(
        agent="campaigns",
        message=CLICKS,
        tool="Routing",
        result={"specialists": ["audience_targeting"], "confidence": 0.9},
        used='"name": "audience_targeting"',
        stood_in="routing_malformed",
    ),
    "campaigns.diagnose": Inner(
        agent="campaigns",
        message=ADVICE,
        tool="Diagnosis",
        result=DIAGNOSIS,
        used=DIAGNOSIS["summary"],
        stood_in="diagnose_malformed",
        before=(calls("Routing", ROUTE),),
        after=(calls("Recommendations", ADVICE_GIVEN),),
    ),
    "campaigns.recommend": Inner(
        agent="campaigns",
        message=ADVICE,
        tool="Recommendations",
        result=ADVICE_GIVEN,
        used="Pause Commuters.",
        stood_in="recommend_malformed",
        before=(calls("Routing", ROUTE), calls("Diagnosis", DIAGNOSIS)),
    ),
    "understand.read of campaigns": Inner(
        agent="campaigns",
        message="and for the month before?",
        tool="Reading",
        result={"depends_on_history": True, "standalone_query": "Show me the clicks of Tidewater Audio in May 2029"},
        used="Tidewater Audio, May 2029",
        stood_in="reformulation_failed",
        said=(CLICKS,),
        after=(PERFORMANCE,),
    ),
    "memory.fold of campaigns": Inner(
        agent="campaigns",
        message=CLICKS,
        tool="Summaries",
        result={"messages": "The user counted aloud."},
        used="The user counted aloud.",
        stood_in="memory_by_rules",
        said=("123",) * 10,
        after=(READ_AS_IT_IS, PERFORMANCE),
    ),
}


def advised(action: str) -> Answer:
    return calls(
        "Recommendations", {"recommendations": [{"priority": "high", "action": action, "reason": "It is so."}]}
    )


ROUTED, DIAGNOSED = calls("Routing", ROUTE), calls("Diagnosis", DIAGNOSIS)
A_READING: Json = {
    "depends_on_history": True,
    "standalone_query": f"Show me clicks of Quiz over {MADE_UP} in May 2029",
}
INVENTIONS = {
    "a question of campaigns.route": MadeUp(
        TYPED["campaigns.route"], (calls("Routing", {"clarification": f"Is it the one that lost £{MADE_UP}?"}),)
    ),
    "a specialist of campaigns.route": MadeUp(
        TYPED["campaigns.route"], (calls("Routing", {"specialists": [f"loss_of_£{MADE_UP}"], "confidence": 0.9}),)
    ),
    "campaigns.diagnose": MadeUp(
        TYPED["campaigns.diagnose"],
        (ROUTED, calls("Diagnosis", {"summary": f"They waste £{MADE_UP}."}), advised("Pause Commuters.")),
    ),
    "campaigns.recommend": MadeUp(
        TYPED["campaigns.recommend"], (ROUTED, DIAGNOSED, advised(f"Cut Commuters by £{MADE_UP}."))
    ),
    "understand.read of campaigns": MadeUp(
        TYPED["understand.read of campaigns"],
        (calls("Reading", A_READING), PERFORMANCE),
    ),
}
