"""Settings of the agent from the environment."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from turnkeep.settings import AgentSettings, Memory, Retrieval


class ProductsSettings(AgentSettings):
    agent: ClassVar[str] = "products"
    own_files: ClassVar[Mapping[str, str]] = {"catalogue": "products.jsonl"}

    catalogue: str | None = Field(None, description="JSONL or CSV of products in place of the bundled ones")
    top_k: int = Field(4, ge=1, le=10, description="products that one search shows")
    retrieval: Retrieval = "lexical"
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")
    memory: Memory = "window"
