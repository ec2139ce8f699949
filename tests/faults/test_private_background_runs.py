"""A background request to an agent with PII redaction is stored redacted, before its worker runs and after."""

from pathlib import Path

from fault_agents import story
from harness import ANN, Harness
from memory_items import MemoryItems

from canary_scan import canary, found_in, texts_of
from turnkeep.turns import TurnRequest
from turnkeep.turns.background import Runs
from turnkeep_local.objects import FolderObjects
from turns_over import turns_over


async def test_a_queued_request_is_encrypted_and_its_turn_restored(tmp_path: Path) -> None:
    harness, tokens = Harness(MemoryItems(), FolderObjects(tmp_path)), list[str]()
    turns = turns_over(harness.store, story([]), clock=harness.clock, private=frozenset({"story"}))
    runs = Runs(turns, harness.store)

    async def launch(token: str) -> None:
        tokens.append(token)

    runs.launch_by(launch)
    harness.store.threads.create(ANN, "t", agent="story")
    message = str(canary("message"))

    record = await runs.enqueue(TurnRequest(ANN, message, thread_id="t"))
    assert found_in(stored(harness)) == set()
    assert found_in(tokens) == set()
    await runs.work(*tokens)
    assert found_in(stored(harness)) == set()
    turn = await runs.join(ANN, "t", record.run_id, 1)
    assert (turn.message, turn.private) == (message, True)


def stored(harness: Harness) -> list[bytes]:
    assert isinstance(harness.items, MemoryItems)
    return [text for item in harness.items.stored.values() for text in texts_of(item)]
