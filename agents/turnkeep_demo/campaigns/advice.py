"""What the demo makes of the issues that specialists found: causes are their sentences, advice follows their form."""

import re

from turnkeep.records import JSON

MOST_ADVICE = 3
ISSUE = re.compile(
    r"^- (?P<severity>low|medium|high|critical): (?P<text>.*?)(?: Better beside it: (?P<better>.+)\.)?$", re.MULTILINE
)
_FORMS = (
    (
        r"(?P<subject>.+?) has spent .* due by now; .* more than its budget",
        "decrease",
        "Lower the daily spend of {subject}.",
    ),
    (
        r"(?P<subject>.+?) has spent .* due by now; .* less than its budget",
        "increase",
        "Raise the bids or widen the reach of {subject}.",
    ),
    (r"(?P<subject>.+?) has spent .* with days left", "decrease", "Stop {subject} or give it a larger budget."),
    (r"(?P<subject>.+?) costs .* brings no conversion", "pause", "Pause {subject}."),
    (r"CPA of (?P<subject>.+?) is ", "decrease", "Lower the bids for {subject}."),
    (r"(?P<subject>.+?) tires: ", "fix", "Renew {subject}."),
    (r"(?P<subject>Size \S+) has a CTR of ", "decrease", "Spend less on {subject}."),
    (r"(?P<subject>.+?) costs .* where the others there bring ", "decrease", "Spend less on {subject}."),
    (r"(?P<subject>.+?) earns less than it costs", "decrease", "Cut the spend of {subject} until it earns its cost."),
    (r"[\w ]+ of (?P<subject>.+?) (?:fell|rose) by ", "fix", "Look at the landing page and the bids of {subject}."),
    (r"(?P<subject>.+?) delivers nothing any more", "fix", "Check why {subject} does not run."),
)
PRIORITY = {"critical": "high", "high": "high", "medium": "medium", "low": "low"}
WORST_FIRST = tuple(PRIORITY)


def analyse(parts: JSON) -> JSON:
    issues = [found for result in parts["tool_results"] for found in ISSUE.finditer(result["output"])]
    issues.sort(key=lambda found: WORST_FIRST.index(found["severity"]))
    advice = [made for found in issues if (made := _recommendation(found))]
    return {
        "causes": [found["text"] for found in issues[:MOST_ADVICE]],
        "links": [],
        "recommendations": advice[:MOST_ADVICE],
        "confidence": 0.8,
    }


def _recommendation(issue: re.Match[str]) -> JSON | None:
    for form, change, action in _FORMS:
        if found := re.match(form, issue["text"]):
            subject = found["subject"]
            return {
                "priority": PRIORITY.get(issue["severity"], "low"),
                "change": change,
                "subject": subject,
                "action": action.format(subject=subject),
                "reason": issue["text"],
            }
    return None
