"""Routes of a thread's documents. Clients upload the file to the bucket, with a form from the first route."""

from typing import Any, Self
from urllib.parse import urljoin

from fastapi import APIRouter, Request
from pydantic import Field

from turnkeep.documents.parsing.kinds import file_name
from turnkeep.documents.parsing.parsed import ADVICE
from turnkeep.errors import DocumentNotFound, DocumentTooLarge, NotFound, StateCorrupt, ThreadBusy, TooManyDocuments
from turnkeep.http.auth import Caller
from turnkeep.http.routes import ALWAYS, BODY, READ, Routes, problems
from turnkeep.http.schemas import Id
from turnkeep.http.schemas import Request as Body
from turnkeep.http.views import LateView, Time
from turnkeep.records import Attachment, AttachmentStatus
from turnkeep.store.uploads import FORM_SECONDS, MAX_UPLOAD_BYTES

PATH = "/threads/{thread_id}/attachments"


class NewAttachment(Body):
    name: str = Field(min_length=1, max_length=255, description="of the file, without folders")
    content_type: str | None = Field(
        None, max_length=100, pattern=r"^[\w.+/-]+$", description="sent with the form; the type is detected"
    )
    size: int = Field(ge=1, description="bytes, at most 10,000,000")


class UploadView(LateView):
    """Post multipart/form-data: all fields, then the file as `file`."""

    url: str
    fields: dict[str, str]
    expires_at: Time


class AttachmentView(LateView):
    document_id: str
    name: str
    status: AttachmentStatus = Field(description="waiting for its file, being read, active in every turn, or failed")
    created_at: Time
    size: int
    kind: str | None = Field(description="detected from the content; null until it was read")
    pages: int | None
    characters: int | None
    warnings: list[str]
    findings: list[str] = Field(description="text that seems to address a model; reported only")
    code: str | None = Field(description="reason of a failure")
    advice: str | None

    @classmethod
    def of(cls, document: Attachment, **more: Any) -> Self:
        advice = ADVICE.get(document.code, ADVICE["processing_failed"]) if document.code else None
        return cls(**vars(document), advice=advice, document_id=document.id, **more)


class NewAttachmentView(AttachmentView):
    upload: UploadView


class AttachmentsView(LateView):
    attachments: list[AttachmentView] = Field(description="oldest first")


class AttachmentRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        add, one = router.add_api_route, f"{PATH}/{{document_id}}"
        made = problems(*ALWAYS, *BODY, NotFound, StateCorrupt, DocumentTooLarge, TooManyDocuments, ThreadBusy)
        read = problems(*READ, DocumentNotFound)
        add(PATH, self.create, methods=["POST"], status_code=201, responses=made)
        add(PATH, self.list, methods=["GET"], responses=problems(*READ))
        add(one, self.read, methods=["GET"], responses=read)
        add(one, self.remove, methods=["DELETE"], status_code=204, responses=read)

    def create(self, thread_id: Id, body: NewAttachment, caller: Caller, request: Request) -> NewAttachmentView:
        """Create a document. Its upload form is valid for 5 minutes, for one file of at most 10 MB."""
        if body.size > MAX_UPLOAD_BYTES:
            raise DocumentTooLarge
        document_id = self._new_id().replace("-", "").lower()
        document, form = self._services.attachments.add(
            caller, thread_id, document_id, name=file_name(body.name), size=body.size, content_type=body.content_type
        )
        url, until = urljoin(str(request.base_url), form.url), document.created_at + FORM_SECONDS
        return NewAttachmentView.of(document, upload=UploadView(url=url, fields=form.fields, expires_at=until))

    def list(self, thread_id: Id, caller: Caller) -> AttachmentsView:
        """List the documents of the thread, at most 20. A turn can use the newest ten that are ready."""
        found = self._services.attachments.documents(caller, thread_id)
        return AttachmentsView(attachments=[AttachmentView.of(document) for document in found])

    def read(self, thread_id: Id, document_id: Id, caller: Caller) -> AttachmentView:
        return AttachmentView.of(self._services.attachments.read(caller, thread_id, document_id))

    def remove(self, thread_id: Id, document_id: Id, caller: Caller) -> None:
        """Delete the document, its text and its file; later turns cannot use it."""
        self._services.attachments.remove(caller, thread_id, document_id)
