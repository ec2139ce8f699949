"""What all nodes work with: models, the warehouse as of a day, prompts of a turn, what a reply is held against."""

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

MOST_CHARACTERS = 2_000  # of a message that is read


@dataclass(frozen=True)
class Desk:
    """`warehouse_on` gives the warehouse as of a day."""

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
        """`known` besides what was said earlier; each of `days` with its end; `limits` are amounts of a plan."""
        said = state["messages"]
        sources = Sources(
            known=[*known, *(str(each.text) for each in said if each.type == "ai")],
            asked=[str(each.text) for each in said if each.type == "human"],
            limits=limits,
            days=days,
            currency=self.settings.currency,
            language=language,
            has_counts=has_counts,
        )
        return Linked(Verifier(sources), said, known)


def message_of(state: CampaignsState) -> str:
    return str(state["messages"][-1].text)[:MOST_CHARACTERS]


def why(error: Exception) -> str:
    return str(error) or "The warehouse took too long."
