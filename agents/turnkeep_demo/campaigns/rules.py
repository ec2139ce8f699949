"""The demo's answers to the inner calls of `campaigns`: recorded readings and advice, and the specialists' texts."""

import json
import re
from collections.abc import Mapping, Sequence

from turnkeep.records import JSON
from turnkeep_demo.model import Rule
from turnkeep_demo.replay import Recordings

RECORDED = Recordings.of("campaigns")
ANALYSIS, UNFIT = "Analysis: ", "It does not fit: "
LOOKED_AT = "Looked at: budgets, audiences, creatives."
NOTHING_STANDS_OUT = "Nothing stands out in that: I recommend no change."
MOST_CAUSES = 3
ISSUE = re.compile(r"(?m)^- (?P<severity>low|medium|high|critical): (?P<text>.*?)(?: Better beside it: .+\.)?$")
PRIORITY = {"critical": "high", "high": "high", "medium": "medium", "low": "low"}


def rules() -> Mapping[str, Rule]:
    return {"campaigns.read": read, "campaigns.analyse": analyse, "campaigns.answer": answer}


def read(parts: JSON) -> JSON:
    """Return the recorded reading; decline one that does not fit the warehouse, as the agent's note then reports."""
    message, found = parts["query"], RECORDED.find(parts["query"], parts["conversation"])
    usual = {"reasoning": "", "language": "en", "standalone": message, "kind": "specialists", "week": "open"}
    usual |= {"requests": [], "reply": "", "confidence": 0.9}
    if found is None or any(UNFIT in note for note in parts["notes"]):
        return {**usual, "kind": "clarify", "reply": RECORDED.decline(message), "confidence": 0.2}
    return {**usual, **found.calls["read"]}


def analyse(parts: JSON) -> JSON:
    """Return the worst issues as causes. Recorded advice needs an issue with its subject and its `sign`."""
    found = RECORDED.find(parts["query"], parts["conversation"])
    issues = [each for result in parts["tool_results"] for each in ISSUE.finditer(result["output"])]
    issues.sort(key=lambda each: [*PRIORITY].index(each["severity"]))
    advice = [made for one in (found.calls.get("analyse", []) if found else []) for made in _grounded(one, issues)]
    causes = [each["text"] for each in issues[:MOST_CAUSES]]
    return {"causes": causes, "links": [], "recommendations": advice, "confidence": 0.8}


def _grounded(advice: JSON, issues: Sequence[re.Match[str]]) -> list[JSON]:
    fitting = [each for each in issues if advice["subject"] in each["text"] and advice["sign"] in each["text"]]
    return [{**advice, "priority": PRIORITY[each["severity"]], "reason": each["text"]} for each in fitting[:1]]


def answer(parts: JSON) -> str:
    """Return the specialists' findings; the tables of several would hide their advice."""
    note = next((note for note in parts["notes"] if note.startswith(ANALYSIS)), "")
    results, found = parts["tool_results"], json.loads(note.removeprefix(ANALYSIS)) if note else {}
    is_hidden = bool(found) and len(results) > 1
    texts = [LOOKED_AT] * is_hidden + _texts([one for one in results if not is_hidden or "\n|" not in one["output"]])
    advice = " ".join(found.get("recommendations", []))
    texts += [cause for cause in found.get("causes", []) if cause not in advice]
    texts += [NOTHING_STANDS_OUT] if found and not (found["causes"] or advice) else []
    return "\n\n".join(texts)


def _texts(results: Sequence[JSON]) -> list[str]:
    outputs = [result["output"] for result in results]
    notes = [note for output in outputs for note in re.findall(r"^Note: (.*)$", output, re.MULTILINE)]
    return [re.split(r"\n(?:Issues:\n|Note: )", output)[0] for output in outputs] + notes
