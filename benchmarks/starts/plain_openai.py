"""The plain chat path with its model made."""

from plain_chat import ChatOpenAI, graph, handler
from pydantic import SecretStr

__all__ = ["graph", "handler", "model"]

model = ChatOpenAI(model="gpt-4.1-mini", api_key=SecretStr("none"))
