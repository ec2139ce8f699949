"""Base class of the nodes: models, the warehouse as of a day, prompts of a turn, and checks of a reply."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from langgraph.runtime import Runtime

from turnkeep.kit.checked_replies import Linked
from turnkeep.kit.memory import ThreadMemory
from turnkeep.kit.nodes import history
from turnkeep.kit.verification import Sources, Verifier
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep_agents.campaigns.prompts import Prompts, covered
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.state import CampaignsState
from turnkeep_agents.campaigns.warehouse.sums import Warehouse

MOST_CHARACTERS = 2_000  # of the message, for the reading


@dataclass(frozen=True)
class Prompting:
    """`warehouse_on` returns the warehouse as of a day."""

    models: Models
    warehouse_on: Callable[[date], Warehouse]
    settings: CampaignsSettings

    def prompts(self, state: CampaignsState, runtime: Runtime[RunContext], kept: ThreadMemory | None = None) -> Prompts:
        since = covered(*state["coverage"]) if state["coverage"] else ""
        kept = (kept or state["memory"]) if self.settings.memory == "tiered" else None
        shown = history(state, runtime.context.conversation_window, kept)
        return Prompts(*shown, runtime.context.now.date(), since)

    def judge(self, state: CampaignsState, sources: Sources) -> Linked:
        """Return a judge that also knows the messages of the thread, and the currency."""
        messages = state["messages"]
        replies = [str(each.text) for each in messages if each.type == "ai"]
        asked = [str(each.text) for each in messages if each.type == "human"]
        known = replace(sources, known=[*sources.known, *replies], asked=asked, currency=self.settings.currency)
        return Linked(Verifier(known), messages, sources.known)


def message_of(state: CampaignsState) -> str:
    return str(state["messages"][-1].text)[:MOST_CHARACTERS]


def reason_of(error: Exception) -> str:
    return str(error) or "The warehouse took too long."
