"""What 1,000 turns of each agent cost in US dollars: the model by its list price and the tokens of conversations that
were kept, AWS by its list prices and what a turn takes of it. No request is made. Last line: JSON.

    python benchmarks/dollars.py
"""

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from turnkeep.models.prices import price_of
from turnkeep.tokens import estimate_tokens

RECORDINGS = Path(__file__).parents[1] / "tests" / "recordings"
MODELS = ("gpt-4.1-mini", "gpt-4.1", "gpt-5-mini", "amazon.nova-lite", "anthropic.claude-haiku-4-5")
SCHEMA_TOKENS = 120
"""Of the form that a typed call answers in, which the recordings leave out: about a tenth of its prompt."""
AGENTS: Mapping[str, tuple[float, float]] = {
    "campaigns": (10, 4),
    "products": (8, 4),
    "database": (8, 4),
    "papers": (7, 4),
    "regulations": (8, 6),
}
"""Write and read units of a turn from the tenth on: turn_cost.py."""
LIMITS_WRITES, CEILING_WRITES = 2, 1
TURN_SECONDS, MEMORY_GB = 6.0, 1.0
"""What a turn with a hosted model is taken to last, nearly all of it waiting, and the functions' default memory."""

# List prices of us-east-1 for on-demand use, without the free tier; DynamoDB's are those since November 2024.
WRITE_UNIT, READ_UNIT = 0.625e-6, 0.125e-6
LAMBDA_REQUEST, LAMBDA_GB_SECOND = 0.20e-6, 0.0000166667
GATEWAY_REQUEST = 3.50e-6


@dataclass(frozen=True)
class Row:
    """Means of a turn, and dollars of 1,000 turns."""

    agent: str
    calls: float
    tokens_in: int
    tokens_out: int
    models: Mapping[str, float]
    store: float
    rest: float


def main() -> None:
    named = "".join(f"{name.removeprefix('anthropic.').removeprefix('amazon.'):>18}" for name in MODELS)
    print(f"{'agent':12}{'calls':>6}{'in':>7}{'out':>6}{named}{'DynamoDB':>10}{'Lambda, API':>13}")
    rows = [_row(agent) for agent in AGENTS if _recordings(agent).exists()]
    for row in rows:
        print(f"{row.agent:12}{row.calls:>6.1f}{row.tokens_in:>7}{row.tokens_out:>6}", end="")
        print("".join(f"{row.models[name]:>18.2f}" for name in MODELS) + f"{row.store:>10.4f}{row.rest:>13.3f}")
    limits = {"users": 1000 * LIMITS_WRITES * WRITE_UNIT, "ceiling": 1000 * CEILING_WRITES * WRITE_UNIT}
    print(f"limits add {limits['users']:.4f} for each user's and {limits['ceiling']:.4f} for a ceiling")
    print(json.dumps({"benchmark": "dollars", "rows": [asdict(row) for row in rows], "limits": limits}))


def _row(agent: str) -> Row:
    turns = [json.loads(line) for line in _recordings(agent).read_text().splitlines()]
    calls = [turn["calls"] for turn in turns]
    read = statistics.mean(sum(map(_prompt, each)) for each in calls)
    written = statistics.mean(sum(map(_answer, each)) for each in calls)
    prices = {name: price for name in MODELS if (price := price_of(name) or price_of(f"{name}-v1:0"))}
    writes, reads = AGENTS[agent]
    return Row(
        agent,
        statistics.mean(map(len, calls)),
        round(read),
        round(written),
        {name: (read * price.input + written * price.output) / 1000 for name, price in prices.items()},
        1000 * (writes * WRITE_UNIT + reads * READ_UNIT),
        1000 * (GATEWAY_REQUEST + LAMBDA_REQUEST + TURN_SECONDS * MEMORY_GB * LAMBDA_GB_SECOND),
    )


def _recordings(agent: str) -> Path:
    return RECORDINGS / f"{agent}.jsonl"


def _prompt(call: Mapping[str, list[Mapping[str, str]]]) -> int:
    return SCHEMA_TOKENS + sum(estimate_tokens(message["content"]) for message in call["prompt"])


def _answer(call: Mapping[str, Mapping[str, object]]) -> int:
    answer = call["answer"]
    return estimate_tokens(str(answer["text"]) if "text" in answer else json.dumps(answer["calls"]))


if __name__ == "__main__":
    main()
