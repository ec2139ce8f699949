"""A deployment's layer has no package `turnkeep_local`: every agent is built and answers without it."""

import subprocess
import sys

from turnkeep.entries import entries

WITHOUT = """
import asyncio, sys, uuid
sys.modules["turnkeep_local"] = None
from datetime import UTC, datetime
from langchain_core.messages import HumanMessage
from turnkeep.graphs.building import build_agent, read_settings
from turnkeep.records import Principal, RunContext

for name in sys.argv[1:]:
    agent = build_agent(name, read_settings())
    context = RunContext(conversation_window=5, now=datetime.now(UTC), principal=Principal("local", "ann"))
    reported = {"messages": [HumanMessage("Thanks!", id="m1")], **agent.new_turn()}
    state = asyncio.run(agent.graph.ainvoke(reported, context=context))
    print(name, bool(agent.read_reply(state).text))
"""


def test_every_agent_answers_without_turnkeep_local() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT, *entries()], capture_output=True, text=True, check=False)
    printed = {line for line in done.stdout.splitlines() if line.endswith((" True", " False"))}
    assert printed == {f"{agent} True" for agent in entries()}, done.stderr[-800:]
