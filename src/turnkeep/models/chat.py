"""The chat models of a deployment; without an API key, the demo model."""

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from turnkeep.demo import demo_model
from turnkeep.settings import Settings


@dataclass(frozen=True)
class Models:
    """`main` writes what the user reads, `small` makes the inner calls; `provider` and `name` describe `main`."""

    main: BaseChatModel
    small: BaseChatModel
    provider: str
    name: str
    small_provider: str = ""
    small_name: str = ""


def chat_models(settings: Settings, agent: str) -> Models:
    """Return the models for an agent; raise UnusableFile if there is none."""
    main = settings.main_model
    small = settings.model_small or main
    main_chat = _model(main, settings, agent)
    small_chat = main_chat if small == main else _model(small, settings, agent)
    (provider, _, name), (small_provider, _, small_name) = main.partition(":"), small.partition(":")
    return Models(main_chat, small_chat, provider, name or provider, small_provider, small_name or small_provider)


def _model(choice: str, settings: Settings, agent: str) -> BaseChatModel:
    """Load a client library only if it is used, because that takes a second."""
    provider, _, name = choice.partition(":")
    if provider == "demo":
        return demo_model(agent)
    if provider == "bedrock":
        from turnkeep.models.bedrock_chat import bedrock_chat  # noqa: PLC0415

        return bedrock_chat(name, settings)
    from turnkeep.models.openai_chat import openai_chat  # noqa: PLC0415

    return openai_chat(name, settings)
