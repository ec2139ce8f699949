"""Documents of a thread. They are in its partition, so they expire and are erased with it.

ASIDE#DOC#<id>        the authority: st status, name encrypted, at, until the form is valid, size, tries, since;
                      once ready: `data` signed facts, parts, maps; once failed: the code
ASIDE#TEXT#<id>#<n>   its text in parts, signed as a whole
ASIDE#PII#DOC#<id>.<n>   values of its placeholders

A worker claims an upload and stores its text, or why it failed. One transaction stores the text and checks HEAD's
incarnation id: it succeeds before an erasure claims the thread, or never."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from turnkeep.errors import DocumentNotFound, NotFound, StateCorrupt, StoreUnavailable, TooManyDocuments
from turnkeep.records import JSON, Attachment, AttachmentStatus, Parsed, Piece, Principal
from turnkeep.store import keys
from turnkeep.store.attributes import Item, Write
from turnkeep.store.head import Head, is_erased, is_of_life, read_head
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.uploads import FORM_SECONDS, Form, Uploads
from turnkeep.store.vault import Vault

MAX_DOCUMENTS = 20
ACTIVE_DOCUMENTS = 10
WORK_MS = 15 * 60_000
PART_BYTES = 350 * 1024
MAX_TEXT_BYTES = 3 * 1024 * 1024  # packed: text and map must fit into one transaction of 4 MB
_GRACE_MS = 60_000


@dataclass(frozen=True)
class Claimed:
    """An upload that a worker may read, with HEAD of its thread; `attempts` counts from 1."""

    key: str
    head: Head
    document_id: str
    name: str
    body: bytes
    attempts: int


class Attachments:
    def __init__(self, heads: Heads, vault: Vault, uploads: Uploads):
        self._heads = heads
        self._items = heads.items
        self._codec = heads.codec
        self._uploads = uploads
        self.vault = vault

    def add(
        self, principal: Principal, thread_id: str, document_id: str, *, name: str, size: int, content_type: str | None
    ) -> tuple[Attachment, Form]:
        """Add a waiting document; return it and its form. Raises NotFound, TooManyDocuments, StoreUnavailable."""
        head, now = self._heads.read(principal, thread_id), self._heads.now()
        sk, until = keys.document_key(document_id), now + FORM_SECONDS * 1000
        item = keys.new_item(head.pk, sk, keys.item_ttl(head.created), born=head.incarnation)
        item |= {"st": "waiting", "at": now, "until": until, "size": size, "tries": 0}
        item["name"] = self._codec.encrypt({"name": name}, head.pk, sk)
        try:
            self._items.transact(check_alive(head.pk, head.incarnation), Write("Put", item, "attribute_not_exists(PK)"))
        except Refused as refused:
            raise NotFound from refused
        stored = {keys.document_of(each["SK"]) for each in self._items_of(head)}
        if document_id not in stored:
            raise NotFound
        if len(stored) > MAX_DOCUMENTS:
            with suppress(Refused):
                self._remove(item)
            raise TooManyDocuments
        return self._attachment(item), self._uploads.form(*self.place(head.pk, document_id), content_type)

    def place(self, pk: str, document_id: str) -> tuple[str, str]:
        """Return the key of the file, and its encrypted owner for the metadata."""
        key = keys.upload_key(pk, document_id)
        return key, self._codec.token({"pk": pk, "id": document_id}, key)

    def awaits(self, key: str, owner: str) -> bool:
        """Return whether a submitted form is ours and still valid. Raises StoreUnavailable."""
        place = self.owner_of(key, owner)
        item = self._items.get(place["pk"], keys.document_key(place["id"])) if place else None
        if item is None or item["st"] != "waiting" or item["until"] < self._heads.now():
            return False
        return not is_erased(self._items.get(item["PK"], keys.HEAD), item["born"])

    def documents(self, principal: Principal, thread_id: str) -> tuple[Attachment, ...]:
        """Return the documents, oldest first, with their original names. Raises NotFound, StoreUnavailable."""
        return tuple(map(self._attachment, self._items_of(self._heads.read(principal, thread_id))))

    def read(self, principal: Principal, thread_id: str, document_id: str) -> Attachment:
        """Return one document. Raises NotFound, DocumentNotFound, StoreUnavailable."""
        return self._attachment(self._item(self._heads.read(principal, thread_id), document_id))

    def remove(self, principal: Principal, thread_id: str, document_id: str) -> None:
        """Delete a document with text, placeholders and file. Raises NotFound, DocumentNotFound, StoreUnavailable."""
        head = self._heads.read(principal, thread_id)
        for _ in range(3):  # tries
            try:
                return self._remove(self._item(head, document_id))
            except Refused:  # a worker has changed its status meanwhile
                continue
        raise StoreUnavailable(retry_after=1)

    def _remove(self, item: Item) -> None:
        """Delete the file first: after an interruption here the document can still be found."""
        pk, document_id = item["PK"], str(keys.document_of(item["SK"]))
        self._uploads.delete([keys.upload_key(pk, document_id)])
        texts = [keys.text_key(document_id, part) for part in range(item.get("parts", 0))]
        rest = [*texts, *(keys.pii_key(map_source(document_id), part) for part in range(item.get("maps", 0)))]
        as_read = Write("Delete", {"PK": pk, "SK": item["SK"]}, "st = :st", {":st": item["st"]})
        self._items.transact(as_read, *(Write("Delete", {"PK": pk, "SK": sk}) for sk in rest))

    def statuses(self, head: Head, document_ids: Sequence[str]) -> dict[str, AttachmentStatus]:
        """Return the status of each document that exists. Raises StoreUnavailable."""
        wanted = filter(keys.is_well_formed, document_ids)
        found = self._items.get_many((head.pk, keys.document_key(each)) for each in wanted)
        return {str(keys.document_of(item["SK"])): self._state(item)[0] for item in found if is_of_life(item, head)}

    def active(self, head: Head) -> tuple[Attachment, ...]:
        """Return the newest ready documents, oldest first, under the names that models may see."""
        ready = [item for item in self._items_of(head) if item["st"] == "ready"]
        return tuple(self._attachment(item, is_for_models=True) for item in ready[-ACTIVE_DOCUMENTS:])

    def pieces(self, pk: str, document_id: str) -> tuple[Piece, ...]:
        """Return the text of a document, empty if there is none. Raises StateCorrupt, StoreUnavailable."""
        parts = self._items.between(pk, keys.text_key(document_id, 0), keys.text_key(document_id, 99))
        if not parts:
            return ()
        whole = b"".join(part["data"] for part in parts)
        return tuple(Piece(*each) for each in self._codec.unpack(whole, pk, keys.text_key(document_id, 0)))

    def _items_of(self, head: Head) -> list[Item]:
        found = (item for item in self._items.below(head.pk, keys.DOCUMENTS) if is_of_life(item, head))
        return sorted(found, key=lambda item: (item["at"], item["SK"]))

    def _item(self, head: Head, document_id: str) -> Item:
        item = self._items.get(head.pk, keys.document_key(document_id)) if keys.is_well_formed(document_id) else None
        if item is None or not is_of_life(item, head):
            raise DocumentNotFound
        return item

    def _attachment(self, item: Item, *, is_for_models: bool = False) -> Attachment:
        """Return the document under its original name, or under the one that models may see."""
        facts: JSON = self._codec.unpack(item["data"], item["PK"], item["SK"]) if "data" in item else {}
        name = facts["name"] if is_for_models else self._name(item)
        id_, (status, code), at = str(keys.document_of(item["SK"])), self._state(item), item["at"] / 1000
        read: JSON = {each: facts.get(each) for each in ("kind", "pages", "characters")}
        read |= {each: tuple(facts.get(each, ())) for each in ("warnings", "findings")}
        return Attachment(id_, name, status, at, item["size"], code=code, **read)

    def _state(self, item: Item) -> tuple[AttachmentStatus, str | None]:
        """Return status and code. A file that never arrives or a worker that stops becomes a failure after a while."""
        if item["st"] == "waiting" and item["until"] + _GRACE_MS < self._heads.now():
            return "failed", "not_uploaded"
        if item["st"] == "processing" and item["since"] + WORK_MS < self._heads.now():
            return "failed", "processing_failed"
        return item["st"], item.get("code")

    def claim(self, key: str) -> Claimed | None:
        """Claim an upload for one more attempt; None if no document waits for it. Raises StoreUnavailable."""
        try:
            body, owner = self._uploads.read(key)
        except KeyError:
            return None
        place = self.owner_of(key, owner)
        if place is None:
            return None
        pk, sk = place["pk"], keys.document_key(place["id"])
        taken = "SET st = :processing, since = :now, tries = tries + :one"
        values = {":waiting": "waiting", ":processing": "processing", ":now": self._heads.now(), ":one": 1}
        try:
            item = self._items.update(pk, sk, taken, values, condition="st = :waiting OR st = :processing")
        except Refused:
            return None
        head = self._items.get(pk, keys.HEAD)
        if head is None or is_erased(head, item["born"]):
            return None
        return Claimed(key, read_head(head), place["id"], self._name(item), body, item["tries"])

    def owner_of(self, key: str, owner: str) -> JSON | None:
        """Return the thread's `pk` and the document's `id`, or None if we did not issue the token for this key."""
        with suppress(StateCorrupt):
            return dict(self._codec.read_token(owner, key))
        return None

    def finish(self, claimed: Claimed, parsed: Parsed, *, name: str, values: Mapping[str, str] | None = None) -> bool:
        """Activate the document completely or not at all. `name` is for models; `values` of placeholders. Return False
        if it is gone or another worker was first. Raises ValueError if the text is too long, StoreUnavailable."""
        pk, sk = claimed.head.pk, keys.document_key(claimed.document_id)
        facts: JSON = {"name": name, "characters": sum(len(each.text) for each in parsed.pieces)}
        facts |= {each: getattr(parsed, each) for each in ("kind", "pages", "warnings", "findings")}
        texts = list(self._texts(claimed, parsed.pieces))
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
        key = {"PK": claimed.head.pk, "SK": keys.document_key(claimed.document_id)}
        values = {":from": "processing", ":to": status, **given}
        try:
            self._items.transact(Write("Update", key, "st = :from", values, change), *others)
        except Refused:
            return False
        return True

    def _texts(self, claimed: Claimed, pieces: Sequence[Piece]) -> Iterator[Item]:
        pk, first = claimed.head.pk, keys.text_key(claimed.document_id, 0)
        packed = self._codec.pack([[each.text, each.page, each.heading] for each in pieces], pk, first)
        if len(packed) > MAX_TEXT_BYTES:
            raise ValueError("the text is too long")
        for part, start in enumerate(range(0, len(packed), PART_BYTES)):
            sk, data = keys.text_key(claimed.document_id, part), packed[start : start + PART_BYTES]
            yield keys.new_item(pk, sk, keys.item_ttl(claimed.head.created), data=data)

    def _name(self, item: Item) -> str:
        return str(self._codec.decrypt(item["name"], item["PK"], item["SK"])["name"])


def check_alive(pk: str, incarnation: bytes) -> Write:
    """Return the check that the thread with this incarnation id exists and is not being erased."""
    is_alive = "born = :born AND attribute_not_exists(gone)"
    return Write("ConditionCheck", {"PK": pk, "SK": keys.HEAD}, is_alive, {":born": incarnation})


def map_source(document_id: str) -> str:  # of its placeholders
    return f"DOC#{document_id}"
