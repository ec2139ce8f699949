"""Every error that a client may receive, with status, code and advice."""

from collections.abc import Callable
from typing import Any, ClassVar


class TurnkeepError(Exception):
    """`detail` is sent to the caller, so it contains no message text, SQL, secret or foreign id."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    advice: ClassVar[str]

    def __init__(self, detail: str | None = None, *, retry_after: int | None = None, resets_at: str | None = None):
        """`retry_after`: whole seconds. `resets_at` (ISO 8601): when a budget starts again, if not after that time."""
        self.detail = detail or self.advice
        self.retry_after, self.resets_at = retry_after, resets_at
        super().__init__(self.detail)


class BadRequest(TurnkeepError):
    status, code, title = 422, "bad_request", "The request cannot be processed"
    advice = "Correct the request and send it again."


class InvalidJson(BadRequest):
    status, code, title = 400, "invalid_json", "The request body is not valid JSON"
    advice = "Send one JSON object in UTF-8."


class InvalidRequest(BadRequest):
    status, code, title = 422, "invalid_request", "A field is missing, unknown or invalid"
    advice = "Compare the request with the schema at /openapi.json."


class InvalidId(BadRequest):
    status, code, title = 422, "invalid_id", "The id is invalid"
    advice = "An id must be 1 to 64 characters from A-Z a-z 0-9 _ -."


class UnknownAgent(BadRequest):
    status, code, title = 422, "unknown_agent", "The agent does not exist"
    advice = "`GET /agents` lists the available agents."


class AgentMismatch(BadRequest):
    status, code, title = 422, "agent_mismatch", "The thread belongs to another agent"
    advice = "Omit `agent`, or start a new thread for the other agent."


class IdempotencyKeyReused(BadRequest):
    status, code, title = 422, "idempotency_key_reused", "The `Idempotency-Key` was used with a different body"
    advice = "Send a new `Idempotency-Key` with the new body."


class MessageTooLong(BadRequest):
    status, code, title = 413, "message_too_long", "The message is over 64 KB"
    advice = "The message must be at most 65,536 bytes of UTF-8."


class DocumentTooLarge(BadRequest):
    status, code, title = 413, "document_too_large", "The file is over 10 MB"
    advice = "The file must be at most 10,000,000 bytes. Split a longer document."


class BodyTooLarge(BadRequest):
    status, code, title = 413, "body_too_large", "The request body is too large"
    advice = "The body must be at most 262,144 bytes."


class UnsupportedMediaType(BadRequest):
    status, code, title = 415, "unsupported_media_type", "The request body is not declared as JSON"
    advice = "Send the header `Content-Type: application/json`."


class AnswerTooLarge(BadRequest):
    status, code, title = 422, "answer_too_large", "The response is over 5 MB"
    advice = "Send a smaller `limit`, or read a single item or turn. Changes made by this request took effect."


class AmbiguousBody(BadRequest):
    status, code, title = 400, "ambiguous_body", "The body length is declared twice"
    advice = "Send `Content-Length` or `Transfer-Encoding`, not both."


class Misdirected(BadRequest):
    status, code, title = 421, "misdirected", "The host name is not accepted"
    advice = "Use localhost, 127.0.0.1 or [::1]. This server accepts requests from this machine only."


class BodyTimeout(BadRequest):
    status, code, title = 408, "body_timeout", "The request body did not arrive in time"
    advice = "Send the complete body within 30 seconds."


class ForeignOrigin(TurnkeepError):
    status, code, title = 403, "foreign_origin", "The origin is not allowed"
    advice = "Open the page from this machine, or add its origin to `CORS_ORIGINS`."


class Unauthorized(TurnkeepError):
    status, code, title = 401, "unauthorized", "The credential is missing or invalid"
    advice = "Send a valid credential."


class NotFound(TurnkeepError):
    status, code, title = 404, "not_found", "Not found"
    advice = "Not found. Check the id. Threads expire 24 hours after their last turn."


class DocumentNotFound(NotFound):
    status, code, title = 404, "document_not_found", "The document does not exist"
    advice = "`GET /threads/{thread_id}/attachments` lists the documents of the thread."


class NoInterrupt(NotFound):
    status, code, title = 404, "no_such_interrupt", "The thread does not wait for this answer"
    advice = "`GET /threads/{thread_id}/state` lists the interrupts of the thread."


class MethodNotAllowed(TurnkeepError):
    status, code, title = 405, "method_not_allowed", "The route does not support this method"
    advice = "`/openapi.json` lists the methods of each route."


class Conflict(TurnkeepError):
    status, code, title = 409, "conflict", "The thread is in another state than the request needs"
    advice = "Read the thread, then retry."


class ThreadExists(Conflict):
    status, code, title = 409, "thread_exists", "The thread already exists"
    advice = 'Choose another `thread_id`, or send `"if_exists": "do_nothing"`.'


class TooManyDocuments(Conflict):
    status, code, title = 409, "too_many_documents", "The thread has reached its limit of 20 documents"
    advice = "Remove a document, or start a new thread."


class TurnInProgress(Conflict):
    status, code, title = 409, "turn_in_progress", "This request is still being processed"
    advice = "This request is still being processed. Retry with the same key after the time in `Retry-After`."


class ThreadBusy(Conflict):
    status, code, title = 409, "thread_busy", "Another turn of this thread is running"
    advice = "Another turn of this thread is running. Retry after the time in `Retry-After`."


class Superseded(Conflict):
    status, code, title = 409, "superseded", "Another run took over the thread"
    advice = "Nothing of this run was stored. Read the thread, then send the message again."


class ThreadMoved(Conflict):
    status, code, title = 409, "thread_moved", "The thread has newer turns"
    advice = "Read the thread, then send the message after its newest turn, or branch from the turn you mean."


class RunCancelled(Conflict):
    status, code, title = 409, "run_cancelled", "The run was cancelled"
    advice = "It has no complete answer. Send the message again to start a new run."


class ActionUnknown(Conflict):
    """Names the action by `name` and `key`, begun `at` (epoch seconds). After checking its target, call
    `settle(result)` to store the result, or `release()` to let the next call repeat it."""

    status, code, title = 409, "action_unknown", "The outcome of an action is unknown"
    advice = "The action is not repeated. Check the target system, then send a new message with a new key."

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
        detail = f"The outcome of the action {name} is unknown. {self.advice}" if name else None
        super().__init__(detail, retry_after=retry_after)


class StateCorrupt(Conflict):
    status, code, title = 409, "state_corrupt", "The stored thread cannot be read completely"
    advice = "Nothing was changed. The stored data is kept for inspection. Start a new thread to continue."


class OverLimit(TurnkeepError):
    status, code, title = 429, "over_limit", "A limit was reached"
    advice = "Nothing was stored. Retry after the time in `Retry-After`."


class BudgetExceeded(OverLimit):
    status, code, title = 429, "budget_exceeded", "The daily budget is used up"
    advice = "Nothing was stored. `GET /usage` shows what is left and when the budget resets."


class TooManyTurns(OverLimit):
    status, code, title = 429, "too_many_turns", "Too many turns were started in this minute"
    advice = "Nothing was stored. Retry after the time in `Retry-After`."


class TooManyAtOnce(OverLimit):
    status, code, title = 429, "too_many_at_once", "Too many turns are running"
    advice = "Nothing was stored. Wait for one of your running turns to end, then retry."


class DeploymentCeiling(OverLimit):
    status, code, title = 429, "deployment_ceiling", "The daily budget of this deployment is used up"
    advice = "Nothing was stored. The budget resets at midnight UTC. The operator can raise it."


class ModelFault(TurnkeepError):
    status, code, title = 502, "model_fault", "The model returned no usable answer"
    advice = "Nothing was stored. Retry the request."
    at_limit = False  # True: the model reached its token limit; connection and server are fine


class ModelError(ModelFault):
    status, code, title = 502, "model_error", "The model failed"
    advice = "Nothing was stored. Retry the request."


class ModelTruncated(ModelFault):
    status, code, title = 502, "model_truncated", "The model's answer was cut off"
    advice = "Nothing was stored. Ask for a shorter answer, or retry the request."


class ModelBusy(ModelFault):
    status, code, title = 503, "model_busy", "The model is overloaded"
    advice = "Nothing was stored. Retry after the time in `Retry-After`."


class ModelKeyUnavailable(ModelFault):
    status, code, title = 503, "model_key_unavailable", "The API key of the model cannot be read"
    advice = "Nothing was stored. Retry after the time in `Retry-After`."


class ModelTimeout(ModelFault):
    status, code, title = 504, "model_timeout", "The model did not answer in time"
    advice = "Nothing was stored. Retry the request."


class AgentFault(TurnkeepError):
    status, code, title = 500, "agent_error", "The agent failed"
    advice = "Nothing was stored. Retry the request; if it fails again, report the `correlation_id`."


class AgentUnavailable(TurnkeepError):
    status, code, title = 503, "agent_unavailable", "The agent is unavailable"
    advice = "Nothing was stored. The operator finds the reason in the log. Other agents work."


class PrivacyUnavailable(TurnkeepError):
    status, code, title = 503, "privacy_unavailable", "Personal data could not be redacted"
    advice = "Nothing was stored or sent to a model. Rephrase the message, or report the `correlation_id`."


class StoreUnavailable(TurnkeepError):
    status, code, title = 503, "store_unavailable", "The store did not respond in time"
    advice = "Nothing was lost. Retry after the time in `Retry-After`."


class Unsettled(StoreUnavailable):
    status, code, title = 503, "unsettled", "It is unknown whether the turn was stored"
    advice = "Retry with the same key. If the turn was stored, it is returned."


class ServerStopping(TurnkeepError):
    status, code, title = 503, "server_stopping", "The server is shutting down"
    advice = "Retry with the same key when the server is back."


class InternalError(TurnkeepError):
    status, code, title = 500, "internal_error", "An unexpected error occurred"
    advice = "Retry with the same key; if it fails again, report the `correlation_id`."
