"""The demo model's summary of messages that no prompt shows any more: the user's questions, shortened."""

from turnkeep.blocks.excerpts import cut
from turnkeep.records import JSON

ASKED_BYTES = 60


def fold(parts: JSON) -> JSON:
    asked = [cut(said["content"], ASKED_BYTES) for said in parts["conversation"] if said["role"] == "user"]
    return {"messages": f"Asked: {'; '.join(asked) or 'nothing'}", "merged": " ".join(parts["memory"])}
