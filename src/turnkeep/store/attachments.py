"""Documents of a thread. They are in its partition, so they expire and are erased with it.

ASIDE#DOC#<id>        the authority: st status, name encrypted, at, until the form is valid, size, tries, since;
                      once ready: `data` signed facts, parts, maps; once failed: the code
ASIDE#TEXT#<id>#<n>   its text in parts, signed as a whole
ASIDE#PII#DOC#<id>.<n>   values of its placeholders"""

from collections.abc import Sequence
from contextlib import suppress

from turnkeep.attachments import Attachment, AttachmentStatus, Piece
from turnkeep.errors import AlreadyUploaded, DocumentNotFound, NotFound, StoreUnavailable, TooManyDocuments
from turnkeep.records import JSON, Principal
from turnkeep.store import keys
from turnkeep.store.attributes import Item, Write
from turnkeep.store.head import Head, is_erased, is_of_life
from turnkeep.store.intake import Intake, check_alive, map_source
from turnkeep.store.items import Refused
from turnkeep.store.uploads import FORM_SECONDS, Form

MAX_DOCUMENTS = 20
ACTIVE_DOCUMENTS = 10
WORK_MS = 15 * 60_000
_GRACE_MS = 60_000
_TRIES = 3


class Attachments(Intake):
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
        return self._attachment(item), self._uploads.form(*self._place(head.pk, document_id), content_type)

    def _place(self, pk: str, document_id: str) -> tuple[str, str]:
        """Return the key of the file, and its encrypted owner for the metadata."""
        key = keys.upload_key(pk, document_id)
        return key, self._codec.token({"pk": pk, "id": document_id}, key)

    def place(self, principal: Principal, thread_id: str, document_id: str) -> tuple[str, str]:
        """Return key and owner of an awaited file. Raises NotFound, DocumentNotFound, AlreadyUploaded."""
        item = self._item(self._heads.read(principal, thread_id), document_id)
        if item["st"] != "waiting":
            raise AlreadyUploaded
        return self._place(item["PK"], document_id)

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
        for _ in range(_TRIES):
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
