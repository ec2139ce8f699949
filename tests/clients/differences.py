"""Where this server answers otherwise than `langgraph dev`, and why; docs/clients.md tells it too. A pattern is
"scene: step | path of the field: how", or "threads.method | ..." for what an SDK gave."""

DIFFERENCES: dict[str, tuple[str, ...]] = {
    "No answer may be cached, and each says so.": (
        "* | headers.cache-control: more",
        "* | headers.x-accel-buffering: more",
    ),
    "A refusal is a problem document (RFC 9457): `detail` is where the SDKs read it, `code` is for programs.": (
        '* | headers.content-type: "application/problem+json"*',
        "threads: delete | headers.content-type: more",
    ),
    "`/ok` and `/info` tell what there is here; there are no crons and no LangSmith.": (
        "about: ok | body.services: missing",
        "about: info | *",
    ),
    "Assistants are the installed agents with their descriptions, and are found by their names too.": (
        "assistants: search | *",
        "assistants: * | body*description: *",
        "assistants.* | *description: *",
        "assistants: get by name | status: 200 instead of 422",
    ),
    "A thread is one object for all protocols: it has the fields of the native API as well.": (
        "* | *turn_count: more",
        "* | *title: more",
        "* | *pending: more",
        "* | *expires_at: more",
        "* | *agent: more",
        "* | *turn_number: more",
        "* | *interrupts: more",
        "states: copy | body.values: more",
        "threads.copy | values: more",
    ),
    "A thread object is read with one request: its values are its first message, and it has no interrupts and no "
    "error; its state has all.": (
        "* | *values.messages.length: 1 instead of *",
        '* | *values.messages.0.id: "title-*',
        "* | *values.stamps: missing",
        "* | *config.configurable: missing",
        "* | *error: missing",
        "* | *interrupts.<uuid>: missing",
    ),
    "A search does not count what it does not show; `/threads/count` does.": (
        "searches: * | headers.x-pagination-*: missing",
    ),
    "What can be checked before a run is refused before it, with 422, and costs nothing.": (
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
        "streams: events | status: 422 instead of 200",
    ),
    "What does not exist is 404: a checkpoint, a run, a thread to copy.": (
        "threads: copy unknown | status: 404 instead of 409",
        "states: state at * | status: 404 instead of 200",
        "waits: unknown checkpoint | status: 404 instead of 200",
        "waits: malformed checkpoint | status: 404 instead of 422",
        "background: join unknown | status: 404 instead of 200",
    ),
    "`before` of a history is a checkpoint, whose fields but its id may be left out; there it fails.": (
        "states: history before | status: 200 instead of 500",
        "states: history, unknown checkpoint | status: 200 instead of 500",
    ),
    "A history has one state for each turn, as the turn left it, because a turn is kept as a whole; steps inside it "
    "are streamed only.": (
        "states: history* | body.length: *",
        "states: history* | body.1.*",
    ),
    "A run that failed leaves nothing behind but its message, which waits to be sent again.": (
        "streams: thread after a failure | *",
        "streams: state after a failure | *",
    ),
    "A failure does not tell what an exception said: `code` and `correlation_id` are there instead.": (
        "* | *.code: more",
        "* | *.correlation_id: more",
        "* | *.error: *",
        "* | *.message: *",
    ),
    "A question is told in every stream mode, not only in `values` and `updates`.": (
        "questions: asked, messages-tuple alone | body.length: 2 instead of 1",
        "questions: asked, custom alone | body.length: 3 instead of 2",
    ),
    "Nothing to do is an error: no turn is kept in which no node ran.": (
        "questions: answered twice | body.*",
        "commands: goto nowhere | body.*",
        "commands: empty command | body.*",
    ),
    "An interrupt has the same fields in a state as in a stream.": ("* | *response_schema: more",),
    "A run without a thread is not stored, so there is nothing to join.": (
        "* without a thread | headers.*location: *",
    ),
    "Two runs at once are never queued, interrupted or rolled back: the second one is refused.": (
        '* | *multitask_strategy: "reject" instead of "enqueue"',
    ),
    "A run has become its turn: what it was asked with is not kept a second time, and it goes with its thread.": (
        "background: * | *langsmith_session_name: missing",
        "cancelling: * | *langsmith_session_name: missing",
        "runs.* | *langsmith_session_name: missing",
        "background: * | *kwargs.*: *",
        "cancelling: * | *kwargs.*: *",
        "runs.* | *kwargs.*: *",
        "* | *metadata.from: missing",
        "* | *metadata.error_code: more",
        "background: cancel one that ended | status: 409 instead of 404",
        "runs.cancel one that ended | *",
    ),
    "Joining a run that has ended tells its end, so that a page which was reloaded shows the answer.": (
        "background: join * | body.length: 2 instead of 0",
        "cancelling: its stream | body.length: 2 instead of 0",
        "runs.joinStream of one that ended | length: *",
    ),
    "A run in the background without a thread has one, which expires as threads do.": (
        "background: create without a thread | *",
    ),
    "A run that is cancelled leaves nothing behind but its message, whether a worker had begun it or not.": (
        "cancelling: thread | *",
        "cancelling: a run after it | body.*",
        "cancelling: get* | *assistant_id: *",
        "cancelling: get* | *graph_id: missing",
        "runs.cancel | *",
    ),
    "A thread belongs to an agent from its first turn on; a state that was written by `update_state` names none.": (
        "cancelling: busy thread | body.metadata.*: missing",
        "states: state * | body.metadata.graph_id: missing",
        "threads.getState after it | metadata.graph_id: missing",
    ),
    "A state has the metadata of its run, not the thread's too.": (
        "threads.get* | *metadata.n: missing",
        "threads.get* | *metadata.shelf: missing",
        "* | *metadata.checkpoint_id: missing",
    ),
    "A checkpoint is named in full wherever it is named.": (
        "states: state at a checkpoint | body.checkpoint.checkpoint_ns: more",
        "threads.getState by its id | checkpoint.checkpoint_ns: more",
    ),
    "`debug` and `checkpoints` name the checkpoint that they tell of, not its parent.": (
        "streams: * | *parent_config: null instead of *",
        "streams: debug | *payload.*checkpoint: missing",
        "runs.stream debug | *parent_config: null instead of *",
        "runs.stream debug | *payload.*checkpoint: missing",
    ),
    "What is remembered is found in the order of its places and keys, not of its writing, where no `query` ranks it.": (
        "store.searchItems, a page | items.0.*",
    ),
    "A place in memory that holds nothing any more is not listed.": ("store.listNamespaces after it | namespaces.*",),
    "A message from inside a sub-graph that is not streamed names its node, and no more of where it was written.": (
        "streams: a subgraph, hidden | body.5.1.1.*: missing",
    ),
}
