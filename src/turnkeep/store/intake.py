"""Turns an upload into a document: a worker claims it and stores its text, or why it failed. One transaction stores the
text and checks HEAD's incarnation id: it succeeds before an erasure claims the thread, or never."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from turnkeep.attachments import Piece
from turnkeep.errors import StateCorrupt
from turnkeep.records import JSON
from turnkeep.store.attributes import Item, Write
from turnkeep.store.head import Head, is_erased, read_head
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, document_key, item_ttl, new_item, text_key
from turnkeep.store.uploads import Uploads
from turnkeep.store.vault import Vault

PART_BYTES = 350 * 1024
MAX_TEXT_BYTES = 3 * 1024 * 1024  # packed: text and map must fit into one transaction of 4 MB
_OPEN = {":waiting": "waiting", ":processing": "processing"}


@dataclass(frozen=True)
class Claimed:
    """An upload that a worker may read, with HEAD of its thread; `attempts` counts from 1."""

    key: str
    head: Head
    document_id: str
    name: str
    body: bytes
    attempts: int


class Intake:
    def __init__(self, heads: Heads, vault: Vault, uploads: Uploads):
        self._heads = heads
        self._items = heads.items
        self._codec = heads.codec
        self._uploads = uploads
        self.vault = vault

    def claim(self, key: str) -> Claimed | None:
        """Claim an upload for one more attempt; None if no document waits for it. Raises StoreUnavailable."""
        try:
            body, owner = self._uploads.get(key)
        except KeyError:
            return None
        place = self.owner_of(key, owner)
        if place is None:
            return None
        pk, sk = place["pk"], document_key(place["id"])
        taken = "SET st = :processing, since = :now, tries = tries + :one"
        values = {**_OPEN, ":now": self._heads.now(), ":one": 1}
        try:
            item = self._items.update(pk, sk, taken, values, condition="st = :waiting OR st = :processing")
        except Refused:
            return None
        head = self._items.get(pk, HEAD)
        if head is None or is_erased(head, item["born"]):
            return None
        return Claimed(key, read_head(head), place["id"], self._name(item), body, item["tries"])

    def owner_of(self, key: str, owner: str) -> JSON | None:
        """Return the thread's `pk` and the document's `id`, or None if we did not issue the token for this key."""
        try:
            return dict(self._codec.read_token(owner, key))
        except StateCorrupt:
            return None

    def finish(
        self,
        claimed: Claimed,
        pieces: Sequence[Piece],
        *,
        name: str,
        kind: str,
        pages: int | None = None,
        warnings: Sequence[str] = (),
        findings: Sequence[str] = (),
        values: Mapping[str, str] | None = None,
    ) -> bool:
        """Activate the document completely or not at all. `name` is for models; `values` of placeholders. Return False
        if it is gone or another worker was first. Raises ValueError if the text is too long, StoreUnavailable."""
        pk, sk = claimed.head.pk, document_key(claimed.document_id)
        facts: JSON = {"name": name, "kind": kind, "pages": pages, "characters": sum(len(each.text) for each in pieces)}
        facts |= {"warnings": list(warnings), "findings": list(findings)}
        texts = list(self._texts(claimed, pieces))
        maps = list(self.vault.items_of(claimed.head, map_source(claimed.document_id), values or {}))
        given = {":data": self._codec.pack(facts, pk, sk), ":parts": len(texts), ":maps": len(maps)}
        change = "SET st = :to, #data = :data, parts = :parts, maps = :maps REMOVE since"
        puts = (Write("Put", item) for item in (*texts, *maps))
        return self._end(claimed, "ready", change, given, check_alive(pk, claimed.head.incarnation), *puts)

    def fail(self, claimed: Claimed, code: str) -> bool:
        """Store a failure; False if the document is gone or another worker was first. Raises StoreUnavailable."""
        return self._end(claimed, "failed", "SET st = :to, code = :code REMOVE since", {":code": code})

    def drop(self, key: str) -> None:
        self._uploads.delete([key])

    def _end(self, claimed: Claimed, status: str, change: str, given: Item, *others: Write) -> bool:
        key = {"PK": claimed.head.pk, "SK": document_key(claimed.document_id)}
        values = {":from": "processing", ":to": status, **given}
        try:
            self._items.transact(Write("Update", key, "st = :from", values, change), *others)
        except Refused:
            return False
        return True

    def _texts(self, claimed: Claimed, pieces: Sequence[Piece]) -> Iterator[Item]:
        pk, first = claimed.head.pk, text_key(claimed.document_id, 0)
        packed = self._codec.pack([[each.text, each.page, each.heading] for each in pieces], pk, first)
        if len(packed) > MAX_TEXT_BYTES:
            raise ValueError("the text is too long")
        for part, start in enumerate(range(0, len(packed), PART_BYTES)):
            sk, data = text_key(claimed.document_id, part), packed[start : start + PART_BYTES]
            yield new_item(pk, sk, item_ttl(claimed.head.created), data=data)

    def _name(self, item: Item) -> str:
        return str(self._codec.decrypt(item["name"], item["PK"], item["SK"])["name"])


def check_alive(pk: str, incarnation: bytes) -> Write:
    """Return the check that the thread with this incarnation id exists and is not being erased."""
    is_alive = "born = :born AND attribute_not_exists(gone)"
    return Write("ConditionCheck", {"PK": pk, "SK": HEAD}, is_alive, {":born": incarnation})


def map_source(document_id: str) -> str:
    """Return the source name of the placeholders in a document."""
    return f"DOC#{document_id}"
