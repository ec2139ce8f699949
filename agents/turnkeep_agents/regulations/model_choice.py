"""Chooses the model of an answer: that of the domain if its estimated cost is within the limit, else the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from turnkeep.errors import BudgetExceeded
from turnkeep.models.chat import Models
from turnkeep.models.prices import price_of
from turnkeep.tokens import estimate_tokens

MAIN, SMALL = "main", "small"
OVER = (
    "This answer would cost about ${cost:.3f}; one call may cost ${limit:.3f} (REGULATIONS__ANSWER_USD). Nothing was"
    " stored; ask for less at once or remove documents."
)


@dataclass(frozen=True)
class Choice:
    """`estimated_usd` is None for a model without a known price, to which no limit applies."""

    tier: str
    provider: str
    model: str
    reason: str
    prompt_tokens: int
    estimated_usd: float | None

    def of(self, models: Models) -> BaseChatModel:
        return models.small if self.tier == SMALL else models.main


def choose(
    models: Models, *, domain: str, action: str, prompt: Sequence[BaseMessage], most_written: int, limit: float
) -> Choice:
    """Choose before the call; `limit` is in US dollars, 0 for none. Raises BudgetExceeded if both models exceed it."""
    tokens = sum(estimate_tokens(message.text) for message in prompt)
    wanted, reason = MAIN, f"the law of {domain}"
    if domain == "none" or action == "define":
        wanted, reason = SMALL, "about no law" if domain == "none" else "a definition"
    choices = [_choice(models, tier, reason, tokens, most_written) for tier in (wanted, *({MAIN, SMALL} - {wanted}))]
    within = [one for one in choices if not limit or one.estimated_usd is None or one.estimated_usd <= limit]
    if not within:
        cheapest = min(one.estimated_usd or 0.0 for one in choices)
        raise BudgetExceeded(OVER.format(cost=cheapest, limit=limit))
    if within[0] is choices[0]:
        return within[0]
    return replace(within[0], reason=f"{reason}, but over the limit of a call: the other model")


def _choice(models: Models, tier: str, reason: str, tokens: int, most_written: int) -> Choice:
    provider, name = (models.small_provider, models.small_name) if tier == SMALL else (models.provider, models.name)
    price = price_of(name)
    cost = round(price.micro(tokens, most_written) / 1e6, 6) if price else None
    return Choice(tier, provider, name, reason, tokens, cost)
