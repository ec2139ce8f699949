"""What a turn wrote, told where it is much: DynamoDB is paid by the KB, and a state is written anew with each turn."""

from collections.abc import Iterator

from turnkeep.observability import logger
from turnkeep.storage.attributes import Item
from turnkeep.storage.plans import Loaded, Plan, Saved

MANY_UNITS = 100
MANY_BYTES = 1_000_000
"""Of a checkpoint as it is packed; values of that size lie in objects, which cost no units, and end at 64 MB."""


def tell_cost(plan: Plan, loaded: Loaded, saved: Saved, *, agent: str) -> None:
    """A warning that names the channel of which most was written, with its growth in bytes."""
    units = sum(-(-_size(item) // 1024) for item in plan.puts)
    if units <= MANY_UNITS and len(saved.checkpoint.get("state", b"")) <= MANY_BYTES:
        return
    before = dict(_channels(loaded.checkpoint["state"])) if loaded.checkpoint else {}
    after = {**dict(_channels(saved.checkpoint["state"])), **dict(_appended(saved))}
    name, size = max(after.items(), key=lambda each: each[1])
    grew = size - before.get(name, 0)
    advice = f"channel `{name}` grew by {grew // 1000} KB to {size // 1000} KB; keep it outside of the state" + (
        ", or let the graph shorten it" if name in before else ""
    )
    logger.warning("turn writes much", agent=agent, wcu=units, channel=name, bytes=size, grew_bytes=grew, advice=advice)


def _size(item: Item) -> int:
    return sum(len(name) + (len(value) if isinstance(value, str | bytes) else 8) for name, value in item.items())


def _channels(state: bytes) -> Iterator[tuple[str, int]]:
    from turnkeep.storage.elements import SERIALISER  # noqa: PLC0415 - LangGraph loads with it

    for parts in SERIALISER.loads_typed(("msgpack", state)).values():
        for name, value in parts[0]["channel_values"].items():
            yield name, len(SERIALISER.dumps_typed(value)[1])


def _appended(saved: Saved) -> Iterator[tuple[str, int]]:
    """Of lists only what is new is written."""
    from turnkeep.storage.elements import SERIALISER  # noqa: PLC0415

    for segment in saved.segments:
        yield segment.channel, len(SERIALISER.dumps_typed(segment.elements)[1])
