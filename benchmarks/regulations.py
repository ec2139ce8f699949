"""`regulations` on the evaluation cases of another assistant (pratiko_evals): what kind of question each is, by the
reading of the deployment's model (the demo without one), and whether the laws that an answer is expected to cite are
found in it and in its sources. Its retrieval cases are in retrieval.py. Last line: JSON.

    python benchmarks/regulations.py --data ../shared/data
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from turnkeep.graphs.building import read_settings
from turnkeep.kit.prompting import PromptBuilder
from turnkeep.models.calls import ask_typed
from turnkeep.models.chat import chat_models
from turnkeep.records import JSON
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.knowledge.folder import open_knowledge
from turnkeep_agents.regulations.knowledge.references import references
from turnkeep_agents.regulations.reading import READ_CALL

DEFAULT_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "chitchat": ("talk",),
    "theoretical_definition": ("define",),
    "golden_set": ("look_up",),
    "calculator": ("calculate",),
    "technical_research": ("explain",),
}
"""Their routes, as the actions of ours."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="a folder that holds pratiko_evals")
    folder = arguments.parse_args().data / "pratiko_evals"
    if not folder.is_dir():
        sys.exit(f"{folder} is not there; name the folder above it with --data")
    found = {
        "routing": asyncio.run(_routing(_cases(folder, "routing"))),
        "response": _responses(_cases(folder, "response")),
    }
    for kind, rows in found.items():
        for row in rows:
            print(f"{kind:10}{'right' if row['right'] else 'WRONG':7}{row['id']:20}{row['query'][:60]:62}{row['said']}")
    summary = {kind: {"right": sum(row["right"] for row in rows), "cases": len(rows)} for kind, rows in found.items()}
    print(json.dumps({"benchmark": "regulations", "model": read_settings().main_model, **summary}))


def _cases(folder: Path, kind: str) -> list[JSON]:
    cases: list[JSON] = [
        case for path in sorted(folder.glob(f"{kind}_*.json")) for case in json.loads(path.read_text())
    ]
    return cases


async def _routing(cases: list[JSON]) -> list[JSON]:
    settings, knowledge = read_settings(), open_knowledge(None)
    model = chat_models(settings, "regulations").small
    today = prompts.TODAY.format(date=f"{datetime.now(UTC):%A, %Y-%m-%d}")
    rows: list[JSON] = []
    for case in cases:
        prompt = PromptBuilder(prompts.READ.format(**knowledge.about)).with_note(today).with_note(prompts.NO_DOCUMENTS)
        read = await ask_typed(model, READ_CALL, prompt.with_query(case["query"], label="Message").messages())
        right = read.action in ACTIONS[case["expected_route"]]
        rows.append({"id": case["id"], "query": case["query"], "right": right, "said": read.action})
    return rows


def _responses(cases: list[JSON]) -> list[JSON]:
    """Right where each expected citation is found in the text and in the sources."""
    rows: list[JSON] = []
    for case in cases:
        output = case["actual_output"]
        named = references(output["response"]["text"])
        held = [each for source in output["source_docs"] for each in references(source["content"])]
        expected = [each for citation in case["expected_citations"] for each in references(citation)]
        missing = [str(each) for each in expected if not (each.is_in(named) and each.is_in(held))]
        said = "; ".join(missing) or f"{len(expected)} laws"
        rows.append({"id": case["id"], "query": case["query"], "right": bool(expected) and not missing, "said": said})
    return rows


if __name__ == "__main__":
    main()
