"""Counts the tokens of one run. If a model reports no usage, it is estimated and the sum is marked.
Failed calls do not count, because their run makes no turn; a call at its token limit does: a retry may follow it."""

from dataclasses import dataclass
from threading import Lock
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from turnkeep.errors import ModelTruncated
from turnkeep.models.prices import price_of
from turnkeep.records import Usage
from turnkeep.tokens import estimate_tokens


@dataclass(frozen=True)
class ModelCall:
    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool

    def cost(self) -> float | None:
        price = price_of(self.model)
        return (self.input_tokens * price.input + self.output_tokens * price.output) / 1_000_000 if price else None


class UsageMeter(BaseCallbackHandler):
    """Callback handler of one run, for nodes in any thread."""

    run_inline = True

    def __init__(self) -> None:
        self.calls: list[ModelCall] = []
        self._prompts: dict[UUID, str] = {}
        self._lock = Lock()

    def usage(self) -> Usage:
        costs = [call.cost() for call in self.calls]
        return Usage(
            input_tokens=sum(call.input_tokens for call in self.calls),
            output_tokens=sum(call.output_tokens for call in self.calls),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            estimated=any(call.estimated for call in self.calls),
        )

    def begun(self, written: int = 0) -> list[ModelCall]:
        """Return finished calls, unfinished ones by their prompts, and `written` tokens for all unfinished together."""
        with self._lock:
            left = [ModelCall("", estimate_tokens(prompt), 0, estimated=True) for prompt in self._prompts.values()]
            return [*self.calls, *left, *([ModelCall("", 0, written, estimated=True)] if left and written else [])]

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **_: Any
    ) -> None:
        self.on_llm_start(serialized, [message.text for batch in messages for message in batch], run_id=run_id)

    def on_llm_start(self, serialized: dict[str, Any], prompts: list[str], *, run_id: UUID, **_: Any) -> None:
        with self._lock:
            self._prompts[run_id] = "\n".join(prompts)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        with self._lock:
            prompt = self._prompts.pop(run_id, "")
            if isinstance(error, ModelTruncated) and error.at_limit:
                self.calls.append(ModelCall("", estimate_tokens(prompt), 0, estimated=True))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        with self._lock:
            self.calls.append(_read_call(response, self._prompts.pop(run_id, "")))


def _read_call(response: LLMResult, prompt: str) -> ModelCall:
    """Return the usage of a finished call; estimate it from `prompt` and the answer if the model reports none."""
    model = str((response.llm_output or {}).get("model_name", ""))
    texts: list[str] = []
    for generation in (one for batch in response.generations for one in batch):
        message = generation.message if isinstance(generation, ChatGeneration) else None
        if not isinstance(message, AIMessage):
            texts.append(generation.text)
            continue
        model = str(message.response_metadata.get("model_name", model))
        if used := message.usage_metadata:
            return ModelCall(model, used["input_tokens"], used["output_tokens"], estimated=False)
        texts.append(" ".join([message.text, *(f"{call['name']} {call['args']}" for call in message.tool_calls)]))
    return ModelCall(model, estimate_tokens(prompt), sum(map(estimate_tokens, texts)), estimated=True)
