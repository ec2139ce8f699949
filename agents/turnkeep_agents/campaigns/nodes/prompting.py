"""Base class of the nodes: models, the warehouse as of a day, prompts of a turn, and checks of a reply."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from langgraph.runtime import Runtime

from turnkeep.blocks.memory import ThreadMemory
from turnkeep.blocks.nodes import history
from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.blocks.wording import Linked
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

    def judge(
        self,
        state: CampaignsState,
        known: Sequence[str],
        days: Sequence[tuple[date, date]],
        language: str,
        *,
        limits: Sequence[float] = (),
        has_counts: bool = True,
    ) -> Linked:
        """`known` is added to earlier replies; each of `days` has its end; `limits` are amounts of a plan."""
        messages = state["messages"]
        sources = Sources(
            known=[*known, *(str(each.text) for each in messages if each.type == "ai")],
            asked=[str(each.text) for each in messages if each.type == "human"],
            limits=limits,
            days=days,
            currency=self.settings.currency,
            language=language,
            has_counts=has_counts,
        )
        return Linked(Verifier(sources), messages, known)


def message_of(state: CampaignsState) -> str:
    return str(state["messages"][-1].text)[:MOST_CHARACTERS]


def reason_of(error: Exception) -> str:
    return str(error) or "The warehouse took too long."
