"""The demo's answers to the inner calls of `campaigns`, by a few forms of question and their slots. What it does not
understand whole it says, with the three nearest questions that it knows."""

import json
import re
from collections.abc import Mapping, Sequence

from turnkeep.records import JSON
from turnkeep_demo.campaigns.advice import ISSUE, MOST_ADVICE, analyse
from turnkeep_demo.campaigns.slots import CREATIVES, LOW_IS_GOOD, Known, Slots, known_of
from turnkeep_demo.model import Rule

SUBJECT = re.compile(r"(?:Budgets of|No budget is known for) (.+?) as of ")
GRAINS = {"day", "week", "month"}
LAST, ANALYSIS, WAITING = (
    "Last requests: ",
    "Analysis: ",
    "These requests wait for the answer to your question about weeks: ",
)
KNOWN_QUESTIONS = tuple(CREATIVES.with_name("questions.txt").read_text(encoding="utf-8").splitlines())
"""Those that a refusal names."""
NOT_UNDERSTOOD = "I am the demo and do not understand that whole. Shall I answer one of these instead: {near}?"
HELLO = (
    "Hello! I look at advertising campaigns: performance, budgets, audiences, creatives. What would you like to know?"
)
WELCOME, GOODBYE = "Gladly.", "Goodbye."
NOTHING_STANDS_OUT = "Nothing stands out in that: I recommend no change."
WHICH_WEEK = "Just to confirm: do you mean whole weeks, from Sunday to Saturday?"
WHICH_DATES = "Which dates shall I take instead? Name a month, or a first and a last day."


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words(
    "show me what is are was were the of for in give tell how much many did do does we i have has had get got on and "
    "our please to see list an a per each every by from at you can my all with figures numbers their they it its be "
    "which who about as so far or"
)
GOING_ON = _words("and what about how now then same the for in of by per each please many much was were is with a")
AGREES = _words("yes yeah yep ok okay sure right correct exactly perfect great fine good bang spot go ahead do")
POLITE = _words("thanks thank you please on it that is s so very much lovely")
LEAVES = _words("bye goodbye")
THANKS = _words("thanks thank you cheers")
GREETS = _words("hello hi hey good morning afternoon evening there") | THANKS | LEAVES
FOLLOWS = re.compile(r"(?:and|what about|how about|now|then|same)\b")
DRIVERS: Mapping[str, Sequence[str]] = {
    "revenue": ["clicks", "cvr", "conversions"],
    "conversions": ["clicks", "cvr"],
    "cpa": ["cpc", "cvr"],
    "roas": ["cpc", "cvr"],
    "clicks": ["impressions", "ctr"],
}
SPECIALIST = {
    "audience": "audience_targeting",
    "line_item": "audience_targeting",
    "creative": "creative_inventory",
    "size": "creative_inventory",
}
ADVISERS = {"budget_risk": "budgets", "audience_targeting": "audiences", "creative_inventory": "creatives"}
"""The specialists that know what is wrong with a campaign."""


def rules() -> Mapping[str, Rule]:
    return {"campaigns.read": read, "campaigns.analyse": analyse, "campaigns.answer": answer}


def read(parts: JSON) -> JSON:
    message, notes = parts["query"], parts["notes"]
    waiting, last = _noted(notes, WAITING), _noted(notes, LAST)
    words = re.findall(r"\w+", message.lower())
    if waiting and (settled := _settled(words)):
        return _reading(message, week=settled, requests=waiting)
    if waiting and words[:1] == ["no"] and len(words) == 1:
        return _reading(message, kind="clarify", reply=WHICH_DATES)
    if words and GREETS.issuperset(words):
        return _reading(message, kind="smalltalk", reply=_greeting(words))
    known = known_of(notes)
    requests = understand(message, known, last or waiting)
    if not requests:
        near = "; ".join(f"“{question}”" for question in nearest(message))
        return _reading(message, kind="clarify", reply=NOT_UNDERSTOOD.format(near=near), confidence=0.2)
    return _reading(message, requests=requests, reply=WHICH_WEEK if "last_weeks" in json.dumps(requests) else "")


def _greeting(words: Sequence[str]) -> str:
    if LEAVES.intersection(words):
        return GOODBYE
    return WELCOME if THANKS.intersection(words) else HELLO


def understand(message: str, known: Known, last: Sequence[JSON]) -> list[JSON]:
    """The requests of a message that is understood whole; none of any other."""
    slots = known.read(message)
    is_more = bool(FOLLOWS.match(message.strip().lower())) or _is_fragment(slots)
    if slots.is_empty or not (GOING_ON if is_more else FILLERS).issuperset(slots.rest):
        return []
    if not _is_one_question(message, slots):
        return []
    if is_more:
        changed = [] if slots.intents & {"why", "advice", "budget"} else [_changed(each, slots) for each in last]
        return [each for each in changed if each] if all(changed) else []
    if slots.intents == {"advice"} and not (slots.metrics or slots.rank):
        return _advice(slots, last)
    request = _request(slots)
    return [request] if request else []


def nearest(message: str) -> list[str]:
    said = set(re.findall(r"\w{3,}", message.lower()))

    def distance(question: str) -> float:
        own = set(re.findall(r"\w{3,}", question.lower()))
        return -len(said & own) / len(said | own)

    return sorted(KNOWN_QUESTIONS, key=distance)[:3]


def answer(parts: JSON) -> str:
    """What the specialists found, as they put it; causes where they were asked for, but for those that advice names."""
    note = next((note for note in parts["notes"] if note.startswith(ANALYSIS)), "")
    results, found = parts["tool_results"], json.loads(note.removeprefix(ANALYSIS)) if note else {}
    told = _looked_at(results) if found and len(results) == len(ADVISERS) else _told(results)
    advice = " ".join(found.get("recommendations", []))
    told += [cause for cause in found.get("causes", []) if cause not in advice]
    told += [NOTHING_STANDS_OUT] if found and not (found["causes"] or advice) else []
    return "\n\n".join(told)


def _told(results: Sequence[JSON]) -> list[str]:
    told = []
    for result in results:
        text, _, rest = result["output"].partition("\nIssues:\n")
        if not rest:
            text, _, rest = text.partition("\nNote: ")
            rest = f"Note: {rest}" if rest else ""
        told += [text, *(line.removeprefix("Note: ") for line in rest.splitlines() if line.startswith("Note: "))]
    return told


def _looked_at(results: Sequence[JSON]) -> list[str]:
    """Three tables would hide the advice: of them only that they were looked at; whole is who found none."""
    with_figures = [result for result in results if "\n|" in result["output"]]
    subject = next(
        (found[1] for result in results if (found := SUBJECT.search(result["output"]))), "what was asked for"
    )
    looked = ", ".join(ADVISERS[result["tool"]] for result in with_figures)
    issues = sum(len(ISSUE.findall(result["output"])) for result in results)
    most = f" Of {issues} issues these are the worst {MOST_ADVICE}." if issues > MOST_ADVICE else ""
    told = [f"Looked at, for {subject}: {looked}.{most}"] if looked else []
    return told + _told([result for result in results if result not in with_figures])


def _is_one_question(message: str, slots: Slots) -> bool:
    """Two questions in one message would be mixed up: so would kinds of slots that come again."""
    sentences = [each for each in re.split(r"[.?!;]\s+", message.strip()) if each]
    polite = GREETS | POLITE
    real = [each for each in sentences if not polite.issuperset(re.findall(r"\w+", each.lower()))]
    again = [kind for kind in ("names", "metrics", "by", "period") if slots.order.count(kind) > 1]
    allowed = ["names"] if slots.rank or "compare" in slots.intents else []
    allowed += ["period"] if "compare" in slots.intents else []
    many = len(slots.periods) > 1 + ("compare" in slots.intents) or len({kind for kind, _ in slots.names}) > 2
    return len(real) == 1 and not many and not set(again) - set(allowed)


def _is_fragment(slots: Slots) -> bool:
    """ "last week", "by creative": nothing that is asked."""
    return not (slots.metrics or slots.intents or slots.rank)


def _request(slots: Slots) -> JSON | None:
    intents = slots.intents
    if slots.rank and slots.rank[1] and not slots.metrics:
        return None
    if "budget" in intents:
        return _budgets(slots)
    if intents == {"why", "moved"}:
        return _why(slots)
    is_asked = bool(slots.metrics or slots.rank or len(slots.periods) > 1)
    fits = intents <= {"compare"} if is_asked else intents == {"overview"}
    return _figures(slots) if fits else None


def _figures(slots: Slots) -> JSON | None:
    by = slots.by
    kinds = list(dict.fromkeys(kind for kind, _ in slots.names))
    is_compared = "compare" in slots.intents
    if is_compared and len(slots.periods) < 2 and len(slots.names) < 2:
        return None
    if not by and len(slots.names) > 1 and len(kinds) == 1:
        by = kinds
    if slots.rank and not by:
        return None
    request = _about(slots, by, "overview" if "overview" in slots.intents else "figures")
    if slots.rank:
        is_one = not slots.is_many and not (len(slots.names) > 1 and kinds == by)
        request |= {"order": _order(slots), "limit": slots.limit or (1 if is_one else None)}
    if len(slots.periods) > 1:
        request["compared"] = slots.periods[1]
    return {name: value for name, value in request.items() if value is not None}


def _order(slots: Slots) -> str:
    """The highest price is the worst."""
    order, level = slots.rank or ("best", "")
    is_turned = bool(level) and bool(slots.metrics) and slots.metrics[0] in LOW_IS_GOOD
    return {"best": "worst", "worst": "best"}[order] if is_turned else order


def _budgets(slots: Slots) -> JSON | None:
    if slots.metrics or slots.periods or set(slots.by) - {"insertion_order", "advertiser"} or slots.rank:
        return None
    if slots.intents - {"budget", "advice", "overview"} or {kind for kind, _ in slots.names} & set(SPECIALIST):
        return None
    intent = "advice" if "advice" in slots.intents else "figures"
    return {**_about(slots, [], intent), "specialist": "budget_risk"}


def _why(slots: Slots) -> JSON | None:
    if len(slots.metrics) != 1 or slots.by or slots.rank or len(slots.periods) > 1:
        return None
    metric = slots.metrics[0]
    return {**_about(slots, [], "why"), "metrics": [metric, *DRIVERS.get(metric, [])]}


def _advice(slots: Slots, last: Sequence[JSON]) -> list[JSON]:
    """About a kind of things its specialist is asked, about campaigns all that know what is wrong with one. Without any
    subject it may be about the last result: that is not guessed."""
    kinds = {*slots.by, *(kind for kind, _ in slots.names)}
    if kinds & set(SPECIALIST):
        return [] if kinds & GRAINS else [{**_about(slots, slots.by, "advice"), "by": []}]
    if slots.periods or kinds & GRAINS or (last and not kinds):
        return []
    return [{**_about(slots, [], "advice"), "specialist": each} for each in ADVISERS]


def _about(slots: Slots, by: Sequence[str], intent: str) -> JSON:
    things = [each for each in (*by, *(kind for kind, _ in slots.names)) if each in SPECIALIST]
    chosen = list(dict.fromkeys(SPECIALIST[each] for each in things))
    specialist = "delivery_optimization" if len(chosen) > 1 else chosen[0] if chosen else "performance_diagnosis"
    return {
        "specialist": specialist,
        "intent": intent,
        "names": [name for _, name in slots.names],
        "metrics": slots.metrics,
        "by": list(by),
        "period": slots.periods[0] if slots.periods else {"named": "none"},
    }


def _changed(last: JSON, slots: Slots) -> JSON | None:
    """The last request with what the message says of it."""
    is_narrower = bool({kind for kind, _ in slots.names} & set(SPECIALIST))  # than a budget
    if last["specialist"] == "budget_risk" and (slots.metrics or slots.by or slots.periods or is_narrower):
        return None
    if slots.rank or slots.intents or len(slots.periods) > 1 or (slots.by and last.get("limit")):
        return None
    own = _about(slots, slots.by or last.get("by", []), last["intent"])
    changed = {**last, **{name: own[name] for name in ("names", "metrics", "by") if own[name]}}
    changed |= {"period": slots.periods[0]} if slots.periods else {}
    if slots.by:
        changed["specialist"] = own["specialist"]
    if "compared" in changed and slots.periods:
        return None
    return changed


def _settled(words: Sequence[str]) -> str:
    """Which week an answer to the question about weeks means; empty where it is none."""
    if AGREES.intersection(words) and (AGREES | POLITE).issuperset(words):
        return "sunday"
    if (POLITE | {"no", "monday", "to", "sunday", "from", "weeks"}).issuperset(words) and "monday" in words:
        return "monday"
    return ""


def _noted(notes: Sequence[str], label: str) -> list[JSON]:
    found = next((note.removeprefix(label) for note in notes if note.startswith(label)), "[]")
    requests: list[JSON] = json.loads(found)
    return requests


def _reading(message: str, **more: object) -> JSON:
    usual = {"reasoning": "", "language": "en", "standalone": message, "kind": "specialists", "week": "open"}
    return {**usual, "requests": [], "reply": "", "confidence": 0.9, **more}
