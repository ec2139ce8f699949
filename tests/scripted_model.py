"""A chat model that plays a script of inner calls in order, and fails when it runs out or something is left over."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, PrivateAttr

from turnkeep.models.calls import inner_call_of

type Step = tuple[str, str | BaseModel | AIMessage | BaseException]


class ScriptedModel(BaseChatModel):
    """Each step names the inner call that must come next and what is answered; `asked` records the prompts."""

    _steps: list[Step] = PrivateAttr()
    _asked: list[tuple[str, list[BaseMessage], dict[str, Any]]] = PrivateAttr(default_factory=list)

    def __init__(self, steps: Sequence[Step] = ()):
        super().__init__()
        self._steps = list(steps)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def asked(self) -> list[tuple[str, list[BaseMessage], dict[str, Any]]]:
        return self._asked

    def play(self, *steps: Step) -> None:
        self._steps.extend(steps)

    def check_finished(self) -> None:
        assert not self._steps, f"never asked for: {[name for name, _ in self._steps]}"

    def prompt(self, name: str, at: int = -1) -> str:
        """The user's part of the prompt of a call."""
        return [messages[-1].text for asked, messages, _ in self._asked if asked == name][at]

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise AssertionError("the agent asks asynchronously")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        name = inner_call_of(messages) or ""
        self._asked.append((name, messages, kwargs))
        assert self._steps, f"the script has run out at {name}"
        expected, said = self._steps.pop(0)
        assert name == expected, f"asked for {name}, scripted was {expected}"
        if isinstance(said, BaseException):
            raise said
        return ChatResult(generations=[ChatGeneration(message=_message(said))])


def _message(said: str | BaseModel | AIMessage) -> AIMessage:
    if isinstance(said, AIMessage):
        return said
    if isinstance(said, BaseModel):
        call = {"name": type(said).__name__, "args": said.model_dump(), "id": "t1"}
        return AIMessage("", tool_calls=[call])
    return AIMessage(str(said))
