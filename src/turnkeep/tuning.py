"""Numbers that a deployment may turn without changing code, by groups: `TURN__SECONDS=60`."""

from pydantic import BaseModel, ConfigDict, Field


class Tuning(BaseModel):
    """One group."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class TurnTuning(Tuning):
    seconds: float = Field(60, gt=3, description="longest life of a run, storing included")
    commit_seconds: float = Field(3, gt=0, description="what of it is kept back for COMMIT")
    lease_seconds: float = Field(30, gt=0, description="how long a silent writer keeps a thread")
    renew_seconds: float = Field(10, gt=0, description="how often a running writer renews its lease")
    max_steps: int = Field(25, ge=2, description="most steps of a graph in one run")
    heartbeat_seconds: float = Field(5, gt=0, description="a comment line on a quiet stream")


class ModelTuning(Tuning):
    timeout_seconds: float = Field(25, gt=0, description="between two bytes of the model")
    max_retries: int = Field(1, ge=0, le=5)
