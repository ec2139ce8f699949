"""Numbers that a deployment can set, by groups: `TURN__SECONDS=60`."""

from pydantic import BaseModel, ConfigDict, Field


class Tuning(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class TurnTuning(Tuning):
    seconds: float = Field(60, gt=3, description="longest duration of a run, COMMIT included")
    commit_seconds: float = Field(3, gt=0, description="the part of it that is reserved for COMMIT")
    lease_seconds: float = Field(10, gt=0, description="how long a thread stays locked after its server died")
    renew_seconds: float = Field(5, gt=0, description="how often a run renews its lease; a shorter run never does")
    max_steps: int = Field(25, ge=2, description="most steps of a graph in one run")
    heartbeat_seconds: float = Field(5, gt=0, description="a comment line on a quiet stream")
    debounce_seconds: float = Field(1.5, ge=0.1, le=10, description="how long `debounce` waits for another message")


class ModelTuning(Tuning):
    timeout_seconds: float = Field(25, gt=0, description="between two bytes of the model")
    max_retries: int = Field(1, ge=0, le=5)


class BudgetTuning(Tuning):
    """Limits of one user and of the deployment, 0: none. Days are in UTC, dollars at list prices."""

    tokens_a_day: int = Field(0, ge=0)
    usd_a_day: float = Field(0, ge=0)
    turns_a_minute: int = Field(0, ge=0)
    turns_at_once: int = Field(0, ge=0)
    turn_tokens: int = Field(20_000, gt=0, description="reserved for a turn until its usage is known")
    deployment_tokens_a_day: int = Field(0, ge=0)
    deployment_usd_a_day: float = Field(0, ge=0)

    @property
    def is_of_users(self) -> bool:
        return bool(self.tokens_a_day or self.usd_a_day or self.turns_a_minute or self.turns_at_once)

    @property
    def has_ceiling(self) -> bool:
        return bool(self.deployment_tokens_a_day or self.deployment_usd_a_day)
