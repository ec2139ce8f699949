"""The agent's rules for the demo model: routing from the request as it was read, diagnosis and advice from the issues
that the findings name. They read the same JSON that a model would be given."""

from collections.abc import Mapping, Sequence

from turnkeep_agents.campaigns.advice import recommend
from turnkeep_agents.campaigns.diagnosis import Diagnosis, diagnose
from turnkeep_agents.campaigns.findings import Finding
from turnkeep_agents.campaigns.prompts import ADVERTISERS, CONFIRMING, DIAGNOSED, RAN, READ_AS
from turnkeep_agents.campaigns.reading.message import is_agreement
from turnkeep_agents.campaigns.reading.routing import route_by_rules
from turnkeep_agents.campaigns.requests import Request
from turnkeep_demo.model import Rule
from turnkeep.records import JSON


def demo_rules() -> Mapping[str, Rule]:
    return {"campaigns.route": _route, "campaigns.diagnose": _diagnose, "campaigns.recommend": _recommend}


def _route(parts: JSON) -> JSON:
    text = parts["query"]
    ran, advertisers = (_listed(parts["notes"], label) for label in (RAN, ADVERTISERS))
    routing = route_by_rules(_request(parts), text, ran=ran, advertisers=advertisers).model_dump()
    agrees = bool(_noted(parts["notes"], CONFIRMING)) and is_agreement(text)
    return {**routing, "agrees": agrees}


def _diagnose(parts: JSON) -> JSON:
    return diagnose(_findings(parts), _request(parts)).model_dump()


def _recommend(parts: JSON) -> JSON:
    diagnosis = Diagnosis.model_validate_json(_noted(parts["notes"], DIAGNOSED))
    return recommend(diagnosis, _findings(parts)).model_dump()


def _request(parts: JSON) -> Request:
    return Request.model_validate_json(_noted(parts["notes"], READ_AS))


def _findings(parts: JSON) -> list[Finding]:
    return [Finding.model_validate_json(result["output"]) for result in parts["tool_results"]]


def _listed(notes: Sequence[str], label: str) -> list[str]:
    return [name for name in _noted(notes, label).split(", ") if name]


def _noted(notes: Sequence[str], label: str) -> str:
    """What stands behind `label` in the newest such note; empty where there is none."""
    return next((note.removeprefix(label) for note in reversed(notes) if note.startswith(label)), "")
