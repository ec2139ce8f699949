"""Counts the tokens of one run. A model that reports no usage is estimated, and the sum then says so. A call that
failed is not counted, for its run makes no turn; only one that ran into its limit may be made good by another."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from turnkeep.errors import ModelTruncated
from turnkeep.models.prices import Price
from turnkeep.records import Usage
from turnkeep.tokens import estimate_tokens


@dataclass(frozen=True)
class ModelCall:
    """What one finished model call used."""

    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool

    def cost(self, price_of: Callable[[str], Price | None]) -> float | None:
        """US dollars, or None where the model has no known price."""
        price = price_of(self.model)
        if price is None:
            return None
        return (self.input_tokens * price.input + self.output_tokens * price.output) / 1_000_000


class UsageMeter(BaseCallbackHandler):
    """Goes into `config["callbacks"]` of one run; safe with nodes that run in threads."""

    run_inline = True

    def __init__(self) -> None:
        self.calls: list[ModelCall] = []
        self._prompts: dict[UUID, str] = {}
        self._lock = Lock()

    def usage(self, price_of: Callable[[str], Price | None]) -> Usage:
        """The sum over all finished calls."""
        costs = [call.cost(price_of) for call in self.calls]
        return Usage(
            input_tokens=sum(call.input_tokens for call in self.calls),
            output_tokens=sum(call.output_tokens for call in self.calls),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            estimated=any(call.estimated for call in self.calls),
        )

    def begun(self, written: int = 0) -> list[ModelCall]:
        """Finished calls, and those that are not, by their prompts; `written` is estimated for them all together."""
        with self._lock:
            left = [ModelCall("", estimate_tokens(prompt), 0, estimated=True) for prompt in self._prompts.values()]
            return [*self.calls, *left, *([ModelCall("", 0, written, estimated=True)] if left and written else [])]

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **_: Any
    ) -> None:
        self._remember(run_id, "\n".join(message.text for batch in messages for message in batch))

    def on_llm_start(self, serialized: dict[str, Any], prompts: list[str], *, run_id: UUID, **_: Any) -> None:
        self._remember(run_id, "\n".join(prompts))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        with self._lock:
            prompt = self._prompts.pop(run_id, "")
            if isinstance(error, ModelTruncated) and error.at_limit:
                self.calls.append(ModelCall("", estimate_tokens(prompt), 0, estimated=True))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        with self._lock:
            prompt = self._prompts.pop(run_id, "")
            self.calls.append(read_call(response, prompt))

    def _remember(self, run_id: UUID, prompt: str) -> None:
        with self._lock:
            self._prompts[run_id] = prompt


def read_call(response: LLMResult, prompt: str = "") -> ModelCall:
    """What a finished call used; estimated from `prompt` and the answer where the model does not say."""
    model = str((response.llm_output or {}).get("model_name", ""))
    texts: list[str] = []
    for generation in (one for batch in response.generations for one in batch):
        message = generation.message if isinstance(generation, ChatGeneration) else None
        if isinstance(message, AIMessage):
            model = str(message.response_metadata.get("model_name", model))
            if message.usage_metadata:
                used = message.usage_metadata
                return ModelCall(model, used["input_tokens"], used["output_tokens"], estimated=False)
        texts.append(_written(message) if message else generation.text)
    return ModelCall(model, estimate_tokens(prompt), sum(map(estimate_tokens, texts)), estimated=True)


def _written(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return " ".join([message.text, *(f"{call['name']} {call['args']}" for call in calls)])
