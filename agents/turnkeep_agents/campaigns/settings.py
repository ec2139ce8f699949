"""Settings of the agent from the environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from pydantic import Field, SecretStr

from turnkeep.settings import DataSource, LocatedSecret, Memory


class CampaignsSettings(DataSource):
    agent: ClassVar[str] = "campaigns"
    url_field: ClassVar[str] = "warehouse"
    own_files: ClassVar[Mapping[str, str]] = {"warehouse": "campaigns.sqlite"}

    warehouse: LocatedSecret = Field(SecretStr(""), description="SQLAlchemy URL of the metrics; empty: the sample")
    currency: str = Field("GBP", pattern="[A-Z]{3}", description="ISO 4217 code of all amounts in the warehouse")
    query_seconds: float = Field(8, gt=0, description="longest time of one specialist")
    max_rows: int = Field(500, ge=1, le=10_000, description="most rows that one query returns")
    max_specialists: int = Field(3, ge=1, le=5)
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")
    memory: Memory = "window"

    @classmethod
    def own_data(cls, home: Path) -> dict[str, Any]:
        return {field: f"sqlite:///{quote(file)}" for field, file in super().own_data(home).items()}
