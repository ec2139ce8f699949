"""Where this server answers otherwise than `langgraph dev`, and why; docs/clients.md tells it too. A pattern is
"scene: step | path of the field: how", or "threads.method | ..." for what an SDK gave."""

RUN_STEPS = ("background: *", "cancelling: *", "runs.*")
"""What shows runs as objects."""


def each(steps: tuple[str, ...], *fields: str) -> tuple[str, ...]:
    return tuple(f"{step} | {field}" for step in steps for field in fields)


DIFFERENCES: dict[str, tuple[str, ...]] = {
    "No answer may be cached, and each says so.": (
        "* | headers.cache-control: more",
        "* | headers.x-accel-buffering: more",
    ),
    "A refusal is a problem document (RFC 9457): `detail` is where the SDKs read it, `code` is for programs.": (
        '* | headers.content-type: "application/problem+json"*',
        "threads: delete | headers.content-type: more",
    ),
    "`/ok` and `/info` say what there is here; there are no crons and no LangSmith.": (
        "about: ok | body.services: missing",
        "about: info | *",
    ),
    "Assistants are the installed agents with their descriptions, and are found by name too.": (
        "assistants: search | *",
        "assistants: * | body*.description: *",
        "assistants.* | *description: *",
        "assistants: get by name | status: 200 instead of 422",
        "assistants: * | body*config_schema.*: more",
        "assistants.getSchemas | config_schema.*: more",
        "assistants: * | body.state_schema.title: *",
        "assistants.getSchemas | state_schema.title: *",
    ),
    "A thread is one object for all protocols: it has the fields of the native API as well.": (
        "* | *turn_count: more",
        "* | *title: more",
        "* | *pending: more",
        "* | *expires_at: more",
        "* | *agent: more",
        "* | *turn_number: more",
        "* | *interrupts: more",
    ),
    "A thread object is read with one request: its values are its first message, without interrupts and errors; "
    "the state has all.": (
        "* | *values.messages.length: 1 instead of *",
        '* | *values.messages.0.id: "title-*',
        "* | *values.stamps: missing",
        "* | *config.configurable: missing",
        "* | *error: missing",
        "* | *interrupts.<uuid>: missing",
    ),
    "A search does not count: `/threads/count` does.": ("searches: * | headers.x-pagination-*: missing",),
    "A ttl is checked, and a search by values, which needed every state read, is refused.": (
        "threads: create, bad ttl | status: 422 instead of 200",
        "searches: by values | status: 422 instead of 500",
    ),
}
