"""A span for each run of a graph, for each of its nodes and for each model call in it. They hold names, times and
tokens; what is said passes by here and is not looked at."""

from typing import Any
from uuid import UUID

from langchain_core.outputs import LLMResult
from langgraph.errors import GraphBubbleUp

from turnkeep.models.usage import UsageMeter, read_call
from turnkeep.observability.tracing import Segment, Span, segment

_STEP = "graph:step:"  # LangGraph's tag of a node


def run_meter() -> UsageMeter:
    """What goes into `config["callbacks"]` of a run; it makes spans where this request is traced."""
    traced = segment()
    return TracedMeter(traced) if traced else UsageMeter()


class TracedMeter(UsageMeter):
    """A meter that makes spans as well: as a handler of its own, it would be called for each token of a reply.

    Runs that are no steps of their own, such as routers, pass their parent on to what they start. A model call that is
    cancelled is never told to have ended, so the graph's end ends all. A dict takes single keys from several threads.
    """

    def __init__(self, root: Segment) -> None:
        super().__init__()
        self._root = root
        self._spans: dict[UUID, Span] = {}
        self._parents: dict[UUID, Segment] = {}

    def on_chain_start(self, *given: Any, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        is_step = parent_run_id is None or any(tag.startswith(_STEP) for tag in more.get("tags") or ())
        self._begin(run_id, parent_run_id, str(more.get("name") or "graph") if is_step else None)

    def on_chat_model_start(self, *given: Any, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        super().on_chat_model_start(*given, run_id=run_id)
        self._begin(run_id, parent_run_id, str(more.get("name") or "model"))

    def on_llm_start(self, *given: Any, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        super().on_llm_start(*given, run_id=run_id)
        self._begin(run_id, parent_run_id, str(more.get("name") or "model"))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id)

    def on_chain_error(
        self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        failed = None if isinstance(error, GraphBubbleUp) else error
        if parent_run_id is None:
            for left in [each for each in list(self._spans) if each != run_id]:
                self._end(left, failed)
        self._end(run_id, failed)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        super().on_llm_end(response, run_id=run_id)
        call = read_call(response)
        facts: dict[str, Any] = {"gen_ai_operation_name": "chat", "gen_ai_response_model": call.model}
        if not call.estimated:
            facts |= {"gen_ai_usage_input_tokens": call.input_tokens, "gen_ai_usage_output_tokens": call.output_tokens}
        self._end(run_id, **facts)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        super().on_llm_error(error, run_id=run_id)
        self._end(run_id, error, gen_ai_operation_name="chat")

    def _begin(self, run_id: UUID, parent_id: UUID | None, name: str | None) -> None:
        parent = self._parents.get(parent_id, self._root) if parent_id else self._root
        if name:
            self._spans[run_id] = parent.open(name)
            parent = self._spans[run_id].segment
        self._parents[run_id] = parent

    def _end(self, run_id: UUID, error: BaseException | None = None, **facts: Any) -> None:
        self._parents.pop(run_id, None)
        if span := self._spans.pop(run_id, None):
            span.close(error, **facts)
