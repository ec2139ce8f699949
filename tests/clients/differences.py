"""Known differences between this server and `langgraph dev`, as docs/clients.md lists them. A pattern is
"scene: step | path of the field: difference", or "threads.method | ..." for the result of an SDK."""

DIFFERENCES: dict[str, tuple[str, ...]] = {
    "Responses have headers that forbid caching and buffering.": (
        "* | headers.cache-control: more",
        "* | headers.x-accel-buffering: more",
    ),
    "Errors are problem documents (RFC 9457). The SDKs read `detail`; `code` is for programs.": (
        '* | headers.content-type: "application/problem+json"*',
        "threads: delete | headers.content-type: more",
    ),
    "`/ok` and `/info` describe this server, which has no crons and no LangSmith.": (
        "about: ok | body.services: missing",
        "about: info | *",
    ),
    "Installed agents are assistants that cannot be changed. They have descriptions and can also be read by name.": (
        "assistants: search | *",
        "assistants: * | body*description: *",
        "assistants.* | *description: *",
        "assistants: get by name | status: 200 instead of 422",
    ),
    "Threads and runs also have the fields of the native API.": (
        "* | *turn_count: more",
        "* | *title: more",
        "* | *pending: more",
        "* | *queued: more",
        "* | *expires_at: more",
        "* | *agent: more",
        "* | *turn_number: more",
        "* | *interrupts: more",
        "states: copy | body.values: more",
        "threads.copy | values: more",
    ),
    "The `values` of a thread are its first message only, and its `interrupts` are empty. Its state has them all.": (
        "* | *values.messages.length: 1 instead of *",
        '* | *values.messages.0.id: "title-*',
        "* | *values.stamps: missing",
        "* | *config.configurable: missing",
        "* | *error: missing",
        "* | *interrupts.<uuid>: missing",
    ),
    "A search returns no total. Use `/threads/count`.": ("searches: * | headers.x-pagination-*: missing",),
    "Invalid requests get 422 before the run starts, and cost nothing.": (
        "threads: create, bad ttl | status: 422 instead of 200",
        "threads: create, no JSON | status: 400 instead of 422",
        "searches: by values | status: 422 instead of 500",
        "states: update of the future | status: 422 instead of 400",
        "waits: a malformed thread | status: 422 instead of 400",
        "waits: input that does not fit | status: 422 instead of 200",
        "waits: a message without a role | status: 422 instead of 200",
        "waits: recursion limit of zero | status: 422 instead of 200",
        "background: list, bad status | status: 422 instead of 200",
        "cancelling: bad action | status: 422 instead of 404",
    ),
    "The first event of the stream mode `events` has the messages of the input as LangChain's messages.": (
        "streams: events | body.1.1.data.input.messages.0.*: *",
    ),
    "An unknown checkpoint, run or thread to copy is 404.": (
        "threads: copy unknown | status: 404 instead of 409",
        "states: state at * | status: 404 instead of 200",
        "waits: unknown checkpoint | status: 404 instead of 200",
        "waits: malformed checkpoint | status: 404 instead of 422",
        "background: join unknown | status: 404 instead of 200",
    ),
    "`before` of a history only needs the id of a checkpoint. There it fails without the other fields.": (
        "states: history before | status: 200 instead of 500",
        "states: history, unknown checkpoint | status: 200 instead of 500",
    ),
    "A history has one state a turn. The steps inside a turn are streamed only.": (
        "states: history* | body.length: *",
        "states: history* | body.1.*",
    ),
    "A failed run stores only its message, as pending.": (
        "streams: thread after a failure | *",
        "streams: state after a failure | *",
    ),
    "Errors of a run contain `code` and `correlation_id`, not the text of the exception.": (
        "* | *.code: more",
        "* | *.correlation_id: more",
        "* | *.error: *",
        "* | *.message: *",
    ),
    "Interrupts are sent in every stream mode, not only in `values` and `updates`.": (
        "questions: asked, messages-tuple alone | body.length: 2 instead of 1",
        "questions: asked, custom alone | body.length: 3 instead of 2",
    ),
    "A run in which no node would run is an error, and stores no turn.": (
        "questions: answered twice | body.*",
        "commands: goto nowhere | body.*",
        "commands: empty command | body.*",
    ),
    "An interrupt has the same fields in a state and in a stream.": ("* | *response_schema: more",),
    "A run without a thread is not stored and cannot be joined.": ("* without a thread | headers.*location: *",),
    "All finished steps of an interrupted run are stored. There the newest may be missing.": (
        "second_messages: interrupt by * | *stamps: *",
    ),
    "A run that is rolled back stays listed as `interrupted` for a day. There it is gone.": (
        "second_messages: rollback by *: the * | status: 200 instead of 404",
        "second_messages: rollback by *: list | body.*",
    ),
    "A list of runs does not name the strategy of those that have ended; a single run does.": (
        'second_messages: interrupt by *: list | body.0.multitask_strategy: "enqueue" instead of "interrupt"',
    ),
    "A run is stored as its turn, without the original request, and expires with its thread.": (
        "background: * | *langsmith_session_name: missing",
        "cancelling: * | *langsmith_session_name: missing",
        "runs.* | *langsmith_session_name: missing",
        "background: * | *kwargs.*: *",
        "cancelling: * | *kwargs.*: *",
        "runs.* | *kwargs.*: *",
        "* | *metadata.from: missing",
        "second_messages: * | *kwargs.*: *",
        "second_messages: * | *langsmith_session_name: missing",
        "* | *metadata.error_code: more",
        "background: cancel one that ended | status: 409 instead of 404",
        "runs.cancel one that ended | *",
    ),
    "Joining a run that has ended returns its result, so that a reloaded page shows the answer.": (
        "background: join * | body.length: 4 instead of 0",
        "cancelling: its stream | body.length: * instead of 0",
        "runs.joinStream of one that ended | length: *",
    ),
    "A background run without a thread gets a new thread, which expires like others.": (
        "background: create without a thread | *",
    ),
    "A thread whose run was interrupted is `idle`, and a run that had not started stores nothing.": (
        "cancelling: thread | body.status: *",
        "cancelling: get* | *assistant_id: *",
        "cancelling: get* | *graph_id: missing",
    ),
    "A thread belongs to an agent from its first turn on. States written by `update_state` name no agent.": (
        "cancelling: busy thread | body.metadata.*: missing",
        "states: state * | body.metadata.graph_id: missing",
        "threads.getState after it | metadata.graph_id: missing",
    ),
    "A state has the metadata of its run, but not of its thread.": (
        "threads.get* | *metadata.n: missing",
        "threads.get* | *metadata.shelf: missing",
        "* | *metadata.checkpoint_id: missing",
    ),
    "References to a checkpoint always have all of its fields.": (
        "states: state at a checkpoint | body.checkpoint.checkpoint_ns: more",
        "threads.getState by its id | checkpoint.checkpoint_ns: more",
    ),
    "`debug` and `checkpoints` name the checkpoint itself, not its parent.": (
        "streams: * | *parent_config: null instead of *",
        "streams: debug | *payload.*checkpoint: missing",
        "runs.stream debug | *parent_config: null instead of *",
        "runs.stream debug | *payload.*checkpoint: missing",
    ),
    "Without a `query`, items of the store are sorted by namespace and key, not by time.": (
        "store.searchItems, a page | items.0.*",
    ),
    "Empty namespaces of the store are not listed.": ("store.listNamespaces after it | namespaces.*",),
    "Without `stream_subgraphs`, the metadata of a message from an inner graph names only its node.": (
        "streams: a subgraph, hidden | body.5.1.1.*: missing",
    ),
}
