"""A link is one stored step of a thread: usually a turn, sometimes an edit of the state. Each names the one before it.

Readers walk from `HEAD.last`, so a link that no chain reaches (its writer died or was superseded) does not exist. A
broken chain raises `StateCorrupt` and never shortens the history. The first link of a branch also names the newest link
before the branch, so abandoned turns are still found. Messages are stored once: the turn's message and reply point to
the elements that the run appended."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.records import JSON, Source, Turn, Usage
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, run_id_of
from turnkeep.store.heads import Heads
from turnkeep.store.keys import details_key, generation_of, number_of, thread_of, turn_ceiling, turn_floor, writer_of

DETAILS_ITEM_BYTES = 6 * 1024  # larger details become an object: a KB of an item costs a write unit
PAGE_TURNS = 20
NO_PACKS: Mapping[str, "Link"] = MappingProxyType({})
_ELSEWHERE = {"thread_id", "number", "message", "reply", "details", "persisted", "run_id", "attempt"}


@dataclass(frozen=True)
class Segment:
    """Change of a list channel by a run: it kept `keep` elements, counted from the first ever, and appended `elements`.

    `elements` are plain JSON for messages and bytes of LangGraph's serialiser for anything else."""

    namespace: str
    channel: str
    keep: int
    elements: list[JSON] | bytes


@dataclass(frozen=True)
class Link:
    """A stored link with its payload opened; or a pack, whose payload has only the segments of its links."""

    item: Item
    payload: JSON

    @property
    def segments(self) -> list[Segment]:
        return [Segment(*parts) for parts in self.payload["segments"]]


def signed_context(item: Item) -> tuple[str, ...]:
    """Return what the signature of a link or pack covers besides its key: its neighbours."""
    of = f"of {item['of']}" if "of" in item else None
    return item.get("prev", ""), item.get("tip") or item["cp"], *filter(None, [item.get("was"), of])


def payload_of(turn: Turn | None, segments: Sequence[Segment]) -> JSON:
    """Return the link's value; `turn` is None for an edit."""
    parts = [[each.namespace, each.channel, each.keep, each.elements] for each in segments]
    if turn is None:
        return {"segments": parts}
    record = {name: value for name, value in asdict(turn).items() if name not in _ELSEWHERE and value not in (None, ())}
    if not turn.private:
        del record["private"]
    messages = next((each.elements for each in segments if (each.namespace, each.channel) == ("", "messages")), [])
    return {
        "segments": parts,
        "turn": record,
        "message": _refer(turn.message, "human", messages),
        "reply": _refer(turn.reply, "ai", messages),
    }


def _refer(text: str, kind: str, messages: list[JSON] | bytes) -> JSON:
    for index, message in enumerate(messages):
        if isinstance(message, dict) and message["type"] == kind and message["data"].get("content") == text:
            return {"at": index}
    return {"text": text}


def turn_of(link: Link, details: JSON) -> Turn:
    """Return the turn of a link, without fields of a newer version. Raises StateCorrupt."""
    payload = link.payload

    def text(reference: JSON) -> str:
        return str(messages[reference["at"]]["data"]["content"] if "at" in reference else reference["text"])

    try:
        messages: list[JSON] = next((s[3] for s in payload["segments"] if s[:2] == ["", "messages"]), [])
        record = _known(Turn, payload["turn"])
        return Turn(
            thread_id=thread_of(link.item["PK"]),
            number=link.item["n"],
            message=text(payload["message"]),
            reply=text(payload["reply"]),
            usage=Usage(**_known(Usage, record.pop("usage"))),
            sources=tuple(Source(**_known(Source, source)) for source in record.pop("sources", ())),
            warnings=tuple(record.pop("warnings", ())),
            details=details,
            run_id=run_id_of(link.item["PK"], link.item["k"]),
            attempt=int(writer_of(link.item["SK"])[:8]),
            **record,
        )
    except (KeyError, IndexError, TypeError) as error:
        raise StateCorrupt from error


def _known(kind: type, stored: JSON) -> JSON:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in stored.items() if name in names}


class Chain:
    """Reads the links of a thread, following them from HEAD."""

    def __init__(self, heads: Heads):
        self._heads = heads

    def newest(self, head: Head, count: int, before: int | None = None) -> list[Item]:
        """Return the newest `count` turns numbered below `before`, and the edits between, oldest first."""
        top = head.n if before is None else min(head.n, before - 1)
        low = max(1, top - count + 1)
        if top < 1 or head.last is None:
            return []
        start, found = head.last, dict[str, Item]()
        if top < head.n:  # begin just above `top` if there is only one candidate
            high = turn_ceiling(head.gen, low)
            found = self._heads.items.between_by_key(head.pk, turn_floor(head.gen, top + 1), high)
            above = [sk for sk in found if number_of(sk) == top + 1]
            start = above[0] if len(above) == 1 else start
        links = self.walk(head.pk, start, low, found)
        return [link for link in links if number_of(link["SK"]) <= top]

    def walk(
        self, pk: str, last: str | None, low: int, found: dict[str, Item], packs: Mapping[str, Link] = NO_PACKS
    ) -> list[Item]:
        """Return the items from turn `low` to the link `last`, oldest first; read those missing in `found`. A pack
        replaces its links, but never the newest link."""
        chain: list[Item] = []
        at = last
        while at and number_of(at) >= low:
            if chain and at in packs:
                chain.append(packs[at].item)
            elif self._is_there(pk, at, low, found, packs) and ("prev" in found[at] or number_of(at) <= 1):
                chain.append(found[at])
            else:
                raise StateCorrupt
            at = chain[-1].get("prev")
        return chain[::-1]

    def packs_in(self, found: Mapping[str, Item]) -> dict[str, Link]:
        """Return the readable packs by their newest link. The links of an unreadable one are read instead."""
        packs: dict[str, Link] = {}
        for item in found.values():
            if "tip" in item:
                with suppress(StateCorrupt):
                    packs[item["tip"]] = self.open(item)
        return packs

    def _is_there(self, pk: str, sk: str, low: int, found: dict[str, Item], packs: Iterable[str] = ()) -> bool:
        """Return whether a link exists; one missing in `found` is read with those before it to turn `low` or a pack.
        Links never change, so any read of one is right; only a consistent read shows that one is missing."""
        if sk in found:
            return True
        low = max([low, *(number for number in map(number_of, packs) if number <= number_of(sk))])
        # edits of one number are sorted in the order in which they were made, after a newer turn
        low_sk, high_sk = turn_floor(generation_of(sk), number_of(sk)), turn_ceiling(generation_of(sk), low)
        for consistent in (False, True):
            if sk not in found:
                found |= self._heads.items.between_by_key(pk, low_sk, high_sk, consistent=consistent)
        return sk in found

    def every(self, head: Head, found: dict[str, Item], since: str = "") -> Iterator[Item]:
        """Yield all reachable links, or those `since` a writer, newest first. An abandoned branch may have lost its
        links."""
        seen: set[str] = set()
        waiting: set[str] = set()

        def wait(sk: str | None) -> None:
            if not sk or sk in seen or writer_of(sk) < since:
                return
            if self._is_there(head.pk, sk, max(0, number_of(sk) - PAGE_TURNS), found):
                waiting.add(sk)

        wait(head.last)
        while waiting:
            newest = max(waiting, key=lambda sk: (found[sk]["cp"], number_of(sk)))
            waiting.remove(newest)
            seen.add(newest)
            yield found[newest]
            wait(found[newest].get("prev"))
            wait(found[newest].get("was"))

    def reached(self, head: Head, sk: str) -> Item | None:
        """Return the link if HEAD leads to it, also on an abandoned branch. Reads the links stored after it."""
        return next((link for link in self.every(head, {}, writer_of(sk)) if link["SK"] == sk), None)

    def left(self, head: Head) -> Iterator[Item]:
        """Return the links that HEAD no longer leads to, newest first."""
        found: dict[str, Item] = {}
        kept = {item["SK"] for item in self.walk(head.pk, head.last, 0, found)}
        return (item for item in self.every(head, found) if item["SK"] not in kept)

    def open(self, item: Item) -> Link:
        """Return the link with its value. Raises StateCorrupt."""
        return Link(item, self._heads.unpacked(item, *signed_context(item)))

    def turn(self, head: Head, number: int) -> Link:
        """Return the link of one turn. Raises NotFound if the thread has no turn of this number, StateCorrupt."""
        if not 1 <= number <= head.n:
            raise NotFound("The thread has no turn of this number.")
        for item in self.newest(head, 1, number + 1):
            if "edit" not in item:
                return self.open(item)
        raise StateCorrupt

    def details(self, link: Link) -> JSON:
        if "aside" not in link.item:
            return dict(link.payload.get("details", {}))
        aside = self._heads.items.get(link.item["PK"], details_key(link.item["SK"]))
        if aside is None:
            raise StateCorrupt
        return dict(self._heads.unpacked(aside))
