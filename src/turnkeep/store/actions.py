"""Actions of tools, claimed before the side effect and settled after it. A repeated call finds the outcome.

ASIDE#ACTION#<digest>    o claim mark, at, data the encrypted result; without data the outcome is unknown"""

from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from turnkeep.errors import AgentFault, Superseded
from turnkeep.store.attributes import Write
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, action_key, item_ttl, new_item
from turnkeep.store.leases import MINE, OWNER_BYTES
from turnkeep.store.plans import Begun

_OPEN = "o = :mark AND attribute_not_exists(#data)"

Result: TypeAlias = tuple[str, bytes]  # kind and bytes from LangGraph's serialiser


@dataclass(frozen=True)
class Claim:
    """A claimed action. `at`: epoch ms. `result` is None until it is settled. If `is_new`, the caller must act."""

    begun: Begun
    sk: str
    mark: bytes
    at: int
    result: Result | None
    is_new: bool


class ActionLog:
    def __init__(self, heads: Heads):
        self._heads = heads

    def claim(self, begun: Begun, origin: bytes, name: str, key: str) -> Claim:
        """Claim an action. One caller ever gets the right to act (`is_new`), the others the outcome. `origin` is the
        digest of the key of the run's first turn. Raises Superseded, StoreUnavailable, StateCorrupt."""
        pk, sk = begun.head.pk, action_key(begun.head.incarnation, origin, name, key)
        mark, now = self._heads.random_bytes(OWNER_BYTES), self._heads.now()
        item = new_item(pk, sk, item_ttl(begun.head.created), o=mark, at=now)
        try:
            self._heads.items.transact(_held(begun), Write("Put", item, "attribute_not_exists(PK)"))
        except Refused as refused:
            stored = refused.item or self._heads.items.get(pk, sk)
            if stored is None:
                raise Superseded from refused
            item = stored  # if the mark is ours, only the acknowledgement was lost
        holder = item["o"]
        result = self._heads.codec.decrypt(item["data"], pk, sk, holder.hex()) if "data" in item else None
        return Claim(begun, sk, holder, item["at"], result and tuple(result), is_new=holder == mark)

    def settle(self, claim: Claim, result: Result) -> None:
        """Store the result unless the thread is gone; no lease is needed. Raises AgentFault over 300 KB."""
        pk, mark = claim.begun.head.pk, claim.mark
        data = self._heads.codec.encrypt(list(result), pk, claim.sk, mark.hex())
        if len(data) > 300 * 1024:
            raise AgentFault("The result of an action is over 300 KB. Store it elsewhere and return its location.")
        with suppress(Refused):
            self._heads.items.update(pk, claim.sk, "SET #data = :data", {":data": data, ":mark": mark}, condition=_OPEN)

    def release(self, claim: Claim) -> None:
        """Give back the right to act, unless the action is settled. Raises Superseded, StoreUnavailable."""
        key = {"PK": claim.begun.head.pk, "SK": claim.sk}
        try:
            self._heads.items.transact(_held(claim.begun), Write("Delete", key, _OPEN, {":mark": claim.mark}))
        except Refused as refused:
            stored = self._heads.items.get(key["PK"], key["SK"])
            if stored and stored["o"] == claim.mark and "data" not in stored:
                raise Superseded from refused


def _held(begun: Begun) -> Write:
    mine = {":seq": begun.head.seq, ":owner": begun.owner, ":born": begun.head.incarnation}
    return Write("ConditionCheck", {"PK": begun.head.pk, "SK": HEAD}, f"{MINE} AND born = :born", mine)
