"""Messages, calls and papers. `from` and `to` of a message are names that SQL keeps for itself."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    moment,
    number,
    table,
    text,
    whole,
)

document_type = lookup("documentType", "Kinds of papers.", text("name"))

message = table(
    "message",
    "Messages between users.",
    link("from", "user", "Who wrote it."),
    link("to", "user", "Who got it."),
    link("workOrderId", "workOrder", "The work that it is about.", optional=True),
    text("subject"),
    text("body", size=400),
    moment("sentAt"),
    moment("readAt", optional=True),
)

notification = table(
    "notification",
    "What the system told users by itself.",
    link("userId", "user"),
    choice("channel", "email push sms"),
    text("subject"),
    moment("sentAt"),
    flag("isRead"),
)

call_log = table(
    "callLog",
    "Phone calls with customers.",
    link("customerId", "customer"),
    link("customerContactId", "customerContact", optional=True),
    link("employeeId", "employee", "Who spoke for the company."),
    choice("direction", "incoming outgoing"),
    choice("outcome", "answered voicemail missed"),
    moment("startedAt"),
    number("minutes"),
)

message_template = table(
    "messageTemplate",
    "Texts that are sent again and again.",
    text("name"),
    choice("channel", "email push sms"),
    text("subject"),
    text("body", size=400),
)

announcement = table(
    "announcement",
    "News for all staff.",
    link("authorId", "user", "Who wrote it."),
    link("branchId", "branch", "For one branch only, if given.", optional=True),
    text("title"),
    text("body", size=400),
    day("publishedOn"),
)

document = table(
    "document",
    "Papers that were filed, such as reports and plans.",
    link("documentTypeId", "documentType"),
    link("customerId", "customer", optional=True),
    link("workOrderId", "workOrder", optional=True),
    link("uploadedBy", "user", "Who filed it."),
    text("title"),
    text("fileName"),
    whole("sizeBytes"),
    moment("uploadedAt"),
)

document_version = table(
    "documentVersion",
    "Earlier states of a paper.",
    link("documentId", "document", key=True),
    whole("versionNumber", key=True),
    text("changeNote", size=200),
    moment("savedAt"),
    audited=False,
)

photo = table(
    "photo",
    "Pictures of work.",
    link("workOrderId", "workOrder"),
    link("takenBy", "employee", "Who took it."),
    choice("stage", "before during after"),
    text("fileName"),
    moment("takenAt"),
)

signature = table(
    "signature",
    "Customers' signatures for finished work.",
    link("workOrderId", "workOrder"),
    link("customerContactId", "customerContact", "Who signed.", optional=True),
    moment("signedAt"),
    choice("medium", "screen paper"),
    audited=False,
)
