"""Calls and prompt tokens of a turn of `regulations`, by what is asked: characters / 4, the forms of typed calls
included. The demo model answers; one thread, first without and then with a contract of 30,000 characters. Last line:
JSON.

    python benchmarks/prompt_tokens.py --data ../shared/data
"""

import argparse
import asyncio
import json
import statistics
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import PrivateAttr

from subjects import USER
from texts import DEFAULT_DATA, prose_or_exit
from turnkeep.models.chat import Models
from turnkeep.records import Attachment, Documents, Piece, Reply, RunContext
from turnkeep_agents.caches import Newest
from turnkeep_agents.regulations.graph import compile_graph, read_reply
from turnkeep_agents.regulations.knowledge.folder import open_knowledge
from turnkeep_agents.regulations.nodes import Nodes
from turnkeep_agents.regulations.settings import RegulationsSettings
from turnkeep_agents.regulations.state import new_turn
from turnkeep_demo.model import DemoChatModel, demo_model

QUESTIONS = (
    "Quante ferie spettano ogni anno a chi lavora?",
    "E se entro l'anno non vengono usate?",
    "Calcola l'IRPEF lorda su 31.500 euro",
    "Quanto dura il congedo di paternità?",
    "What is the time limit for an income tax assessment?",
    "What is a mortgage on a house in France?",
    "Riassumi il contratto",
    "Ciao!",
    "Cosa dice l'art. 2120 c.c.?",
)
SECTIONS, SECTION_CHARACTERS = 20, 1_500


class Counting(DemoChatModel):
    _tokens: list[int] = PrivateAttr(default_factory=list)

    def _answer(self, messages: list[BaseMessage], kwargs: Mapping[str, Any]) -> AIMessage:
        characters = sum(len(message.text) for message in messages) + len(json.dumps(kwargs.get("tools") or ""))
        self._tokens.append(characters // 4)
        return super()._answer(messages, kwargs)

    def take(self) -> list[int]:
        """Of each call since the last time."""
        taken, self._tokens = self._tokens, []
        return taken


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of real text")
    texts = prose_or_exit(arguments.parse_args().data)
    pieces = tuple(Piece(texts.material(SECTION_CHARACTERS), page) for page in range(1, SECTIONS + 1))
    contract = Attachment("c0ffee", "contratto.pdf", "ready", 0, SECTIONS * SECTION_CHARACTERS, "pdf", SECTIONS)
    rows: dict[str, list[list[int]]] = {}
    for name, documents in (("", Documents()), (", a document", Documents(lambda: (contract,), lambda _: pieces))):
        rows |= {f"{kind}{name}": turns for kind, turns in asyncio.run(_talk(documents)).items()}
    for kind, turns in rows.items():
        totals = [sum(turn) for turn in turns]
        print(f"{kind:28}{max(map(len, turns)):>3} calls{statistics.median(totals):>9g} median{max(totals):>7} most")
    print(json.dumps({"benchmark": "prompt_tokens", "turns": rows}))


async def _talk(documents: Documents) -> Mapping[str, list[list[int]]]:
    model, kept = Counting(rules=demo_model("regulations").rules), dict[str, Any](messages=[])
    nodes = Nodes(Models(model, model, "demo", "demo"), open_knowledge(None), RegulationsSettings(), Newest(0))
    graph, rows = compile_graph(nodes), defaultdict[str, list[list[int]]](list)
    context = RunContext(5, datetime.now(UTC), USER, documents)
    for at, question in enumerate(QUESTIONS):
        asked: Any = {**new_turn(), "messages": [*kept["messages"], HumanMessage(question, id=str(at))]}
        kept = await graph.ainvoke(asked, context=context)
        rows[_kind(read_reply(kept))].append(model.take())
    return rows


def _kind(reply: Reply) -> str:
    if reply.details["action"] == "calculate":
        return "a computation"
    return str(reply.details["query_composition"] if reply.route == "retrieve" else reply.route)


if __name__ == "__main__":
    main()
