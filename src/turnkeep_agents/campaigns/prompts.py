"""The inner calls of the agent and the words of their prompts. What the warehouse said stands in them as JSON, the same
for every model; the demo model's rules read it back."""

from collections.abc import Sequence
from datetime import datetime

from langchain_core.messages import BaseMessage

from turnkeep_agents.campaigns.advice import Recommendations
from turnkeep_agents.campaigns.diagnosis import Diagnosis
from turnkeep_agents.campaigns.findings import Finding
from turnkeep_agents.campaigns.reading.routing import Routing
from turnkeep_agents.campaigns.requests import Request
from turnkeep.blocks.prompting import ConversationFormatter, Message, PromptBuilder
from turnkeep.models.calls import TypedCall

HISTORY_TOKENS = 2_000
MOST_ADVERTISERS = 20  # that a prompt names

ROUTE = """You route questions about advertising campaigns to specialists. Today is {date}.
{specialists}
Choose those whose figures answer the message, best first, usually one or two. The conversation tells what a short \
message goes on from. Where the message cannot be answered without asking back, write the question as the \
clarification and choose nobody. If the last reply asked the user to confirm something, say whether the message \
agrees."""
DIAGNOSE = """You diagnose advertising campaigns from the findings of specialists.
Say in two or three sentences what is going on, then name root causes and what in one finding goes together with what \
in another. Write no number that does not stand in the findings; figures are added by the system."""
RECOMMEND = """You recommend what to do about advertising campaigns, from a diagnosis and the findings behind it.
Each action names what to change and on which insertion order, line item, audience or creative. Say what it is \
expected to do, or that this is not known. Write no number that does not stand in the findings."""

READ_AS = "The message was read as: "
CONFIRMING = "The user was asked to confirm: "
ADVERTISERS = "Advertisers: "
RAN = "The last request was answered by: "
DIAGNOSED = "Diagnosis: "

DESCRIPTIONS = {
    "performance_diagnosis": "insertion orders: spend, clicks, conversions, revenue, rates, trends, causes",
    "budget_risk": "budgets of insertion orders: pacing, overspending, underdelivery, projected spend",
    "audience_targeting": "line items and audiences: who converts, who only costs",
    "creative_inventory": "creatives by name and size: click rates, fatigue, weak sizes",
    "delivery_optimization": "which creative works with which audience",
}

ROUTE_CALL = TypedCall("campaigns.route", Routing)
DIAGNOSE_CALL = TypedCall("campaigns.diagnose", Diagnosis, temperature=0.2, max_tokens=800)
RECOMMEND_CALL = TypedCall("campaigns.recommend", Recommendations, temperature=0.2, max_tokens=1000)


class Prompts:
    """The prompts of one turn; those that look at the conversation show the same window of it."""

    def __init__(self, window: int, history: Sequence[Message], memory: Sequence[str]):
        self._formatter = ConversationFormatter(max_turns=window, max_tokens=HISTORY_TOKENS)
        self._history, self._memory = history, memory

    def context(self) -> dict[str, object]:
        """How much of the history the prompts show, for the ledger."""
        shown = self._formatter.trim(self._history)
        return {"turns_used": shown.turns_used, "turns_dropped": shown.turns_dropped, "truncated": shown.truncated}

    def route(self, message: str, known: Sequence[str], now: datetime) -> list[BaseMessage]:
        """`known` are the `notes` of the request."""
        listed = "\n".join(f"- {name}: {text}" for name, text in DESCRIPTIONS.items())
        system = ROUTE.format(date=f"{now:%Y-%m-%d}", specialists=listed)
        prompt = PromptBuilder(system).with_memory(self._memory).with_conversation(self._formatter, self._history)
        return prompt.with_notes(known).with_query(message, label="Message").messages()


def notes(request: Request, advertisers: Sequence[str], ran: Sequence[str], question: str) -> list[str]:
    """What routing knows besides the message. `ran` are the specialists of the last turn that ran, `question` is what
    the user was asked to confirm."""
    said = {
        READ_AS: request.model_dump_json(exclude_defaults=True),
        ADVERTISERS: ", ".join(advertisers[:MOST_ADVERTISERS]),
        RAN: ", ".join(ran),
        CONFIRMING: question,
    }
    return [f"{label}{text}" for label, text in said.items() if text]


def diagnose(request: Request, findings: Sequence[Finding]) -> list[BaseMessage]:
    return _with_findings(DIAGNOSE, request, findings).with_query(request.query).messages()


def recommend(request: Request, findings: Sequence[Finding], diagnosis: Diagnosis) -> list[BaseMessage]:
    prompt = _with_findings(RECOMMEND, request, findings).with_note(f"{DIAGNOSED}{diagnosis.model_dump_json()}")
    return prompt.with_query(request.query).messages()


def _with_findings(system: str, request: Request, findings: Sequence[Finding]) -> PromptBuilder:
    rows = [{"tool": finding.specialist, "output": finding.model_dump_json()} for finding in findings]
    prompt = PromptBuilder(system).with_tool_results(rows)
    return prompt.with_note(f"{READ_AS}{request.model_dump_json(exclude_defaults=True)}")
