"""Every error that a caller may meet. Each class has a status, a code and a line that says what to do."""

from collections.abc import Callable
from typing import Any, ClassVar


class TurnkeepError(Exception):
    """`detail` is shown to the caller, so it holds no message text, SQL, secret or foreign id."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    advice: ClassVar[str]

    def __init__(self, detail: str | None = None, *, retry_after: int | None = None):
        """`retry_after` is in whole seconds."""
        self.detail = detail or self.advice
        self.retry_after = retry_after
        super().__init__(self.detail)


class BadRequest(TurnkeepError):
    status, code, title = 422, "bad_request", "The request cannot be served as it is"
    advice = "Correct the request and send it again."


class InvalidJson(BadRequest):
    status, code, title = 400, "invalid_json", "The body is not valid JSON"
    advice = "Send one JSON object, encoded as UTF-8."


class InvalidRequest(BadRequest):
    status, code, title = 422, "invalid_request", "A field is missing, unknown or of the wrong type"
    advice = "Compare the request with the schema at /openapi.json."


class InvalidId(BadRequest):
    status, code, title = 422, "invalid_id", "The id is not well-formed"
    advice = "Use 1 to 64 of the characters A-Z a-z 0-9 _ -."


class UnknownAgent(BadRequest):
    status, code, title = 422, "unknown_agent", "No agent has this name"
    advice = "GET /agents lists the agents of this deployment."


class AgentMismatch(BadRequest):
    status, code, title = 422, "agent_mismatch", "The thread belongs to another agent"
    advice = "Leave out `agent`, or start another thread for the other agent."


class IdempotencyKeyReused(BadRequest):
    status, code, title = 422, "idempotency_key_reused", "The Idempotency-Key was used for another body"
    advice = "Send a new Idempotency-Key with the new body."


class InvalidRetryToken(BadRequest):
    status, code, title = 422, "invalid_retry_token", "The retry_token cannot be used"
    advice = "Send the token of this thread unchanged within 15 minutes, or send the message again."


class MessageTooLong(BadRequest):
    status, code, title = 413, "message_too_long", "The message is over 64 KB"
    advice = "Shorten the message to at most 65536 bytes of UTF-8."


class DocumentTooLarge(BadRequest):
    status, code, title = 413, "document_too_large", "The file is over 10 MB"
    advice = "Send a file of at most 10000000 bytes; split a longer document."


class BodyTooLarge(BadRequest):
    status, code, title = 413, "body_too_large", "The body is too large"
    advice = "Send a body of at most 262144 bytes."


class UnsupportedMediaType(BadRequest):
    status, code, title = 415, "unsupported_media_type", "The body is not declared as JSON"
    advice = "Send the header Content-Type: application/json."


class AnswerTooLarge(BadRequest):
    status, code, title = 422, "answer_too_large", "The answer is over 5 MB"
    advice = "Ask for a smaller `limit`, or for one item or turn. What the request changes is changed all the same."


class AmbiguousBody(BadRequest):
    status, code, title = 400, "ambiguous_body", "The length of the body is given in two ways"
    advice = "Send Content-Length or Transfer-Encoding, not both."


class Misdirected(BadRequest):
    status, code, title = 421, "misdirected", "This server has another name"
    advice = "Call it as localhost, 127.0.0.1 or [::1]: it serves this machine only."


class BodyTimeout(BadRequest):
    status, code, title = 408, "body_timeout", "The body did not arrive in time"
    advice = "Send the whole body within 30 seconds."


class ForeignOrigin(TurnkeepError):
    status, code, title = 403, "foreign_origin", "A page of another site may not call this server"
    advice = "Open the page from this machine, or name its origin in CORS_ORIGINS."


class Unauthorized(TurnkeepError):
    status, code, title = 401, "unauthorized", "The caller is not known"
    advice = "Send a valid credential."


class NotFound(TurnkeepError):
    status, code, title = 404, "not_found", "There is no such thing here"
    advice = "Check the id; a thread is gone 24 hours after its last turn."


class DocumentNotFound(NotFound):
    status, code, title = 404, "document_not_found", "The thread has no such document"
    advice = "GET /threads/{thread_id}/attachments lists the documents of the thread."


class MethodNotAllowed(TurnkeepError):
    status, code, title = 405, "method_not_allowed", "The route does not take this method"
    advice = "See /openapi.json for the methods of each route."


class Conflict(TurnkeepError):
    status, code, title = 409, "conflict", "The thread is not in the state that the request needs"
    advice = "Read the thread and try again."


class ThreadExists(Conflict):
    status, code, title = 409, "thread_exists", "The thread exists already"
    advice = 'Choose another thread_id, or send "if_exists": "do_nothing".'


class TooManyDocuments(Conflict):
    status, code, title = 409, "too_many_documents", "The thread has as many documents as it may"
    advice = "Remove one of its 20 documents, or start another thread."


class AlreadyUploaded(Conflict):
    status, code, title = 409, "already_uploaded", "This document has its file"
    advice = "Nothing was changed. POST to attachments again for another document."


class TurnInProgress(Conflict):
    status, code, title = 409, "turn_in_progress", "This very request is still running"
    advice = "Send the same request with the same key again after Retry-After seconds to get its reply."


class ThreadBusy(Conflict):
    status, code, title = 409, "thread_busy", "Another turn of this thread is running"
    advice = "Send the request again after Retry-After seconds."


class Superseded(Conflict):
    status, code, title = 409, "superseded", "Another writer took the thread over"
    advice = "Nothing of this run was kept. Read the thread, then send the message again."


class ThreadMoved(Conflict):
    status, code, title = 409, "thread_moved", "The thread has gone on since"
    advice = "Read the thread, then send the message after its newest turn, or branch at the turn that you mean."


class RunCancelled(Conflict):
    status, code, title = 409, "run_cancelled", "The run was cancelled"
    advice = "Nothing of this run was kept. Send the message again to run it anew."


class ActionUnknown(Conflict):
    """`name` and `key` are the action's, `at` is when it was begun, epoch seconds. Whoever has asked where it was to be
    done says so: `settle(result)` keeps what it gave, `release()` has it done by the next call."""

    status, code, title = 409, "action_unknown", "It is not known whether an action was done"
    advice = "It is not done again. Look where it was to be done, then send a new message with a new key."

    def __init__(
        self,
        name: str = "",
        key: str = "",
        at: float = 0.0,
        *,
        settle: Callable[[Any], None] = lambda result: None,
        release: Callable[[], None] = lambda: None,
        retry_after: int | None = None,
    ):
        self.name, self.key, self.at = name, key, at
        self.settle, self.release = settle, release
        detail = f"The outcome of the action {name} is not known. {self.advice}" if name else None
        super().__init__(detail, retry_after=retry_after)


class StateCorrupt(Conflict):
    status, code, title = 409, "state_corrupt", "The stored thread cannot be read back whole"
    advice = "Nothing was changed; what is stored is kept for inspection. Start a new thread to go on."


class OverLimit(TurnkeepError):
    status, code, title = 429, "over_limit", "A limit is reached"
    advice = "Nothing was stored; send the same request again after Retry-After seconds."

    def __init__(
        self, detail: str | None = None, *, retry_after: int | None = None, resets_at: str | None = None
    ) -> None:
        """`resets_at`: when what is used up begins anew, ISO 8601, where that is not just Retry-After."""
        self.resets_at = resets_at
        super().__init__(detail, retry_after=retry_after)


class BudgetExceeded(OverLimit):
    status, code, title = 429, "budget_exceeded", "The budget of the day is used up"
    advice = "Nothing was stored; GET /usage says what is left and when the budget begins anew."


class TooManyTurns(OverLimit):
    status, code, title = 429, "too_many_turns", "Too many turns were started in this minute"
    advice = "Nothing was stored; send the same request again after Retry-After seconds."


class TooManyAtOnce(OverLimit):
    status, code, title = 429, "too_many_at_once", "Too many turns are running"
    advice = "Nothing was stored; wait for one of your running turns, then send the same request again."


class DeploymentCeiling(OverLimit):
    status, code, title = 429, "deployment_ceiling", "This deployment has used what it may use in a day"
    advice = "Nothing was stored. Whoever runs this deployment may raise the ceiling; it begins anew at midnight UTC."


class ModelFault(TurnkeepError):
    status, code, title = 502, "model_fault", "The model gave no usable answer"
    advice = "Nothing was stored; send the same request again."


class ModelError(ModelFault):
    status, code, title = 502, "model_error", "The model failed"
    advice = "Nothing was stored; send the same request again."


class ModelTruncated(ModelFault):
    status, code, title = 502, "model_truncated", "The model's answer was cut off"
    advice = "Nothing was stored; ask for less, or send the same request again."

    def __init__(self, detail: str | None = None, *, retry_after: int | None = None, at_limit: bool = False):
        """`at_limit`: the model wrote all it was allowed to, so the connection and the server are well."""
        self.at_limit = at_limit
        super().__init__(detail, retry_after=retry_after)


class ModelBusy(ModelFault):
    status, code, title = 503, "model_busy", "The model takes no more requests just now"
    advice = "Nothing was stored; send the same request again after Retry-After seconds."


class ModelKeyUnavailable(ModelFault):
    status, code, title = 503, "model_key_unavailable", "The key of the model's server cannot be read"
    advice = "Nothing was stored; send the same request again after Retry-After seconds."


class ModelTimeout(ModelFault):
    status, code, title = 504, "model_timeout", "The model was too slow"
    advice = "Nothing was stored; send the same request again."


class AgentFault(TurnkeepError):
    status, code, title = 500, "agent_error", "The agent failed"
    advice = "Nothing was stored; report the correlation_id if it happens again."


class AgentUnavailable(TurnkeepError):
    status, code, title = 503, "agent_unavailable", "This agent cannot work just now"
    advice = "Nothing was stored. Whoever runs this deployment finds the reason in its log; other agents answer."


class PrivacyUnavailable(TurnkeepError):
    status, code, title = 503, "privacy_unavailable", "Personal data could not be hidden"
    advice = "Nothing was stored and no model saw it. Word the message otherwise, or report the correlation_id."


class StoreUnavailable(TurnkeepError):
    status, code, title = 503, "store_unavailable", "The store did not answer in time"
    advice = "Nothing was lost; send the same request again after Retry-After seconds."


class Unsettled(StoreUnavailable):
    status, code, title = 503, "unsettled", "It is not known whether the turn was kept"
    advice = "Send the same request with the same key again: a turn that was kept is replayed."


class ServerStopping(TurnkeepError):
    status, code, title = 503, "server_stopping", "The server is being stopped"
    advice = "Send the same request with the same key again when it is back."


class InternalError(TurnkeepError):
    status, code, title = 500, "internal_error", "Something went wrong here"
    advice = "Send the same request with the same key again; report the correlation_id if it happens again."
