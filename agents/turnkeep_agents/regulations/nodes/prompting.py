"""Base class of the nodes: models, the knowledge base, prompts of a turn, and shared steps."""

from dataclasses import dataclass

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from turnkeep.kit.documents import Document
from turnkeep.kit.nodes import message_of
from turnkeep.kit.prompting import ConversationFormatter, PromptBuilder
from turnkeep.models.chat import Models
from turnkeep.records import JSON, RunContext
from turnkeep_agents.caches import Newest
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.knowledge.articles import Knowledge
from turnkeep_agents.regulations.settings import RegulationsSettings
from turnkeep_agents.regulations.state import RegulationsState

READ_TOKENS, ANSWER_TOKENS, TALK_TOKENS = 1_000, 400, 2_000  # of history; an answer has sources as well


@dataclass(frozen=True)
class Prompting:
    models: Models
    knowledge: Knowledge
    tuning: RegulationsSettings
    cache: Newest[JSON]

    def begin(self, system: str, state: RegulationsState, runtime: Runtime[RunContext], tokens: int) -> PromptBuilder:
        """Return a prompt with the day and at most `tokens` of the conversation."""
        formatter = ConversationFormatter(runtime.context.conversation_window, tokens)
        prompt = PromptBuilder(system.format(**self.knowledge.about))
        prompt.with_conversation(formatter, state["messages"][:-1])
        return prompt.with_note(self.today(runtime))

    def today(self, runtime: Runtime[RunContext]) -> str:
        return prompts.TODAY.format(date=f"{runtime.context.now:%A, %Y-%m-%d}")


def texts_by(state: RegulationsState, kind: str) -> list[str]:
    return [str(each.text) for each in state["messages"] if each.type == kind]


def shown(state: RegulationsState) -> list[Document]:
    return [Document(**row) for row in state["context"]]


def asking(prompt: PromptBuilder, state: RegulationsState) -> list[BaseMessage]:
    return prompt.with_message(message_of(state), state["standalone_query"]).messages()
